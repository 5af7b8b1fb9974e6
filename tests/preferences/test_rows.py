"""Rows chosen, joined, merged and told apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, cross_val_score, train_test_split

from penchant import Preferences
from penchant.errors import InvalidInput, UnknownItem
from penchant.preferences import BAR, Items
from penchant.worth import WinRate
from tests.preferences.strategies import Stated, anything

FULL = Preferences.from_pairs(
    [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")],
    weight=[1, 2, 3, 4],
    tie=[False, False, True, False],
    judge=["x", "y", None, "x"],
    better_on_left=[True, False, None, True],
    period=[1, 2, 3, 4],
)


class TestSelection:
    """``prefs[rows]``, as NumPy would."""

    @pytest.mark.parametrize(
        ("rows", "chosen"),
        [
            (1, [1]),
            (-1, [3]),
            (np.int64(2), [2]),
            ([3, 0, 0], [3, 0, 0]),
            ([], []),
            (slice(None), [0, 1, 2, 3]),
            (slice(1, 3), [1, 2]),
            (slice(None, None, -1), [3, 2, 1, 0]),
            (np.array([-1, 1]), [3, 1]),
            (np.array([True, False, False, True]), [0, 3]),
            (np.zeros(4, dtype=bool), []),
            (pd.Series([True, False, True, False]), [0, 2]),
            ((np.array([1]), ...), [1]),
        ],
    )
    def test_rows_and_all_that_is_known_of_them(self, rows: Any, chosen: list[int]) -> None:
        """Numbers, slices, masks and nothing choose whole rows with every column; items stay."""
        part = FULL[rows]
        assert len(part) == len(chosen)
        assert part.to_orders() == [FULL.to_orders()[row] for row in chosen]
        for name in ("weight", "judge", "better_on_left", "period"):
            assert getattr(part, name).tolist() == [getattr(FULL, name)[row] for row in chosen]
        assert (part.items, part.shape) == (FULL.items, (len(chosen), 3))

    @given(anything(), st.data())
    def test_any_rows_of_anything(self, stated: Stated, data: st.DataObject) -> None:
        """Chosen rows say what they stated, whatever kind they are, also chosen twice."""
        chosen = data.draw(st.lists(st.integers(0, len(stated.rows) - 1)) if stated.rows else st.just([]))
        part = Stated([stated.rows[row] for row in chosen], [], stated.preferences[chosen])
        told = part.preferences.statements.comparisons()
        assert (~told[2]).sum() == sum(not tie for *_, tie in part.implied())
        assert part.preferences.to_orders() == [stated.preferences.to_orders()[row] for row in chosen]

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            (4, "index 4 is out of bounds for axis 0 with size 4"),
            (-5, "index -5 is out of bounds"),
            ([0, 9], "index 9 is out of bounds"),
            (np.array([True]), "boolean index did not match"),
            ("a", "only integers, slices"),
            ((0, 1), "too many indices"),
        ],
    )
    def test_rows_that_are_not_there(self, rows: Any, message: str) -> None:
        """As everywhere in Python, an IndexError says which row there is not."""
        with pytest.raises(IndexError, match=message):
            FULL[rows]

    def test_rows_are_a_vector(self) -> None:
        """Rows in two dimensions mean nothing."""
        with pytest.raises(InvalidInput, match=r"rows must be a vector, got shape \(1, 2\)"):
            FULL[np.array([[0, 1]])]

    def test_walking_gives_each_row(self) -> None:
        """Iteration ends, and gives Preferences of one row each."""
        assert [row.to_orders() for row in FULL] == [[order] for order in FULL.to_orders()]

    def test_scikit_learn_splits_rows(self) -> None:
        """KFold, train_test_split and cross_val_score take Preferences as they are; rankings stay whole."""
        prefs = Preferences.from_rankings([["a", "b", "c"], ["b", "a", "c"], ["c", "a"], ["a", "c", "b"]])
        for train, test in KFold(2).split(prefs):
            assert len(prefs[train]) == len(prefs[test]) == 2
        train, test = train_test_split(prefs, test_size=0.25, random_state=0)
        assert isinstance(train, Preferences)
        assert sorted(map(str, train.to_orders() + test.to_orders())) == sorted(map(str, prefs.to_orders()))
        scores = cross_val_score(WinRate(), prefs, cv=2)
        assert scores.shape == (2,)
        assert np.isfinite(scores).all()


class TestJoining:
    """``+``."""

    def test_items_are_matched_by_id(self) -> None:
        """Those of the second that are new come behind; what was stated stays stated."""
        both = Preferences.from_pairs([("b", "a")]) + Preferences.from_pairs([("c", "b"), ("a", "c")])
        assert both.items == ("a", "b", "c")
        assert both.to_orders() == [["b", "a"], ["c", "b"], ["a", "c"]]

    @given(anything(), anything())
    def test_joining_adds_up(self, first: Stated, second: Stated) -> None:
        """Rows, pairs, ties and the sum of weights of both are those of each, and neither has changed."""
        before = first.preferences.to_orders(), second.preferences.to_orders()
        both = first.preferences + second.preferences
        assert both.to_orders() == before[0] + before[1]
        assert both.n_pairs == first.preferences.n_pairs + second.preferences.n_pairs
        assert both.n_ties == first.preferences.n_ties + second.preferences.n_ties
        assert both.comparisons().weight.sum() == pytest.approx(
            first.preferences.comparisons().weight.sum() + second.preferences.comparisons().weight.sum()
        )
        assert both[: len(before[0])].to_orders() == before[0]

    def test_absent_columns_are_filled_with_what_they_would_say(self) -> None:
        """Weight 1, nobody's judgement, no known side; judges are matched by name."""
        plain = Preferences.from_pairs([("b", "a")], judge=["y"])
        both = FULL.without("period") + plain + Preferences.from_pairs([("b", "a")])
        assert both.weight is not None
        assert both.weight.tolist() == [1, 2, 3, 4, 1, 1]
        assert both.judges == ("x", "y")
        assert both.to_frame()["judge"].fillna("nobody").tolist() == ["x", "y", "nobody", "x", "y", "nobody"]
        assert both.better_on_left is not None
        assert both.better_on_left.tolist() == [1, 0, -1, 1, -1, -1]
        other_order = Preferences.from_pairs([("b", "a")], judge=["z"]) + plain + plain
        assert other_order.to_frame()["judge"].tolist() == ["z", "y", "y"]

    def test_periods_are_known_for_all_or_none(self) -> None:
        """There is no period to fill in."""
        with pytest.raises(
            InvalidInput, match="period must be known for all rows or for none, got one of each"
        ):
            FULL + Preferences.from_pairs([("b", "a")])
        assert len(FULL + Preferences.from_pairs([], items="abc")) == 4

    def test_sources_stay_apart(self) -> None:
        """Pages of one are no pages of the other, and a row without a page is alone on its own."""
        clicks = Preferences.from_clicks([["a", "b", "c"], ["a", "b"]], [["c"], ["b"]])
        pairs = Preferences.from_pairs([("a", "b"), ("b", "a")])
        expected = {
            (0, 0): [0, 0, 1, 2, 2, 3],
            (0, 1): [0, 0, 1, 2, 3],
            (1, 0): [0, 1, 2, 2, 3],
        }
        parts = clicks, pairs
        for (first, second), source in expected.items():
            joined = (parts[first] + parts[second]).source
            assert joined is not None
            assert joined.tolist() == source
        assert (pairs + pairs).source is None

    def test_the_bar_stays_last(self) -> None:
        """Whichever of the two has it, or both, of ids and of rows."""
        named = Preferences.from_answers(["a"], ["b"], ["both_bad"]), Preferences.from_pairs([("z", "a")])
        rows = Preferences.from_answers([0], [1], ["both_bad"]), Preferences.from_pairs([(3, 0)])
        for bad, plain in (named, rows):
            for both in (bad + plain, plain + bad, bad + plain + bad):
                assert both.bar == both.n_items - 1
                assert both.items.count(BAR) == 1
                assert [BAR, list(bad.items[:2])] in both.to_orders()

    def test_ids_and_rows_do_not_mix(self) -> None:
        """Whether item "1" is row 1, nobody can know; and what is no Preferences cannot be added."""
        with pytest.raises(InvalidInput, match="all named or all rows of a table, got one of each"):
            Preferences.from_pairs([(0, 1)]) + Preferences.from_pairs([("0", "1")])
        with pytest.raises(TypeError, match="unsupported operand"):
            FULL + ("a", "b")  # type: ignore[operator]  # noqa: RUF005

    def test_on_other_items(self) -> None:
        """The same rows about a larger catalogue; one that lacks an item is rejected."""
        wider = FULL.on(Items.named(["d", "c", "b", "a"]))
        assert wider.to_orders() == FULL.to_orders()
        assert wider.n_items == 4
        assert FULL.on(FULL.catalogue) is FULL
        with pytest.raises(UnknownItem, match="item 'b' of row 1 is not one of the 2 known"):
            FULL.on(Items.named(["a", "c"]))


