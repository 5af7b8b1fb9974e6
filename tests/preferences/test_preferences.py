"""Each constructor gives the comparisons that its input states, and rejects input that states none."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.orders import prepend
from penchant.preferences import BAR
from tests.preferences.strategies import NAN, refused


def named(prefs: Preferences) -> list[tuple[str, str]]:
    """Return the pairs by id, better first."""
    return [(prefs.items[better], prefs.items[worse]) for better, worse in prefs.pairs()]


class TestPairs:
    """Comparisons, better first."""

    def test_whole_numbers_are_indices_unless_items_are_given(self) -> None:
        """(5, 0) is about six items; with items= the numbers are looked up as ids."""
        assert Preferences.from_pairs([(5, 0)]).n_items == 6
        prefs = Preferences.from_pairs([(5, 0)], items=[0, 7, 5])
        assert prefs.items == ("0", "7", "5")
        assert prefs.pairs().tolist() == [[2, 0]]

    def test_rows_of_a_table_may_be_named_by_range(self) -> None:
        """``items=range(n)`` says how many rows there are, also those never compared."""
        prefs = Preferences.from_pairs([(1, 0)], items=range(4))
        assert prefs.n_items == 4
        assert prefs + Preferences.from_pairs([(5, 0)]) == Preferences.from_pairs([(1, 0), (5, 0)])

    @pytest.mark.parametrize(
        "pairs",
        [
            [("b", "a"), ("c", "a")],
            (pair for pair in [("b", "a"), ("c", "a")]),
            np.array([("b", "a"), ("c", "a")]),
            pd.DataFrame({"x": ["b", "c"], "y": ["a", "a"]}),
            [["b", "a"], np.array(["c", "a"])],
        ],
    )
    def test_any_table_of_two_columns_will_do(self, pairs: Any) -> None:
        """Lists, generators, arrays and frames say the same."""
        assert named(Preferences.from_pairs(pairs)) == [("b", "a"), ("c", "a")]

    def test_inputs_stay_as_they_were(self) -> None:
        """What is built is a copy: arrays given can be written to afterwards, and change nothing."""
        given_arrays: dict[str, Any] = {
            "weight": np.array([1.0, 2.0]),
            "tie": np.array([False, True]),
            "judge": np.array(["x", "y"]),
            "better_on_left": np.array([True, False]),
            "period": np.array([1, 2]),
        }
        pairs = np.array([[0, 1], [1, 2]])
        before = {name: array.copy() for name, array in given_arrays.items()}
        prefs = Preferences.from_pairs(pairs, **given_arrays)
        same = Preferences.from_pairs(pairs, **given_arrays)
        for name, array in given_arrays.items():
            assert np.array_equal(array, before[name])
            array[:] = array[::-1].copy()
        pairs[:] = 0
        assert prefs == same
        with pytest.raises(ValueError, match="read-only"):
            prefs.weight[0] = 5  # type: ignore[index]

    def test_unknown_judges_and_sides_are_kept_unknown(self) -> None:
        """None, NaN, pandas' NA and empty text name nobody; a side that is None is not known."""
        judge = [None, float("nan"), pd.NA, "", "ann", 7]
        prefs = Preferences.from_pairs(
            [(0, 1)] * 6, judge=judge, better_on_left=[True, False, None, pd.NA, 1, 0]
        )
        assert prefs.judges == ("7", "ann")
        assert prefs.judge is not None
        assert prefs.judge.tolist() == [-1, -1, -1, -1, 1, 0]
        assert prefs.better_on_left is not None
        assert prefs.better_on_left.tolist() == [1, 0, -1, -1, 1, 0]
        assert Preferences.from_pairs([(0, 1)], judge=[None]).judges == ()

    def test_ties_may_be_told_by_ones_and_zeros(self) -> None:
        """Booleans, 0 and 1, and a pandas column of either are flags."""
        for tie in ([True, False], [1, 0], np.array([1.0, 0.0]), pd.array([True, False], dtype="boolean")):
            assert Preferences.from_pairs([(0, 1), (1, 2)], tie=tie).ties().tolist() == [[0, 1]]


