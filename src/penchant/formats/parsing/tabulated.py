"""Preferences as a table with one comparison a row, for the formats that hold such tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Ints, shown
from penchant.counts import counted
from penchant.errors import InvalidInput
from penchant.formats.parsing.columns import BOTH_BAD, LEFT, RIGHT, TIE
from penchant.formats.parsing.comparisons import is_missing, is_text
from penchant.formats.parsing.reading import Bools
from penchant.formats.parsing.rows import in_order
from penchant.preferences import OUTCOMES, Preferences
from penchant.progress import step_done

_BLOCK = 1 << 16
_SIDE_WORDS = ["false", "true", ""]  # of better_on_left 0, 1 and -1


@dataclass(frozen=True)
class Tabulated:
    """Preferences as the columns of a table.

    Attributes
    ----------
    preferences : Preferences
    header : tuple of str
    words : dict
        For the columns whose cells are indices: the text of each index.
    lost : tuple of str
    """

    preferences: Preferences
    header: tuple[str, ...]
    words: dict[str, list[str]]
    lost: tuple[str, ...]

    def blocks(self) -> Iterator[dict[str, list[Any]]]:
        """Yield the columns in blocks: indices where ``words`` has the column, else texts."""
        statements = self.preferences.statements
        done, total = 0, len(statements) if "outcome" in self.header else statements.n_comparisons
        for block in self._blocks():
            yield block
            done += len(block[self.header[0]])
            step_done(done, total)

    def _blocks(self) -> Iterator[dict[str, list[Any]]]:
        if "outcome" in self.header:
            yield from _answers(self.preferences, self.header)
        else:
            for comparisons in self.preferences.pair_blocks(_BLOCK):
                yield {name: _texts(name, getattr(comparisons, name)) for name in self.header}


def tabulated(preferences: Preferences) -> Tabulated:
    """Return preferences as a table, with the list of what the table cannot hold."""
    bad = both_bad(preferences)
    plain = compares_two(preferences)
    sides = preferences.better_on_left
    answered = sides is not None and bool((bad | plain).all() and ((sides == -1) == bad).all())
    main = ("left", "right", "outcome") if answered else ("better", "worse")
    extra = [name for name in ("weight", "judge", "period") if getattr(preferences, name) is not None]
    if not answered:
        extra = ["tie"] * bool(preferences.n_ties) + ["better_on_left"] * (sides is not None) + extra
    items = list(preferences.items)
    words = {role: items for role in main if role != "outcome"}
    if "judge" in extra:
        words["judge"] = [*preferences.judges, ""]
    lost = [*_lost_rows(preferences, plain | bad if answered else plain), *lost_items(preferences)]
    return Tabulated(preferences, (*main, *extra), words, tuple(lost))


def check_writable(preferences: Preferences, format: str) -> None:
    """Raise `InvalidInput` if a text file cannot hold some id."""
    for name in (*preferences.items, *preferences.judges):
        if "\0" in name or not is_text(name):
            raise InvalidInput(
                f"ids must be text without NUL to be written as {format}, got {shown(name)}: "
                "rename it, or write a .penchant file"
            )
        if is_missing(name):
            raise InvalidInput(
                f"ids must not be read as missing to be written as {format}, got {shown(name)}: rename it, or write a "
                ".penchant file"
            )


def both_bad(preferences: Preferences) -> Bools:
    """Return which rows are "both bad" answers: two items lose to the bar; shape (n_rows,)."""
    statements = preferences.statements
    if preferences.bar is None:
        return np.zeros(len(preferences), dtype=bool)
    three: Bools = (statements.sizes == 3) & ~statements.tied
    first = np.where(three, statements.starts[:-1], 0)
    if not len(statements.members):
        return three
    last = np.minimum(first + 2, len(statements.members) - 1)
    middle = np.minimum(first + 1, len(statements.members) - 1)
    levels = (
        (statements.levels[first] == 0) & (statements.levels[middle] == 1) & (statements.levels[last] == 1)
    )
    bad: Bools = three & levels & (statements.members[first] == preferences.bar)
    return bad


def compares_two(preferences: Preferences) -> Bools:
    """Return which rows are a comparison of two items or a tie of two; shape (n_rows,)."""
    statements = preferences.statements
    two: Bools = statements.sizes == 2
    if not two.any():
        return two
    second = np.where(two, statements.starts[:-1] + 1, 0)
    related: Bools = two & (statements.tied | (statements.levels[second] == 1))
    return related


def places(preferences: Preferences) -> Iterator[list[list[str]]]:
    """Yield each row as a list of levels, best first, each a list of ids."""
    statements, items = preferences.statements, preferences.items
    members, levels, starts = (
        statements.members.tolist(),
        statements.levels.tolist(),
        statements.starts.tolist(),
    )
    for start, stop in pairwise(starts):
        found: list[list[str]] = [[] for _ in range(levels[stop - 1] + 1 if stop > start else 0)]
        for member, level in zip(members[start:stop], levels[start:stop], strict=True):
            found[level].append(items[member])
        yield found


def has_shared_level(preferences: Preferences) -> Bools:
    """Return which rows have two items on one level; shape (n_rows,)."""
    statements = preferences.statements
    alike = (statements.levels[1:] == statements.levels[:-1]) & (statements.rows[1:] == statements.rows[:-1])
    return np.bincount(statements.rows[1:], alike, minlength=len(statements)) > 0


def _lost_rows(preferences: Preferences, carried: Bools) -> list[str]:
    lost = []
    sizes, others = preferences.statements.sizes, np.flatnonzero(~carried)
    if others.size:
        silent = int((sizes[others] < 2).sum())
        if silent:
            lost.append(f"rows that name fewer than two items: {silent:,}")
        if silent < others.size:
            together = counted(others.size - silent, "row")
            lost.append(f"which pairs belong together: {together} written out as pairs")
    return [*lost, *lost_source(preferences)]


def lost_source(preferences: Preferences) -> list[str]:
    """Return the loss of pages of results and of covariates, which only a saved file keeps."""
    lost = [] if preferences.source is None else ["source: which rows came from one page of results"]
    return lost if preferences.covariates is None else [*lost, "covariates"]


def lost_items(preferences: Preferences) -> list[str]:
    """Return what is lost about the items when only rows are written."""
    lost = []
    seen = np.zeros(preferences.n_items, dtype=bool)
    seen[preferences.statements.members] = True
    unseen = preferences.n_items - int(seen.sum())
    if unseen:
        lost.append(f"{counted(unseen, 'item')} that no row mentions")
    mentioned = [item for item, is_seen in zip(preferences.items, seen, strict=True) if is_seen]
    if preferences.catalogue.names is None:
        lost.append("that the items are the rows of a table: their numbers become ids")
    elif mentioned != in_order(mentioned):
        lost.append("the order of the items: they are sorted on reading")
    return lost


def lost_columns(preferences: Preferences, *carried: str) -> list[str]:
    """Return which columns are lost, other than those ``carried``."""
    names = {
        "weight": "weights",
        "judge": "judges",
        "better_on_left": "sides: what was shown on the left",
        "period": "periods",
    }
    lost = [
        what for name, what in names.items() if name not in carried and getattr(preferences, name) is not None
    ]
    return [*lost, *lost_source(preferences)]


def _texts(name: str, column: NDArray[Any]) -> list[Any]:
    """Return the cells of a column; ids and judges stay indices."""
    values = column.tolist()
    if name == "tie":
        return ["true" if tie else "false" for tie in values]
    if name == "better_on_left":
        return [_SIDE_WORDS[side] for side in values]
    if name == "outcome":
        return [OUTCOMES[code] for code in values]
    if name == "weight":
        return list(map(number_text, values))
    return list(map(str, values)) if name == "period" else values


def _answers(preferences: Preferences, header: tuple[str, ...]) -> Iterator[dict[str, list[Any]]]:
    statements, sides = preferences.statements, preferences.better_on_left
    assert sides is not None  # noqa: S101  (tabulated chose this form because they are there)
    bad = both_bad(preferences)
    last = statements.starts[1:] - 1
    first, second = statements.members[last - 1], statements.members[last]
    turned = sides == 0
    decided = np.where(turned, RIGHT, LEFT)
    outcome = np.where(bad, BOTH_BAD, np.where(statements.levels[last] == 0, TIE, decided))
    columns: dict[str, Ints] = {
        "left": np.where(turned, second, first),
        "right": np.where(turned, first, second),
        "outcome": outcome,
    }
    for start in range(0, len(preferences), _BLOCK):
        part = slice(start, start + _BLOCK)
        yield {
            name: _texts(name, (columns[name] if name in columns else getattr(preferences, name))[part])
            for name in header
        }


def number_text(value: float) -> str:
    """Return the shortest text of a number, whole ones without a point."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
