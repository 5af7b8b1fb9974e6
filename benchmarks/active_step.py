"""One step of active learning: an answer is learned, and the next pair is chosen."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, repeat
from time import process_time
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = (
    "How long is one active step (learn an answer, choose the next pair), beside refitting all answers?"
)

FEATURES, STEPS = 20, 300
SINCE = 140
MARKS = (100, 300, 1_000, 3_000, 5_000)
SIZES = (25, 50, 100, 200, 400)
BOTORCH = ("torch==2.13.0", "botorch")


def cases(quick: bool) -> list[Case]:
    """Return whole runs at growing sizes, and refits in the place of steps."""
    sizes = (150, 1_000) if quick else (150, 1_000, 10_000, 100_000)
    rows = [
        Case(
            what=f"{STEPS} steps, {n:,} items",
            prepare=lambda n=n: run(n, STEPS),
            answer=told,
            warm=None if n <= 1_000 else 1,
        )
        for n in sizes
    ]
    if not quick:
        rows += [
            Case(what="100 steps, 1,000,000 items", prepare=lambda: run(1_000_000, 100), answer=told, warm=1),
            *(
                Case(
                    who=who,
                    what="5,000 steps, 10,000 items",
                    prepare=lambda inducing=inducing: run(10_000, 5_000, inducing=inducing),
                    answer=told,
                    warm=1,
                    limit=3_600,
                )
                for who, inducing in (("Penchant", None), ("Penchant, 100 inducing items", 100))
            ),
            Case(
                what="100 steps, a graph of 100,000 items, five links each",
                prepare=lambda: graph_run(100_000, 100),
                answer=told,
                warm=1,
            ),
        ]
    n = 150 if quick else 1_000
    rows += [
        Case(
            who="Penchant" if inducing is None else f"Penchant, {inducing} inducing items",
            what=f"the same {STEPS} answers, {n:,} items",
            prepare=lambda inducing=inducing: same_answers(n, inducing),
            answer=lambda result: result,
            warm=1,
        )
        for inducing in (None, *SIZES)
        if inducing is None or inducing <= n
    ]
    rows += [
        Case(
            what=f"answers {SINCE + 1} to 150, {n:,} items", prepare=lambda: one_by_one(n), answer=precision
        ),
        Case(
            who="Penchant, and the next pair",
            what=f"answers {SINCE + 1} to 150, {n:,} items",
            prepare=lambda: one_by_one(n, choose=True),
            answer=precision,
        ),
        Case(
            who="Penchant, full EP",
            what=f"answers {SINCE + 1} to 150, {n:,} items",
            prepare=lambda: full(n),
            answer=precision,
        ),
        Case(
            who="BoTorch PairwiseGP",
            what=f"answers {SINCE + 1} to 150, {n:,} items",
            prepare=lambda: botorch(n),
            requires=BOTORCH,
            warm=1,
            cannot="refits; no choice of a pair",
        ),
    ]
    return rows


def problem(n: int) -> tuple[Any, Any]:
    """Return features of ``n`` items and their true utilities."""
    import numpy as np

    random = np.random.default_rng(0)
    features = random.normal(size=(n, FEATURES))
    return features, features @ random.normal(size=FEATURES)


def step(model: Any, truth: Any) -> None:
    """Choose a pair by the paper's rule and learn who is better."""
    from penchant.ask import largest_expected_loss_pair

    first, second = largest_expected_loss_pair(model, seen=model.comparisons_.pairs)
    model.update(*((first, second) if truth[first] > truth[second] else (second, first)))


def learned(n: int, steps: int) -> tuple[Any, Any]:
    """Return a model after ``steps`` active steps, and the truth."""
    from penchant.gp import LinkedGP

    features, truth = problem(n)
    model = LinkedGP(lengthscale=FEATURES**0.5, nugget=0.1).fit(features)
    for _ in range(steps):
        step(model, truth)
    return model, truth


def timed(model: Any, truth: Any, steps: int) -> dict[int, float]:
    """Take ``steps`` steps; return the CPU milliseconds of the mean step (0) and of the 50 before each mark."""
    marks = [process_time()]
    for _ in range(steps):
        step(model, truth)
        marks.append(process_time())
    lengths = {mark: 1e3 * (marks[mark] - marks[mark - 50]) / 50 for mark in MARKS if mark <= steps}
    return {0: 1e3 * (marks[-1] - marks[0]) / steps, **lengths}


