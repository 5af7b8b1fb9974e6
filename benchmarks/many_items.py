"""A belief about more items than a dense covariance has room for, which learns one answer after the other.

It starts from the batch fit of some answers. The others come one at a time, about random pairs or about neighbours in
the order of the belief's means, and are compared with the batch fit of all of them. The start learns the scale of the
prior and keeps it, as in a study between two refits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from benchmarks.case import Answer, Case

QUESTION = (
    "What does an answer about very many items cost, and how near does the belief stay to the batch fit?"
)
SIZES = (
    (10_000, 80_000, 100_000, False),
    (10_000, 80_000, 100_000, True),
    (10_000, 5_000, 100_000, False),
    (100_000, 100_000, 200_000, False),
)
"""Items, answers at the start, answers at the end, and whether pairs are neighbours in rank."""
QUICK = ((3_000, 8_000, 10_000, False),)
SD, BLOCK, NEAR = 1.5, 1_000, 12


class Learned(NamedTuple):
    """The belief after all answers, the seconds of CPU of each, the batch fit of all, and the true scores."""

    belief: Any
    seconds: list[float]
    batch: Any
    scores: Any


def cases(quick: bool) -> list[Case]:
    """Return one row for each number of items and way to choose pairs."""
    return [
        Case(
            what=f"{items:,} items, {start:,} to {end:,} answers about {'neighbours' if near else 'random pairs'}",
            prepare=partial(learning, items, start, end, near),
            answer=agreement,
            warm=2,
            limit=1_800.0,
        )
        for items, start, end, near in (QUICK if quick else SIZES)
    ]


def learning(items: int, start: int, end: int, near: bool) -> Callable[[], Learned]:
    """Return the call that learns the answers after the start."""
    import time

    import numpy as np

    from penchant import Preferences
    from penchant.worth import BradleyTerry

    rng = np.random.default_rng(0)
    scores = SD * rng.standard_normal(items)
    answers: list[tuple[int, int, int]] = []

    def more(count: int, order: Any) -> None:
        first = rng.integers(items, size=count)
        second = (first + rng.integers(1, items, size=count)) % items
        if order is not None:
            place = rng.integers(items - NEAR, size=count)
            first, second = order[place], order[place + rng.integers(1, NEAR + 1, size=count)]
        lost = rng.random(count) > 1 / (1 + np.exp(scores[second] - scores[first]))
        answers.extend(zip(first.tolist(), second.tolist(), lost.astype(int).tolist(), strict=True))

    def live() -> Any:
        first, second, lost = np.array(answers).T
        outcome = np.where(lost, "right", "left").tolist()
        return BradleyTerry().live(Preferences.from_answers(first, second, outcome, items=range(items)))

    more(start, None)
    begun = live()
    belief = begun.copy()
    while len(answers) < end:
        count = min(BLOCK, end - len(answers))
        more(count, np.argsort(-belief.mean) if near else None)
        for answer in answers[-count:]:
            belief.answer(*answer)
    batch = live()

    def call() -> Learned:
        learned, seconds = begun.copy(), []
        for answer in answers[start:]:
            before = time.thread_time()
            learned.answer(*answer)
            seconds.append(time.thread_time() - before)
        return Learned(learned, seconds, batch, scores)

    return call


def agreement(learned: Learned) -> Answer:
    """Return the cost of an answer, the agreement with the batch fit, and how often 95 % intervals hold."""
    import numpy as np
    from scipy.stats import kendalltau

    belief, batch = learned.belief, learned.batch
    milliseconds = 1e3 * np.array(learned.seconds)
    low, high = np.quantile(np.sqrt(belief.variance() / batch.variance()), [0.01, 0.99])
    inside = np.abs(learned.scores - belief.mean) <= 1.96 * np.sqrt(belief.variance())
    return {
        "ms an answer": round(float(milliseconds.mean()), 3),
        "the last tenth": round(float(milliseconds[-len(milliseconds) // 10 :].mean()), 3),
        "longest ms": round(float(milliseconds.max()), 1),
        "tau to the batch fit": round(float(kendalltau(belief.mean, batch.mean)[0]), 4),
        "sd over the batch's": f"{low:.3f} to {high:.3f}",
        "held at 95 %": round(float(inside.mean()), 3),
    }
