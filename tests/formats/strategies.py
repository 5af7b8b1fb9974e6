"""Preferences of every kind with difficult ids, drawn by Hypothesis, and their rows without indices."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from penchant import Preferences
from penchant.formats.parsing.comparisons import is_missing
from penchant.preferences import BAR

NASTY = [
    "a,b",
    'say "hi"',
    "two\nlines",
    "cr\rlf\r\n",
    "ünï©ødé",
    "=1+1",
    "+x",
    "-2",
    "-x",
    "@me",
    "'=1",
    "'",
    "''",
]
NASTY += [
    " tea",
    "tea ",
    "\ttab",
    "semi;colon",
    "{1,2}",
    "#hash",
    "a = b",
    "::",
    "|",
    "\\",
    "\u2028",
    "true",
    "left",
]
NASTY += ["null", "(1)", "x/y", "nano", "-", "=", "1", "2", "10"]

ids = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8),
).filter(lambda text: not is_missing(text) and text != BAR)


def names(least: int = 2, most: int = 6) -> st.SearchStrategy[list[str]]:
    return st.lists(ids, min_size=least, max_size=most, unique=True)


weights = st.floats(1e-3, 1e6, allow_nan=False)


@st.composite
def columns(draw: Any, n_rows: int, *, sides: bool = False) -> dict[str, Any]:
    def column(values: st.SearchStrategy[Any]) -> Any:
        return draw(st.none() | st.lists(values, min_size=n_rows, max_size=n_rows))

    told = {"weight": column(weights), "judge": column(st.none() | ids), "period": column(st.integers(-9, 9))}
    if sides:
        told["better_on_left"] = column(st.sampled_from([True, False, None]))
    return {name: value for name, value in told.items() if value is not None}


@st.composite
def comparisons(draw: Any) -> Preferences:
    items = draw(names())
    pairs = draw(st.lists(st.lists(st.sampled_from(items), min_size=2, max_size=2, unique=True), min_size=1))
    tie = draw(st.none() | st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return Preferences.from_pairs(pairs, tie=tie, **draw(columns(len(pairs), sides=True)))


@st.composite
def answers(draw: Any) -> Preferences:
    items = draw(names())
    pairs = draw(st.lists(st.lists(st.sampled_from(items), min_size=2, max_size=2, unique=True), min_size=1))
    outcome = st.sampled_from(["left", "right", "tie", "both_bad"])
    outcomes = draw(st.lists(outcome, min_size=len(pairs), max_size=len(pairs)))
    left, right = zip(*pairs, strict=True)
    return Preferences.from_answers(left, right, outcomes, **draw(columns(len(pairs))))


@st.composite
def orders(draw: Any, *, ties: bool = True, kinds: st.SearchStrategy[list[str]] | None = None) -> list[Any]:
    items = draw(names() if kinds is None else kinds)
    found = []
    for _ in range(draw(st.integers(1, 5))):
        ranked = draw(st.lists(st.sampled_from(items), min_size=1, unique=True))
        found.append(_nested(ranked, draw) if ties else ranked)
    return found


def _nested(ranked: list[str], draw: Any) -> list[Any]:
    order: list[Any] = []
    for item in ranked:
        if order and draw(st.booleans()):
            order[-1] = [*order[-1], item] if isinstance(order[-1], list) else [order[-1], item]
        else:
            order.append(item)
    return order


@st.composite
def rankings(draw: Any, **how: Any) -> Preferences:
    found = draw(orders(**how))
    return Preferences.from_rankings(found, **draw(columns(len(found))))


@st.composite
def choices(draw: Any) -> Preferences:
    offered = draw(st.lists(names(2, 4), min_size=1, max_size=4))
    chosen = [draw(st.sampled_from(items)) for items in offered]
    return Preferences.from_choices(chosen, offered, **draw(columns(len(offered))))


@st.composite
def grades(draw: Any) -> Preferences:
    items = draw(names(1, 8))
    size = {"min_size": len(items), "max_size": len(items)}
    return Preferences.from_grades(
        draw(st.lists(st.integers(0, 3), **size)), draw(st.lists(st.integers(1, 3), **size)), items=items
    )


@st.composite
def ratings(draw: Any) -> Preferences:
    told = draw(st.lists(st.tuples(ids, ids, st.integers(1, 5)), min_size=1, unique_by=lambda row: row[:2]))
    return Preferences.from_ratings(*zip(*told, strict=True))


def rows_of(preferences: Preferences, *, columns: bool = True) -> list[Any]:
    """What each row says, by ids, with the order of equal items left open."""
    rows = []
    for row, order in enumerate(preferences.to_orders()):
        places = [place if isinstance(place, list) else [place] for place in order]
        tied = bool(preferences.statements.tied[row]) or all(len(place) == 1 for place in places)
        told: list[Any] = [tuple(frozenset(place) for place in places), tied]
        rows.append((*told, *(_besides(preferences, row, places) if columns else ())))
    return rows


def _besides(preferences: Preferences, row: int, places: list[list[str]]) -> tuple[Any, ...]:
    weight = 1.0 if preferences.weight is None else float(preferences.weight[row])
    judge = None
    if preferences.judge is not None and preferences.judge[row] >= 0:
        judge = preferences.judges[preferences.judge[row]]
    side: Any = None
    if preferences.better_on_left is not None and preferences.better_on_left[row] >= 0:
        on_left = bool(preferences.better_on_left[row])
        first = [item for place in places for item in place]
        side = first[0] if on_left else first[1]
    return weight, judge, side, None if preferences.period is None else int(preferences.period[row])


def pairs_of(preferences: Preferences) -> Counter[Any]:
    """Every pair and tie, by ids, with its weight."""
    found: Counter[Any] = Counter()
    told = preferences.comparisons()
    for better, worse, tie, weight in zip(told.better, told.worse, told.tie, told.weight, strict=True):
        pair = (preferences.items[better], preferences.items[worse])
        found[(frozenset(pair) if tie else pair), float(weight)] += 1
    return found


def file(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def mentioned(preferences: Preferences) -> set[str]:
    return {preferences.items[item] for item in np.unique(preferences.statements.members)}
