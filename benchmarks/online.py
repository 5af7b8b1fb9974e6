"""Learning one answer at a time with a dense covariance, beside expectation propagation over all answers."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How long does it take to learn one answer, and how close is the belief to that of all answers?"

ANSWERS = 1_000
SIZES = ((50, 1_000), (200, 1_000), (200, 100_000), (1_000, 10_000), (1_000, 100_000), (2_000, 100_000))


def cases(quick: bool) -> list[Case]:
    """Return a thousand answers after a start from few or many answers, at one scale of the prior."""
    return [
        Case(
            what=f"{n:,} items, after {count:,} answers",
            prepare=lambda n=n, count=count: learning(n, count),
            answer=figures,
            warm=1,
        )
        for n, count in (SIZES[:2] if quick else SIZES)
    ]


def learning(n: int, count: int) -> Callable[[], object]:
    """Prepare answers; a call starts a belief, learns a thousand answers and compares it with sweeps over all."""
    import numpy as np

    from penchant import Preferences
    from penchant.worth import BradleyTerry

    random = np.random.default_rng(0)
    worth = 1.5 * random.normal(size=n)
    first = random.integers(n, size=count + ANSWERS)
    second = (first + random.integers(1, n, size=len(first))) % n
    lost = random.random(len(first)) > 1 / (1 + np.exp(worth[second] - worth[first]))
    ids = [str(item) for item in range(n)]
    names, outcome = np.array(ids), np.where(lost, "right", "left")
    answers = Preferences.from_answers(
        names[first[:count]], names[second[:count]], outcome[:count], items=ids
    )
    questions = list(zip(first.tolist(), second.tolist(), lost.astype(int).tolist(), strict=True))[count:]

    def call() -> dict[str, float]:
        began = process_time()
        belief: Any = BradleyTerry(0.45).live(answers)
        started = process_time() - began
        times = []
        for question in questions:
            began = process_time()
            belief.answer(*question)
            times.append(process_time() - began)
        settled = belief.copy().settle(1e-6)
        sd = np.sqrt(settled.variance())
        return {
            "start s": started,
            "median ms": 1000 * float(np.median(times)),
            "largest ms": 1000 * float(np.max(times)),
            "largest error of a mean, sd": float((np.abs(belief.mean - settled.mean) / sd).max()),
            "usual error of a variance": float(np.sqrt(((belief.variance() / sd**2 - 1) ** 2).mean())),
            "largest error of a variance": float(np.abs(belief.variance() / sd**2 - 1).max()),
        }

    return call


def figures(found: Any) -> Answer:
    """Report the figures of one call."""
    return dict(found)
