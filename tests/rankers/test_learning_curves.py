from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from penchant.errors import InvalidInput, PenchantWarning
from penchant.metrics import evaluate
from penchant.rankers import (
    OrdinalRegression,
    PairwiseRanker,
    RankBoost,
    RankSVM,
    learning_curve,
    rounds_curve,
)


def graded(n_queries: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X, qid = rng.normal(size=(8 * n_queries, 4)), np.repeat(np.arange(n_queries), 8)
    grades = np.clip(np.round(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=len(X))), 0, 2)
    grades[::8], grades[1::8] = 0, 2
    return X, grades, qid


def test_the_last_point_is_a_fit_to_all_that_is_not_held_out() -> None:
    """Its figures are those of fitting by hand to the rows that were not held out."""
    X, grades, qid = graded()
    curve = learning_curve(RankSVM(), X, grades, qid=qid, unseen=0.25, seed=3, k=5)
    place = np.random.default_rng(3).permutation(40)
    held_out = place[qid] < 10
    model = RankSVM().fit(X[~held_out], grades[~held_out], qid=qid[~held_out])
    for rows, mean, error in (
        (held_out, curve.unseen, curve.unseen_error),
        (~held_out, curve.seen, curve.seen_error),
    ):
        figure = evaluate(grades[rows], model.predict(X[rows]), qid=qid[rows], k=5)["NDCG@5"]
        assert (mean[-1], error[-1]) == pytest.approx((figure.mean, figure.standard_error))
    assert curve.steps.tolist() == [2, 3, 6, 12, 21, 30]
    assert (curve.along, curve.n_unseen, curve.model) == ("training queries", 10, "RankSVM()")
    assert curve.to_frame().shape == (6, 5)


@pytest.mark.parametrize("model", [RankBoost(5), PairwiseRanker(), OrdinalRegression()])
def test_every_ranker_on_grades_has_a_curve(model: Any) -> None:
    """Those that take queries, those that order them and those that predict categories all learn something."""
    X, grades, qid = graded()
    curve = learning_curve(model, X, grades, qid=qid, sizes=[3, 30])
    assert curve.steps.tolist() == [3, 30]
    assert curve.unseen[-1] > 0.8
    assert not hasattr(model, "n_features_in_")


def test_sparse_features_and_frames_are_taken() -> None:
    """They give the curve of the array."""
    X, grades, qid = graded()
    plain = learning_curve(RankSVM(), X, grades, qid=qid, sizes=[10]).unseen
    for other in (csr_array(X), pd.DataFrame(X, columns=list("abcd"))):
        assert learning_curve(RankSVM(), other, grades, qid=qid, sizes=[10]).unseen == pytest.approx(plain)


def test_queries_of_equal_grades_change_nothing() -> None:
    """They teach nothing, so that they are neither learned from nor held out."""
    X, grades, qid = graded()
    more = np.vstack([X, X[:20]]), np.r_[grades, np.ones(20)], np.r_[qid, 100 + np.arange(20) // 2]
    curve = learning_curve(RankSVM(), X, grades, qid=qid, sizes=[5, 20])
    other = learning_curve(RankSVM(), more[0], more[1], qid=more[2], sizes=[5, 20])
    assert other.unseen.tolist() == curve.unseen.tolist()


def test_rounds_are_the_stages_of_one_fit() -> None:
    """At most thirty rounds are scored, the last being the model itself; seen queries rise with the rounds."""
    X, grades, qid = graded()
    curve = rounds_curve(RankBoost(60), X, grades, qid=qid)
    held_out = np.random.default_rng(0).permutation(40)[qid] < 10
    model = RankBoost(60).fit(X[~held_out], grades[~held_out], qid=qid[~held_out])
    assert (curve.steps[0], curve.steps[-1], len(curve.steps)) == (1, len(model.stumps_), 30)
    by_hand = evaluate(grades[held_out], model.predict(X[held_out]), qid=qid[held_out])["NDCG@10"].mean
    assert curve.unseen[-1] == pytest.approx(by_hand)
    assert curve.seen[-1] > curve.seen[0]
    assert curve.along == "rounds"


def test_what_gives_no_curve_is_refused() -> None:
    """Too few queries, sizes beyond them, equal grades, and rounds of what has none: each in words."""
    X, grades, qid = graded(4)
    with pytest.raises(InvalidInput, match=r"at least 4 .* got 3"):
        learning_curve(RankSVM(), X[:24], grades[:24], qid=qid[:24])
    with pytest.raises(InvalidInput, match="unseen between 0 and 1, got 4 and 1"):
        learning_curve(RankSVM(), X, grades, qid=qid, unseen=1.0)
    for sizes in ([0], [3], []):
        with pytest.raises(InvalidInput, match="sizes must be from 1 to 2 queries"):
            learning_curve(RankSVM(), X, grades, qid=qid, sizes=sizes)
    with pytest.raises(InvalidInput, match="grades must differ in some queries"):
        learning_curve(RankSVM(), X, np.ones(32), qid=qid)
    with pytest.raises(InvalidInput, match="must learn in rounds, got RankSVM"):
        rounds_curve(RankSVM(), X, grades, qid=qid)
    with (
        pytest.warns(PenchantWarning, match="no threshold"),
        pytest.raises(InvalidInput, match="at least one round must learn something"),
    ):
        rounds_curve(RankBoost(), np.ones_like(X), grades, qid=qid)
