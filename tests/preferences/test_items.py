"""Ids of any kind become indices, or are rejected with the row that holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import InvalidInput, UnknownItem
from penchant.preferences import BAR, Items
from tests.preferences.strategies import refused

BAD_IDS = [None, float("nan"), 1.0, True, ["a"], ("a",), b"a", np.float64(2.0), np.bool_(True), pd.NA, pd.NaT]


def test_whole_numbers_are_sorted_by_value_and_the_rest_as_text() -> None:
    """9 comes before 10, "10" before "9"; mixed, they are text."""
    assert Items.found_in([10, 9, 9])[0].names == ("9", "10")
    assert Items.found_in(["10", "9"])[0].names == ("10", "9")
    items, (codes,) = Items.found_in([10, "9", "10", 9])
    assert items.names == ("10", "9")
    assert codes.tolist() == [0, 1, 0, 1]


@given(st.lists(st.text("abc", min_size=1), min_size=1), st.lists(st.text("abc", min_size=1)))
def test_codes_lead_back_to_the_ids(first: list[str], second: list[str]) -> None:
    """Each column, translated and back, is itself; the items are those that occur, once, sorted."""
    items, codes = Items.found_in(first, second)
    assert [[items.ids[code] for code in column] for column in codes] == [first, second]
    assert items.ids == tuple(sorted({*first, *second}))
    assert items.encode(first).tolist() == codes[0].tolist()


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        lambda ids: np.array(ids, dtype=object),
        pd.Series,
        pd.Categorical,
        lambda ids: pd.Series(ids, index=[7, 7, 9]),
        lambda ids: pd.Series(ids, dtype="string"),
        lambda ids: pd.Series(ids, dtype=object),
        lambda ids: pd.Series(ids, dtype="category"),
        lambda ids: [np.str_(name) for name in ids],
    ],
)
def test_any_column_of_text_will_do(make: Any) -> None:
    """Lists, NumPy and pandas columns of every text kind are indexed alike, and the ids are plain text."""
    items, (codes,) = Items.found_in(make(["b", "a", "b"]))
    assert items.names == ("a", "b")
    assert all(type(name) is str for name in items.names)
    assert codes.tolist() == [1, 0, 1]
    assert Items.named(["a", "b"]).encode(make(["b", "a", "b"])).tolist() == [1, 0, 1]


@pytest.mark.parametrize("bad", BAD_IDS, ids=repr)
def test_what_is_no_id_is_rejected_with_its_row(bad: object) -> None:
    """Missing, fractional, true and nested ids are named, also where 1.0 and True would be found as 1."""
    message = r"id of row 2 must be text or a whole number, got .* of type \w+: remove the row or convert"
    column = np.empty(3, dtype=object)
    column[:] = [1, "x", bad] if isinstance(bad, str) else [1, "x", None]
    column[2] = bad
    for values in (list(column), column, pd.Series(column)):
        with pytest.raises(InvalidInput, match=message):
            Items.found_in(values)
        with pytest.raises(InvalidInput, match=message):
            Items.named(["1", "x"]).encode(values)
    with pytest.raises(InvalidInput, match=message):
        Items.named(list(column))


@pytest.mark.parametrize("blank", ["", "  "])
def test_an_empty_id_is_rejected_with_its_row(blank: str) -> None:
    """An empty cell names no item."""
    message = "id of row 1 must not be empty, got '.*': fill the cell or remove the row"
    for build in (Items.found_in, Items.named, Items.named(["a"]).encode):
        with pytest.raises(InvalidInput, match=message):
            build(["a", blank])


@pytest.mark.parametrize("kind", ["str", "string", "category", "float64"])
def test_missing_cells_of_a_pandas_column_are_rejected_with_their_row(kind: str) -> None:
    """A missing cell is no item of its own, whichever way pandas marks it."""
    values = pd.Series([1.0, None] if kind == "float64" else ["a", None], dtype=kind)
    with pytest.raises(InvalidInput, match=r"id of row [01] must be text"):
        Items.found_in(values)


def test_an_unknown_id_is_rejected_with_its_row_and_the_known_ones() -> None:
    """The message shows where, which, and the first five that are known."""
    items = Items.named("abcdefg")
    message = r"item 'z' of row 1 is not one of the 7 known \('a', 'b', 'c', 'd', 'e', …\): correct it or add"
    for values in (["a", "z"], np.array(["a", "z"]), pd.Series(["a", "z"], index=[5, 6])):
        with pytest.raises(UnknownItem, match=message):
            items.encode(values)
    with pytest.raises(UnknownItem, match=r"^item 'z' is not one of the 7 known"):
        items.index("z")
    with pytest.raises(LookupError):
        items.index(3)


def test_repeated_items_are_rejected() -> None:
    """Two items of one name could not be told apart; that 1 and "1" are one name is said too."""
    with pytest.raises(InvalidInput, match="items must be different, got 'b' twice: keep one of them"):
        Items.named(["a", "b", "c", "b"])
    with pytest.raises(InvalidInput, match="got '1' twice"):
        Items.named([1, "1"])
    with pytest.raises(InvalidInput, match="'last' twice"):
        Items.named([*map(str, range(50_000)), "last", "last"])


@pytest.mark.parametrize("none", [[], (), range(0), ""])
def test_no_items_are_rejected(none: Any) -> None:
    """There is always at least one item, so that everything else may rely on it."""
    with pytest.raises(InvalidInput, match="items must name at least one item, got none"):
        Items.named(none)


def test_rows_of_a_table_are_their_numbers() -> None:
    """``range(n)`` stands for rows 0 to n − 1, which both numbers and their text find."""
    rows = Items.named(range(3))
    assert rows == Items(3)
    assert rows.ids == ("0", "1", "2")
    assert rows.encode([2, 0]).tolist() == rows.encode(["2", "0"]).tolist() == [2, 0]
    assert rows.encode(np.array([1], dtype=np.uint8)).tolist() == [1]
    assert Items.named(range(1, 3)).names == ("1", "2")


@pytest.mark.parametrize("index", [-1, 3])
def test_an_index_outside_is_rejected(index: int) -> None:
    """Nothing counts from the end: a negative index is as unknown as one too large."""
    with pytest.raises(UnknownItem, match=rf"item {index} of row 1 is not one of the 3 known"):
        Items(3).encode([0, index])


@pytest.mark.parametrize("large", [2**31, 2**63, 2**70, np.uint64(2**63)])
def test_numbers_too_large_for_an_index_are_rejected(large: int) -> None:
    """An id like 5,000,000,000 given as an index would wrap around, or ask for as many items."""
    with pytest.raises(InvalidInput, match=r"must be below 2,147,483,647, got .*give large numbers as text"):
        Preferences.from_pairs([(large, 0)])
    assert Preferences.from_pairs([(large, 0)], items=[0, large]).items == ("0", str(large))


def test_the_bar_comes_last() -> None:
    """The bar sorts behind all ids and may be given last, but no other item can have its name."""
    assert Items.found_in([BAR, "z"])[0] == Items.named(["z", BAR]) == Items.named(["z"]).with_bar()
    assert Items(2).with_bar().ids == ("0", "1", BAR)
    assert Items(2).with_bar().with_bar() == Items(2).with_bar()
    with pytest.raises(InvalidInput, match="is kept for the bar"):
        Items.named([BAR, "z"])


def test_a_union_keeps_the_first_ones_and_the_bar_last() -> None:
    """New items come behind the known ones, in their order, and the bar behind all."""
    first, second = Items.named(["b", "a", BAR]), Items.named(["c", "a"])
    assert first.union(second).names == ("b", "a", "c", BAR)
    assert second.union(first).names == ("c", "a", "b", BAR)
    assert Items(2).with_bar().union(Items(4)) == Items(4).with_bar()
    assert Items(3).union(Items(2)) == Items(3)


def test_names_and_rows_do_not_mix() -> None:
    """Whether "1" is the row 1 nobody can know."""
    with pytest.raises(InvalidInput, match="all named or all rows of a table, got one of each"):
        Items(2).union(Items.named(["0", "1"]))


class TestMatch:
    """Features find their items."""

    def test_a_frame_is_matched_by_its_index(self) -> None:
        """In whatever order the frame stands, and with rows that nobody compared."""
        prefs = Preferences.from_pairs([("b", "a"), ("b", "c")])
        frame = pd.DataFrame({"x": [0, 1, 2, 3]}, index=["c", "extra", "a", "b"])
        assert prefs.match(frame).tolist() == [2, 3, 0]
        assert Preferences.from_pairs([(0, 2)]).match(frame.set_axis([2, 1, 0, 3])).tolist() == [2, 1, 0]

    def test_an_array_is_matched_by_its_rows(self) -> None:
        """Item i is row i, of an array, a sparse matrix or nested lists."""
        prefs = Preferences.from_pairs([(0, 2)])
        assert prefs.match(np.zeros((5, 2))).tolist() == [0, 1, 2]
        assert prefs.match([[1.0], [2.0], [3.0]]).tolist() == [0, 1, 2]

    def test_the_bar_has_no_features(self) -> None:
        """It is marked -1, and its absence from the features is no error."""
        prefs = Preferences.from_answers(["a"], ["b"], ["both_bad"])
        assert prefs.match(pd.DataFrame(index=["b", "a"])).tolist() == [1, 0, -1]
        rows = Preferences.from_answers([0], [1], ["both_bad"])
        assert rows.match(np.zeros((2, 1))).tolist() == [0, 1, -1]

    def test_absent_features_are_rejected(self) -> None:
        """A message says which item has none and how many there are."""
        prefs = Preferences.from_pairs([("b", "a"), ("b", "c")])
        with pytest.raises(UnknownItem, match=r"each of 3 items, got none for 'b' \(2 absent\): add the ids"):
            prefs.match(pd.DataFrame(index=["a"]))
        with pytest.raises(InvalidInput, match="a row for each of 3 items, got 2: add the rows"):
            Preferences.from_pairs([(0, 2)]).match(np.zeros((2, 1)))

    def test_named_items_need_a_frame(self) -> None:
        """The rows of an array have no ids, so nobody knows which is which; a doubled index neither."""
        prefs = Preferences.from_pairs([("b", "a")])
        with pytest.raises(
            InvalidInput, match="must be a DataFrame with their ids as its index, got an array"
        ):
            prefs.match(np.zeros((2, 1)))
        with pytest.raises(InvalidInput, match="'a' twice"):
            prefs.match(pd.DataFrame(index=["a", "a", "b"]))


@pytest.mark.parametrize("pairs", [[(0, -1)], [(-1, -2)], np.array([[-3, 1]])])
def test_negative_indices(pairs: Any) -> None:
    """Nothing counts from the end, also where all indices are negative."""
    with pytest.raises(UnknownItem, match=r"item -\d of row 0 is not one of the \d known"):
        Preferences.from_pairs(pairs)


def test_items_not_among_those_given() -> None:
    """With ``items=`` every other id is unknown, and the row that holds it is named."""
    refused(
        "item 'z' of row 1 is not one of the 2 known",
        Preferences.from_pairs,
        [("a", "b"), ("a", "z")],
        items="ab",
    )
    refused("item 5 of row 0", Preferences.from_pairs, [(5, 0)], items=range(3))
    refused("item '5' of row 0", Preferences.from_pairs, [(5, 0)], items=["0", "1"])
