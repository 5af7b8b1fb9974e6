"""Orders, ranks and clicks: what goes in and out of ``penchant.orders.ranks``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.orders import order_from_ranks, order_from_scores, prepend, ranks_from_order, team_draft

permutations = st.integers(0, 30).flatmap(lambda n: st.permutations(range(n)))
scores = st.lists(st.integers(-3, 3) | st.floats(-5, 5), max_size=30)
items = st.sampled_from("abcdefgh")


@given(scores)
def test_scores_sort_down_with_ties_to_the_lowest_index(values: list[float]) -> None:
    """The order is Python's stable sort by falling score."""
    expected = sorted(range(len(values)), key=lambda item: (-values[item], item))
    assert order_from_scores(values).tolist() == expected


def test_equal_scores_keep_their_places() -> None:
    """0.0 and −0.0 are the same score."""
    assert order_from_scores([0.0, -0.0, 0.0, 1.0]).tolist() == [3, 0, 1, 2]


def test_ranks_of_the_lecture() -> None:
    """E ≻ B ≻ C ≻ A ≻ D gives A to E the ranks 4, 2, 3, 5, 1."""
    assert ranks_from_order([4, 1, 2, 0, 3]).tolist() == [4, 2, 3, 5, 1]
    assert order_from_ranks([4, 2, 3, 5, 1]).tolist() == [4, 1, 2, 0, 3]


@given(permutations)
def test_ranks_and_orders_are_inverse(order: list[int]) -> None:
    """An order survives the way to ranks and back, and the best item has rank 1."""
    ranks = ranks_from_order(order)
    assert order_from_ranks(ranks).tolist() == order
    assert all(ranks[item] == place for place, item in enumerate(order, start=1))


def test_everything_is_int64() -> None:
    """Orders and ranks are int64 whatever came in, the empty ones included."""
    for answer in (
        order_from_scores(np.array([1, 2], dtype=np.float32)),
        ranks_from_order(np.array([1, 0], dtype=np.uint8)),
        order_from_ranks([2.0, 1.0]),
        order_from_scores([]),
        ranks_from_order([]),
        order_from_ranks([]),
    ):
        assert answer.dtype == np.int64


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0, 1, 3], "order of row 2 must be a whole number from 0 to 2, got 3"),
        ([-1, 0], "order of row 0 must be a whole number from 0 to 1, got -1"),
        ([0, 0.5], "order of row 1 must be a whole number from 0 to 1, got 0.5"),
        ([0, 2, 2], "order must hold each of 0 to 2 once, got 2 2 times"),
        ([0, float("nan")], "order of row 1 must be a finite number, got nan"),
        ([[0, 1]], "order must be one-dimensional"),
        (["a", "b"], "order must be numbers"),
        (3, "order must be one-dimensional"),
    ],
)
def test_what_is_no_order_is_refused(values: Any, words: str) -> None:
    """The message names the entry that does not fit."""
    with pytest.raises(InvalidInput, match=words):
        ranks_from_order(values)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0, 1], "rank of row 0 must be a whole number from 1 to 2, got 0"),
        ([1, 1], "rank must hold each of 1 to 2 once, got 1 2 times: break the tie"),
    ],
)
def test_what_are_no_ranks_is_refused(values: list[int], words: str) -> None:
    """Ranks start at 1 and have no ties."""
    with pytest.raises(InvalidInput, match=words):
        order_from_ranks(values)


def test_scores_must_be_finite() -> None:
    """NaN has no place in an order."""
    with pytest.raises(InvalidInput, match="score of row 1 must be a finite number, got nan"):
        order_from_scores([0, float("nan")])


def test_clicks_come_first() -> None:
    """ABCDE with clicks on C and D becomes CDABE."""
    assert prepend(list("ABCDE"), list("CD")) == list("CDABE")
    assert prepend("ABCDE", "CD") == list("CDABE")


def test_clicks_on_indices_give_an_array() -> None:
    """An array of indices stays one, and is a new one; so does an array of ids, whatever their length."""
    presented = np.array([4, 2, 7])
    improved = prepend(presented, [7, 9, 7])
    assert isinstance(improved, np.ndarray)
    assert improved.tolist() == [7, 9, 4, 2]
    assert improved.dtype == presented.dtype
    assert prepend(presented, []).tolist() == [4, 2, 7]
    assert not np.shares_memory(prepend(presented, []), presented)
    assert prepend(np.array(["a", "b"]), ["longer", "b"]).tolist() == ["longer", "b", "a"]
    assert prepend(np.array(["a", 1], dtype=object), [1]).tolist() == [1, "a"]
    assert prepend(np.array([], dtype=np.int64), []).dtype == np.int64


@given(st.lists(items, unique=True), st.lists(items))
def test_prepend_follows_its_definition(presented: list[str], clicked: list[str]) -> None:
    """First the distinct clicks as they came, then what was presented and not clicked, as it stood."""
    expected = [item for place, item in enumerate(clicked) if item not in clicked[:place]]
    expected += [item for item in presented if item not in clicked]
    before = presented.copy(), clicked.copy()
    assert prepend(presented, clicked) == expected
    assert (presented, clicked) == before


@pytest.mark.parametrize(
    ("presented", "clicked", "words"),
    [
        (["a", "b", "a"], [], "presented must hold each item once, got 'a' again"),
        ("abc", ["a"], "presented must be a list of items, got 'abc'"),
        (["ab"], "ab", "clicked must be a list of items, got 'ab'"),
        (["a"], {"a"}, "clicked must be a list of items"),
        (np.array([[1, 2]]), [], "presented must be a list of items"),
        (3, [], "presented must be a list of items, got 3"),
        ([1, float("nan")], [], "presented item 1 must be an index or an id, got nan"),
        (["a"], [["a"]], "clicked item 0 must be an index or an id, got \\['a'\\]"),
        (np.array([1, 2]), ["x"], "same kind of items as presented"),
        (np.array([1, 2]), [1.5], "same kind of items as presented"),
    ],
)
def test_what_cannot_be_prepended_is_refused(presented: Any, clicked: Any, words: str) -> None:
    """Repeats, sets without order, NaN and mixed kinds are named."""
    with pytest.raises(InvalidInput, match=words):
        prepend(presented, clicked)


def drafted(mine: list[int], theirs: list[int], coins: list[bool]) -> tuple[list[int], list[int]]:
    """The team draft in plain loops: in each turn a coin says who goes first, and both add their best."""
    order: list[int] = []
    teams = [-1] * len(mine)
    for coin in coins:
        for team in (0, 1) if coin else (1, 0):
            out = [document for document in (mine, theirs)[team] if document not in order]
            if out:
                order.append(out[0])
                teams[out[0]] = team
    return order, teams


@given(st.data())
def test_the_team_draft_is_that_of_plain_loops(data: st.DataObject) -> None:
    """Every item is added once, by the order whose turn it is, and teams differ by one item at most."""
    n = data.draw(st.integers(1, 9))
    mine, theirs = (data.draw(st.permutations(range(n))) for _ in range(2))
    coins = data.draw(st.lists(st.booleans(), min_size=-(-n // 2), max_size=-(-n // 2)))
    order, teams = team_draft(np.array(mine), np.array(theirs), coins)
    assert (order.tolist(), teams.tolist()) == drafted(mine, theirs, coins)
    assert abs(int((teams == 0).sum()) - int((teams == 1).sum())) <= 1
