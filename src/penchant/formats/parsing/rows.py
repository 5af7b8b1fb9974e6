"""Build `Preferences` from the rows of a file, whose members and levels come in any order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.formats.parsing.reading import Bools, Findings
from penchant.preferences import BAR, Items, Preferences
from penchant.preferences.items import Vocabulary
from penchant.preferences.statements import Statements

NOBODY = -1
Key = TypeVar("Key")
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,999})", re.ASCII)


@dataclass(eq=False)
class Part:
    """Some rows of a file, as flat arrays.

    ``members`` are numbers in the vocabulary of ids, ``rows`` the row of each (None: each row has two members, one
    after the other), ``levels`` its level in that row, low is best. ``line``, ``tied`` and the columns after it have
    one entry a row; a column that is None is absent.
    """

    line: Ints
    rows: Ints | None
    members: NDArray[Any]
    levels: NDArray[Any]
    tied: Bools
    weight: Floats | None = None
    judge: Ints | None = None
    better_on_left: NDArray[np.int8] | None = None
    period: Ints | None = None
    source: Ints | None = None
    covariates: Floats | None = None
    labels: NDArray[Any] | None = None

    def keep(self, kept: Bools) -> Part:
        """Return the rows where ``kept``."""
        columns = {name: column[kept] for name, column in self.columns().items()}
        if self.rows is None:
            both = (array.reshape(-1, 2)[kept].ravel() for array in (self.members, self.levels))
            return Part(self.line[kept], None, *both, **columns)
        inside = kept[self.rows]
        renumbered = np.cumsum(kept) - 1
        flat = renumbered[self.rows[inside]], self.members[inside], self.levels[inside]
        return Part(self.line[kept], *flat, **columns)

    def row_of_members(self) -> Ints:
        """Return the row of each member."""
        return np.repeat(np.arange(len(self.line)), 2) if self.rows is None else self.rows

    def statements(self, members: Ints, tied: Bools) -> Statements:
        """Return the rows as statements about ``members``, indices of items in the place of the numbers of ids."""
        if self.rows is not None:
            return Statements.of_levels(self.rows, members, self.levels, len(self.line), tied)
        first, second = members[::2], members[1::2]
        turned, tie = self.levels[::2] > self.levels[1::2], self.levels[::2] == self.levels[1::2]
        return Statements.of_pairs(np.where(turned, second, first), np.where(turned, first, second), tie)

    def columns(self) -> dict[str, Any]:
        """Return the columns with one entry a row, without the lines."""
        names = [field.name for field in fields(self)][4:]
        return {name: column for name in names if (column := getattr(self, name)) is not None}


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
    parts = [part for part in parts if len(part.line)]
    if not parts:
        raise findings.no_rows()
    whole = parts[0] if len(parts) == 1 else _joined(_with_periods(parts, findings))
    members, catalogue = _numbered(whole.members, ids, items, also)
    columns = whole.columns()
    statements = whole.statements(members, columns.pop("tied"))
    if "judge" in columns:
        columns["judge"], columns["judges"] = _judged(columns["judge"], judges)
    labels = columns.pop("labels", None)
    if labels is not None:
        findings.labels = dict(zip(findings.extra.labels, labels.T, strict=True))
    if "covariates" in columns:
        columns["covariate_names"] = findings.extra.covariate_names
    return Preferences(statements, catalogue, **columns)


def _with_periods(parts: list[Part], findings: Findings) -> list[Part]:
    """Return the parts with periods, if any has them; the rows of the others are rejected."""
    dated = [part for part in parts if part.period is not None]
    if len(dated) in (0, len(parts)):
        return parts
    for part in parts:
        for line in part.line if part.period is None else ():
            findings.reject(line, "period is absent, other rows have one: add it")
    return dated


def _joined(parts: list[Part]) -> Part:
    line = np.concatenate([part.line for part in parts])
    starts = np.cumsum([0, *(len(part.line) for part in parts)])
    place = np.empty(len(line), dtype=np.int64)
    order = np.argsort(line, kind="stable")
    place[order] = np.arange(len(line))
    rows = np.concatenate(
        [place[part.row_of_members() + start] for part, start in zip(parts, starts[:-1], strict=True)]
    )
    names = dict.fromkeys(name for part in parts for name in part.columns())
    columns = {name: np.concatenate([_filled(part, name, parts) for part in parts])[order] for name in names}
    if "source" in columns:
        columns["source"] = np.unique(columns["source"], return_inverse=True)[1]
    members = np.concatenate([part.members for part in parts])
    return Part(line[order], rows, members, np.concatenate([part.levels for part in parts]), **columns)


def part_width(parts: list[Part], name: str) -> int:
    """Return how many columns the parts have under a name."""
    return next(int(column.shape[1]) for part in parts if (column := getattr(part, name)) is not None)


def _filled(part: Part, name: str, parts: list[Part]) -> Any:
    """Return a column, or the values that stand for its absence."""
    column = getattr(part, name)
    if column is not None:
        return column
    n_rows = len(part.line)
    if name == "weight":
        return np.ones(n_rows)
    if name == "source":  # a row alone on its page
        return part.line
    if name == "covariates":  # rows that compare no two items
        return np.zeros((n_rows, part_width(parts, name)))
    if name == "labels":
        return np.full((n_rows, part_width(parts, name)), "", dtype=object)
    return np.full(n_rows, NOBODY, dtype=np.int8 if name == "better_on_left" else np.int64)


def _numbered(members: Ints, ids: Vocabulary, items: Items | None, also: Iterable[int]) -> tuple[Ints, Items]:
    """Return the index of each member among the items, and the items: those that occur unless given."""
    names = list(ids)
    used = np.zeros(len(names), dtype=bool)
    used[members] = True
    used[list(also)] = True
    occurring = [names[code] for code in np.flatnonzero(used)]
    if items is None:
        ordered = in_order(occurring)
        items = Items(len(ordered), tuple(ordered), bar=ordered[-1] == BAR)
    place = {name: number for number, name in enumerate(items.ids)}
    index = np.full(len(names), NOBODY, dtype=members.dtype)
    index[used] = [place[name] for name in occurring]
    return index[members], items


def in_order(names: Iterable[str]) -> list[str]:
    """Return ids sorted: whole numbers by value, all else as text, the bar last."""
    ids = list(names)
    if all(map(_WHOLE.fullmatch, ids)):
        return sorted(ids, key=lambda name: (int(name), name))
    return sorted(ids, key=lambda name: (name == BAR, name))


def distinct(names: Mapping[Key, str]) -> dict[Key, str]:
    """Return names that are all different: an empty or repeated one is followed by its key.

    Examples
    --------
    >>> distinct({1: "tea", 2: "tea", 3: "", 4: "tea (2)"})
    {1: 'tea (1)', 2: 'tea (2) (2)', 3: '(3)', 4: 'tea (2) (4)'}
    """
    different = {key: name or f"({key})" for key, name in names.items()}
    while len(times := Counter(different.values())) < len(different):
        different = {key: name if times[name] == 1 else f"{name} ({key})" for key, name in different.items()}
    return different


def first_twice(items: Iterable[Key]) -> Key:
    """Return the first item that occurs a second time."""
    seen: set[Key] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    raise ValueError("no item occurs twice")


def _judged(codes: Ints, judges: Vocabulary) -> tuple[Ints, tuple[str, ...]]:
    """Return the index of each row's judge among the judges that occur, and those, sorted."""
    names = list(judges)
    order = in_order(names[code] for code in np.unique(codes[codes != NOBODY]))
    index = np.full(len(names) + 1, NOBODY)
    index[[judges[name] for name in order]] = np.arange(len(order))
    return index[codes], tuple(order)