class TestFrames:
    """Tables with a comparison a row."""

    @pytest.mark.parametrize("kind", ["str", "string", "object", "category"])
    def test_columns_of_every_kind_of_text(self, kind: str) -> None:
        """However pandas holds the text, the ids are the same."""
        frame = pd.DataFrame({"w": ["ann", "bob"], "l": ["bob", "cyd"]}, dtype=kind, index=[3, 3])
        prefs = Preferences.from_frame(frame, better="w", worse="l")
        assert named(prefs) == [("ann", "bob"), ("bob", "cyd")]

    @pytest.mark.parametrize("kind", ["int64", "Int64", "uint8", "object"])
    def test_numbers_in_a_table_are_ids(self, kind: str) -> None:
        """Item 200 of a table is not the 201st of 201 items."""
        frame = pd.DataFrame({"w": [200, 30], "l": [4, 200]}, dtype=kind)
        prefs = Preferences.from_frame(frame, better="w", worse="l")
        assert prefs.items == ("4", "30", "200")
        assert named(prefs) == [("200", "4"), ("30", "200")]

    @pytest.mark.parametrize("column", [list, tuple, np.array, pd.Series])
    def test_columns_need_no_frame(self, column: Any) -> None:
        """A mapping of names to lists or arrays is a table as well, and numbers in it are ids."""
        table = {"w": column(["ann", "bob"]), "l": column(["bob", "cyd"]), "n": column([2, 1])}
        prefs = Preferences.from_frame(table, better="w", worse="l", weight="n")
        assert named(prefs) == [("ann", "bob"), ("bob", "cyd")]
        assert prefs.weight is not None
        assert prefs.weight.tolist() == [2.0, 1.0]
        numbers = {"w": column([200, 30]), "l": column([4, 200])}
        assert Preferences.from_frame(numbers, better="w", worse="l").items == ("4", "30", "200")

    def test_two_columns_of_indices(self) -> None:
        """With items as a range, numbers in a table are indices, as in pairs."""
        table = {"w": np.array([2, 0]), "l": np.array([1, 2])}
        prefs = Preferences.from_frame(table, better="w", worse="l", items=range(4))
        assert prefs == Preferences.from_pairs([(2, 1), (0, 2)], items=range(4))

    def test_all_columns_are_read(self) -> None:
        """Weight, tie, judge, side and period come from the columns named."""
        frame = pd.DataFrame(
            {
                "w": ["a", "b"],
                "l": ["b", "c"],
                "n": [2, 1],
                "t": [0, 1],
                "j": ["x", None],
                "s": [True, None],
                "p": [7, 8],
            }
        )
        prefs = Preferences.from_frame(
            frame,
            better="w",
            worse="l",
            weight="n",
            tie="t",
            judge="j",
            better_on_left="s",
            period="p",
            items="abcd",
        )
        told = prefs.to_frame()
        assert prefs.items == ("a", "b", "c", "d")
        assert told["weight"].tolist() == [2.0, 1.0]
        assert told["tie"].tolist() == [False, True]
        assert told["period"].tolist() == [7, 8]
        assert told["judge"].isna().tolist() == told["better_on_left"].isna().tolist() == [False, True]


