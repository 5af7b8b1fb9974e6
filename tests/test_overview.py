"""What is in the data: each finding against one counted by hand or by going through all of it."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant import overview as module
from penchant.metrics import kendall_w, krippendorff_alpha
from penchant.overview import Overview

ANSWERS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 4), st.booleans(), st.sampled_from(["x", "y", "z", None])),
    min_size=1,
    max_size=25,
)


def preferences_of(answers: list[tuple[int, int, bool, str | None]]) -> Preferences:
    """Comparisons of five items: one, how far the other is from it, whether they tie, and who said so."""
    pairs = [(first, (first + step) % 5) for first, step, _, _ in answers]
    judges = [judge for *_, judge in answers]
    return Preferences.from_pairs(pairs, tie=[tie for _, _, tie, _ in answers], judge=judges, items=range(5))


@given(ANSWERS)
def test_counts_are_those_of_going_through_all(answers: list[tuple[int, int, bool, str | None]]) -> None:
    """Pairs, repeats, circles, unbeaten and winless items are what looking at each answer counts."""
    found = Overview.of(preferences_of(answers))
    said = [(first, (first + step) % 5, tie) for first, step, tie, _ in answers]
    times: dict[frozenset[int], int] = {}
    for first, second, _ in said:
        times[frozenset((first, second))] = times.get(frozenset((first, second)), 0) + 1
    assert found.different_pairs == len(times)
    assert found.repeated_pairs == sum(count > 1 for count in times.values())
    assert found.most_repeats == max(times.values())
    won, lost = ({pair[side] for pair in said if not pair[2]} for side in (0, 1))
    tied = {item for first, second, tie in said if tie for item in (first, second)}
    assert found.unbeaten == [str(item) for item in sorted(won - lost - tied)]
    assert found.winless == [str(item) for item in sorted(lost - won - tied)]
    assert found.never_compared == [str(item) for item in range(5) if item not in won | lost | tied]

    lead = np.zeros((5, 5))
    for first, second, tie in said:
        lead[first, second] += not tie
    beats = lead > lead.T
    ordered = [
        t for t in combinations(range(5), 3) if all((beats | beats.T)[i, j] for i, j in combinations(t, 2))
    ]
    circles = [t for t in ordered if all(beats[np.ix_(t, t)].sum(axis=1) == 1)]
    assert found.cycles is not None
    assert (found.cycles.circular, found.cycles.triples) == (len(circles), len(ordered))


@given(ANSWERS)
def test_agreement_is_over_all_couples_of_answers(answers: list[tuple[int, int, bool, str | None]]) -> None:
    """The share is that of like answers among all couples of answers of two judges to one pair."""
    said = []
    for first, step, tie, judge in answers:
        second = (first + step) % 5
        said.append((frozenset((first, second)), None if tie else first, judge))
    couples = [
        (one, other)
        for one, other in combinations(said, 2)
        if one[0] == other[0] and None not in (one[2], other[2]) and one[2] != other[2]
    ]
    found = Overview.of(preferences_of(answers)).agreement
    if not couples:
        assert found is None
        return
    assert found is not None
    assert found.share == pytest.approx(np.mean([one[1] == other[1] for one, other in couples]))
    asked = {one[0] for one, _ in couples}
    assert found.pairs == len(asked)
    ties = np.mean([winner is None for pair, winner, judge in said if pair in asked and judge is not None])
    assert found.chance == pytest.approx(ties**2 + (1 - ties) ** 2 / 2)


def test_kappa_is_one_for_those_who_always_agree_and_zero_for_coins() -> None:
    """Judges who say the same have kappa 1; those who throw coins have one near 0 (400 pairs, band 0.15)."""
    pairs = list(combinations(range(29), 2))[:400]
    agreeing = Preferences.from_pairs(pairs * 2, judge=["x"] * 400 + ["y"] * 400)
    found = Overview.of(agreeing).agreement
    assert found is not None
    assert (found.share, found.kappa) == (1, 1)
    thrown = np.random.default_rng(0).random(800) < 0.5
    coins = [pair[::-1] if flip else pair for pair, flip in zip(pairs * 2, thrown, strict=True)]
    found = Overview.of(Preferences.from_pairs(coins, judge=["x"] * 400 + ["y"] * 400)).agreement
    assert found is not None
    assert found.kappa is not None
    assert abs(found.kappa) < 0.15


def test_those_who_only_tie_agree_by_chance() -> None:
    """Where every answer is a tie, agreement is certain and kappa says nothing."""
    found = Overview.of(Preferences.from_pairs([(0, 1)] * 2, tie=[True] * 2, judge=["x", "y"])).agreement
    assert found is not None
    assert (found.share, found.kappa) == (1, None)
    assert "kappa" not in str(found)


@pytest.mark.parametrize(
    ("sides", "verdict"),
    [([True] * 30 + [False] * 10, "leans to the left"), ([True] * 10 + [False] * 30, "leans to the right")],
)
def test_a_lean_is_told(sides: list[bool], verdict: str) -> None:
    """Thirty of forty on one side is a lean to it."""
    found = Overview.of(Preferences.from_pairs([(0, 1)] * 40, better_on_left=sides)).left
    assert found is not None
    assert found.share == np.mean(sides)
    assert verdict in str(found)


def test_ties_and_unknown_sides_do_not_lean() -> None:
    """Only decided answers with a known side count, and an even split is no lean."""
    told = Preferences.from_pairs(
        [(0, 1)] * 6, tie=[False] * 4 + [True] * 2, better_on_left=[True, False, None, None, True, True]
    )
    found = Overview.of(told).left
    assert found is not None
    assert (found.decided, found.share) == (2, 0.5)
    assert "no lean" in str(found)


def test_the_bar_is_no_item() -> None:
    """Both-bad answers are counted as such; the bar is no item, beats nobody and connects what it must."""
    said = Preferences.from_answers(
        ["a", "b", "c"], ["b", "a", "d"], ["left", "left", "both_bad"], judge=["x", "y", "x"]
    )
    found = Overview.of(said)
    assert (found.items, found.bar_answers, found.pairs) == (4, 1, 2)
    assert found.groups == [["a", "b"], ["c", "d"]]
    assert found.winless == []
    assert found.never_compared == []


def test_groups_and_ladders_are_named() -> None:
    """What is apart is named, whether nothing leads across or preference goes one way only."""
    apart = dict(Overview.of(Preferences.from_pairs([("a", "b"), ("c", "d")])).rows())
    assert apart["connected"] == "no, 2 groups never compared with one another: a, b | c, d"
    pairs = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c"), ("b", "d")]
    ladder = dict(Overview.of(Preferences.from_pairs(pairs)).rows())
    assert ladder["connected"].startswith("yes")
    assert ladder["maximum likelihood"].endswith("goes one way only: a, b | c, d")


def test_every_check_is_told_either_way() -> None:
    """The same checks are listed whatever the data are, and each says something."""
    kinds = [
        Preferences.from_pairs([(0, 1)]),
        Preferences.from_pairs([(0, 1), (1, 2), (2, 0)], judge=["x", "x", "y"], better_on_left=[True] * 3),
        Preferences.from_pairs([(0, 1)], tie=[True], better_on_left=[True]),
        Preferences.from_rankings([["a", "b", "c"], ["b", ["a", "c"]]]),
        Preferences.from_grades([2, 0, 1, 1], qid=["x", "x", "y", "y"]),
        Preferences.from_pairs(np.zeros((0, 2), dtype=int), items=["alone"]),
    ]
    told = [Overview.of(kind).rows() for kind in kinds]
    assert len({tuple(check for check, _ in rows) for rows in told}) == 1
    assert all(found for rows in told for _, found in rows)
    assert all(json.dumps(Overview.of(kind).to_dict(), allow_nan=False) for kind in kinds)


def test_too_much_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pairs are too many to write out, what needs them is not counted, and that is told."""
    monkeypatch.setattr(module, "_MOST_PAIRS", 2)
    found = Overview.of(Preferences.from_pairs([(0, 1), (1, 2), (2, 0)]))
    assert found.cycles is found.different_pairs is None
    assert dict(found.rows())["cycles"] == "not counted: 3 pairs are too many"
    monkeypatch.undo()
    monkeypatch.setattr(module, "_MOST_STEPS", 1)
    assert Overview.of(Preferences.from_pairs([(0, 1), (1, 2), (2, 0)])).cycles is None


def test_rankings_of_all_items_have_their_concordance() -> None:
    """W and alpha are those of the ranks of the voters who rank all items; comparisons have none."""
    orders = [["a", "b", "c", "d"], ["a", ["b", "c"], "d"], ["b", "a"], ["d", "a", "b", "c"]]
    found = Overview.of(Preferences.from_rankings(orders, weight=[2, 1, 5, 1]))
    ranks = [[1, 2, 3, 4], [1, 2.5, 2.5, 4], [2, 3, 4, 1]]
    assert found.rankings is not None
    assert (found.rankings.rows, found.rankings.voters) == (3, 4)
    assert found.rankings.w == pytest.approx(kendall_w(ranks, weight=[2, 1, 1]).w)
    assert found.rankings.alpha == pytest.approx(krippendorff_alpha(ranks, "ordinal", weight=[2, 1, 1]))
    assert "Krippendorff's ordinal alpha" in dict(found.rows())["rankings"]
    assert found.to_dict()["rankings"]["w"] == found.rankings.w
    assert Overview.of(Preferences.from_pairs([("a", "b"), ("b", "a")])).rankings is None
