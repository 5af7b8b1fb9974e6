"""The objective of linear RankSVM, minimised to a duality gap."""

from __future__ import annotations

from typing import Any

import pytest

from penchant.rankers import RankSVM
from tests.rankers.pair_problems import (
    assert_solves,
    dual,
    implied,
    objective,
    objects_matrix,
)
from tests.rankers.test_rank_svm import LOSSES, problem


@pytest.mark.parametrize("loss", LOSSES)
def test_the_gap_is_a_guarantee(loss: Any) -> None:
    """Whatever the tolerance, it is reached, and the objective is above the least by at most that share."""
    X, y, qid = problem(8, n=40)
    rows, products = implied(y, qid)
    reference = dual(objects_matrix(X @ X.T, rows), products, 10.0, loss)
    for tol in (1e-1, 1e-2, 1e-3, 1e-5):
        assert_solves(RankSVM(10.0, loss=loss, tol=tol).fit(X, y, qid=qid), reference)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e4])
def test_the_tolerance_is_reached_at_any_scale(loss: Any, scale: float, C: float) -> None:
    """From features too small to learn from to ones that separate all pairs by far, the gap is below tol."""
    for seed in range(2):
        X, y, qid = problem(seed)
        rows, products = implied(y, qid)
        reference = dual(objects_matrix(scale**2 * X @ X.T, rows), products, C, loss)
        model = RankSVM(C, loss=loss).fit(scale * X, y, qid=qid)
        assert_solves(model, reference)
        assert model.objective_ == pytest.approx(
            objective(model.coef_, scale * X, rows, products, C, loss), rel=1e-9
        )
