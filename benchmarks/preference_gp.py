"""Gaussian processes on comparisons: from features and pairs to utilities of new rows, beside BoTorch's PairwiseGP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

from benchmarks.case import OURS, Answer, Case

QUESTION = "How fast is PreferenceGP beside BoTorch's PairwiseGP, how right, and do its bands hold?"

BOTORCH = ("botorch>=0.18", "torch==2.13.0")
FEATURES, NEW_ROWS, AN_ITEM = 4, 2_000, 4
LENGTHSCALE, VARIANCE = 0.5, 4.0


def cases(quick: bool) -> list[Case]:
    """Return fits with hyperparameters given and learned, a first fit, a large one, and the coverage of bands."""
    sizes = (50, 100) if quick else (200, 500, 1_000)
    learned, largest = (100, 200) if quick else (500, 1_000)
    large = (500, 5_000) if quick else (5_000, 50_000)
    return [
        *(case for n in sizes for case in kept(n)),
        *searched(learned),
        *searched(largest, limit=240.0),
        *started(50),
        *few(50, 3 if quick else 40),
        Case(
            what=f"{large[0]:,} items, {large[1]:,} pairs, learned",
            prepare=lambda: penchant(*large),
            answer=accuracy,
            warm=1,
        ),
        *(covered(inference, 10 if quick else 200) for inference in ("ep", "laplace")),
    ]


def kept(n: int) -> list[Case]:
    """Return Laplace's approximation with the same kernel, of which nothing is learned."""
    what = f"{n:,} items, {AN_ITEM * n:,} pairs, Laplace, kernel given"
    return [
        Case(
            what=what,
            prepare=lambda: penchant(n, AN_ITEM * n, inference="laplace", optimizer=None),
            answer=accuracy,
        ),
        peer(what, lambda: botorch(n, AN_ITEM * n, learn=False)),
    ]


def searched(n: int, limit: float = 600.0) -> list[Case]:
    """Return the default: hyperparameters by evidence; BoTorch's is Laplace's, with priors on them."""
    what = f"{n:,} items, {AN_ITEM * n:,} pairs, kernel learned"
    return [
        Case(what=what, prepare=lambda: penchant(n, AN_ITEM * n), answer=accuracy, warm=3),
        Case(
            who=f"{OURS}, Laplace",
            what=what,
            prepare=lambda: penchant(n, AN_ITEM * n, inference="laplace"),
            answer=accuracy,
            warm=3,
        ),
        peer(what, lambda: botorch(n, AN_ITEM * n, learn=True), limit=limit, warm=1),
    ]


def started(n: int) -> list[Case]:
    """Return importing, and a first fit with hyperparameters, in a new process."""
    what = f"import and first fit, {n} items, kernel learned"
    return [
        Case(what=what, prepare=lambda: lambda: penchant(n, AN_ITEM * n)(), answer=accuracy, fresh=True),
        peer(what, lambda: lambda: botorch(n, AN_ITEM * n, learn=True)(), fresh=True),
    ]


def few(n: int, sets: int) -> list[Case]:
    """Return how right both are on little data, over several sets of it: one alone says little."""
    what = f"{n} items, {AN_ITEM * n} pairs, kernel learned, {sets} sets"
    seeds = range(100, 100 + sets)  # the priors were chosen on the first 20
    return [
        Case(
            what=what,
            prepare=lambda: lambda: [penchant(n, AN_ITEM * n, seed=seed)() for seed in seeds],
            answer=mean_accuracy,
            warm=1,
        ),
        replace(
            peer(what, lambda: lambda: [botorch(n, AN_ITEM * n, learn=True, seed=seed)() for seed in seeds]),
            answer=mean_accuracy,
            warm=1,
        ),
    ]


def covered(inference: str, worlds: int) -> Case:
    """Return how often 95 % bands of differences hold the truth, in worlds drawn from the model."""
    return Case(
        who=OURS if inference == "ep" else f"{OURS}, Laplace",
        what=f"bands of differences, 40 items, 120 pairs, {worlds} worlds",
        prepare=lambda: lambda: [coverage(inference, world) for world in range(worlds)],
        answer=lambda shares: {
            "coverage": f"{fmean(shares):.3f} ± {stdev(shares) / worlds**0.5:.3f}"  # type: ignore[call-overload]
        },
        warm=1,
    )


def peer(what: str, prepare: Callable[[], Callable[[], object]], **settings: Any) -> Case:
    """Return BoTorch's row."""
    return Case(
        who="BoTorch PairwiseGP",
        what=what,
        requires=BOTORCH,
        prepare=prepare,
        answer=accuracy,
        cannot="Laplace only; no ties, no weights",
        **settings,
    )


