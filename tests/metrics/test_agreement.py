"""Kendall's tau and tau-x against SciPy and the matrices of their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.metrics import kendall_tau, tau_x

WEAK_ORDERS = st.integers(2, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(1, 6), min_size=n, max_size=n)] * 2)
)


def score_matrix(ranks: list[int]) -> np.ndarray:
    """Emond and Mason's matrix: 1 ahead or tied, −1 behind, 0 on the diagonal."""
    n = len(ranks)
    return np.array(
        [[0 if i == j else 1 if ranks[i] <= ranks[j] else -1 for j in range(n)] for i in range(n)]
    )


@given(WEAK_ORDERS)
def test_tau_x_is_its_definition(pair: tuple[list[int], list[int]]) -> None:
    """τ_x is the sum of products of the two score matrices over n(n − 1)."""
    n = len(pair[0])
    expected = (score_matrix(pair[0]) * score_matrix(pair[1])).sum() / (n * (n - 1))
    assert tau_x(*pair) == pytest.approx(expected, abs=1e-15)


@given(WEAK_ORDERS)
def test_kendall_tau_is_scipys(pair: tuple[list[int], list[int]]) -> None:
    """τ_b equals SciPy's kendalltau, ties included."""
    from scipy.stats import kendalltau

    assume(len(set(pair[0])) > 1 and len(set(pair[1])) > 1)
    assert kendall_tau(*pair) == pytest.approx(kendalltau(*pair).statistic, abs=1e-12)


@given(WEAK_ORDERS)
def test_both_are_symmetric_and_one_with_itself(pair: tuple[list[int], list[int]]) -> None:
    """Swapping the orders changes nothing; an order agrees with itself by exactly 1."""
    assert tau_x(*pair) == tau_x(*pair[::-1])
    assert tau_x(pair[0], pair[0]) == 1.0
    if len(set(pair[0])) > 1:
        assert kendall_tau(pair[0], pair[0]) == 1.0


@given(st.permutations(range(9)), st.permutations(range(9)))
def test_without_ties_the_two_are_one(x: list[int], y: list[int]) -> None:
    """On full orders τ_x is Kendall's τ, and the reversed order has its negative."""
    assert tau_x(x, y) == pytest.approx(kendall_tau(x, y), abs=1e-15)
    assert kendall_tau(x, [-rank for rank in y]) == -kendall_tau(x, y)


def test_large_orders_reach_one_exactly() -> None:
    """The product of two pair counts past 64 bits loses nothing."""
    x = np.arange(200_000)
    assert kendall_tau(x, x) == 1.0
    assert kendall_tau(x, -x) == -1.0


def test_a_tie_against_a_strict_order_says_nothing_to_tau_x() -> None:
    """τ_x of all tied against any strict order is 0, where τ_b does not exist."""
    assert tau_x([1, 1, 1], [1, 2, 3]) == 0.0
    with pytest.raises(InvalidInput, match="x must have two different values, got all equal: use tau_x"):
        kendall_tau([1, 1, 1], [1, 2, 3])
    with pytest.raises(InvalidInput, match="y must have two different values"):
        kendall_tau([1, 2, 3], [2, 2, 2])


@pytest.mark.parametrize("metric", [kendall_tau, tau_x])
def test_bad_orders_are_refused(metric) -> None:
    """One item, unequal lengths and NaN are rejected with a message."""
    with pytest.raises(InvalidInput, match="must have at least 2 entries, got 1"):
        metric([1], [1])
    with pytest.raises(InvalidInput, match="must have at least 2 entries, got 0"):
        metric([], [])
    with pytest.raises(InvalidInput, match="must have 2 entries, one a row, got 3"):
        metric([1, 2], [1, 2, 3])
    with pytest.raises(InvalidInput, match="of row 1 must be a finite number, got nan"):
        metric([1, 2], [1, float("nan")])