class TestAnswers:
    """Questions as they were shown."""

    def test_five_answers_are_five_things(self) -> None:
        """Left, right and tie are about the two; both bad is about the bar and says nothing between the two."""
        prefs = Preferences.from_answers(
            ["a", "a", "a", "a", "a"],
            ["b", "c", "d", "e", "f"],
            ["left", "right", "tie", "both_bad", "skip"],
            weight=[1, 2, 3, 4, 5],
        )
        assert prefs.items == ("a", "b", "c", "d", "e", "f", BAR)
        assert prefs.bar == 6
        assert prefs.to_orders() == [["a", "b"], ["c", "a"], [["a", "d"]], [BAR, ["a", "e"]]]
        assert named(prefs) == [("a", "b"), ("c", "a"), (BAR, "a"), (BAR, "e")]
        assert prefs.n_ties == 1
        assert prefs.weight is not None
        assert prefs.weight.tolist() == [1, 2, 3, 4]
        assert prefs.better_on_left is not None
        assert prefs.better_on_left.tolist() == [1, 0, 1, -1]

    def test_without_both_bad_there_is_no_bar(self) -> None:
        """The bar is an item only where somebody spoke of it."""
        prefs = Preferences.from_answers([0], [1], ["tie"])
        assert (prefs.bar, prefs.n_items) == (None, 2)

    def test_all_skipped_teaches_nothing_about_known_items(self) -> None:
        """No row is left, but the items that were shown are known."""
        prefs = Preferences.from_answers(["a", "b"], ["b", "c"], ["skip", "skip"], judge=["x", "y"])
        assert (len(prefs), prefs.n_items, prefs.n_pairs) == (0, 3, 0)
        assert (
            repr(prefs)
            == "Preferences: 0 comparisons of 3 items, in 3 groups never compared with one another"
        )

    def test_a_series_with_any_index_will_do(self) -> None:
        """Columns of a filtered frame are read by place, not by label."""
        frame = pd.DataFrame({"l": ["a", "b"], "r": ["b", "c"], "o": ["left", "tie"]}, index=[8, 3])
        prefs = Preferences.from_answers(frame["l"], frame["r"], frame["o"], judge=frame["o"])
        assert prefs.to_orders() == [["a", "b"], [["b", "c"]]]
        assert prefs.judges == ("left", "tie")


class TestRankingsAndChoices:
    """Orders, full or partial, and choices of one."""

    def test_a_ranking_is_one_row(self) -> None:
        """Its pairs came together and are known to; items not mentioned were not ranked."""
        prefs = Preferences.from_rankings([["a", ("b", "c")], ["c"]], judge=["x", None], items="abcd")
        assert (len(prefs), prefs.n_pairs, prefs.n_ties) == (2, 2, 1)
        assert prefs.comparisons().row.tolist() == [0, 0, 0]
        assert prefs.to_orders() == [["a", ["b", "c"]], ["c"]]

    def test_orders_may_be_an_array(self) -> None:
        """An (m, n) array holds one order of indices a row."""
        assert Preferences.from_rankings(np.array([[2, 0, 1]])).to_orders() == [["2", "0", "1"]]

    @given(
        st.lists(
            st.permutations(["a", "b", "c", "d"]).flatmap(
                lambda order: st.sampled_from(
                    [order, order[:2], [order[:2], *order[2:]], [order[0], order[1:]]]
                )
            ),
            min_size=1,
        )
    )
    def test_orders_survive_a_round_trip(self, orders: list[Any]) -> None:
        """What `to_orders` gives, `from_rankings` takes, and the Preferences are equal."""
        prefs = Preferences.from_rankings(orders)
        assert prefs.to_orders() == orders
        assert Preferences.from_rankings(prefs.to_orders()) == prefs

    def test_a_choice_says_nothing_among_the_others(self) -> None:
        """The chosen one is better than each other one, whether or not it is listed among those offered."""
        listed = Preferences.from_choices(["b"], [["a", "b", "c"]])
        assert (
            named(listed) == named(Preferences.from_choices(["b"], [["a", "c"]])) == [("b", "a"), ("b", "c")]
        )
        assert listed.n_ties == 0


