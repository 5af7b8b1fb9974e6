"""Parts of a difference of utilities add up to it, and each belongs to its feature."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from penchant.gp.inference.attribution import Explanation, adding_up, complete, integrated_gradients

numbers = st.floats(-3, 3).map(lambda value: round(value, 3))


def wavy(rows: np.ndarray) -> np.ndarray:
    """A utility in which two features act together."""
    return np.sin(rows[:, 0]) * rows[:, 1] + 0.5 * rows[:, 2] ** 2


def slope(row: np.ndarray, feature: int) -> float:
    """The exact derivative of `wavy`."""
    return float([np.cos(row[0]) * row[1], np.sin(row[0]), row[2]][feature])


@given(st.lists(numbers, min_size=3, max_size=3), st.lists(numbers, min_size=3, max_size=3))
def test_parts_are_the_integrals_of_the_gradient(a: list[float], b: list[float]) -> None:
    """Each part is ∫ (a − b) ∂u along the line, to the error of 32 steps, and the parts add up to the difference."""
    first, second = np.array(a), np.array(b)
    parts = integrated_gradients(wavy, first, second)
    value = wavy(first[None])[0] - wavy(second[None])[0]
    assert parts.sum() == pytest.approx(value, abs=1e-12)
    for feature in range(3):
        exact, _ = quad(lambda t, j=feature: slope(second + t * (first - second), j), 0, 1)
        assert parts[feature] == pytest.approx(exact * (first - second)[feature], abs=0.05)


def test_a_feature_that_does_not_differ_has_no_part() -> None:
    """Where two items are equal in a feature, nothing is due to it."""
    assert integrated_gradients(wavy, np.array([1.0, 2.0, 0.5]), np.array([0.0, 2.0, 0.5]))[1:].tolist() == [
        0,
        0,
    ]


@given(st.lists(numbers, min_size=1, max_size=6), numbers)
def test_what_is_missing_is_shared(weights: list[float], total: float) -> None:
    """Weights are moved in proportion to their sizes until they add up; zeros stay."""
    before = np.array(weights)
    after = adding_up(before, total)
    if np.abs(before).sum() > 0:
        assert after.sum() == pytest.approx(total, abs=1e-9)
        assert (after[before == 0] == 0).all()
    else:
        assert after.tolist() == weights


def test_an_explanation_is_completed() -> None:
    """All weights together add up; without any weight the pair itself is the reason, unless nothing is to explain."""
    found = complete(Explanation([("size", 0.4)], [(3, -0.1)], [(0, 1, 0.2)]), 0.6, (0, 1))
    assert found.total == pytest.approx(0.6, abs=1e-15)
    assert found.links[0][0] == 3
    assert complete(Explanation([], [], []), 0.5, (4, 2)).answers == [(4, 2, 0.5)]
    assert complete(Explanation([], [], []), 0.0, (4, 2)) == ([], [], [])
