"""Step one: comparisons as CSV or TSV. One comparison a line in, rows out; and back."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import Ints
from penchant.errors import InvalidInput
from penchant.formats.cells import quoted, unprotected
from penchant.formats.columns import ITEM_ROLES, OPTIONS, OUTCOME_IS, Columns, columns_among, unrecognised
from penchant.formats.draft import Vocabulary, assembled
from penchant.formats.files import Source, ending_of, replaced_text
from penchant.formats.format import Format
from penchant.formats.reading import Findings, Reading, Written
from penchant.formats.table import Cells, Comparing
from penchant.formats.tabulated import tabulated
from penchant.preferences import Preferences

NAME = "pairs"
_BLOCK = 1 << 16
_DELIMITERS = (",", ";", "\t")
_Row = list[str]


def read(source: Source, *, header: bool = True, **options: Any) -> Reading:
    """Read comparisons; ``options`` name the columns by their roles.

    Parameters
    ----------
    header : bool
        Whether the first line names the columns; if not, they are called "1", "2" ….
    better, worse, left, right, outcome, left_score, right_score, weight, tie, judge, better_on_left, period : str
        Names of columns, which always win over recognition.
    outcome_is : {"side", "item"}
        What the words of the outcome column name, where both could be meant.
    """
    findings = Findings(source.path, NAME)
    findings.note(*source.notes)
    with source.open_text(newline="") as file:
        reader = csv.reader(file, delimiter=delimiter_of(source), skipinitialspace=True, strict=True)
        top = _top_row(reader, source.path)
        names = [unprotected(name) for name in top] if header else [str(i + 1) for i in range(len(top))]
        columns = _columns(names, header, options, findings)
        table = _Table(columns.named, names)
        if not header:
            table.add([1], [top])
        for lines, rows in blocks(reader, len(names), findings):
            table.add(lines, rows)
    n_rows = len(table.lines) + len(findings.refusals)
    comparing = Comparing(findings, Vocabulary(), Vocabulary(), options.get(OUTCOME_IS))
    part = comparing.part(columns, table.cells(), np.array(table.lines, dtype=np.int64))
    return findings.reading(assembled([part], comparing.ids, comparing.judges, findings), n_rows)


def delimiter_of(source: Source) -> str:
    """Return the comma, semicolon or tab that the first line has most of."""
    first = source.first_lines[0]
    return max(_DELIMITERS, key=first.count)


def top_names(source: Source) -> list[str]:
    """Return the cells of the first line, nothing if it is not one of a table."""
    try:
        return next(csv.reader([source.first_lines[0]], delimiter=delimiter_of(source)))
    except csv.Error:
        return []


def looks_like(source: Source) -> bool:
    """Whether the first line names columns that say who was preferred."""
    names = top_names(source)
    return len(names) > 1 and columns_among(list(dict.fromkeys(names))) is not None


def _top_row(reader: Any, path: Path) -> _Row:
    try:
        return next(row for row in reader if any(cell.strip() for cell in row))
    except csv.Error as error:
        raise InvalidInput(f"{path}:1: the first line must be one of a table ({error}): repair it") from None


def _columns(names: list[str], header: bool, options: Mapping[str, Any], findings: Findings) -> Columns:
    if not header and len(names) == 2 and not options:
        options = {"better": "1", "worse": "2"}
        findings.note("the file has no header: its first column is taken for the better one")
    columns = columns_among(names, options)
    if columns is None:
        bare = " (header=False if the first line is a comparison, not a header)" if header else ""
        raise InvalidInput(f"{findings.path}: {unrecognised(names)}{bare}")
    findings.columns.update(columns.named)
    findings.note(*columns.notes)
    return columns


def blocks(reader: Any, width: int, findings: Findings) -> Iterator[tuple[list[int], list[_Row]]]:
    """Walk the rows that have ``width`` cells, with the line on which each starts; the others are refused."""
    lines: list[int] = []
    rows: list[_Row] = []
    end = reader.line_num
    while True:
        try:
            for row in reader:
                lines.append(end + 1)
                end = reader.line_num
                rows.append(row)
                if len(rows) == _BLOCK:
                    yield _of_width(lines, rows, width, findings)
                    lines, rows = [], []
            break
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                raise InvalidInput(
                    f"{findings.path}:{end + 1}: a quote must be closed again, got none up to the end of the file: "
                    "close or double it"
                ) from None
            span = "" if reader.line_num == end + 1 else f" up to line {reader.line_num}"
            findings.refuse(end + 1, f"cells cannot be told apart{span} ({error})")
            end = reader.line_num
    yield _of_width(lines, rows, width, findings)


def _of_width(
    lines: list[int], rows: list[_Row], width: int, findings: Findings
) -> tuple[list[int], list[_Row]]:
    if set(map(len, rows)) <= {width}:
        return lines, rows
    kept = []
    for place, (line, row) in enumerate(zip(lines, rows, strict=True)):
        if len(row) == width:
            kept.append(place)
        elif row:
            findings.refuse(line, f"{len(row)} cells where the first line has {width}")
    return [lines[place] for place in kept], [rows[place] for place in kept]


class _Table:
    """The columns that play a role, as numbers into the list of their different cells."""

    def __init__(self, named: Mapping[str, str], names: Sequence[str]) -> None:
        items = Vocabulary()
        self._place = {role: names.index(name) for role, name in named.items()}
        self._texts = {role: items if role in ITEM_ROLES else Vocabulary() for role in named}
        self._codes: dict[str, list[Ints]] = {role: [] for role in named}
        self.lines: list[int] = []

    def add(self, lines: list[int], rows: list[_Row]) -> None:
        self.lines += lines
        for role, place in self._place.items():
            self._codes[role].append(self._texts[role].codes(list(map(itemgetter(place), rows))))

    def cells(self) -> dict[str, Cells]:
        told = {}
        for role, texts in self._texts.items():
            none = np.array([], dtype=np.int64)
            told[role] = Cells(list(map(unprotected, texts)), np.concatenate([none, *self._codes[role]]))
        return told


def write(preferences: Preferences, path: Path) -> Written:
    """Write comparisons as better and worse, or as left, right and outcome where all sides are known."""
    table = tabulated(preferences)
    between = "\t" if ending_of(path) == ".tsv" else ","
    texts = {role: list(map(quoted, words)) for role, words in table.words.items()}
    n_rows = 0
    with replaced_text(path) as file:
        file.write(between.join(table.header) + "\n")
        for block in table.blocks():
            columns = [
                [texts[role][code] for code in column] if role in texts else column
                for role, column in block.items()
            ]
            lines = list(map(between.join, zip(*columns, strict=True)))
            file.writelines(f"{line}\n" for line in lines)
            n_rows += len(lines)
    return Written(path, NAME, n_rows, table.lost)


FORMAT = Format(
    NAME,
    "comparisons as CSV or TSV: winner, loser; or left, right, outcome; or two items and their scores",
    (".csv", ".tsv", ".txt", ".tab"),
    looks_like,
    read,
    write,
    (*OPTIONS, "header"),
)