class TestGradesAndRatings:
    """Graded items of queries, rated items of users."""

    def test_equal_grades_say_nothing(self) -> None:
        """Not told apart is not equal: no pair and no tie."""
        prefs = Preferences.from_grades([1, 1, 2])
        assert prefs.pairs().tolist() == [[2, 0], [2, 1]]
        assert (prefs.n_ties, len(prefs)) == (0, 1)
        assert repr(Preferences.from_grades([1, 1])).endswith("in 2 groups never compared with one another")

    def test_pairs_stay_inside_a_query(self) -> None:
        """Rows are the queries, whole numbers by value; their items need not stand together."""
        prefs = Preferences.from_grades([0, 5, 1, 4], qid=[10, 9, 10, 9], items="wxyz")
        assert prefs.to_orders() == [["x", "z"], ["y", "w"]]

    def test_one_item_works(self) -> None:
        """One grade, one rating, one ranked item imply nothing and are no error."""
        for alone in (
            Preferences.from_grades([3.0]),
            Preferences.from_ratings(["u"], ["x"], [3]),
            Preferences.from_rankings([["x"]]),
            Preferences.from_clicks(["x"], ["x"]),
        ):
            assert (alone.n_items, alone.n_pairs, alone.n_ties) == (1, 0, 0)
            assert "connected" in repr(alone)
            assert alone.tallies().tolist() == [[0.0], [0.0], [0.0]]
            assert alone.to_frame().empty

    def test_each_user_is_a_row_and_a_judge(self) -> None:
        """Ratings of different users are never compared; item numbers are ids."""
        prefs = Preferences.from_ratings(["v", "u", "u", "v"], [30, 4, 30, 4], [5, 1, 2, 3])
        assert prefs.items == ("4", "30")
        assert prefs.judges == ("u", "v")
        assert prefs.to_orders() == [["30", "4"], ["30", "4"]]
        assert prefs.by_judge("v").to_orders() == [["30", "4"]]


class TestClicks:
    """Pages and what was clicked on them."""

    def test_the_example_of_the_lecture(self) -> None:
        """ABCDE with clicks on C and D: both are better than A and B, which stood above."""
        prefs = Preferences.from_clicks(list("ABCDE"), ["C", "D"])
        assert named(prefs) == [("C", "A"), ("C", "B"), ("D", "A"), ("D", "B")]
        assert prefs.items == ("A", "B", "C", "D", "E")

    @given(st.permutations("ABCDEF"), st.integers(1, 6), st.lists(st.sampled_from("ABCDEF"), max_size=6))
    def test_the_pairs_are_those_whose_order_changes(
        self, order: list[str], shown: int, clicked: list[str]
    ) -> None:
        """Exactly the pairs that `prepend` turns, where results from outside stood below the whole page."""
        presented = order[:shown]
        improved = prepend(presented, clicked)
        stood = list(dict.fromkeys([*presented, *clicked]))
        turned = [(b, a) for a, b in combinations(stood, 2) if improved.index(b) < improved.index(a)]
        assert sorted(named(Preferences.from_clicks(presented, clicked))) == sorted(turned)

    def test_pages_are_remembered(self) -> None:
        """``source`` is the page of each pair, the judge who looked at it; a page without clicks says nothing."""
        prefs = Preferences.from_clicks(
            [["a", "b"], ["a"], ["b", "c", "a"]],
            [["b"], [], ["a", "a"]],
            judge=pd.Series(["x", "y", None], index=[4, 5, 6]),
        )
        assert named(prefs) == [("b", "a"), ("a", "b"), ("a", "c")]
        assert prefs.source is not None
        assert prefs.source.tolist() == [0, 2, 2]
        assert prefs.judge is not None
        assert prefs.judge.tolist() == [0, -1, -1]

    def test_indices_are_rows(self) -> None:
        """Pages of whole numbers are about rows, also those shown and never clicked."""
        prefs = Preferences.from_clicks(np.array([4, 2, 0]), np.array([2]))
        assert (prefs.n_items, prefs.catalogue.names) == (5, None)
        assert prefs.pairs().tolist() == [[2, 4]]


def test_answers() -> None:
    """Five words are answers; both sides and the answers are of one length; a question shows two things."""
    build = Preferences.from_answers
    allowed = "must be one of left, right, tie, both_bad, skip"
    refused(f"outcome of row 1 {allowed}, got 'Left': correct the row", build, "ab", "bc", ["left", "Left"])
    refused(f"outcome of row 0 {allowed}, got nan", build, ["a"], ["b"], [NAN])
    refused("right must have 2 entries, one a row, got 1", build, ["a", "b"], ["b"], ["left", "left"])
    refused("outcome must have 1 entries", build, ["a"], ["b"], ["left", "left"])
    refused("outcome must be one-dimensional, got 'left'", build, ["a"], ["b"], "left")
    refused("row 1 must name each item once, got 'b' twice", build, ["a", "b"], ["b", "b"], ["left", "tie"])
    refused("weight of row 0 must be above 0", build, ["a"], ["b"], ["skip"], weight=[0])
    refused("at least one item", build, [], [], [])