class TestMerging:
    """``deduplicated`` and ``without``."""

    @given(anything())
    def test_merged_rows_weigh_as_much(self, stated: Stated) -> None:
        """The sum of weights, wins, ties and tallies stay; no row is there twice; again changes nothing."""
        prefs = stated.preferences
        merged = prefs.deduplicated()
        assert merged.weight is not None
        assert merged.weight.sum() == pytest.approx(sum(stated.weights))
        np.testing.assert_allclose(merged.win_matrix().toarray(), prefs.win_matrix().toarray())
        np.testing.assert_allclose(merged.tie_matrix().toarray(), prefs.tie_matrix().toarray())
        np.testing.assert_allclose(merged.tallies(), prefs.tallies())
        assert merged.deduplicated() == merged

    @given(anything())
    def test_rows_that_say_the_same_become_one(self, stated: Stated) -> None:
        """As many rows stay as there are different weak orders (levels as sets), sides apart."""
        prefs = stated.preferences
        sides = [-1] * len(prefs) if prefs.better_on_left is None else prefs.better_on_left.tolist()
        different = set()
        for (levels, tied), side in zip(stated.rows, sides, strict=True):
            named = [[str(item) for item in level] for level in levels]
            if len(named) == 1 and len(named[0]) == 2 and named[0][0] > named[0][1] and side >= 0:
                side = 1 - side  # a tie told the other way round
            tied = tied and any(len(level) > 1 for level in levels)
            different.add((tuple(frozenset(level) for level in named), tied, side))
        assert len(prefs.deduplicated()) == len(different)

    def test_a_tie_is_the_same_either_way_round(self) -> None:
        """(a, b) with a on the left is (b, a) with b on the right; unknown stays unknown."""
        prefs = Preferences.from_pairs(
            [("a", "b"), ("b", "a"), ("b", "a"), ("b", "a")],
            tie=[True] * 4,
            better_on_left=[True, False, True, None],
            weight=[1, 2, 4, 8],
        )
        bad = Preferences.from_answers(["a"], ["b"], ["both_bad"])
        for merged in (prefs.deduplicated(), (prefs + bad).deduplicated()[:3]):
            assert merged.to_orders() == [[["a", "b"]]] * 3
            assert merged.better_on_left is not None
            assert merged.better_on_left.tolist() == [1, 0, -1]
            assert merged.weight is not None
            assert merged.weight.tolist() == [3, 4, 8]

    def test_what_differs_stays_apart_unless_forgotten(self) -> None:
        """Judges, sides, periods and pages keep rows apart; `without` forgets them."""
        twice = FULL + FULL[::-1]
        assert len(twice.deduplicated()) == 4
        stated = [("a", "b"), ("a", "b")]
        for told in ({"judge": ["x", "y"]}, {"better_on_left": [True, False]}, {"period": [1, 2]}):
            prefs = Preferences.from_pairs(stated, **told)  # type: ignore[arg-type]
            assert len(prefs.deduplicated()) == 2
            assert len(prefs.without(*told).deduplicated()) == 1
        pages = Preferences.from_clicks([["a", "b"]] * 2, [["b"]] * 2)
        assert (len(pages.deduplicated()), len(pages.without("source").deduplicated())) == (2, 1)
        assert FULL.without("judge").judges == ()
        assert FULL.without("weight").tallies().sum() == 8

    @pytest.mark.parametrize("column", ["statements", "judges", "colour"])
    def test_only_columns_can_be_forgotten(self, column: str) -> None:
        """What was stated cannot."""
        with pytest.raises(InvalidInput, match=f"column must be one of weight, judge, .*, got '{column}'"):
            FULL.without(column)

    def test_numbers_do_not_run_over(self) -> None:
        """Two billion items and large periods are told apart, not mixed up."""
        n = 2_000_000_000
        prefs = Preferences.from_pairs([(n, n - 1), (n - 1, n), (n, n - 1)], period=[2**62, -(2**62), 2**62])
        assert prefs.deduplicated().weight.tolist() == [2, 1]  # type: ignore[union-attr]


