"""Answers that were given elsewhere, from preferences of any format to the events of a study."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import repeat
from typing import Any

import numpy as np

from penchant.counts import counted
from penchant.errors import InvalidInput, UnknownItem
from penchant.formats.parsing.tabulated import both_bad, compares_two
from penchant.preferences import OUTCOMES, Preferences
from penchant.study.answers import LONGEST_JUDGE, NOBODY, is_judge
from penchant.study.items import MOST_WEIGHT, event_parts
from penchant.text import visible

LEFT, RIGHT, TIE, BOTH_BAD, _ = OUTCOMES
_NAMED = 3
_SOURCE_LENGTH = 200

ImportedRow = list[Any]
"""Left, right, choice, judge and weight of one answer."""


def imported_contents(
    preferences: Preferences, items: Collection[str], source: str
) -> Iterator[dict[str, Any]]:
    """Yield the contents of the events that bring answers about two items each into a study.

    Parameters
    ----------
    preferences : Preferences
        Comparisons, ties and answers that both are bad, in the order in which they were given.
    items : collection of str
        The ids of the study's items.
    source : str
        Where the answers come from, for instance the name of a file.

    Examples
    --------
    >>> answers = Preferences.from_answers(["tea"], ["milk"], ["right"], judge=["ann"])
    >>> list(imported_contents(answers, {"tea", "milk"}, "old.csv"))
    [{'source': 'old.csv', 'sides': 1, 'answers': [['tea', 'milk', 'right', 'ann', 1]]}]
    """
    check_importable(preferences, items)
    sides = knows_sides(preferences)
    content = {"source": visible(source)[:_SOURCE_LENGTH], "sides": int(sides)}
    for part in event_parts(imported_rows(preferences, sides=sides)):
        yield {**content, "answers": part}


def check_importable(preferences: Preferences, items: Collection[str]) -> None:
    """Reject answers about more than two items or unknown ones, and judges and weights that a study cannot hold."""
    if not len(preferences):
        raise InvalidInput("answers must hold at least one row, got none: give another file")
    if preferences.weight is not None and preferences.weight.max() > MOST_WEIGHT:
        row = int(np.argmax(preferences.weight > MOST_WEIGHT))
        raise InvalidInput(
            f"weight of answer {row} must be at most {MOST_WEIGHT:,.0f}, got {preferences.weight[row]:g}: correct it, "
            "or divide all weights"
        )
    for name in preferences.judges:
        if name != NOBODY and not is_judge(name):
            raise InvalidInput(
                f"judges of answers must have names of 1 to {LONGEST_JUDGE} characters without control characters, "
                f"got {visible(name[:LONGEST_JUDGE])!r}: rename the judge"
            )
    others = int((~(both_bad(preferences) | compares_two(preferences))).sum())
    if others:
        raise InvalidInput(
            f"answers must compare two items each, got {counted(others, 'row')} about fewer or more: "
            "remove them, or write rankings out as pairs"
        )
    used = np.zeros(preferences.n_items, dtype=bool)
    used[preferences.statements.members] = True
    if preferences.bar is not None:
        used[preferences.bar] = False
    unknown = [
        name for name, is_used in zip(preferences.items, used, strict=True) if is_used and name not in items
    ]
    if unknown:
        named = ", ".join(repr(name[:60]) for name in unknown[:_NAMED]) + (
            ", …" if len(unknown) > _NAMED else ""
        )
        raise UnknownItem(
            f"answers must be about items of the study, got {counted(len(unknown), 'other')}: {named}: "
            "add these items, or remove the answers"
        )


def knows_sides(preferences: Preferences) -> bool:
    """Whether it is known of every answer which item stood on the left."""
    sides = preferences.better_on_left
    return sides is not None and bool(((sides != -1) | both_bad(preferences)).all())


def imported_rows(preferences: Preferences, *, sides: bool) -> Iterator[ImportedRow]:
    """Yield left, right, choice, judge and weight of each answer; without ``sides`` the better item comes first."""
    names = list(preferences.items)
    statements = preferences.statements
    last = statements.starts[1:] - 1
    first, second = statements.members[last - 1], statements.members[last]
    better_on_left = preferences.better_on_left
    turned = (
        better_on_left == 0
        if sides and better_on_left is not None
        else np.zeros(len(preferences), dtype=bool)
    )
    tie = (statements.levels[last] == 0).tolist()
    bad = both_bad(preferences).tolist()
    rows = zip(
        np.where(turned, second, first).tolist(),
        np.where(turned, first, second).tolist(),
        turned.tolist(),
        tie,
        bad,
        _judges(preferences),
        _weights(preferences),
        strict=False,  # judges and weights may repeat without end
    )
    for left, right, is_turned, is_tie, is_bad, judge, weight in rows:
        choice = BOTH_BAD if is_bad else TIE if is_tie else RIGHT if is_turned else LEFT
        yield [names[left], names[right], choice, judge, weight]


def _judges(preferences: Preferences) -> Iterator[str]:
    if preferences.judge is None:
        return repeat(NOBODY)
    names = [*preferences.judges, NOBODY]
    return (names[code] for code in preferences.judge.tolist())


def _weights(preferences: Preferences) -> Iterator[float]:
    if preferences.weight is None:
        return repeat(1)
    return (int(weight) if weight.is_integer() else weight for weight in preferences.weight.tolist())
