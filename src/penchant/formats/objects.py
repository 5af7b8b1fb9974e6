"""One statement an object, as JSONL and Parquet hold them. Dicts in, rows or refusals out.

An object is a ranking (``order``), a choice (``choice``, ``offered``), a page of results (``presented``,
``clicked``), or a comparison with the same names as the columns of a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import numpy as np

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.formats.columns import ITEM_ROLES, OUTCOME_IS, ROLES, Columns, columns_among, unrecognised
from penchant.formats.draft import NOBODY, Part, Vocabulary, assembled, first_twice
from penchant.formats.limits import Limits
from penchant.formats.reading import Findings, Wrong
from penchant.formats.table import Cells, Comparing, is_text, number, period
from penchant.preferences import Preferences
from penchant.preferences.columns import changed_pairs

ORDER_KEYS = ("order", "ranking")
_LONG = 200
_REMEMBERED = 1000  # sets of keys; a file may have others on every line
_TEXTS_AS_IDS = "chosen and rejected carry no ids: the texts themselves are the items"
_UNCHANGED = "pages whose clicks change nothing"


class Objects:
    """Objects on their way to preferences.

    Parameters
    ----------
    findings : Findings
    options : dict
        Names of keys by their role, as for tables.
    """

    def __init__(self, findings: Findings, options: Mapping[str, Any]) -> None:
        self._findings = findings
        self._options = {role: str(name) for role, name in options.items() if role in ROLES}
        self._comparing = Comparing(findings, Vocabulary(), Vocabulary(), options.get(OUTCOME_IS))
        self._limits = findings.limits
        self._tables: dict[tuple[tuple[str, str], ...], _Table] = {}
        self._table_of_keys: dict[tuple[str, ...], _Table | None] = {}
        self._orders: list[_Order] = []
        self._shown: set[int] = set()
        self.n_rows = 0

    def add(self, line: int, told: object) -> None:
        """Take in one object; what is wrong with it becomes a refusal."""
        self.n_rows += 1
        try:
            if not isinstance(told, dict):
                raise Wrong(f"an object must stand on each line, got {shown(told)}")
            if not self._options and (key := next((key for key in ORDER_KEYS if key in told), None)):
                self._add_order(line, told, _levels(told[key], self._limits), told.get("tied", True))
            elif "offered" in told and not self._options:
                self._add_order(line, told, _choice(told, self._limits), False)
            elif "presented" in told and "clicked" in told and not self._options:
                self._add_page(line, told)
            else:
                self._add_comparison(line, told)
        except Wrong as reason:
            self._findings.refuse(line, reason.args[0])

    def preferences(self) -> Preferences:
        """Return all that was taken in."""
        parts = [
            self._comparing.part(table.columns, table.cells(), np.array(table.lines, dtype=np.int64))
            for table in self._tables.values()
        ]
        if self._orders:
            parts += _parts(self._orders)
        ids, judges = self._comparing.ids, self._comparing.judges
        return assembled(parts, ids, judges, self._findings, also=self._shown)

    def _add_comparison(self, line: int, told: dict[str, Any]) -> None:
        keys = tuple(told)
        if keys not in self._table_of_keys:
            if len(self._table_of_keys) >= _REMEMBERED:
                self._table_of_keys.clear()
            self._table_of_keys[keys] = self._table(keys)
        table = self._table_of_keys[keys]
        if table is None:
            raise Wrong(unrecognised(keys))
        table.add(line, [_cell(role, told[name], self._findings) for role, name in table.named])

    def _table(self, keys: tuple[str, ...]) -> _Table | None:
        columns = self._columns(keys)
        if columns is None:
            return None
        return self._tables.setdefault(tuple(columns.named.items()), _Table(columns))

    def _columns(self, keys: tuple[str, ...]) -> Columns | None:
        there = {role: name for role, name in self._options.items() if name in keys or role in ROLES[:5]}
        try:
            columns = columns_among(keys, there)
        except InvalidInput as error:
            raise Wrong(str(error)) from None
        if columns is not None:
            self._findings.columns.update(columns.named)
            self._findings.note(*columns.notes)
        return columns

    def _add_order(self, line: int, told: dict[str, Any], levels: list[list[str]], tied: object) -> None:
        if not isinstance(tied, bool):
            raise Wrong(f"tied must be true or false, got {shown(tied)}")
        flat = [item for level in levels for item in level]
        if len(set(flat)) < len(flat):
            raise Wrong(f"an order must name each item once, got {shown(first_twice(flat))} twice")
        self._orders.append(self._order(line, told, levels, tied))

    def _order(self, line: int, told: dict[str, Any], levels: list[list[str]], tied: bool) -> _Order:
        ids, judges = self._comparing.ids, self._comparing.judges
        return _Order(
            line,
            [[ids[item] for item in level] for level in levels],
            tied,
            *_extra(told, judges, self._limits),
        )

    def _add_page(self, line: int, told: dict[str, Any]) -> None:
        shown_items, clicked = (ids_of(told[key], key, self._limits) for key in ("presented", "clicked"))
        try:
            pairs = changed_pairs(shown_items, clicked, line)
        except InvalidInput as error:
            raise Wrong(str(error)) from None
        found = [self._order(line, told, [[better], [worse]], True) for better, worse in pairs]
        for order in found:
            order.is_page = True
        self._orders += found
        self._shown.update(self._comparing.ids[item] for item in (*shown_items, *clicked))
        if not pairs:
            self._findings.skipped[_UNCHANGED] += 1


class _Table:
    """Comparisons with the same keys."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.named = list(columns.named.items())
        self.lines: list[int] = []
        self._texts = {role: Vocabulary() for role in columns.named}
        self._codes: dict[str, list[int]] = {role: [] for role in columns.named}

    def add(self, line: int, cells: list[str]) -> None:
        self.lines.append(line)
        for (role, codes), cell in zip(self._codes.items(), cells, strict=True):
            codes.append(self._texts[role][cell])

    def cells(self) -> dict[str, Cells]:
        return {
            role: Cells(list(self._texts[role]), np.array(codes, dtype=np.int64))
            for role, codes in self._codes.items()
        }


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


