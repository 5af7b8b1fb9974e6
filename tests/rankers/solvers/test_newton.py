"""Truncated Newton steps and their preconditioner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from penchant.errors import PenchantWarning
from penchant.rankers import RankSVM
from penchant.rankers.solvers import newton
from tests.rankers.pair_problems import (
    assert_same_weights,
)
from tests.rankers.test_rank_svm import LOSSES, problem


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("sparse", [False, True])
def test_badly_scaled_features_are_learned_to_the_tolerance(
    loss: Any, sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a condition of 1,000 and features mixed, the preconditioner saves products; the gap is as promised."""
    rng = np.random.default_rng(12)
    hidden = rng.normal(size=(1500, 30))
    X = (hidden * np.logspace(0, -3, 30)) @ np.linalg.qr(rng.normal(size=(30, 30)))[0]
    y, qid = np.digitize(hidden.mean(axis=1), [-0.2, 0.2]), np.arange(1500) // 20
    taken = csr_array(X) if sparse else X
    settings = {"C": 1e4, "loss": loss, "tol": 1e-5}
    products: list[int] = []
    monkeypatch.setattr(
        newton, "times", lambda X, v, usual=newton.times: (products.append(1), usual(X, v))[1]
    )
    model = RankSVM(**settings).fit(taken, y, qid=qid)
    n_products, products[:] = len(products), []
    monkeypatch.setattr(newton.Preconditioner, "patience", None)
    plain = RankSVM(**settings).fit(taken, y, qid=qid)
    assert n_products < len(products) / 2
    assert_same_weights(model, plain)


@pytest.mark.parametrize("loss", LOSSES)
def test_running_out_of_digits_is_reported_with_the_steps_taken(
    loss: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no step is found that lowers the objective, the warning has the steps of n_iter_, not max_iter."""
    X, y, qid = problem(9, n=60)
    found: list[int] = []

    def search(*given: Any, usual: Any = newton._search) -> Any:
        found.append(1)
        return usual(*given) if len(found) <= 2 else None

    monkeypatch.setattr(newton, "_search", search)
    with pytest.warns(PenchantWarning, match=r"after 2 steps, where double precision .* at gap_=.*raise tol"):
        model = RankSVM(1000.0, loss=loss, tol=1e-6, max_iter=5000).fit(X, y, qid=qid)
    assert model.n_iter_ == 2
    assert model.gap_ > model.tol
