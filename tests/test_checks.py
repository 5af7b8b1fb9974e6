"""Checks of arrays and settings: what passes is returned clean, what does not is named in the error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from penchant.checks import (
    above_zero,
    check_level,
    check_number,
    index_pairs,
    numbers,
    one_of,
    positive,
    same_length,
    shown,
    square,
    vector,
    whole,
)
from penchant.errors import InvalidInput


def _message(check: Callable[..., Any], *args: Any, **settings: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        check(*args, **settings)
    return str(caught.value)


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.float64(0.999), 1e-300])
def test_a_level_between_0_and_1_is_returned_as_a_float(value: Any) -> None:
    assert check_level(value) == float(value)
    assert type(check_level(value)) is float


@pytest.mark.parametrize("value", [0, 1, -0.1, 2, float("nan"), float("inf"), "0.9", None, True, [0.5]])
def test_any_other_level_is_rejected_with_its_argument_named(value: Any) -> None:
    with pytest.raises(
        InvalidInput, match=r"^level must be a number between 0 and 1, got .*: 0.95 is usual$"
    ) as caught:
        check_level(value)
    assert (caught.value.argument, caught.value.remedy) == ("level", "0.95 is usual")


def test_the_usual_level_is_named_where_it_is_another_one() -> None:
    assert _message(check_level, 3, usual=0.8).endswith("got 3: 0.8 is usual")


@pytest.mark.parametrize(
    ("bounds", "inside", "outside"),
    [
        ({}, [-1e300, 0, 7, np.int8(3)], [np.inf, -np.inf, np.nan, "1", None, True, 10**400, 1j, [1.0]]),
        ({"above": 0}, [1e-300, 1, np.float32(2)], [0, -1, np.inf, np.nan]),
        ({"least": 0}, [0, 1e300], [-1e-300, np.inf]),
        ({"above": 0, "below": 1}, [0.5], [0, 1]),
        ({"above": 0, "most": 1}, [0.5, 1], [0, 1.001]),
        ({"least": 2, "most": 3}, [2, 3], [1.99, 3.01]),
    ],
)
def test_a_number_must_be_finite_and_within_its_bounds(
    bounds: dict[str, float], inside: list[Any], outside: list[Any]
) -> None:
    for value in inside:
        assert check_number("noise", value, **bounds) == float(value)
    for value in outside:
        assert "noise must be a" in _message(check_number, "noise", value, **bounds)


def test_the_message_about_a_number_names_every_bound_and_the_remedy() -> None:
    told = _message(check_number, "share", np.float64(1), least=0, below=1, remedy="give a share")
    assert told == "share must be a number of at least 0 and below 1, got 1.0: give a share"
    assert _message(above_zero, "C", 0) == "C must be a number above 0, got 0: correct the setting"
    assert _message(check_number, "x", "a") == "x must be a finite number, got 'a': correct the setting"


def test_a_whole_number_is_any_integer_type_but_no_truth_value_and_no_float() -> None:
    assert whole("k", np.int32(3), 1) == 3
    assert type(whole("k", np.int32(3), 1)) is int
    for wrong in (0, True, 1.0, "1", None, np.float64(2)):
        assert "k must be a whole number of at least 1, got " in _message(whole, "k", wrong, 1)
    assert _message(whole, "top", 4, 1, 3, remedy="take fewer") == (
        "top must be a whole number from 1 to 3, got 4: take fewer"
    )


def test_a_choice_that_is_not_offered_is_rejected_even_if_it_cannot_be_hashed() -> None:
    one_of("log", "base2", ("natural", "base2"))
    one_of("optimizer", None, ("evidence", None))
    assert _message(one_of, "log", "e", ("natural", "base2")) == (
        "log must be one of natural, base2, got 'e': choose one of these"
    )
    assert "got [1]" in _message(one_of, "log", [1], {"natural": 1})
    assert "one of a or a callable, got 3" in _message(one_of, "kernel", 3, ("a",), other=" or a callable")


def test_pairs_of_rows_are_returned_as_integers() -> None:
    found = index_pairs([[0.0, 1.0], [2, 0]], 3)
    assert found.dtype == np.int64
    assert found.tolist() == [[0, 1], [2, 0]]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "pairs must have at least one row and two columns, got shape (0,)"),
        ([[0, 1, 2]], "got shape (1, 3)"),
        ([[0, 1], [1, 3]], "pair 1 must be two different rows from 0 to 2, got (1, 3)"),
        ([[-1, 1]], "got (-1, 1)"),
        ([[0.5, 1]], "got (0.5, 1)"),
        ([[2, 2]], "got (2, 2): give the better row first"),
        ([["a", "b"]], "pair must be numbers"),
        ([[0, np.nan]], "pair of row 0, column 1 must be a finite number, got nan"),
    ],
)
def test_pairs_that_are_not_two_different_rows_are_rejected(pairs: Any, message: str) -> None:
    assert message in _message(index_pairs, pairs, 3)


def test_arrays_are_rejected_by_shape_length_and_entry() -> None:
    assert "score must be one-dimensional, got shape (1, 1)" in _message(vector, "score", [[1]])
    assert "score must have 3 entries, one a row, got 2" in _message(vector, "score", [1, 2], length=3)
    assert "F must be a square matrix, got shape (1, 2)" in _message(square, "F", [[1, 2]])
    assert "weight of row 1 must be above 0, got 0: remove" in _message(positive, "weight", [1, 0])
    assert "x of row 0, column 1 must be a finite number, got inf" in _message(numbers, "x", [[0, np.inf]])
    assert "x must be numbers, got ['a']" in _message(numbers, "x", ["a"])
    same_length("x", [1, 2], None)


def test_values_in_messages_are_short_and_stand_in_one_line() -> None:
    assert shown(np.float64(1.5)) == "1.5"
    assert shown("a\nb") == r"'a\nb'"
    assert len(shown("x" * 1000)) == 60
