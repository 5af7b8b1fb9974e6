"""Orders of the rows of each query by preferences between them."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.metrics import pair_accuracy
from penchant.rankers import RankSVM
from tests.rankers.solvers.test_kernel_svm import problem


def test_queries_are_ordered_one_by_one_on_differences() -> None:
    """With qid each query is scored as if asked alone, and `score` judges those scores; on objects all is one."""
    X, y, qid = problem(3, n=30)
    model = RankSVM(kernel="rbf", on="differences").fit(X, y, qid=qid)
    scores = model.predict(X, qid=qid)
    for query in set(qid.tolist()):
        assert scores[qid == query].tolist() == model.predict(X[qid == query]).tolist()
    assert model.score(X, y, qid=qid) == pair_accuracy(y, scores, qid=qid).accuracy
    on_objects = RankSVM(kernel="rbf").fit(X, y, qid=qid)
    assert np.array_equal(on_objects.predict(X, qid=qid), on_objects.predict(X))


def test_too_many_rows_to_compare_are_refused() -> None:
    """A matrix of preferences between 5,001 rows is rejected with a way out."""
    model = RankSVM().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(
        InvalidInput, match="at most 5,000, since each is compared with each, got 5,001: give qid"
    ):
        model.preference_matrix(np.zeros((5001, 1)))