class TestSubsets:
    """Rows of one judge, what is stated among some items."""

    def test_one_judge(self) -> None:
        """The rows that one stated, and a story that counts those who speak in it."""
        assert FULL.by_judge("x").to_orders() == [["a", "b"], ["a", "c"]]
        assert "by 2 judges" in repr(FULL)
        assert "by 1 judge," in repr(FULL.by_judge("x"))
        with pytest.raises(InvalidInput, match=r"judge 'z' must be one of 2 \('x', 'y'\): correct the name"):
            FULL.by_judge("z")
        with pytest.raises(InvalidInput, match=r"judge 'x' must be one of 0 \(nobody\)"):
            FULL.without("judge").by_judge("x")

    @given(anything(), st.data())
    def test_among_some_items(self, stated: Stated, data: st.DataObject) -> None:
        """The pairs and ties among them are those of all, in the new numbering; rows and weights stay."""
        prefs = stated.preferences
        chosen = sorted(data.draw(st.sets(st.integers(0, prefs.n_items - 1), min_size=1)))
        part = prefs.among(np.array(chosen))
        assert part.items == tuple(prefs.items[item] for item in chosen)
        square = np.ix_(chosen, chosen)
        np.testing.assert_allclose(part.win_matrix().toarray(), prefs.win_matrix().toarray()[square])
        np.testing.assert_allclose(part.tie_matrix().toarray(), prefs.tie_matrix().toarray()[square])
        assert len(part) == len(prefs)
        assert sum(map(len, part.components(strong=True))) == sum(map(len, part.components())) == len(chosen)

    @pytest.mark.parametrize("items", [[], [0, 0], [7], [-1], [True, False, True], [[0, 1]]])
    def test_items_must_be_indices(self, items: Any) -> None:
        """Nothing, twice the same, unknown, negative, masks and tables are rejected with a message."""
        with pytest.raises(InvalidInput, match=r"must|is not one of"):
            FULL.among(items)


