"""The stages of Plackett–Luce: value, gradient and curvature against the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.worth.inference.stages import Stages, running
from tests.worth.inference.noise import covariance_of
from tests.worth.orders import N_ITEMS, log_likelihood, preferences, ranked, weighted_orders


@given(weighted_orders, st.integers(0, 99))
def test_value_gradient_and_curvature_are_those_of_the_definition(rows: Any, seed: int) -> None:
    """The value is that of a plain loop; gradient, products, diagonal and matrix are its derivatives."""
    scores = np.random.default_rng(seed).normal(size=N_ITEMS)
    stages = Stages(preferences(rows))
    curve = stages.at(scores)
    assert curve.value == pytest.approx(log_likelihood(rows, scores), abs=1e-10)
    steps = 1e-5 * np.eye(N_ITEMS)
    gradient = [(log_likelihood(rows, scores + h) - log_likelihood(rows, scores - h)) / 2e-5 for h in steps]
    np.testing.assert_allclose(curve.gradient, gradient, atol=1e-6)
    curvature = [(stages.at(scores - h).gradient - stages.at(scores + h).gradient) / 2e-5 for h in steps]
    product = np.column_stack([curve.product(unit) for unit in np.eye(N_ITEMS)])
    np.testing.assert_allclose(product, curvature, atol=1e-6)
    np.testing.assert_allclose(curve.matrix(), product, atol=1e-12)
    np.testing.assert_allclose(curve.diagonal(), np.diag(product), atol=1e-12)


@given(weighted_orders)
def test_noise_has_the_curvature_as_its_covariance(rows: Any) -> None:
    """The factors of the orders, applied to unit vectors, give the curvature back."""
    curve = Stages(preferences(rows)).at(np.linspace(1, -1, N_ITEMS))
    np.testing.assert_allclose(covariance_of(curve.noise), curve.matrix(), atol=1e-10)


def test_long_orders_of_many_lengths_are_exact() -> None:
    """Orders that are padded to a common width, up to 70 items, have the value and gradient of the definition."""
    rng = np.random.default_rng(1)
    scores = 3 * rng.normal(size=70)
    rows = [([[item] for item in ranked(rng, scores, size)], 1.0) for size in range(2, 71)]
    prefs = Preferences.from_rankings([row[0] for row in rows], items=range(70))
    curve = Stages(prefs).at(scores)
    assert curve.value == pytest.approx(log_likelihood(rows, scores), rel=1e-12)
    assert abs(curve.gradient.sum()) < 1e-10


def test_orders_without_a_choice_have_no_stages() -> None:
    """A single item, a tie of all and no rows at all leave a value of 0 and a flat gradient."""
    for orders in ([["a"]], [[["a", "b"]]], []):
        curve = Stages(Preferences.from_rankings(orders, items="ab")).at(np.array([1.0, -1.0]))
        assert curve.value == 0.0
        assert not curve.gradient.any()
        assert not curve.matrix().any()


@pytest.mark.parametrize("shape", [(3, 2), (3, 40), (1, 5)])
def test_running_sums_have_the_bits_of_cumsum(shape: tuple[int, int]) -> None:
    """Row by row or column by column, the sums are added in the same order."""
    values = np.random.default_rng(0).random(shape)
    np.testing.assert_array_equal(running(values), np.cumsum(values, axis=0))


def test_scores_far_apart_stay_finite() -> None:
    """An order that contradicts scores of ±800 has a finite value, gradient and curvature."""
    curve = Stages(Preferences.from_rankings([["a", "b", "c"]])).at(np.array([-800.0, 0.0, 800.0]))
    assert curve.value == pytest.approx(-1600 - 800)
    np.testing.assert_allclose(curve.gradient, [1, 1, -2], atol=1e-12)
    assert np.isfinite(curve.matrix()).all()
