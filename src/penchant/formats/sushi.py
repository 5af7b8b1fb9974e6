"""Kamishima's order files: one ranking of item numbers a line.

The first line has the number of items; each other one is ``0 10 5 0 3 …``: a zero, the length, the items.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from penchant.checks import shown
from penchant.counts import counted
from penchant.errors import InvalidInput
from penchant.formats.parsing.reading import Findings, Reading, Written
from penchant.formats.parsing.rows import Part, assembled
from penchant.formats.parsing.source import Source, replaced_text
from penchant.formats.parsing.tabulated import has_shared_level, lost_columns
from penchant.preferences import Items, Preferences
from penchant.preferences.items import Vocabulary
from penchant.progress import with_progress

NAME = "sushi"
_TOP = re.compile(r"(\d{1,9})\s+1", re.ASCII)
FIRST_LINES = re.compile(
    r"\s*\d{1,9}[^\S\n]+1\s*\n[^\S\n]*0(?:[^\S\n]+\d{1,9}){2,}[^\S\n]*(?:\n|\Z)", re.ASCII
)
_LINE = re.compile(r"\s*\d{1,9}(\s+\d{1,9})*\s*", re.ASCII)


def read(source: Source) -> Reading:
    """Read orders; the items are the numbers from 0."""
    findings = Findings(source, NAME)
    orders: list[tuple[int, list[int]]] = []
    n_rows = n_items = 0
    with source.open_text() as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            if not n_items:
                n_items = _n_items(line, source.path)
                continue
            n_rows += 1
            order = _order(line, n_items)
            if isinstance(order, str):
                findings.reject(number, order)
            else:
                orders.append((number, order))
    if not orders:
        raise findings.no_rows()
    if n_items > source.limits.highest(sum(len(order) for _, order in orders)):
        raise source.limits.reject("columns", f"the number of items of {source.path}", n_items)
    ids = Vocabulary()
    ids.codes([str(item) for item in range(n_items)])
    part = Part(
        np.array([number for number, _ in orders], dtype=np.int64),
        np.repeat(np.arange(len(orders)), [len(order) for _, order in orders]),
        np.array([item for _, order in orders for item in order], dtype=np.int64),
        np.array([place for _, order in orders for place in range(len(order))], dtype=np.int64),
        np.ones(len(orders), dtype=bool),
    )
    preferences = assembled([part], ids, Vocabulary(), findings, items=Items.named(range(n_items)))
    return findings.reading(preferences, n_rows)


def _n_items(line: str, path: Path) -> int:
    found = _TOP.fullmatch(line.strip())
    if found is None or int(found[1]) < 1:
        raise InvalidInput(
            f"{path}:1: the first line must be the number of items and a 1, like '10 1', got "
            f"{shown(line.strip())}: give another format="
        )
    return int(found[1])


def _order(line: str, n_items: int) -> list[int] | str:
    """Return the items of a line, or the reason why it cannot be used."""
    if not _LINE.fullmatch(line):
        return f"a line must hold whole numbers of up to nine digits, got {shown(line.strip())}"
    cells = line.split()
    length, order = cells[1:2], [int(cell) for cell in cells[2:]]
    if length != [str(len(order))] or not order:
        return f"the second number must be that of the items after it, got {shown(line.strip())}"
    outside = next((item for item in order if item >= n_items), None)
    if outside is not None:
        return f"items must be below {n_items}, got {outside}"
    if len(set(order)) < len(order):
        return "an order must name each item once"
    return order


def write(preferences: Preferences, path: Path) -> Written:
    """Write orders of item numbers; rows with ties have no order to write and are left out."""
    statements = preferences.statements
    left_out = has_shared_level(preferences) | (statements.sizes == 0)
    if left_out.all():
        raise InvalidInput("preferences must hold an order without ties to be written as sushi: use .jsonl")
    lost = lost_columns(preferences)
    if left_out.any():
        lost.append(f"{counted(int(left_out.sum()), 'row')} in which items share a place")
    if preferences.catalogue.names is not None:
        lost.append("ids: items are numbered from 0")
    elif preferences.bar is not None:
        lost.append("the bar: it becomes an item")
    with replaced_text(path) as file:
        file.write(f"{preferences.n_items} 1\n")
        rows = np.flatnonzero(~left_out)
        for row in with_progress(rows, len(rows)):
            order = statements.members[statements.starts[row] : statements.starts[row + 1]]
            file.write(f"0 {len(order)} {' '.join(map(str, order))}\n")
    return Written(path, NAME, int((~left_out).sum()), tuple(lost))
