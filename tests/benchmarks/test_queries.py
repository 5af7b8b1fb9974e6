"""The judge of the questions about rankers, which peers' environments use, agrees with Penchant's own."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.queries import (
    CORRELATED,
    EASY,
    FEATURES,
    OFFSETS,
    Documents,
    average_precision,
    differences,
    documents,
    mean_ndcg,
    ndcg,
    relative_gradient,
    spread,
)
from penchant import Preferences
from penchant.metrics import evaluate
from penchant.rankers import RankSVM


@pytest.fixture
def judged() -> tuple[Documents, np.ndarray]:
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(6), [1, 4, 12, 30, 5, 5])
    grades = rng.integers(0, 4, len(qid))
    grades[-5:] = 0
    return Documents(np.empty((len(qid), 0)), grades, qid), rng.integers(0, 9, len(qid)).astype(float)


def test_ndcg_and_precision_are_those_of_the_metrics(judged: tuple[Documents, np.ndarray]) -> None:
    """Ties, short queries and a query without a relevant document are treated alike."""
    given, scores = judged
    expected = evaluate(given.grades, scores, qid=given.qid)
    precisions = map(average_precision, given.by_query(given.grades), given.by_query(scores))
    assert mean_ndcg(given, scores) == pytest.approx(expected["NDCG@10"].mean, rel=1e-12)
    assert np.nanmean(list(precisions)) == pytest.approx(expected["MAP"].mean, rel=1e-12)
    assert np.isnan(ndcg(given.grades[-5:], scores[-5:]))


@pytest.mark.parametrize("kind", [EASY, CORRELATED, OFFSETS])
def test_written_out_pairs_are_the_implied_ones(kind: str) -> None:
    """As many as Penchant counts, turned to either side, and each a difference of two rows."""
    given = documents(kind, 5)
    pairs, sign = differences(given)
    preferences = Preferences.from_grades(given.grades, given.qid)
    assert len(pairs) == given.n_pairs == preferences.n_pairs
    assert set(sign.tolist()) == {-1, 1}
    better, worse = preferences.pairs().T
    expected = given.X[better] - given.X[worse]
    np.testing.assert_allclose(np.sort(pairs * sign[:, None], axis=0), np.sort(expected, axis=0))


def test_the_gradient_vanishes_where_the_objective_is_least() -> None:
    """It is 1 at w = 0, and as small at RankSVM's answer as RankSVM was told to make it."""
    given = documents(EASY, 5)
    model = RankSVM(C=given.n_pairs, tol=1e-6).fit(given.X, given.grades, qid=given.qid)
    assert relative_gradient(given, np.zeros(FEATURES)) == 1.0
    assert relative_gradient(given, model.coef_) < 2e-6


def test_features_are_as_ill_conditioned_as_they_are_said_to_be() -> None:
    """The turned features span three orders of magnitude."""
    assert np.linalg.cond(spread()) == pytest.approx(1_000)