def test_rankings() -> None:
    """Each order is a list with something on each place and no item twice; the row is that of the order."""
    build = Preferences.from_rankings
    refused("row 1 must name each item once, got 'a' twice", build, [["a", "b"], ["a", ["b", "a"]]])
    refused(r"row 1 must name at least one item a place, got \[\]", build, [["a"], []])
    refused("row 0 must name at least one item a place", build, [["a", []]])
    refused("row 0 must be a list of items, best first, got 'abc': give a list of lists", build, ["abc"])
    refused("row 0 must be a list of items, best first, got 1", build, [1, 2])
    refused("id of row 1 must be text or a whole number, got None", build, [["a", "b", "c"], ["a", None]])
    refused(
        "id of row 1 must be text or a whole number, got .* of type list",
        build,
        [["a", "b"], ["a", ["b", ["c"]]]],
    )
    refused("item 'z' of row 1 is not one", build, [["a", "b"], ["a", "z"]], items="ab")
    refused("weight must have 2 entries", build, [["a"], ["b"]], weight=[1])
    refused("at least one item", build, [])
    assert len(build([], items="ab")) == 0


def test_choices() -> None:
    """A choice needs an alternative, once each."""
    build = Preferences.from_choices
    refused("row 0 must offer more than the chosen 'a': add what else was offered", build, ["a"], [["a"]])
    refused("row 0 must name each item once, got 'b' twice", build, ["a"], [["b", "b"]])
    refused("row 0 must name each item once, got '1' twice", build, [1], [["1", "2"]])
    refused("offered must have 1 entries", build, ["a"], [["b"], ["c"]])
    refused("item 'z' of row 1", build, ["a", "b"], [["b"], ["z"]], items="ab")


def test_grades() -> None:
    """One finite grade an item, one query and one id each."""
    build = Preferences.from_grades
    refused("grade of row 1 must be a finite number, got nan", build, [1, NAN])
    refused("grades must hold at least one item, got none", build, [])
    refused("grade must be one-dimensional", build, [[1, 2]])
    refused("qid must have 2 entries", build, [1, 2], qid=["x"])
    refused("qid of row 1 must be text or a whole number, got None", build, [1, 2], qid=["x", None])
    refused("grade must have 3 entries, one a row, got 2", build, [1, 2], items="abc")


def test_ratings() -> None:
    """A user rates an item once."""
    build = Preferences.from_ratings
    refused(
        "user 'u' must name each item once, got 'x' twice: keep one",
        build,
        ["v", "u", "u"],
        ["x"] * 3,
        [1, 2, 3],
    )
    refused("rating of row 0 must be a finite number", build, ["u"], ["x"], [NAN])
    refused("user must have 1 entries", build, ["u", "v"], ["x"], [1])
    refused("item must have 1 entries", build, ["u"], ["x", "y"], [1])
    refused("user of row 0 must not be empty", build, [""], ["x"], [1])
    refused("at least one item", build, [], [], [])


def test_clicks() -> None:
    """A page shows each result once; clicks are lists; judges are one a page."""
    build = Preferences.from_clicks
    refused("page 0 must show each result once", build, ["a", "b", "a"], ["b"])
    refused(
        r"clicks of page 0 must be a list of results, got 'pear': give \['pear'\]",
        build,
        ["fig", "pear"],
        "pear",
    )
    refused(r"clicks of page 0 must be a list of results, got 2: give \[2\]", build, [1, 2], 2)
    refused("clicked must have 2 entries", build, [["a"], ["b"]], [["a"]])
    refused("judge must have 1 entries, one a row, got 2", build, [["a", "b"]], [["b"]], judge=["x", "y"])
    refused(r"page 1 must be a list of ids, got \['b'\] in it", build, [["a"], ["a", ["b"]]], [["a"], []])
    refused("item 'b' of row 1 is not one", build, [["a", "c"], ["a", "b"]], [["c"], ["b"]], items="ac")
    refused("at least one item", build, [], [])
    refused("must be text or a whole number, got None", build, ["a", None], ["a"])
