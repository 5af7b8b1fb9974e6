"""Newton's method on the log posterior of Plackett–Luce."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import PenchantWarning
from penchant.worth import PlackettLuce
from penchant.worth.inference import stage_mode
from penchant.worth.inference.stage_mode import most_likely, with_prior
from penchant.worth.inference.stages import Stages
from tests.worth.orders import N_ITEMS, log_likelihood, preferences, shuffled_orders, weighted_orders


@given(weighted_orders, st.sampled_from([0.01, 0.1, 1.0]))
def test_scores_are_where_the_log_posterior_is_flat(rows: Any, prior: float) -> None:
    """The gradient of a plain loop over the definition vanishes at the scores, which sum to 0."""
    scores = most_likely(Stages(preferences(rows)), prior)
    steps = 1e-5 * np.eye(N_ITEMS)
    gradient = [(log_likelihood(rows, scores + h) - log_likelihood(rows, scores - h)) / 2e-5 for h in steps]
    np.testing.assert_allclose(gradient - prior * scores, 0, atol=1e-6)
    assert abs(scores.sum()) < 1e-9


@given(weighted_orders)
def test_the_prior_is_added_to_the_curvature(rows: Any) -> None:
    """Products with a vector and with several at once, and the diagonal, are those of the matrix plus the prior."""
    curve = Stages(preferences(rows)).at(np.linspace(1, -1, N_ITEMS))
    product, diagonal = with_prior(curve, 0.3)
    matrix = curve.matrix() + 0.3 * np.eye(N_ITEMS)
    np.testing.assert_allclose(product(np.eye(N_ITEMS)), matrix, atol=1e-10)
    np.testing.assert_allclose(product(matrix[0]), matrix @ matrix[0], atol=1e-10)
    np.testing.assert_allclose(diagonal, np.diag(matrix), atol=1e-10)


def test_items_without_answers_have_a_diagonal_to_divide_by() -> None:
    """Without a prior the curvature of an item in no order is 0, and its preconditioner is 1."""
    curve = Stages(Preferences.from_rankings([["a", "b"]], items="abc")).at(np.zeros(3))
    assert with_prior(curve, 0.0)[1].tolist() == [0.25, 0.25, 1.0]


def test_a_warning_says_how_far_scores_may_still_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the steps run out, the scores are returned with a warning."""
    monkeypatch.setattr(stage_mode, "_MOST_STEPS", 1)
    with pytest.warns(
        PenchantWarning, match=r"scores may still move by .* after 1 steps: set a larger prior"
    ):
        PlackettLuce().fit(shuffled_orders(20, 5, 3))


def test_hardly_any_prior_still_gives_a_finite_answer() -> None:
    """With a prior of 1e-9 an item that always comes first is far ahead, and finite."""
    model = PlackettLuce(1e-9).fit(Preferences.from_rankings([["a", "b", "c"], ["a", "c", "b"]] * 50))
    assert 10 < model.scores_[0] - model.scores_[1] < 40
    np.testing.assert_allclose(model.scores_[1], model.scores_[2], atol=1e-6)
