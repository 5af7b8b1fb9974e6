"""Parse statements given as objects, one each, as JSONL and Parquet hold them.

An object is a ranking (``order``), a choice (``choice``, ``offered``), a page of results (``presented``,
``clicked``), or a comparison with the same names as the columns of a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import numpy as np

from penchant.checks import Ints, shown
from penchant.errors import InvalidInput
from penchant.formats.parsing.columns import (
    COVARIATES,
    ITEM_ROLES,
    LABELS,
    OUTCOME_IS,
    ROLES,
    Columns,
    columns_among,
    unrecognised,
)
from penchant.formats.parsing.comparisons import Comparing, Table, is_text, number, period
from penchant.formats.parsing.extra import extra_columns
from penchant.formats.parsing.reading import Findings, Wrong
from penchant.formats.parsing.rows import NOBODY, Part, assembled, first_twice
from penchant.formats.parsing.source import Limits
from penchant.preferences import Preferences
from penchant.preferences.columns import changed_pairs
from penchant.preferences.items import Vocabulary

ORDER_KEYS = ("order", "ranking")
_STATEMENTS = frozenset((*ORDER_KEYS, "offered", "presented"))  # keys of what is no comparison
_LONG = 200
_REMEMBERED = 1000  # sets of keys; a file may have others on every line
_BLOCK = 1 << 12  # comparisons with the same keys
_TEXTS_AS_IDS = "chosen and rejected carry no ids: the texts themselves are the items"
_UNCHANGED = "pages whose clicks change nothing"


class Objects:
    """Collects objects and builds preferences from them.

    Parameters
    ----------
    findings : Findings
    options : dict
        Names of keys by their role, as for tables.
    comparing : Comparing, optional
        What parses comparisons, where the objects of a file come in parts with common ids.
    judges : bool
        Whether the judges of comparisons are kept.
    """

    def __init__(
        self,
        findings: Findings,
        options: Mapping[str, Any],
        comparing: Comparing | None = None,
        judges: bool = True,
    ) -> None:
        self._findings, self._keeps_judges = findings, judges
        self._options = {role: str(name) for role, name in options.items() if role in ROLES}
        self._carried = {name: options[name] for name in (COVARIATES, LABELS) if options.get(name)}
        self._comparing = comparing or Comparing(
            findings, Vocabulary(), Vocabulary(), options.get(OUTCOME_IS)
        )
        self._limits = findings.source.limits
        self._blocks: dict[tuple[tuple[str, str], ...], _Block] = {}
        self._block_of_keys: dict[tuple[str, ...], _Block | None] = {}
        self._orders: list[_Order] = []
        self._shown: set[int] = set()
        self.n_rows = 0

    def add(self, line: int, value: object) -> None:
        """Parse one object; an object that cannot be used is recorded as rejected."""
        self.n_rows += 1
        try:
            if not isinstance(value, dict):
                raise Wrong(f"an object must stand on each line, got {shown(value)}")
            if self._carried:
                self._add_comparison(line, value)
            elif not self._options and (key := next((key for key in ORDER_KEYS if key in value), None)):
                self._add_order(line, value, _levels(value[key], self._limits), value.get("tied", True))
            elif "offered" in value and not self._options:
                self._add_order(line, value, _choice(value, self._limits), False)
            elif "presented" in value and "clicked" in value and not self._options:
                self._add_page(line, value)
            else:
                self._add_comparison(line, value)
        except Wrong as reason:
            self._findings.reject(line, reason.args[0])

    def add_columns(self, line: int, columns: Mapping[str, tuple[Sequence[object], Ints]]) -> bool:
        """Parse comparisons that are given by column, and return whether that was possible.

        If not, nothing was added: `add` takes the rows, and records what is wrong with each.

        Parameters
        ----------
        line : int
            That of the first row; the others follow.
        columns : mapping
            From the name of each column to its distinct values and the index of each row's value among them.
        """
        if not self._options and not self._carried and not _STATEMENTS.isdisjoint(columns):
            return False
        try:
            block = self._block_of(tuple(columns))
            if block is None:
                return False
            cells = {
                place: ([_cell(role, value, self._findings) for value in columns[name][0]], columns[name][1])
                for place, (role, name) in enumerate(block.named)
            }
        except Wrong:
            return False
        n_rows = len(next(iter(columns.values()))[1])
        block.flush().add_coded(np.arange(line, line + n_rows), cells)
        self.n_rows += n_rows
        return True

    @property
    def line_of_order(self) -> int | None:
        """The line of the first object that is a ranking, a choice or a page; None where all are comparisons."""
        return self._orders[0].line if self._orders else None

    def comparisons(self) -> list[Part]:
        """Return the comparisons among the parsed objects."""
        return [self._comparing.part(block.flush()) for block in self._blocks.values()]

    def preferences(self) -> Preferences:
        """Return the parsed objects as preferences."""
        parts = [*self.comparisons(), *_parts(self._orders)]
        ids, judges = self._comparing.ids, self._comparing.judges
        return assembled(parts, ids, judges, self._findings, also=self._shown)

    def _add_comparison(self, line: int, fields: dict[str, Any]) -> None:
        block = self._block_of(tuple(fields))
        if block is None:
            raise Wrong(unrecognised(tuple(fields)))
        block.rows.append([_cell(role, fields[name], self._findings) for role, name in block.named])
        block.lines.append(line)
        if len(block.lines) == _BLOCK:
            block.flush()

    def _block_of(self, keys: tuple[str, ...]) -> _Block | None:
        """Return where comparisons with these keys are collected; None where the keys are none of comparisons."""
        if keys not in self._block_of_keys:
            if len(self._block_of_keys) >= _REMEMBERED:
                self._block_of_keys.clear()
            self._block_of_keys[keys] = self._block(keys)
        return self._block_of_keys[keys]

    def _block(self, keys: tuple[str, ...]) -> _Block | None:
        given = {role: name for role, name in self._options.items() if name in keys or role in ROLES[:5]}
        try:
            extra = extra_columns(keys, self._carried)
            columns = columns_among(keys, given, extra.columns)
        except InvalidInput as error:
            raise Wrong(str(error)) from None
        if columns is None:
            return None
        self._findings.extra = extra
        self._findings.found(columns, keys, extra.columns)
        if not self._keeps_judges:
            kept = {role: name for role, name in columns.named.items() if role != "judge"}
            columns = replace(columns, named=kept)
        return self._blocks.setdefault(tuple(columns.named.items()), _Block(columns))

    def _add_order(self, line: int, fields: dict[str, Any], levels: list[list[str]], tied: object) -> None:
        if not isinstance(tied, bool):
            raise Wrong(f"tied must be true or false, got {shown(tied)}")
        flat = [item for level in levels for item in level]
        if len(set(flat)) < len(flat):
            raise Wrong(f"an order must name each item once, got {shown(first_twice(flat))} twice")
        self._orders.append(self._order(line, fields, levels, tied))

    def _order(self, line: int, fields: dict[str, Any], levels: list[list[str]], tied: bool) -> _Order:
        ids, judges = self._comparing.ids, self._comparing.judges
        return _Order(
            line,
            [[ids[item] for item in level] for level in levels],
            tied,
            *_extra(fields, judges, self._limits),
        )

    def _add_page(self, line: int, fields: dict[str, Any]) -> None:
        presented, _, clicked = page_of(fields, ("clicked",), self._limits)
        pairs = changed_pairs(presented, clicked, line)
        found = [self._order(line, fields, [[better], [worse]], True) for better, worse in pairs]
        for order in found:
            order.is_page = True
        self._orders += found
        self._shown.update(self._comparing.ids[item] for item in (*presented, *clicked))
        if not pairs:
            self._findings.skipped[_UNCHANGED] += 1


class _Block:
    """Comparisons with the same keys on their way into a table."""

    def __init__(self, columns: Columns) -> None:
        self.named = list(columns.named.items())
        self.table = Table(columns, {role: place for place, role in enumerate(columns.named)})
        self.lines: list[int] = []
        self.rows: list[list[str]] = []

    def flush(self) -> Table:
        self.table.add(self.lines, self.rows)
        self.lines, self.rows = [], []
        return self.table


class _Order:
    """One ranking, choice, or pair of a page."""

    def __init__(
        self,
        line: int,
        levels: list[list[int]],
        tied: bool,
        weight: float | None,
        judge: int,
        period: int | None,
    ) -> None:
        self.line, self.levels, self.tied = line, levels, tied
        self.weight, self.judge, self.period = weight, judge, period
        self.is_page = False


def _parts(orders: list[_Order]) -> list[Part]:
    """Return orders as at most four parts, since within one all rows or none have a period or a page."""
    groups: dict[tuple[bool, bool], list[_Order]] = {}
    for order in orders:
        groups.setdefault((order.period is None, order.is_page), []).append(order)
    return [_part(group) for group in groups.values()]


def _part(orders: list[_Order]) -> Part:
    flat = [
        (row, member, level)
        for row, order in enumerate(orders)
        for level, members in enumerate(order.levels)
        for member in members
    ]
    rows, members, levels = np.array(flat, dtype=np.int64).T
    line = np.array([order.line for order in orders], dtype=np.int64)
    part = Part(line, rows, members, levels, np.array([order.tied for order in orders], dtype=bool))
    if any(order.weight is not None for order in orders):
        part.weight = np.array([1.0 if order.weight is None else order.weight for order in orders])
    if any(order.judge != NOBODY for order in orders):
        part.judge = np.array([order.judge for order in orders], dtype=np.int64)
    if orders[0].period is not None:
        part.period = np.array([order.period for order in orders], dtype=np.int64)
    if orders[0].is_page:
        part.source = np.unique(line, return_inverse=True)[1]
    return part


def _extra(
    fields: dict[str, Any], judges: Vocabulary, limits: Limits
) -> tuple[float | None, int, int | None]:
    """Return weight, judge and period of an object that is not a comparison."""
    found = columns_among(list(dict.fromkeys([*fields, "better", "worse"])))
    named = {} if found is None else found.named
    weight = when = None
    judge = NOBODY
    if "weight" in named:
        weight = number(text_of(fields[named["weight"]]))
        if not weight > 0:
            raise Wrong(f"weight must be a number above 0, got {shown(fields[named['weight']])}")
    if "judge" in named and (name := _text(fields[named["judge"]], "judge", limits)).strip():
        judge = judges[name] if is_text(name) else NOBODY
    if "period" in named:
        when = period(text_of(fields[named["period"]]))
        if when is None:
            raise Wrong(f"period must be a whole number or a date, got {shown(fields[named['period']])}")
    return weight, judge, when


def _levels(order: object, limits: Limits) -> list[list[str]]:
    if not isinstance(order, list) or not order:
        raise Wrong(f"order must be a list of items, best first, got {shown(order)}")
    return [
        ids_of(level, "order", limits) if isinstance(level, list) else [id_of(level, "order", limits)]
        for level in order
    ]


def _choice(fields: dict[str, Any], limits: Limits) -> list[list[str]]:
    key = next((key for key in ("choice", "chosen", "picked") if key in fields), None)
    if key is None:
        raise Wrong("offered must come with choice, got it alone")
    choice, offered = id_of(fields[key], key, limits), ids_of(fields["offered"], "offered", limits)
    others = [item for item in offered if item != choice]
    if not others:
        raise Wrong(f"offered must hold more than the choice {shown(choice)}")
    return [[choice], others]


def page_of(
    fields: dict[str, Any], answers: tuple[str, ...], limits: Limits
) -> tuple[list[str], str, list[str]]:
    """Return the presented items, which of the keys ``answers`` the object has, and its items, each once."""
    presented = ids_of(fields.get("presented"), "presented", limits)
    if len(set(presented)) < len(presented):
        raise Wrong(f"presented must name each item once, got {shown(presented)}")
    kinds = [key for key in answers if key in fields]
    if len(kinds) != 1:
        got = " and ".join(kinds) or "neither: give [] where nothing was changed"
        raise Wrong(f"a line must have either {' or '.join(answers)}, got {got}")
    return presented, kinds[0], list(dict.fromkeys(ids_of(fields[kinds[0]], kinds[0], limits)))


def ids_of(items: object, key: str, limits: Limits) -> list[str]:
    """Return a list of ids, which may be empty only where it is an answer."""
    answer = key in ("clicked", "improved")
    if not isinstance(items, list) or not (items or answer):
        empty = f", empty where nothing was {key}" if answer else ""
        raise Wrong(f"{key} must be a list of items{empty}, got {shown(items)}")
    if set(map(type, items)) == {str}:
        together = "".join(items)
        if together.isascii() and len(together) <= limits.field and all(map(str.strip, items)):
            return list(items)
    return [id_of(item, key, limits) for item in items]


def id_of(item: object, key: str, limits: Limits) -> str:
    """Return an id as text, or raise `Wrong` with the key that holds it."""
    if type(item) is int:
        return str(item)
    if not isinstance(item, str) or not item.strip() or not is_text(item):
        raise Wrong(f"{key} must hold ids that are text or whole numbers, got {shown(item)}")
    if len(item) > limits.field:
        raise Wrong(limits.excess("field", f"characters of an id in {key}", len(item)))
    return item


def _cell(role: str, value: object, findings: Findings) -> str:
    if role not in ITEM_ROLES:
        return _text(value, role, findings.source.limits)
    if type(value) is str and len(value) <= _LONG:
        return value
    if isinstance(value, dict) and "id" in value:
        return id_of(value["id"], role, findings.source.limits)
    if isinstance(value, list):
        value = _conversation(value, role)
        findings.note(_TEXTS_AS_IDS)
    elif isinstance(value, str):
        findings.note(_TEXTS_AS_IDS)
    return "" if value is None else id_of(value, role, findings.source.limits)


def _text(value: object, role: str, limits: Limits) -> str:
    text = text_of(value)
    if len(text) > limits.field:
        raise Wrong(limits.excess("field", f"characters of {role}", len(text)))
    return text


def _conversation(messages: list[Any], role: str) -> str:
    """Return the messages of a chat as one text."""
    if not all(isinstance(message, dict) and isinstance(message.get("content"), str) for message in messages):
        raise Wrong(f"{role} must be text, an id or a list of messages with content, got {shown(messages)}")
    return "\n".join(f"{message.get('role', '')}: {message['content']}" for message in messages)


def text_of(value: object) -> str:
    """Return the text that a table would have for a value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value)
