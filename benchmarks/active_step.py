"""One step of active learning: an answer is learned, and the next pair is chosen."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = (
    "How long is one active step (learn an answer, choose the next pair), beside refitting all answers?"
)

FEATURES, STEPS = 20, 300
BOTORCH = ("torch==2.13.0", "botorch")


def cases(quick: bool) -> list[Case]:
    """Return whole runs at growing sizes, and one refit by peers in the place of one step."""
    sizes = (150, 1_000) if quick else (150, 1_000, 10_000, 100_000)
    rows = [
        Case(
            what=f"{STEPS} steps, {n:,} items",
            prepare=lambda n=n: run(n, STEPS),
            answer=told,
            warm=None if n <= 10_000 else 1,
        )
        for n in sizes
    ]
    if not quick:
        rows += [
            Case(what="100 steps, 1,000,000 items", prepare=lambda: run(1_000_000, 100), answer=told, warm=1),
            Case(what="5,000 steps, 10,000 items", prepare=lambda: run(10_000, 5_000), answer=told, warm=1),
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
            what=f"one answer more, {n:,} items, 150 answers", prepare=lambda: one_step(n), answer=precision
        ),
        Case(
            who="Penchant, full EP",
            what=f"one answer more, {n:,} items, 150 answers",
            prepare=lambda: full(n),
            answer=precision,
        ),
        Case(
            who="BoTorch PairwiseGP",
            what=f"one answer more, {n:,} items, 150 answers",
            prepare=lambda: botorch(n),
            requires=BOTORCH,
            warm=3,
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

    first, second = largest_expected_loss_pair(model, seen=model.answers_.pairs)
    model.update(*((first, second) if truth[first] > truth[second] else (second, first)))


def learned(n: int, steps: int) -> tuple[Any, Any]:
    """Return a model after ``steps`` active steps, and the truth."""
    from penchant.gp import LinkedGP

    features, truth = problem(n)
    model = LinkedGP(lengthscale=FEATURES**0.5, nugget=0.1).fit(features)
    for _ in range(steps):
        step(model, truth)
    return model, truth


def timed(model: Any, truth: Any, steps: int) -> dict[str, float]:
    """Take ``steps`` steps; return the CPU milliseconds of the mean step and of the last tenth."""
    marks = [process_time()]
    for _ in range(steps):
        step(model, truth)
        marks.append(process_time())
    last = max(steps // 10, 1)
    return {
        "mean": 1e3 * (marks[-1] - marks[0]) / steps,
        "last": 1e3 * (marks[-1] - marks[-1 - last]) / last,
    }


def run(n: int, steps: int) -> Callable[[], object]:
    """Prepare a whole run on features."""
    from penchant.gp import LinkedGP

    features, truth = problem(n)
    model = LinkedGP(lengthscale=FEATURES**0.5, nugget=0.1)
    return lambda: timed(model.fit(features), truth, steps)


def graph_run(n: int, steps: int) -> Callable[[], object]:
    """Prepare a whole run on a random graph."""
    import numpy as np
    from scipy import sparse

    from penchant.gp import LinkedGP

    random = np.random.default_rng(0)
    ends = random.integers(0, n, (2, 5 * n // 2))
    links = sparse.coo_array((np.ones(ends.shape[1]), ends), shape=(n, n)).tocsr()
    links = links + links.T
    truth = random.normal(size=n)
    model = LinkedGP()
    return lambda: timed(model.fit(links=links), truth, steps)


def told(result: Any) -> Answer:
    """Tell the CPU time of a step."""
    return {"a step": f"{result['mean']:.2f} ms", "the last ones": f"{result['last']:.2f} ms"}


def one_step(n: int) -> Callable[[], object]:
    """Prepare an incremental step after 149 answers."""
    import copy

    model, truth = learned(n, 149)

    def once() -> Any:
        later = copy.deepcopy(model)
        step(later, truth)
        return later.mean, truth

    return once


def full(n: int) -> Callable[[], object]:
    """Prepare full EP on the same 150 answers."""
    model, truth = learned(n, 150)

    def once() -> Any:
        return model.refresh().mean, truth

    return once


def precision(result: Any) -> Answer:
    """Tell the average precision with the best tenth taken for relevant."""
    import numpy as np

    from penchant.metrics import average_precision

    mean, truth = result
    relevant = (truth >= np.quantile(truth, 0.9)).astype(float)
    return {"average precision": f"{average_precision(relevant, mean):.3f}"}


def botorch(n: int) -> Callable[[], object]:
    """Prepare a refit of the peer on 150 random answers, without hyperparameters."""
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
        model = PairwiseGP(points, answers)
        model.eval()
        return model.posterior(points).mean

    return refit