class TestWaysOut:
    """Frames, stories, equality."""

    def test_a_frame_has_all_that_is_known(self) -> None:
        """One line a comparison, by id, with every column there is, the page too."""
        frame = FULL.to_frame()
        assert list(frame) == ["row", "better", "worse", "tie", "weight", "judge", "better_on_left", "period"]
        assert frame["better"].tolist() == ["a", "b", "c", "a"]
        assert frame["worse"].tolist() == ["b", "c", "a", "c"]
        assert frame["tie"].tolist() == [False, False, True, False]
        assert frame["judge"].fillna("nobody").tolist() == ["x", "y", "nobody", "x"]
        assert list(FULL.without("judge", "weight", "better_on_left", "period").to_frame()) == list(frame)[:5]
        clicks = Preferences.from_clicks([["a", "b"]] * 2, [["b"]] * 2).to_frame()
        assert clicks["source"].tolist() == [0, 1]

    def test_a_frame_leads_back(self) -> None:
        """Read again by its columns, the same comparisons stand there."""
        names = ("weight", "tie", "judge", "better_on_left", "period")
        again = Preferences.from_frame(
            FULL.to_frame(), better="better", worse="worse", **{name: name for name in names}
        )
        assert again == FULL

    @pytest.mark.parametrize(
        ("prefs", "story"),
        [
            (Preferences.from_pairs([("a", "b")]), "1 comparison of 2 items, connected"),
            (FULL, "10 comparisons (3 ties, in 4 rows) of 3 items by 2 judges, connected"),
            (Preferences.from_rankings([["a", "b", "c"]]), "1 row of 3 items implying 3 pairs, connected"),
            (
                Preferences.from_rankings([["a", ["b", "c", "d"]], ["a"]], judge=["x", "x"]),
                "2 rows of 4 items implying 3 pairs and 3 ties by 1 judge, connected",
            ),
            (
                Preferences.from_grades(np.arange(2000) % 2),
                "1 row of 2,000 items implying 1,000,000 pairs, connected",
            ),
            (
                Preferences.from_pairs([("a", "b")], items="abc"),
                "1 comparison of 3 items, in 2 groups never compared with one another",
            ),
        ],
    )
    def test_the_story_is_one_line(self, prefs: Preferences, story: str) -> None:
        """How many, of what, by whom, and whether all of it hangs together; singular where there is one."""
        assert repr(prefs) == f"Preferences: {story}"

    def test_equal_is_equal_in_everything(self) -> None:
        """Another weight, item, judge or order of rows makes another Preferences; nothing else is equal."""
        assert FULL[:] == FULL
        others = [
            FULL[::-1],
            FULL.without("weight"),
            FULL.without("judge"),
            FULL[:3],
            FULL.on(Items.named("abcd")),
        ]
        assert all(other != FULL for other in others)
        assert FULL != "Preferences"
        with pytest.raises(TypeError, match="unhashable"):
            hash(FULL)
