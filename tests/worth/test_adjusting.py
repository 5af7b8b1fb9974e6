"""Covariates that cannot be used: each has a message that names it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.worth import BradleyTerry


def _answers(left: Any, right: Any, outcome: Any, **covariates: Any) -> Preferences:
    return Preferences.from_answers(left, right, outcome, covariates=covariates)


ROUND = (
    ["a", "b", "c", "b", "c", "a"] * 4,
    ["b", "c", "a", "a", "b", "c"] * 4,
    ["left", "right", "left"] * 8,
)
LEVEL = {"a": 1.0, "b": 3.0, "c": 4.0}


@pytest.mark.parametrize(
    ("values", "side", "message"),
    [
        ({"x": np.zeros(24)}, False, "covariate 'x' must differ between the two items of some rows, got 0"),
        (
            {"x": np.full(24, 2.5)},
            False,
            "got 2.5 in every row, left less right: leave it out, or give side=True",
        ),
        (
            {"x": [LEVEL[a] - LEVEL[b] for a, b in zip(*ROUND[:2], strict=True)]},
            False,
            "covariate 'x' must differ between comparisons of the same items, got a property of the items",
        ),
        (
            {"x": np.arange(24.0) ** 2, "y": 3 * np.arange(24.0) ** 2 + 1},
            True,
            "covariate 'side' must be no combination of the other covariates, got one of 'x', 'y'",
        ),
        (
            {"x": np.where(np.array(ROUND[2]) == "left", 1.0, -1.0) * np.arange(1, 25)},
            False,
            "covariate 'x' must leave some answers unexplained",
        ),
    ],
)
def test_covariates_that_cannot_be_estimated_are_named(values: Any, side: bool, message: str) -> None:
    """Constant, a property of the items, a combination, separated: each has a message of its own."""
    prefs = _answers(*ROUND, **values)
    for prior in (0.1, "learned"):
        with pytest.raises(InvalidInput, match=re.escape(message)):
            BradleyTerry(prior).fit(prefs, covariates=tuple(values), side=side)


@pytest.mark.parametrize(
    ("names", "side", "message"),
    [
        (("z",), False, "got 'z', they have 'x', 'side'"),
        (("x", "x"), False, "covariates must be named once, got 'x' twice"),
        (("side",), True, "covariates must not be called 'side'"),
        ((3,), False, "covariates must be names, got 3"),
    ],
)
def test_names_that_cannot_be_used_are_rejected(names: Any, side: bool, message: str) -> None:
    """Unknown, repeated, clashing."""
    prefs = _answers(*ROUND, x=np.arange(24.0), side=np.arange(24.0) ** 2)
    with pytest.raises(InvalidInput, match=re.escape(message)):
        BradleyTerry().fit(prefs, covariates=names, side=side)


def test_a_side_that_nobody_knows_and_rankings_are_rejected() -> None:
    """The messages say what to give instead."""
    with pytest.raises(InvalidInput, match="side must not be set where nobody knows who stood on the left"):
        BradleyTerry().fit(Preferences.from_pairs([("a", "b"), ("b", "a")]), side=True)
    answers = Preferences.from_answers(["a", "b"], ["b", "c"], ["left", "right"])
    with pytest.raises(
        InvalidInput, match="row 2 must compare two items where there are covariates, got 3 items"
    ):
        BradleyTerry().fit(answers + Preferences.from_rankings([["a", "b", "c"]]), side=True)


def test_a_side_that_follows_from_the_items_has_a_message_of_its_own() -> None:
    """Pairs that always stand in the same order say nothing about sides."""
    prefs = Preferences.from_answers(["a", "a", "b"], ["b", "b", "c"], ["left", "right", "left"])
    with pytest.raises(
        InvalidInput, match=r"side must not follow from the items.*show pairs both ways round"
    ):
        BradleyTerry().fit(prefs, side=True)
