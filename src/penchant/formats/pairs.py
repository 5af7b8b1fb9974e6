"""Comparisons as CSV or TSV. One comparison a line in, rows out; and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import Ints
from penchant.errors import Argument, InvalidInput, Text
from penchant.formats.cells import quoted, unprotected
from penchant.formats.columns import ITEM_ROLES, OPTIONS, OUTCOME_IS, Columns, columns_among, unrecognised
from penchant.formats.csv_rows import Row, blocks, csv_rows, first_cells, header_row
from penchant.formats.draft import Vocabulary, assembled
from penchant.formats.files import Source, ending_of, replaced_text
from penchant.formats.format import Format
from penchant.formats.reading import Findings, Reading, Written
from penchant.formats.table import Cells, Comparing
from penchant.formats.tabulated import tabulated
from penchant.preferences import Preferences

NAME = "pairs"
_NO_ROWS = np.array([], dtype=np.int64)


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
    findings = Findings(source, NAME)
    findings.note(*source.notes)
    with csv_rows(source) as reader:
        top = header_row(reader, source)
        names = [unprotected(name) for name in top] if header else [str(i + 1) for i in range(len(top))]
        columns = _columns(names, header, options, findings)
        table = _Table(columns.named, names)
        if not header:
            table.add([1], [top])
        for found, rows in blocks(reader, len(names), findings):
            table.add(found, rows)
    lines = table.lines()
    n_rows = len(lines) + len(findings.refusals)
    comparing = Comparing(findings, Vocabulary(), Vocabulary(), options.get(OUTCOME_IS))
    part = comparing.part(columns, table.cells(), lines)
    return findings.reading(assembled([part], comparing.ids, comparing.judges, findings), n_rows)


def looks_like(source: Source) -> bool:
    """Whether the first line names columns that say who was preferred."""
    names = first_cells(source)
    return len(names) > 1 and columns_among(list(dict.fromkeys(names))) is not None


def _columns(names: list[str], header: bool, options: Mapping[str, Any], findings: Findings) -> Columns:
    if not header and len(names) == 2 and not options:
        options = {"better": "1", "worse": "2"}
        findings.note("the file has no header: its first column is taken for the better one")
    columns = columns_among(names, options)
    if columns is None:
        bare = Argument("header", False), " if the first line is a comparison, not a header)"
        raise InvalidInput(
            Text(f"{findings.path}: ", unrecognised(names), *((" (", *bare) if header else ()))
        )
    findings.columns.update(columns.named)
    findings.note(*columns.notes)
    return columns


class _Table:
    """The columns that play a role, as numbers into the list of their different cells."""

    def __init__(self, named: Mapping[str, str], names: Sequence[str]) -> None:
        items = Vocabulary()
        self._place = {role: names.index(name) for role, name in named.items()}
        self._texts = {role: items if role in ITEM_ROLES else Vocabulary() for role in named}
        self._codes: dict[str, list[Ints]] = {role: [] for role in named}
        self._lines: list[Ints] = []

    def add(self, lines: list[int], rows: list[Row]) -> None:
        self._lines.append(np.array(lines, dtype=np.int64))
        for role, place in self._place.items():
            self._codes[role].append(self._texts[role].codes(list(map(itemgetter(place), rows))))

    def lines(self) -> Ints:
        return np.concatenate([_NO_ROWS, *self._lines])

    def cells(self) -> dict[str, Cells]:
        return {
            role: Cells(list(map(unprotected, texts)), np.concatenate([_NO_ROWS, *self._codes[role]]))
            for role, texts in self._texts.items()
        }


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
