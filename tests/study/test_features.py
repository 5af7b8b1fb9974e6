"""Features and links of items as tables of numbers and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput, UnknownItem
from penchant.study.features import check_features, feature_table, links_matrix, standardised
from penchant.study.items import Item


def cars(name: str, *values: Any) -> list[Item]:
    """Items a, b, … with one field."""
    return [Item(chr(97 + row), "car", fields={name: value}) for row, value in enumerate(values)]


def test_numbers_and_categories_become_columns() -> None:
    """Text and JSON numbers are numbers, words one column each, in the order of the names and of the alphabet."""
    items = [
        Item("a", "A", fields={"body": "van", "range": "3e2", "new": True}),
        Item("b", "B", fields={"range": 420, "body": " coupe ", "new": False}),
    ]
    table = feature_table(items, ["range", "new", "body"])
    assert list(table.columns) == ["range", "new", "body=coupe", "body=van"]
    assert table.index.tolist() == ["a", "b"]
    assert table.to_numpy().tolist() == [[300, 1, 0, 1], [420, 0, 1, 0]]
    assert feature_table(items, []).shape == (2, 0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (("1", ""), "feature 'x' of item 'b' must have a value, got none: fill it in"),
        (("1", " "), "of item 'b' must have a value"),
        (("red", None), "of item 'b' must have a value"),
        (("1", "2 km"), "of item 'b' must be a number as that of others, got '2 km'"),
        (("1", "1_0"), "of item 'b' must be a number as that of others"),
        (("1", "nan"), "of item 'b' must be a finite number, got 'nan'"),
        (("inf", 2), "of item 'a' must be a finite number, got 'inf'"),
        ((1, "1e999"), "of item 'b' must be a finite number"),
        (tuple(f"word {i}" for i in range(101)), "at most 100 words, got 101 different ones"),
        (("1", "1"), "feature 'x' must differ between items"),
        (("red", "red"), "feature 'x' must differ between items"),
    ],
)
def test_values_that_are_no_features_are_rejected_by_name(values: Any, words: str) -> None:
    """The message has the field and the item."""
    with pytest.raises(InvalidInput, match=words):
        check_features(cars("x", *values), ["x"])


def test_features_are_named_never_guessed() -> None:
    """A name of no field is rejected with the names that there are, and a name that comes twice."""
    with pytest.raises(InvalidInput, match=r"features must name fields .* got 'y', and fields \['x'\]"):
        feature_table(cars("x", 1, 2), ["y"])
    with pytest.raises(InvalidInput, match="got it twice"):
        feature_table(cars("x", 1, 2), ["x", "x"])


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9))
def test_standardised_columns_have_mean_0_and_sd_1(values: list[float]) -> None:
    """Or are 0 where all values are equal."""
    column = standardised(feature_table(cars("x", *values), ["x"]))["x"].to_numpy()
    if len(set(values)) == 1:
        assert not column.any()
    elif np.ptp(values) > 1e-3:
        assert abs(column.mean()) < 1e-6
        assert abs(column.std() - 1) < 1e-6


IDS = "abcde"
WEIGHTS = st.dictionaries(st.sampled_from(IDS), st.floats(0.1, 9), max_size=5)


@given(st.lists(WEIGHTS, min_size=5, max_size=5))
def test_links_are_a_symmetric_matrix(links: list[dict[str, float]]) -> None:
    """Each entry is the larger of the two weights that its items give; nothing is linked to itself."""
    items = [Item(name, name, links=weights) for name, weights in zip(IDS, links, strict=True)]
    matrix = links_matrix(items).toarray()
    for row, first in enumerate(items):
        for column, second in enumerate(items):
            both = (first.links.get(second.id, 0.0), second.links.get(first.id, 0.0))
            assert matrix[row, column] == (0.0 if row == column else max(both))


def test_links_to_unknown_items_are_named() -> None:
    """No link is dropped."""
    with pytest.raises(UnknownItem, match="links of item 'a' must lead to items of the study, got 'z'"):
        links_matrix([Item("a", "A", links={"z": 1.0}), Item("b", "B")])
    assert links_matrix([Item("a", "A"), Item("b", "B")]).shape == (2, 2)


@pytest.mark.parametrize(
    ("first", "second"),
    [({"k": "u", "k=u": 1}, {"k": "v", "k=u": 2}), ({"k": "u=w", "k=u": "w"}, {"k": "x", "k=u": "y"})],
)
def test_columns_of_one_name_are_rejected(first: dict[str, Any], second: dict[str, Any]) -> None:
    """A field that is called like the category of another one would replace it silently."""
    items = [Item("a", "A", fields=first), Item("b", "B", fields=second)]
    with pytest.raises(
        InvalidInput, match=r"columns of different names, got 'k=u.*' of 'k' and of 'k=u': rename"
    ):
        check_features(items, ["k", "k=u"])
    check_features(items, ["k"])


def test_values_too_large_to_be_scaled_are_rejected() -> None:
    """Squares of features must be finite."""
    items = [Item("a", "A", fields={"x": 1e100}), Item("b", "B", fields={"x": -1e100})]
    assert np.isfinite(standardised(feature_table(items, ["x"])).to_numpy()).all()
    with pytest.raises(
        InvalidInput, match=r"of item 'a' must be at most 1e\+100, got 1e\+101: take a larger"
    ):
        feature_table([Item("a", "A", fields={"x": 1e101}), items[1]], ["x"])
