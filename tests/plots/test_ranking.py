"""A ranking as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.plots import ranking_chart
from penchant.ranking import Ranking
from penchant.worth import BradleyTerry
from tests.plots.marks import Mark, marks


def described(ranking: Ranking, **options: Any) -> tuple[dict[str, Any], list[Mark]]:
    """Return the chart as Vega-Lite and its marks."""
    chart = ranking_chart(ranking, **options)
    return chart.to_dict(), marks(chart)


def labels(spec: dict[str, Any]) -> list[str]:
    """The rows of the picture, from top to bottom."""
    found: list[str] = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    return found


def far_apart(n: int) -> Ranking:
    """Items 0, 1, 2 …, each certainly ahead of the next."""
    return Ranking.from_scores([str(k) for k in range(n)], -np.arange(n), variance=[1e-4] * n)


def test_all_items_are_drawn_best_on_top() -> None:
    """An interval, a dot and the possible ranks of each item, in order of rank."""
    ranking = Ranking.from_scores("abc", [1, 3, 2], variance=[1, 1, 1], level=0.9, model="BradleyTerry()")
    spec, found = described(ranking)
    assert labels(spec) == ["1  b", "2  c", "3  a"]
    assert [mark.kind for mark in found] == ["rule", "circle", "text", "text"]
    assert [row["at"] for row in found[1].rows] == [3, 2, 1]
    assert found[2].fields["text"] == "ranks"
    assert found[3].rows == [{"heading": "ranks, 90 %"}]


def test_the_title_says_what_is_ranked_from_how_many() -> None:
    """Items and answers, the model below, and the unit at the axis; without answers, items alone."""
    model = BradleyTerry().fit(Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "a")] * 700))
    spec, _ = described(model.rank(), n_answers=2100)
    assert spec["title"]["text"] == "3 items ranked from 2,100 answers"
    assert spec["title"]["subtitle"][:2] == [
        "BradleyTerry()",
        "lines: 95 % intervals; right: the ranks that each item may have",
    ]
    assert spec["layer"][0]["encoding"]["x"]["title"] == "score (log odds)"
    assert described(model.rank())[0]["title"]["text"] == "3 items ranked from 2,100 comparisons"
    weighed = Ranking.from_scores("ab", [1, 2], answers=[2.5, 0.5])
    assert described(weighed)[0]["title"]["text"] == "2 items ranked from comparisons of weight 1.5"
    assert described(Ranking.from_scores("ab", [1, 2]))[0]["title"]["text"] == "2 items ranked"


def test_no_colour_claims_a_difference() -> None:
    """All items look alike, also where one was compared once: whether d is better than b is not known."""
    answers = [("a", "b")] * 40 + [("b", "c")] * 40 + [("d", "c")]
    spec, found = described(BradleyTerry().fit(Preferences.from_pairs(answers)).rank())
    assert not any("color" in mark.fields for mark in found)
    assert len({layer["mark"].get("color") for layer in spec["layer"][:2]}) == 1
    ranks = {row["item"]: row["ranks"] for row in found[0].rows}
    low, high = ({item: int(text.split("–")[end]) for item, text in ranks.items()} for end in (0, -1))
    assert max(low["b"], low["d"]) <= min(high["b"], high["d"])


def test_scores_alone_are_circles_alone() -> None:
    """Neither intervals nor ranges are drawn or explained where they are not known."""
    spec, found = described(Ranking.from_scores("ab", [1, 2]))
    assert [mark.kind for mark in found] == ["circle"]
    assert not {"from", "to", "ranks", "answers"} & found[0].rows[0].keys()
    assert spec["title"]["subtitle"] == []


def test_tooltips_are_words_on_dots_and_on_intervals() -> None:
    """The same on both: rank and score with their ranges, and how often the item was compared."""
    ranking = Ranking.from_scores("ab", [0, 0.1], variance=[1, 1], answers=[4000, 4000])
    spec, found = described(ranking)
    for layer in spec["layer"][:2]:
        assert [tip["field"] for tip in layer["encoding"]["tooltip"]] == ["item", "rank", "score", "answers"]
    assert {name: found[0].rows[0][name] for name in ("item", "rank", "score", "answers")} == {
        "item": "b",
        "rank": "1, with 95 % between 1 and 2",
        "score": "0.10, with 95 % between -1.86 and 2.06",
        "answers": "took part in 4,000 comparisons",
    }
    assert described(far_apart(2))[1][0].rows[0]["rank"] == "1, with 95 % this one"


@pytest.mark.parametrize(("n", "most"), [(60, 50), (500, 50), (500, 200), (50, 50), (5, 50), (3, 2), (9, 1)])
def test_a_long_ranking_is_its_first_and_its_last(n: int, most: int) -> None:
    """The picture has a bounded size, says how many are left out and where, and carries the table of all."""
    spec, found = described(far_apart(n), most=most)
    places = [int(row["item"]) for row in found[0].rows]
    assert len(places) == min(n, most)
    assert spec["height"] <= 3000
    assert len(spec["usermeta"]["table"]) == n
    if n <= most:
        assert places == list(range(n))
        assert len(labels(spec)) == n
        return
    last = most // 3
    assert places == [*range(most - last), *range(n - last, n)]
    assert labels(spec)[most - last] == f"… {n - most:,} more"
    assert spec["title"]["subtitle"][-1] == f"the first {most - last} and the last {last} of {n}"


@pytest.mark.parametrize("most", [0, 201])
def test_too_many_rows_are_refused(most: int) -> None:
    """Where no picture could show them."""
    with pytest.raises(InvalidInput, match=r"most must be .* got"):
        ranking_chart(far_apart(3), most=most)


def test_a_far_item_does_not_squeeze_the_others() -> None:
    """It and a far interval end in arrows at the edge, the subtitle says where it is, and the others fill the axis."""
    scores = np.array([40.0, 1.0, 0.5, 0.0, -0.5, -1.0])
    variance = np.array([1.0, 0.01, 0.01, 400.0, 0.01, 0.01])
    spec, found = described(Ranking.from_scores("abcdef", scores, variance=variance))
    low, high = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert -1.3 < low < -1 < 1 < high < 1.3
    rows = {row["item"]: row for row in found[0].rows}
    assert [rows["a"][name] for name in ("far", "left", "right")] == [True, False, True]
    assert [rows["d"][name] for name in ("far", "left", "right")] == [False, True, True]
    assert all(low <= row[end] <= high for row in rows.values() for end in ("from", "to", "at"))
    arrows = [layer for layer in spec["layer"] if layer["mark"].get("shape", "").startswith("triangle")]
    assert [(layer["mark"]["shape"], layer["encoding"]["x"]["datum"]) for layer in arrows] == [
        ("triangle-left", low),
        ("triangle-right", high),
    ]
    assert "arrows: beyond the axis (a at 40.00)" in spec["title"]["subtitle"]
    assert rows["a"]["score"].startswith("40.00, with 95 % between")


def test_the_bar_of_both_bad_answers_is_a_dashed_line() -> None:
    """It stands in a band that is its whole interval, cut off only where the axis ends, and the subtitle names it."""
    ranking = Ranking.from_scores("ab", [-1, 1], variance=[0.01] * 2, bar=2.0, bar_interval=(0.04, 3.96))
    spec, found = described(ranking)
    assert [mark.kind for mark in found[:4]] == ["rect", "rule", "rule", "circle"]
    assert found[0].rows == [{"bar": 2.0, "from": 0.04, "to": 3.96}]
    assert spec["layer"][0]["mark"]["clip"] is True
    assert spec["title"]["subtitle"][-1] == "dashed: bar of both-bad answers"
    assert [mark.kind for mark in described(Ranking.from_scores("ab", [-1, 1], bar=0.0))[1]] == [
        "rule",
        "circle",
    ]


def test_a_far_bar_does_not_squeeze_the_items() -> None:
    """Farther off than the items' range, the bar is told and not drawn."""
    spec, found = described(Ranking.from_scores("ab", [-1, 1], bar=-40.0))
    assert [mark.kind for mark in found] == ["circle"]
    assert spec["title"]["subtitle"] == ["bar of both-bad answers: -40.00, off to the left"]


def test_the_ranking_is_not_touched() -> None:
    """Drawing leaves the frame of the ranking as it was."""
    ranking = Ranking.from_scores("ab", [1, 2], variance=[1, 1])
    before = ranking.to_frame()
    ranking_chart(ranking)
    assert ranking.to_frame().equals(before)
