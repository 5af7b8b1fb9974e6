"""Rows and cells of CSV: read rows within limits, and protect cells from spreadsheets that would run them.

A spreadsheet runs a cell that starts with = + - @ or a tab. Such a cell gets an apostrophe in front, which
spreadsheets themselves take to mean "text, as it stands", and loses it again on reading. Cells are otherwise
read without the spaces around them, so an id with such spaces gets the apostrophe too.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from penchant.counts import counted
from penchant.errors import InvalidInput, Text
from penchant.formats.parsing.reading import Findings
from penchant.formats.parsing.source import Limits, Source

Row = list[str]
_DELIMITERS = (",", ";", "\t")
_BLOCK = 1 << 16  # rows
_BLOCK_CELLS = 1 << 20
_TOO_LONG = "field larger than field limit"
_UNCLOSED = "unexpected end of data"
_DANGEROUS = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_QUOTED = re.compile(r'[",;\t\r\n]')


@contextmanager
def csv_rows(
    source: Source, *, between: str | None = None, quotes: bool = True, after: int = 0
) -> Iterator[Any]:
    """Open a reader of the rows of a table; cells are separated by ``between``, recognised unless given.

    The first ``after`` lines are left out. Without ``quotes``, a quotation mark is a character like any other. The
    longest cell is a global setting of the csv module, which is restored at the end.
    """
    before = csv.field_size_limit(source.limits.field)
    try:
        with source.open_text(newline="") as file:
            between = between or delimiter_of(source)
            for _ in islice(file, after):
                pass
            if quotes:
                yield csv.reader(file, delimiter=between, skipinitialspace=True, strict=True)
            else:
                yield _Split(file, between, source.limits)
    finally:
        csv.field_size_limit(before)


class _Split:
    """Rows without quotes, read as the csv module reads others."""

    def __init__(self, file: Iterable[str], between: str, limits: Limits) -> None:
        self._file, self._between, self._limits = iter(file), between, limits
        self.line_num = 0

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        line = next(self._file).rstrip("\r\n")
        self.line_num += 1
        cells = line.split(self._between) if line else []
        if len(line) > self._limits.field and max(map(len, cells)) > self._limits.field:
            raise csv.Error(_TOO_LONG)
        return cells


def delimiter_of(source: Source) -> str:
    """Return the comma, semicolon or tab that the first line has most of."""
    first = source.first_lines[0]
    return max(_DELIMITERS, key=first.count)


def first_cells(source: Source) -> Row:
    """Return the cells of the first line; an empty list if it is not a line of a table."""
    try:
        return next(csv.reader([source.first_lines[0]], delimiter=delimiter_of(source)), [])
    except csv.Error:
        return []


def header_row(reader: Any, source: Source) -> Row:
    """Return the first row that is not blank, with as many cells as a table may have columns."""
    try:
        row: Row | None = next((row for row in reader if any(cell.strip() for cell in row)), None)
    except csv.Error as error:
        raise InvalidInput(
            Text(
                f"{source.path}:1: the first line must be one of a table (",
                _reason(error, source.limits),
                "): repair it",
            )
        ) from None
    if row is None:
        raise InvalidInput(f"{source.path} must hold at least one row, got blank ones: write it anew")
    if len(row) > source.limits.columns:
        raise source.limits.reject("columns", f"columns of {source.path}", len(row))
    return row


def blocks(
    reader: Any, width: int, findings: Findings, after: int = 0
) -> Iterator[tuple[list[int], list[Row]]]:
    """Yield blocks of the rows that have ``width`` cells, with the line on which each starts; reject the others.

    Lines are counted from the start of a reader that leaves out the first ``after``.
    """
    lines: list[int] = []
    rows: list[Row] = []
    size = max(1, min(_BLOCK, _BLOCK_CELLS // width))
    end = reader.line_num + after
    while True:
        try:
            for row in reader:
                start, end = end + 1, reader.line_num + after
                if len(row) != width:
                    if row:
                        findings.reject(
                            start, f"{counted(len(row), 'cell')} where the first line has {width}"
                        )
                    continue
                lines.append(start)
                rows.append(row)
                if len(rows) == size:
                    yield lines, rows
                    lines, rows = [], []
            break
        except csv.Error as error:
            if _UNCLOSED in str(error):
                raise InvalidInput(
                    f"{findings.source.path}:{end + 1}: a quote must be closed again, "
                    "got none up to the end of the file: close or double it"
                ) from None
            last = reader.line_num + after
            span = "" if last == end + 1 else f" up to line {last}"
            reason = Text(f"cells cannot be separated{span} (", _reason(error, findings.source.limits), ")")
            findings.reject(end + 1, reason)
            end = last
    yield lines, rows


def _reason(error: csv.Error, limits: Limits) -> str | Text:
    too_long = str(error).startswith(_TOO_LONG)
    return limits.excess("field", "characters of a cell") if too_long else str(error)


def needs_apostrophe(text: str) -> bool:
    """Whether a cell needs an apostrophe in front.

    Examples
    --------
    >>> [needs_apostrophe(text) for text in ("=1+1", "-1", " tea", "'tis", "'=1")]
    [True, False, True, False, True]
    """
    rest = text.lstrip("'")  # a cell with apostrophes of its own gets one more, which reading removes
    return rest != rest.strip() or (rest.startswith(_DANGEROUS) and not _NUMBER.fullmatch(rest))


def protected(text: str) -> str:
    """Return a cell that no spreadsheet executes."""
    return f"'{text}" if needs_apostrophe(text) else text


def unprotected(cell: str) -> str:
    """Return the text that `protected` was given; of any other cell, its text without the spaces around it.

    Examples
    --------
    >>> unprotected("'=1+1"), unprotected(" tea "), unprotected(protected(" tea "))
    ('=1+1', 'tea', ' tea ')
    """
    if cell.startswith("'") and needs_apostrophe(cell[1:]):
        return cell[1:]
    return cell.strip()


def quoted(text: str) -> str:
    """Return a protected cell, quoted for a CSV file where necessary."""
    cell = protected(text)
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell
