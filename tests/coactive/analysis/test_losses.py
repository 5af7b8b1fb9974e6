"""Losses: what they say of their slope and strength is true where utilities differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.coactive import LinearLoss, QuadraticLoss, SquaredLoss
from penchant.errors import InvalidInput
from penchant.saving import from_bytes, to_bytes

M = 3.0
LOSSES = [LinearLoss(), QuadraticLoss(M), SquaredLoss(M)]
RANGE = st.floats(-2 * M, 0.0)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
class TestEveryLoss:
    @given(x=RANGE, y=RANGE)
    def test_it_is_as_convex_as_it_says(self, loss, x: float, y: float) -> None:
        """Definition 7 holds with its λ, and fails with any larger one where it has one."""
        gap = loss.value(x) - (loss.value(y) + loss.derivative(x) * (x - y))
        assert gap <= -loss.strength / 2 * (y - x) ** 2 + 1e-9
        assert loss.strength == 0 or gap == pytest.approx(-loss.strength / 2 * (y - x) ** 2)

    @given(theta=RANGE)
    def test_it_never_rises_and_is_never_steeper_than_its_slope(self, loss, theta: float) -> None:
        """c′ lies in [−G, 0]."""
        assert -loss.slope <= loss.derivative(theta) <= 0

    def test_its_slope_is_reached(self, loss) -> None:
        """G is no larger than it must be: it is reached at θ = −2M."""
        assert loss.derivative(-2 * M) == -loss.slope

    def test_its_derivative_is_that_of_its_value(self, loss) -> None:
        """c′ is the limit of differences of c."""
        theta = np.linspace(-2 * M, -0.1, 7)
        slopes = (loss.value(theta + 1e-6) - loss.value(theta - 1e-6)) / 2e-6
        np.testing.assert_allclose(loss.derivative(theta), slopes, rtol=1e-6)

    def test_it_can_be_saved(self, loss) -> None:
        """A loss is the same after it was saved and loaded."""
        assert from_bytes(to_bytes(loss)) == loss


@pytest.mark.parametrize("largest", [0.0, -1.0, float("nan"), float("inf"), "1"])
@pytest.mark.parametrize("kind", [QuadraticLoss, SquaredLoss])
def test_a_largest_utility_that_is_none_is_refused(kind, largest: float) -> None:
    """M is above 0 and finite."""
    with pytest.raises(InvalidInput, match="largest must be a number above 0"):
        kind(largest)


def test_the_quadratic_has_the_papers_constants() -> None:
    """λ = 2 and G = 6M."""
    assert (QuadraticLoss(M).strength, QuadraticLoss(M).slope) == (2.0, 6 * M)