def run(n: int, steps: int, *, inducing: int | None = None) -> Callable[[], object]:
    """Prepare a whole run on features; its first call takes 10 steps only."""
    from penchant.gp import LinkedGP

    features, truth = problem(n)
    model = LinkedGP(lengthscale=FEATURES**0.5, nugget=0.1, inducing=inducing)
    lengths = chain([10], repeat(steps))
    return lambda: timed(model.fit(features), truth, next(lengths))


def graph_run(n: int, steps: int) -> Callable[[], object]:
    """Prepare a whole run on a random graph; its first call takes 10 steps only."""
    import numpy as np
    from scipy import sparse

    from penchant.gp import LinkedGP

    random = np.random.default_rng(0)
    ends = random.integers(0, n, (2, 5 * n // 2))
    links = sparse.coo_array((np.ones(ends.shape[1]), ends), shape=(n, n)).tocsr()
    links = links + links.T
    truth = random.normal(size=n)
    model = LinkedGP()
    lengths = chain([10], repeat(steps))
    return lambda: timed(model.fit(links=links), truth, next(lengths))


def told(result: Any) -> Answer:
    """Tell the CPU time of a step."""
    return {"a step": f"{result[0]:.2f} ms"} | {
        f"after {mark:,}": f"{length:.2f} ms" for mark, length in result.items() if mark
    }


def same_answers(n: int, inducing: int | None) -> Callable[[], object]:
    """Prepare learning the answers of an exact run, and what comes out differently through inducing items."""
    import numpy as np

    from penchant.gp import LinkedGP

    exact, truth = learned(n, STEPS)
    features, pairs = problem(n)[0], exact.comparisons_.pairs
    sparse = LinkedGP(lengthscale=FEATURES**0.5, nugget=0.1, inducing=inducing)

    def once() -> Answer:
        sparse.fit(features)
        start = process_time()
        sparse.update(*pairs.T)
        length = 1e3 * (process_time() - start) / len(pairs)
        error, sd = sparse.prior_error(), np.sqrt(exact.variance())
        return {
            "an answer": f"{length:.2f} ms",
            "prior off by": f"{error.mean:.4f} (largest {error.largest:.2f})",
            "means off by": f"{(np.abs(sparse.mean - exact.mean) / sd).mean():.3f} sd",
            "sds off by": f"{np.abs(np.sqrt(sparse.variance()) / sd - 1).mean():.1%}",
            **precision((sparse.mean, truth)),
        }

    return once


def one_by_one(n: int, *, choose: bool = False) -> Callable[[], object]:
    """Prepare the last of 150 answers, and with ``choose`` the choice of their pairs."""
    import copy

    model, truth = learned(n, SINCE)
    pairs = learned(n, 150)[0].comparisons_.pairs[SINCE:]
    copies = [copy.deepcopy(model) for _ in range(16)]

    def once() -> Any:
        model = copies.pop()
        for better, worse in pairs:
            if choose:
                step(model, truth)
            else:
                model.update(better, worse)
        return model.mean, truth

    return once


def full(n: int) -> Callable[[], object]:
    """Prepare full EP in the place of each of these answers, on all 150."""
    model, truth = learned(n, 150)

    def again() -> Any:
        for _ in range(SINCE, 150):
            model.refresh()
        return model.mean, truth

    return again


def precision(result: Any) -> Answer:
    """Tell the average precision with the best tenth taken for relevant."""
    import numpy as np

    from penchant.metrics import average_precision

    mean, truth = result
    relevant = (truth >= np.quantile(truth, 0.9)).astype(float)
    return {"average precision": f"{average_precision(relevant, mean):.3f}"}


def botorch(n: int) -> Callable[[], object]:
    """Prepare refits of the peer on 150 random answers, without hyperparameters."""
    import numpy as np
    import torch
    from botorch.models.pairwise_gp import PairwiseGP

    torch.set_num_threads(1)
    features, truth = problem(n)
    random = np.random.default_rng(1)
    pairs = np.array([random.choice(n, 2, replace=False) for _ in range(150)])
    behind = truth[pairs[:, 0]] < truth[pairs[:, 1]]
    pairs[behind] = pairs[behind][:, ::-1]
    points, answers = torch.tensor(features), torch.tensor(pairs)

    def refit() -> object:
        for _ in range(SINCE, 150):
            model = PairwiseGP(points, answers)
            model.eval()
            mean = model.posterior(points).mean
        return mean

    return refit
