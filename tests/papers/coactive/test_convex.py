"""First and second order, with seeds and quick sizes; what tells a line in log T from √T."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.coactive.convex import _exponent, _line_in_log
from tests.conftest import DATA
from tests.papers.running import result_of


def test_lines_in_log_time_are_told_from_roots() -> None:
    """log t has R² 1 and an exponent near 0; √t an exponent of ½ and less of a line; t an exponent of 1."""
    t = np.arange(1, 2001.0)
    assert _line_in_log(3 * np.log(t) + 1) == pytest.approx(1)
    assert _exponent(np.log(t)) < 0.15
    assert _line_in_log(np.sqrt(t)) < 0.92
    assert _exponent(np.sqrt(t)) == pytest.approx(0.5)
    assert _exponent(t) == pytest.approx(1)


@pytest.mark.parametrize(
    "id",
    [
        pytest.param("2.fig13/letor4-mq2008", marks=pytest.mark.needs("data:letor4-mq2008")),
        pytest.param("2.fig14/ml-1m", marks=pytest.mark.needs("data:ml-1m")),
    ],
)
def test_cumulative_regret_of_the_second_order_is_a_line_in_log_time(id: str) -> None:
    """T·REG and T·CREG: R² over 0.97, growth by an exponent under 0.25; the first order loses more and grows faster."""
    numbers = result_of(id, size="quick", data=DATA).numbers
    for what in ("T·REG", "T·CREG"):
        assert numbers[f"{what} in log T, second order: R²"].value > 0.97
        assert numbers[f"{what}, second order: growth exponent"].value < 0.25
        assert (
            numbers[f"{what}, convex: growth exponent"].value
            > numbers[f"{what}, second order: growth exponent"].value
        )
    assert numbers["second order / convex"].value < 0.95


def test_on_made_up_movies_too() -> None:
    """R² over 0.97 without any data; the frame holds the convex regret."""
    result = result_of("2.fig14/ml-1m", size="quick")
    assert result.numbers["T·REG in log T, second order: R²"].value > 0.97
    assert "convex_regret" in result.frame
    assert set(result.charts) == {"T·REG", "T·CREG", "bounds"}


def test_extreme_gammas_do_worse() -> None:
    """On made-up movies γ = 0.001 and γ = 1000 lose at least one and a half times as much as γ = 1."""
    numbers = result_of("2.fig16/ml-1m", size="quick").numbers
    assert numbers["γ = 0.001 / γ = 1"].value > 1.5
    assert numbers["γ = 1000 / γ = 1"].value > 1.5
    assert 1 <= numbers["γ = 1 / the best γ"].value < 1.2


def test_noise_takes_the_second_orders_advantage_away() -> None:
    """On made-up movies it is within a quarter of the first order."""
    numbers = result_of("2.fig18/ml-1m", size="quick").numbers
    assert 0.8 < numbers["second order / convex"].value < 1.25