def _extra(told: dict[str, Any], judges: Vocabulary, limits: Limits) -> tuple[float | None, int, int | None]:
    """Return weight, judge and period of an object that is no comparison."""
    found = columns_among(list(dict.fromkeys([*told, "better", "worse"])))
    named = {} if found is None else found.named
    weight = when = None
    judge = NOBODY
    if "weight" in named:
        weight = number(text_of(told[named["weight"]]))
        if not weight > 0:
            raise Wrong(f"weight must be a number above 0, got {shown(told[named['weight']])}")
    if "judge" in named and (name := _text(told[named["judge"]], "judge", limits)).strip():
        judge = judges[name] if is_text(name) else NOBODY
    if "period" in named:
        when = period(text_of(told[named["period"]]))
        if when is None:
            raise Wrong(f"period must be a whole number or a date, got {shown(told[named['period']])}")
    return weight, judge, when


def _levels(order: object, limits: Limits) -> list[list[str]]:
    if not isinstance(order, list) or not order:
        raise Wrong(f"order must be a list of items, best first, got {shown(order)}")
    return [
        ids_of(level, "order", limits) if isinstance(level, list) else [id_of(level, "order", limits)]
        for level in order
    ]


def _choice(told: dict[str, Any], limits: Limits) -> list[list[str]]:
    key = next((key for key in ("choice", "chosen", "picked") if key in told), None)
    if key is None:
        raise Wrong("offered must come with choice, got it alone")
    choice, offered = id_of(told[key], key, limits), ids_of(told["offered"], "offered", limits)
    others = [item for item in offered if item != choice]
    if not others:
        raise Wrong(f"offered must hold more than the choice {shown(choice)}")
    return [[choice], others]


def ids_of(items: object, key: str, limits: Limits) -> list[str]:
    """Return a list of ids, which only an answer may leave empty."""
    answer = key in ("clicked", "improved")
    if not isinstance(items, list) or not (items or answer):
        empty = f", empty where nothing was {key}" if answer else ""
        raise Wrong(f"{key} must be a list of items{empty}, got {shown(items)}")
    return [id_of(item, key, limits) for item in items]


def id_of(item: object, key: str, limits: Limits) -> str:
    """Return an id as text, or say under which key it stood."""
    if type(item) is int:
        return str(item)
    if not isinstance(item, str) or not item.strip() or not is_text(item):
        raise Wrong(f"{key} must hold ids that are text or whole numbers, got {shown(item)}")
    if len(item) > limits.field:
        raise Wrong(limits.excess("field", f"characters of an id in {key}", len(item)))
    return item


def _cell(role: str, value: object, findings: Findings) -> str:
    if role not in ITEM_ROLES:
        return _text(value, role, findings.limits)
    if type(value) is str and len(value) <= _LONG:
        return value
    if isinstance(value, dict) and "id" in value:
        return id_of(value["id"], role, findings.limits)
    if isinstance(value, list):
        value = _conversation(value, role)
        findings.note(_TEXTS_AS_IDS)
    elif isinstance(value, str):
        findings.note(_TEXTS_AS_IDS)
    return "" if value is None else id_of(value, role, findings.limits)


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
    """Return a value as it would stand in a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value)
