"""Progress that work reports to whoever waits."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from penchant.progress import reported_to, step_done
from penchant.rankers import RankBoost, RankSVM, learning_curve

X = np.random.default_rng(0).normal(size=(80, 3))
Y, QID = (X[:, 0] > 0).astype(float), np.repeat(np.arange(10), 8)


def test_nobody_is_told_outside_the_block() -> None:
    """Steps are reported inside, to the innermost block, and no more after an error."""
    outer: list[tuple[int, int]] = []
    inner: list[tuple[int, int]] = []
    step_done(1, 2)
    with reported_to(lambda *step: outer.append(step)):
        step_done(1, 4)
        with suppress(ZeroDivisionError), reported_to(lambda *step: inner.append(step)):
            step_done(2, 4)
            _ = 1 / 0
        step_done(3, 4)
    step_done(4, 4)
    assert (outer, inner) == ([(1, 4), (3, 4)], [(2, 4)])


def test_rounds_and_points_of_a_curve_are_steps() -> None:
    """RankBoost reports its rounds, and a learning curve its points, the fits inside it nothing."""
    steps: list[tuple[int, int]] = []
    with reported_to(lambda *step: steps.append(step)):
        model = RankBoost(n_estimators=5).fit(X, Y, qid=QID)
    assert steps == [(k, 5) for k in range(1, len(model.stumps_) + 1)]
    for ranker in (RankSVM(), RankBoost(n_estimators=5)):
        steps.clear()
        with reported_to(lambda *step: steps.append(step)):
            learning_curve(ranker, X, Y, qid=QID, sizes=[3, 5])
        assert steps == [(1, 2), (2, 2)]
