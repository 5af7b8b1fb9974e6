"""The picture of a consensus: its cells are the voters' shares, and contradicted majorities are framed."""

from __future__ import annotations

import pytest

from penchant import Preferences
from penchant.consensus import consensus
from penchant.errors import InvalidInput
from penchant.plots import pairwise_chart
from penchant.plots.contrast import contrast, shade
from penchant.plots.theme import LOSES, PAPER, WINS
from tests.plots.marks import marks

CIRCLE = Preferences.from_rankings([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], weight=[23, 17, 10])


def test_cells_are_the_shares_of_the_voters() -> None:
    """Each cell off the diagonal is the share of those who prefer the row; the one given up is framed."""
    found = consensus(CIRCLE)
    cells = {(cell["row"], cell["column"]): cell for cell in marks(pairwise_chart(found))[0].rows}
    assert len(cells) == 6
    assert cells["1  a", 2]["share"] == pytest.approx(33 / 50)
    assert cells["3  c", 1]["share"] == pytest.approx(27 / 50)
    assert [key for key, cell in cells.items() if cell["against"]] == [("1  a", 3)]
    assert cells["1  a", 2]["words"] == "33 prefer a to b, 17 b to a"


def test_numbers_can_be_read_on_their_cells() -> None:
    """The contrast is at least 4.5 : 1 on every ground."""
    prefs = Preferences.from_pairs([("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")], weight=[82, 18, 65, 35])
    cells = marks(pairwise_chart(consensus(prefs)))[0].rows
    for cell in cells:
        ground = shade(cell["share"], (0, 0.5, 1), (LOSES, PAPER, WINS))
        assert contrast(cell["ink"], ground) >= 4.5


def test_title_and_subtitle_name_what_is_drawn() -> None:
    """How many items and voters, the method, what it contradicts and whether that is proven."""
    title = pairwise_chart(consensus(CIRCLE), most=2).to_dict()["title"]
    assert title["text"] == "3 items in one order for 50 voters"
    assert title["subtitle"][0] == "Kemeny: contradicts 36.0 % of the preferences, the least possible"
    assert title["subtitle"][1].endswith("the first 2 of 3")


def test_pairs_that_nobody_decides_have_no_cell() -> None:
    """Between items that nobody compared there is nothing to draw."""
    found = consensus(Preferences.from_pairs([("a", "b"), ("c", "d")]))
    chart = pairwise_chart(found)
    assert len(marks(chart)[0].rows) == 4
    assert chart.to_dict()["title"]["subtitle"][1].endswith("blank: no voter decides")


def test_more_cells_than_can_be_told_apart_are_rejected() -> None:
    """At most 60 items are drawn."""
    with pytest.raises(InvalidInput, match="most must be from 1 to 60, got 61"):
        pairwise_chart(consensus(CIRCLE), most=61)
