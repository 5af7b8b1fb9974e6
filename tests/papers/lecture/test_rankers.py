"""The lecture's methods for object ranking."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from penchant.papers.lecture import rankers
from penchant.papers.lecture.sets import GradedQueries


def queries(seed: int) -> GradedQueries:
    """Thirty queries of five objects, graded by the first of two features; the second is noise."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((150, 2))
    return GradedQueries(X, (X[:, 0] > 0).astype(np.int64), np.repeat(np.arange(30), 5))


@pytest.mark.parametrize(
    "learn",
    [rankers.rank_svm, rankers.kernel_svm, rankers.ridge, rankers.two_step, rankers.best_feature],
)
def test_a_method_finds_the_feature_that_counts(learn: Callable[..., rankers.Scorer]) -> None:
    """Its scores of new queries rise with that feature."""
    train, vali, test = map(queries, range(3))
    scores = learn(train, vali)(test)
    assert np.corrcoef(scores, test.X[:, 0])[0, 1] > 0.8


def test_boosting_stops_at_the_best_round() -> None:
    """One weak ranker is enough where a single feature decides."""
    train, vali, test = map(queries, range(3))
    assert len(np.unique(rankers.rank_boost(train, vali, 5)(test))) < 5
    assert rankers.naive_bayes(train)(test).shape == (150,)


def test_features_are_scaled_by_the_training_queries() -> None:
    """Logarithms of mean 0 and deviation 1 there, not on others."""
    train, other = queries(0), queries(1)
    view = rankers.view(train)
    assert view(train).mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert view(train).std(axis=0) == pytest.approx([1, 1])
    assert abs(view(other).mean(axis=0)).max() > 1e-6
