"""The picture of preferences."""

from __future__ import annotations

import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.plots import tallies_chart
from tests.plots.marks import marks


def test_bars_are_how_often_items_were_better_equal_and_worse() -> None:
    """The most compared item on top, weights counted; the bar of both-bad answers is no item."""
    answers = Preferences.from_answers(
        ["a", "a", "b", "c"], ["b", "c", "c", "a"], ["left", "tie", "both_bad", "right"], weight=[3, 1, 1, 1]
    )
    (bars,) = marks(tallies_chart(answers))
    times = {(row["item"], row["outcome"]): row["times"] for row in bars.rows}
    assert bars.rows[0]["label"] == "1  a"
    assert {item for item, _ in times} == {"a", "b", "c"}
    assert [times["a", outcome] for outcome in ("better", "equal", "worse")] == [4, 1, 0]
    assert bars.rows[0]["words"] == "better in 4 of 5 comparisons"


def test_the_most_compared_are_drawn_and_that_is_said() -> None:
    """Of many items the first few; the subtitle says of how many."""
    pairs = [(f"item {k}", "best") for k in range(1200)]
    spec = tallies_chart(Preferences.from_pairs(pairs), most=3).to_dict()
    assert spec["title"]["subtitle"] == "the 3 that were compared most of 1,201"
    assert len({row["item"] for row in spec["data"]["values"]}) == 3
    with pytest.raises(InvalidInput, match="most"):
        tallies_chart(Preferences.from_pairs(pairs), most=0)
