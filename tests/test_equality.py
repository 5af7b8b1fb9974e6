"""Results in which NaN says that there is no such number are equal when they say the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from penchant.gp.generalisation import HeldOut
from penchant.metrics.evaluation import Evaluation, Figure
from penchant.papers.result import Estimate


def nan() -> float:
    """Another NaN object each time."""
    return float("nan")


MADE: dict[str, Callable[[], object]] = {
    "Estimate": lambda: Estimate(0.5, nan()),
    "Figure": lambda: Figure("NDCG@10", nan(), nan(), 0, 3),
    "Evaluation": lambda: Evaluation((Figure("NDCG@10", 0.5, nan(), 1, 0),)),
    "HeldOut": lambda: HeldOut(1, 0.5, 1.0, nan(), nan()),
}


@pytest.mark.parametrize("kind", MADE)
def test_results_with_a_missing_number_are_equal(kind: str) -> None:
    """Two of the same numbers are equal and have one hash, and each is equal to itself."""
    first, second = MADE[kind](), MADE[kind]()
    assert first == first
    assert first == second
    assert hash(first) == hash(second)


def test_results_that_differ_are_not_equal() -> None:
    """A number is no missing number, another kind of result is another, and the order of fields counts."""
    assert Estimate(0.5, 0.0) != Estimate(0.5, nan())
    assert Estimate(nan(), 0.5) != Estimate(0.5, nan())
    assert Estimate(0.5) != Figure("", 0.5, nan(), 0, 0)
    assert Estimate(0.5) != 0.5