def judged(n: int, m: int, seed: int = 0) -> tuple[Any, Any]:
    """Return features (n, 4) and pairs (m, 2), better first."""
    import numpy as np

    rng = np.random.default_rng(seed)
    X = rng.random((n, FEATURES))
    first = rng.integers(n, size=m)
    second = (first + rng.integers(1, n, size=m)) % n
    seen = utility(X)[first] - utility(X)[second] + np.sqrt(2) * rng.normal(size=m)
    better, worse = np.where(seen > 0, (first, second), (second, first))
    return X, np.column_stack([better, worse])


def utility(X: Any) -> Any:
    """Return what the simulated people find good."""
    import numpy as np

    return 2 * np.sin(3 * X).sum(axis=1) + 2 * X[:, 0] * X[:, 1]


def accuracy(predict: Any) -> Answer:
    """Return the share of pairs of new rows that the fitted model orders rightly."""
    return {"right on new pairs": f"{right(predict):.3f}"}


def mean_accuracy(fitted: Any) -> Answer:
    """Return that share on the average of several fitted models, with its standard error."""
    shares = [right(predict) for predict in fitted]
    return {"right on new pairs": f"{fmean(shares):.3f} ± {stdev(shares) / len(shares) ** 0.5:.3f}"}


def right(predict: Any) -> float:
    """Return the share of pairs of new rows that are ordered rightly."""
    import numpy as np

    new = np.random.default_rng(1).random((NEW_ROWS, FEATURES))
    told, true = (values[::2] > values[1::2] for values in (predict(new), utility(new)))
    return float((told == true).mean())


def penchant(n: int, m: int, *, seed: int = 0, **settings: Any) -> Callable[[], object]:
    """Prepare Penchant's row."""
    from penchant.gp import PreferenceGP, SquaredExponential

    X, pairs = judged(n, m, seed)
    if settings.get("optimizer", "evidence") is None:
        settings["kernel"] = SquaredExponential((LENGTHSCALE,) * FEATURES, VARIANCE)

    def fit() -> object:
        model = PreferenceGP(**settings).fit_pairs(X, pairs)
        model.predict(X[:5])
        return model.predict

    return fit


def botorch(n: int, m: int, *, learn: bool, seed: int = 0) -> Callable[[], object]:
    """Prepare BoTorch's row."""
    import warnings

    import torch  # type: ignore[import-not-found]
    from botorch.fit import fit_gpytorch_mll  # type: ignore[import-not-found]
    from botorch.models.pairwise_gp import (  # type: ignore[import-not-found]
        PairwiseGP,
        PairwiseLaplaceMarginalLogLikelihood,
    )
    from gpytorch.kernels import RBFKernel, ScaleKernel  # type: ignore[import-not-found]

    warnings.simplefilter("ignore")
    X, pairs = judged(n, m, seed)

    def kernel() -> Any:
        made = ScaleKernel(RBFKernel(ard_num_dims=FEATURES))
        made.base_kernel.lengthscale, made.outputscale = LENGTHSCALE, VARIANCE
        return made

    def fit() -> object:
        """Learn, and predict a few rows, without which the utilities are not worked out."""
        model = PairwiseGP(
            torch.tensor(X), torch.tensor(pairs), covar_module=None if learn else kernel().to(torch.float64)
        )
        if learn:
            fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
        model.eval()

        def predict(rows: Any) -> Any:
            with torch.no_grad():
                return model.posterior(torch.tensor(rows)).mean.numpy().ravel()

        predict(X[:5])
        return predict

    return fit


def coverage(inference: str, world: int) -> float:
    """Return the share of all differences that lie in their band, in one world."""
    import numpy as np

    from penchant.gp import PreferenceGP, SquaredExponential

    rng = np.random.default_rng(world)
    kernel = SquaredExponential(0.3, 4.0)
    X = rng.random((40, 2))
    truth = rng.multivariate_normal(np.zeros(40), kernel(X), check_valid="ignore")
    first, second = np.triu_indices(40, 1)
    drawn = rng.choice(len(first), 120, replace=False)
    a, b = first[drawn], second[drawn]
    won = truth[a] - truth[b] + np.sqrt(2) * rng.normal(size=120) > 0
    pairs = np.where(won[:, None], np.column_stack([a, b]), np.column_stack([b, a]))
    model = PreferenceGP(kernel, optimizer=None, inference=inference).fit_pairs(X, pairs)  # type: ignore[arg-type]
    mean, covariance = model.predict(X, return_cov=True)
    spread = np.diagonal(covariance)
    deviation = np.sqrt(spread[first] + spread[second] - 2 * covariance[first, second])
    off = mean[first] - mean[second] - truth[first] + truth[second]
    return float((np.abs(off) <= 1.96 * deviation).mean())
