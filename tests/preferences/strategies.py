"""Statements drawn by Hypothesis, and the comparisons that they imply, written out by plain loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.preferences import BAR

NAN = float("nan")
Levels = list[list[Any]]


@dataclass
class Stated:
    """Weak orders of items, best level first, whether equals are ties, and the Preferences built from them."""

    rows: list[tuple[Levels, bool]]
    weights: list[float]
    preferences: Preferences

    def __add__(self, other: Stated) -> Stated:
        return Stated(
            self.rows + other.rows, self.weights + other.weights, self.preferences + other.preferences
        )

    def implied(self) -> list[tuple[int, int, int, bool]]:
        """Return (row, better, worse, tie) for all that is implied; of a tie, the lower index first."""
        prefs, told = self.preferences, []
        for row, (levels, tied) in enumerate(self.rows):
            named = [[prefs.index(item) for item in level] for level in levels]
            for place, level in enumerate(named):
                for better in level:
                    told += [(row, better, worse, False) for lower in named[place + 1 :] for worse in lower]
                if tied:
                    told += [(row, min(pair), max(pair), True) for pair in combinations(level, 2)]
        return told


def written_out(better: Any, worse: Any, tie: Any, row: Any) -> Counter[tuple[int, int, int, bool]]:
    """Return what the library wrote out in the form of `Stated.implied`, counted."""
    columns = zip(row.tolist(), better.tolist(), worse.tolist(), tie.tolist(), strict=True)
    return Counter((r, min(a, b), max(a, b), t) if t else (r, a, b, t) for r, a, b, t in columns)


@st.composite
def weak_order(draw: st.DrawFn, items: list[Any], least: int = 1) -> Levels:
    order = draw(st.permutations(items))[: draw(st.integers(least, len(items)))]
    levels: Levels = []
    for item in order:
        if levels and draw(st.booleans()):
            levels[-1].append(item)
        else:
            levels.append([item])
    return levels


weights = st.sampled_from([0.5, 1.0, 2.0, 3.25])


@st.composite
def rankings(draw: st.DrawFn, n: int) -> Stated:
    orders = draw(st.lists(weak_order(list(range(n))), max_size=4))
    weight = draw(st.lists(weights, min_size=len(orders), max_size=len(orders)))
    told = [[level if len(level) > 1 else level[0] for level in order] for order in orders]
    prefs = Preferences.from_rankings(told, weight=weight, items=range(n))
    return Stated([(order, True) for order in orders], weight, prefs)


@st.composite
def choices(draw: st.DrawFn, n: int) -> Stated:
    offers = draw(st.lists(weak_order(list(range(n)), 2), max_size=3))
    offered = [[item for level in offer for item in level] for offer in offers]
    prefs = Preferences.from_choices([offer[0] for offer in offered], offered, items=range(n))
    return Stated([([[offer[0]], offer[1:]], False) for offer in offered], [1.0] * len(offers), prefs)


@st.composite
def grades(draw: st.DrawFn, n: int) -> Stated:
    graded = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    qid = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    rows = []
    for query in sorted(set(qid)):
        inside = [item for item in range(n) if qid[item] == query]
        steps = sorted({graded[item] for item in inside}, reverse=True)
        rows.append(([[item for item in inside if graded[item] == step] for step in steps], False))
    return Stated(rows, [1.0] * len(rows), Preferences.from_grades(graded, qid))


@st.composite
def answers(draw: st.DrawFn, n: int) -> Stated:
    two = st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)
    outcome = st.sampled_from(["left", "right", "tie", "both_bad", "skip"])
    asked = draw(st.lists(st.tuples(two, outcome, weights), max_size=5))
    meaning = {
        "left": lambda a, b: ([[a], [b]], True),
        "right": lambda a, b: ([[b], [a]], True),
        "tie": lambda a, b: ([[a, b]], True),
        "both_bad": lambda a, b: ([[BAR], [a, b]], False),
    }
    rows = [meaning[outcome](*pair) for pair, outcome, _ in asked if outcome != "skip"]
    prefs = Preferences.from_answers(
        [left for (left, _), _, _ in asked],
        [right for (_, right), _, _ in asked],
        [outcome for _, outcome, _ in asked],
        weight=[weight for _, _, weight in asked],
        items=range(n),
    )
    return Stated(rows, [weight for _, outcome, weight in asked if outcome != "skip"], prefs)


@st.composite
def pairs(draw: st.DrawFn, n: int) -> Stated:
    two = st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)
    told = draw(st.lists(st.tuples(two, st.booleans(), weights), max_size=6))
    prefs = Preferences.from_pairs(
        [pair for pair, _, _ in told],
        tie=[tie for _, tie, _ in told],
        weight=[weight for _, _, weight in told],
        items=range(n),
    )
    rows = [([pair] if tie else [[pair[0]], [pair[1]]], True) for pair, tie, _ in told]
    return Stated(rows, [weight for _, _, weight in told], prefs)


@st.composite
def anything(draw: st.DrawFn) -> Stated:
    """Draw statements of one to three kinds about two to six items, joined by ``+``."""
    n = draw(st.integers(2, 6))
    kinds = draw(
        st.lists(st.sampled_from([rankings, choices, grades, answers, pairs]), min_size=1, max_size=3)
    )
    first, *others = [draw(kind(n)) for kind in kinds]
    for other in others:
        first = first + other
    return first


def refused(message: str, build: Callable[..., object], *args: Any, **kwargs: Any) -> None:
    """Check that ``build`` raises `InvalidInput` with ``message``."""
    with pytest.raises(InvalidInput, match=message):
        build(*args, **kwargs)
