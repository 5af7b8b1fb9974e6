"""The losses of RankSVM: gradients, curvature and samples of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.metrics.queries import Queries
from penchant.rankers.solvers.pair_losses import SmoothedHinge, SquaredHinge
from penchant.rankers.solvers.pair_sums import GradedPairs, StatedPairs
from tests.rankers.pair_problems import implied
from tests.rankers.solvers.test_pair_sums import graded_lists


@given(graded_lists(), st.sampled_from([None, 0.4]))
def test_gradients_are_derivatives(data: Any, width: float | None) -> None:
    """A small step changes the loss by its slope, and the slope by its curvature."""
    grades, qid, weight, scores = data
    pairs = GradedPairs(grades, Queries.of(qid, len(grades)), weight)
    loss: Any = SquaredHinge(pairs, 2.0) if width is None else SmoothedHinge(pairs, 2.0, width)
    scores = scores - scores.mean() + 0.01 * np.sin(np.arange(len(scores)) * 7.0)  # away from the kinks
    direction = np.cos(np.arange(len(scores)))
    step = 1e-6
    here, ahead, behind = (loss(scores + t * direction) for t in (0, step, -step))
    change = (ahead.value - behind.value) / (2 * step)
    np.testing.assert_allclose(change, here.gradient @ direction, atol=1e-4)
    bend = direction @ (ahead.gradient - behind.gradient) / (2 * step)
    np.testing.assert_allclose(bend, direction @ here.curvature(direction), rtol=0.1, atol=0.1)


@given(graded_lists(), st.sampled_from([None, 0.4]))
def test_a_sample_of_all_pairs_is_the_curvature(data: Any, width: float | None) -> None:
    """Asked for more pairs than there are, a loss names exactly those that bend it, written out or not."""
    grades, qid, weight, scores = data
    scores = scores - scores.mean() + 0.01 * np.sin(np.arange(len(scores)) * 7.0)  # away from the kinks
    rows, products = implied(grades, qid, weight)
    kinds = (
        GradedPairs(grades, Queries.of(qid, len(grades)), weight),
        StatedPairs(rows[products > 0], products[products > 0]),
    )
    direction = np.cos(np.arange(len(grades)))
    for pairs in kinds:
        loss: Any = SquaredHinge(pairs, 2.0) if width is None else SmoothedHinge(pairs, 2.0, width)
        here = loss(scores)
        better, worse, weights = here.sample(10_000)
        bend = weights @ (direction[better] - direction[worse]) ** 2
        np.testing.assert_allclose(bend, direction @ here.curvature(direction), atol=1e-9)


@pytest.mark.parametrize("width", [None, 0.4])
def test_a_sample_of_some_pairs_stands_for_all(width: float | None) -> None:
    """Two thousand of 240,000 pairs bend the loss as all do, within a tenth."""
    rng = np.random.default_rng(0)
    grades, scores, qid = rng.integers(5, size=3000), rng.normal(size=3000), np.arange(3000) % 15
    pairs = GradedPairs(grades.astype(float), Queries.of(qid, 3000), np.ones(3000))
    loss: Any = SquaredHinge(pairs, 2.0) if width is None else SmoothedHinge(pairs, 2.0, width)
    here = loss(scores)
    better, worse, weights = here.sample(2000)
    assert len(better) == 2000
    for direction in rng.normal(size=(5, 3000)):
        bend = weights @ (direction[better] - direction[worse]) ** 2
        assert bend == pytest.approx(direction @ here.curvature(direction), rel=0.1)
