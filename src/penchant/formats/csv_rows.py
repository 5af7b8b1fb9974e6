"""Read rows of CSV within limits, for every format that is a table of text."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from penchant.errors import InvalidInput, Text
from penchant.formats.files import Source
from penchant.formats.limits import Limits
from penchant.formats.reading import Findings

Row = list[str]
_DELIMITERS = (",", ";", "\t")
_BLOCK = 1 << 16  # rows
_BLOCK_CELLS = 1 << 20
_TOO_LONG = "field larger than field limit"
_UNCLOSED = "unexpected end of data"


@contextmanager
def csv_rows(source: Source, *, between: str | None = None, quotes: bool = True) -> Iterator[Any]:
    """Give a reader of the rows of a table; cells are divided by ``between``, recognised unless given.

    Without ``quotes``, a quotation mark is a character like any other. The longest cell is a setting of the csv
    module as a whole, which is put back at the end.
    """
    before = csv.field_size_limit(source.limits.field)
    try:
        with source.open_text(newline="") as file:
            between = between or delimiter_of(source)
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
    """Return the cells of the first line, nothing if it is not one of a table."""
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


def blocks(reader: Any, width: int, findings: Findings) -> Iterator[tuple[list[int], list[Row]]]:
    """Walk the rows that have ``width`` cells, with the line on which each starts; the others are refused."""
    lines: list[int] = []
    rows: list[Row] = []
    size = max(1, min(_BLOCK, _BLOCK_CELLS // width))
    end = reader.line_num
    while True:
        try:
            for row in reader:
                start, end = end + 1, reader.line_num
                if len(row) != width:
                    if row:
                        findings.refuse(start, f"{len(row)} cells where the first line has {width}")
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
                    f"{findings.path}:{end + 1}: a quote must be closed again, got none up to the end of the file: "
                    "close or double it"
                ) from None
            span = "" if reader.line_num == end + 1 else f" up to line {reader.line_num}"
            reason = Text(f"cells cannot be told apart{span} (", _reason(error, findings.limits), ")")
            findings.refuse(end + 1, reason)
            end = reader.line_num
    yield lines, rows


def _reason(error: csv.Error, limits: Limits) -> str:
    too_long = str(error).startswith(_TOO_LONG)
    return limits.excess("field", "characters of a cell") if too_long else str(error)
