"""CSV and TSV: one comparison a line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from penchant.errors import Argument, InvalidInput, Text
from penchant.formats.parsing.columns import (
    COVARIATES,
    LABELS,
    OUTCOME_IS,
    Columns,
    columns_among,
    unrecognised,
)
from penchant.formats.parsing.comparisons import Comparing, Table
from penchant.formats.parsing.csv_rows import (
    blocks,
    csv_rows,
    delimiter_of,
    header_row,
    quoted,
    unprotected,
)
from penchant.formats.parsing.extra import extra_columns
from penchant.formats.parsing.plain_csv import SMALL, PlainBlocks
from penchant.formats.parsing.reading import Findings, Reading, Written
from penchant.formats.parsing.rows import assembled
from penchant.formats.parsing.source import Source, ending_of, replaced_text
from penchant.formats.parsing.tabulated import tabulated
from penchant.preferences import Preferences
from penchant.preferences.items import Vocabulary

NAME = "pairs"


def read(source: Source, *, header: bool = True, **options: Any) -> Reading:
    """Read comparisons; ``options`` name the columns by their roles.

    Parameters
    ----------
    header : bool
        Whether the first line names the columns; if not, they are called "1", "2" ….
    better, worse, left, right, outcome, left_score, right_score, weight, tie, judge, better_on_left, period, live : str
        Names of columns, which take precedence over recognition.
    outcome_is : {"side", "item"}
        What the words of the outcome column name, where both could be meant.
    covariates : sequence of str
        Columns, or differences of two ("len_a-len_b", "length=len_a-len_b", "(len_a-len_b)/(len_a+len_b)"), left less
        right or better less worse, which become covariates.
    labels : sequence of str
        Columns whose texts `Reading.labels` keeps.
    """
    findings = Findings(source, NAME)
    comparing = Comparing(findings, Vocabulary(), Vocabulary(), options.get(OUTCOME_IS))
    with csv_rows(source) as reader:
        top = header_row(reader, source)
        names = [unprotected(name) for name in top] if header else [str(i + 1) for i in range(len(top))]
        columns = columns_of(names, header, options, findings)
        table = Table(columns, {role: names.index(name) for role, name in columns.named.items()})
        if not header:
            table.add([1], [top])
        n_header, width = reader.line_num, len(names)
        if source.path.stat().st_size <= SMALL:
            for found, rows in blocks(reader, width, findings):
                table.add(found, rows)
    if source.path.stat().st_size > SMALL:
        _add_large(table, findings, width, n_header)
    n_rows = table.n_rows + len(findings.refusals)
    part = comparing.part(table, unprotected)
    del table  # its columns would stay beside those that are assembled
    return findings.reading(assembled([part], comparing.ids, comparing.judges, findings), n_rows)


def _add_large(table: Table, findings: Findings, width: int, n_header: int) -> None:
    """Add the rows of a large file: plain blocks at once, and what follows the last of them row by row."""
    source = findings.source
    plain = PlainBlocks(findings, delimiter_of(source), width, n_header)
    for lines, columns in plain.columns(table.places):
        table.add_coded(lines, columns)
    if not plain.is_whole:
        with csv_rows(source, after=plain.n_lines) as reader:
            for found, rows in blocks(reader, width, findings, plain.n_lines):
                table.add(found, rows)


def columns_of(names: list[str], header: bool, options: Mapping[str, Any], findings: Findings) -> Columns:
    """Return the columns of comparisons among those that a file has, and record them."""
    if not header and len(names) == 2 and not options:
        options = {"better": "1", "worse": "2"}
        findings.note("the file has no header: its first column is taken for the better one")
    carried: tuple[str, ...] = ()
    if COVARIATES in options or LABELS in options:
        findings.extra = extra_columns(names, options)
        carried = findings.extra.columns
    columns = columns_among(names, options, carried)
    if columns is None:
        bare = (
            *(Argument("header", False), " if the first line is a comparison, not a header; "),
            *(Argument("format", "wide"), " if each row is a voter's ranking)"),
        )
        raise InvalidInput(
            Text(f"{findings.source.path}: ", unrecognised(names), *((" (", *bare) if header else ()))
        )
    findings.found(columns, names, carried)
    return columns


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
