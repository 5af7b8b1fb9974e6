"""Monotone utilities: the paper's case study, its hyperparameters and ours; thousands of items; whether bands hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import OURS, Answer, Case

QUESTION = "How fast are utilities that are proven monotone, and how right?"


def cases(quick: bool) -> list[Case]:
    """Return the case study with both hyperparameters, two sizes, and the coverage of bands."""
    repetitions = 20 if quick else 1_000
    sizes = ((200, 2_000),) if quick else ((1_000, 10_000), (5_000, 50_000))
    return [
        *(
            Case(
                what=f"the case study, {repetitions:,} repetitions, hyperparameters of the {which}",
                prepare=lambda which=which: study(repetitions, which),  # type: ignore[misc]
                answer=table,
            )
            for which in ("paper", "evidence")
        ),
        *(
            Case(
                what=f"{n:,} items in 3 dimensions × {m:,} comparisons",
                prepare=lambda n=n, m=m: large(n, m),  # type: ignore[misc]
                answer=proof,
                limit=3_600.0,
            )
            for n, m in sizes
        ),
        *(
            Case(
                who=f"{OURS}, {m} comparisons",
                what="95 % bands of differences, case study, by evidence",
                prepare=lambda m=m: coverage(m, 5 if quick else 200),  # type: ignore[misc]
                answer=lambda share: {"held": f"{share:.1%}"},
            )
            for m in (90, 250)
        ),
    ]


def study(repetitions: int, hyperparameters: Any) -> Callable[[], object]:
    """Return the case study."""
    from penchant.papers.monotone import case_study

    return lambda: case_study(repetitions, hyperparameters=hyperparameters)


def table(study: Any) -> Answer:
    """Tell the share of pairs that are right: dominated, not, overall."""
    names = ("f_MAP", "y", "f_lin")
    rows = {
        name: " / ".join(f"{share:.2f}" for share in row)
        for name, row in zip(names, study.percent, strict=True)
    }
    return {**rows, "out of order": study.disordered}


def large(n: int, m: int) -> Callable[[], object]:
    """Return a fit of many items, hyperparameters by evidence."""
    import numpy as np

    from penchant.gp import MonotoneGP

    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    utility = 2 * X[:, 0] + 0.3 * np.sin(6 * X[:, 0]) - X[:, 1] ** 2 + np.cos(4 * X[:, 2])
    pairs = np.column_stack([rng.integers(n, size=m), rng.integers(1, n, size=m)])
    pairs[:, 1] = pairs.sum(axis=1) % n
    rated = utility[pairs] + rng.normal(0, 0.2, pairs.shape)
    pairs = np.where(rated[:, :1] > rated[:, 1:], pairs, pairs[:, ::-1])
    return lambda: MonotoneGP(increasing=0, decreasing=1).fit_pairs(X, pairs)


def proof(model: Any) -> Answer:
    """Tell whether the gap is closed, and the blend."""
    return {"gap closed": str(model.certificate_.closed), "alpha": round(model.alpha_, 3)}


def coverage(m: int, runs: int) -> Callable[[], object]:
    """Return how often bands of 95 % hold the true difference of two utilities, in units of the learned noise."""
    import warnings

    import numpy as np

    from penchant.errors import PenchantWarning
    from penchant.papers.monotone import RATING_NOISE, all_pairs, compared, fitted, grid, true_utility

    X, test = grid(5), grid(9)
    pairs = all_pairs(len(test))
    apart = true_utility(test)[pairs[:, 0]] - true_utility(test)[pairs[:, 1]]

    def held() -> float:
        shares = []
        for seed in range(runs):
            said = compared(X, np.random.default_rng(seed), count=m)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PenchantWarning)
                model = fitted(X, said, hyperparameters="evidence")
            mean, deviation = model.difference(test[pairs[:, 0]], test[pairs[:, 1]])
            truth = apart * model.noise_ / RATING_NOISE
            shares.append((np.abs(mean - truth) <= 1.96 * deviation).mean())
        return float(np.mean(shares))

    return held
