"""Rows on their way from a file. Members and levels in any order in, `Preferences` out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.formats.reading import Findings
from penchant.preferences import BAR, Items, Preferences
from penchant.preferences.statements import Statements

Bools = NDArray[np.bool_]
NOBODY = -1
Key = TypeVar("Key")
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,999})", re.ASCII)


class Vocabulary(dict[str, int]):
    """Numbers texts in the order in which they are first seen."""

    def __missing__(self, text: str) -> int:
        self[text] = code = len(self)
        return code

    def codes(self, texts: Sequence[str]) -> Ints:
        """Return the number of each text, shape (n,)."""
        return np.fromiter(map(self.__getitem__, texts), np.int64, len(texts))


@dataclass(eq=False)
class Part:
    """Some rows of a file, as flat arrays.

    ``members`` are numbers in the vocabulary of ids, ``rows`` the row of each, ``levels`` its level in that
    row, low is best. ``line``, ``tied`` and the columns after it have one entry a row; a column that is None
    is not there.
    """

    line: Ints
    rows: Ints
    members: Ints
    levels: Ints | Floats
    tied: Bools
    weight: Floats | None = None
    judge: Ints | None = None
    better_on_left: NDArray[np.int8] | None = None
    period: Ints | None = None
    source: Ints | None = None

    def __len__(self) -> int:
        return len(self.line)

    def keep(self, kept: Bools) -> Part:
        """Return the rows where ``kept``."""
        if kept.all():
            return self
        inside = kept[self.rows]
        renumbered = np.cumsum(kept) - 1
        columns = {name: column[kept] for name, column in self.columns().items()}
        flat = renumbered[self.rows[inside]], self.members[inside], self.levels[inside]
        return Part(self.line[kept], *flat, **columns)

    def columns(self) -> dict[str, Any]:
        """Return what is known about each row."""
        names = [field.name for field in fields(self)][4:]
        return {name: column for name in names if (column := getattr(self, name)) is not None}


class Sieve:
    """Rows that stay; each of the others is refused once, with the first reason against it."""

    def __init__(self, lines: Ints, findings: Findings) -> None:
        self.lines = lines
        self.kept = np.ones(len(lines), dtype=bool)
        self._findings = findings

    def refuse(self, wrong: Bools, reason: Callable[[int], str]) -> None:
        """Drop the rows where ``wrong``; ``reason(row)`` says why."""
        for row in np.flatnonzero(wrong & self.kept):
            self._findings.refuse(self.lines[row], reason(int(row)))
        self.kept &= ~wrong


def assembled(
    parts: list[Part],
    ids: Vocabulary,
    judges: Vocabulary,
    findings: Findings,
    *,
    items: Items | None = None,
    also: Iterable[int] = (),
) -> Preferences:
    """Return the rows of all parts as preferences, in the order of their lines.

    Parameters
    ----------
    items : Items, optional
        All items in their order; without it those that occur, sorted.
    also : iterable of int
        Numbers of ids that are items although no row mentions them.
    """
    parts = [part for part in parts if len(part)]
    parts = _with_periods(parts, findings)
    findings.require_rows(sum(map(len, parts)))
    whole = _joined(parts)
    members, catalogue = _numbered(whole.members, ids, items, also)
    columns = whole.columns()
    statements = Statements.of_levels(whole.rows, members, whole.levels, len(whole), columns.pop("tied"))
    if "judge" in columns:
        columns["judge"], columns["judges"] = _judged(columns["judge"], judges)
    return Preferences(statements, catalogue, **columns)


def _with_periods(parts: list[Part], findings: Findings) -> list[Part]:
    if all(part.period is None for part in parts) or all(part.period is not None for part in parts):
        return parts
    for part in parts:
        if part.period is None:
            Sieve(part.line, findings).refuse(
                np.ones(len(part), dtype=bool), lambda row: "period is absent, other rows have one: add it"
            )
    return [part for part in parts if part.period is not None]


def _joined(parts: list[Part]) -> Part:
    if len(parts) == 1:
        return parts[0]
    line = np.concatenate([part.line for part in parts])
    starts = np.cumsum([0, *(len(part) for part in parts)])
    place = np.empty(len(line), dtype=np.int64)
    order = np.argsort(line, kind="stable")
    place[order] = np.arange(len(line))
    rows = np.concatenate([place[part.rows + start] for part, start in zip(parts, starts[:-1], strict=True)])
    names = dict.fromkeys(name for part in parts for name in part.columns())
    columns = {name: np.concatenate([_filled(part, name) for part in parts])[order] for name in names}
    if "source" in columns:
        columns["source"] = np.unique(columns["source"], return_inverse=True)[1]
    members = np.concatenate([part.members for part in parts])
    return Part(line[order], rows, members, np.concatenate([part.levels for part in parts]), **columns)


def _filled(part: Part, name: str) -> Any:
    column = getattr(part, name)
    if column is not None:
        return column
    if name == "weight":
        return np.ones(len(part))
    if name == "source":  # a row alone on its page
        return part.line
    return np.full(len(part), NOBODY, dtype=np.int8 if name == "better_on_left" else np.int64)


def _numbered(members: Ints, ids: Vocabulary, items: Items | None, also: Iterable[int]) -> tuple[Ints, Items]:
    names = list(ids)
    used = np.zeros(len(names), dtype=bool)
    used[members] = True
    used[list(also)] = True
    occurring = [names[code] for code in np.flatnonzero(used)]
    catalogue = Items.named(in_order(occurring)) if items is None else items
    index = np.full(len(names), NOBODY)
    index[used] = catalogue.encode(occurring)
    return index[members], catalogue


def in_order(names: Iterable[str]) -> list[str]:
    """Return ids sorted: whole numbers by value, all else as text, the bar last."""
    told = list(names)
    if all(map(_WHOLE.fullmatch, told)):
        return sorted(told, key=lambda name: (int(name), name))
    return sorted(told, key=lambda name: (name == BAR, name))


def distinct(names: Mapping[Key, str]) -> dict[Key, str]:
    """Return names of which each is there once: an empty one, or one of several, gets its key behind it.

    Examples
    --------
    >>> distinct({1: "tea", 2: "tea", 3: "", 4: "tea (2)"})
    {1: 'tea (1)', 2: 'tea (2) (2)', 3: '(3)', 4: 'tea (2) (4)'}
    """
    told = {key: name or f"({key})" for key, name in names.items()}
    while len(times := Counter(told.values())) < len(told):
        told = {key: name if times[name] == 1 else f"{name} ({key})" for key, name in told.items()}
    return told


def first_twice(items: Iterable[Key]) -> Key:
    """Return the first item that stands a second time."""
    seen: set[Key] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    raise ValueError("no item stands twice")


def _judged(codes: Ints, judges: Vocabulary) -> tuple[Ints, tuple[str, ...]]:
    names = list(judges)
    known = codes[codes != NOBODY]
    order = in_order(names[code] for code in np.unique(known))
    index = np.full(len(names) + 1, NOBODY)
    index[[judges[name] for name in order]] = np.arange(len(order))
    return index[codes], tuple(order)
