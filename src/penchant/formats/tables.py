"""Write rows with named columns as CSV, JSONL or Parquet, whole or not at all.

In CSV, texts are protected from spreadsheets that would run them (see `penchant.formats.parsing.csv_rows`).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from penchant.errors import InvalidInput
from penchant.formats.parquet import arrow_modules
from penchant.formats.parsing.csv_rows import protected
from penchant.formats.parsing.source import ending_of, replaced, replaced_text

Row = Mapping[str, Any]
Columns = Mapping[str, type]
"""The columns of a table in order, with the type of their values: str, float, int or bool. Any may be None."""

TABLE_ENDINGS = (".csv", ".jsonl", ".parquet")
_BLOCK = 1 << 12


def table_csv(rows: Iterable[Row], columns: Columns) -> str:
    r"""Return rows as CSV that is safe in a spreadsheet.

    Examples
    --------
    >>> table_csv([{"item": "=1+1", "score": 0.5}, {"item": "tea", "score": None}], {"item": str, "score": float})
    "item,score\n'=1+1,0.5\ntea,\n"
    """
    out = StringIO()
    out.writelines(_csv_lines(rows, columns))
    return out.getvalue()


def table_jsonl(rows: Iterable[Row], columns: Columns) -> str:
    r"""Return rows as one JSON object a line.

    Examples
    --------
    >>> table_jsonl([{"item": "tea", "score": None}], {"item": str, "score": float})
    '{"item": "tea", "score": null}\n'
    """
    return "".join(_jsonl_lines(rows, columns))


def write_table(rows: Iterable[Row], columns: Columns, path: Path) -> None:
    """Write rows to a file whose ending decides the format; text is gzipped if ``.gz`` follows.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "scores.csv"
    >>> write_table([{"item": "tea", "score": 0.5}], {"item": str, "score": float}, place)
    >>> place.read_text().splitlines()
    ['item,score', 'tea,0.5']
    """
    ending = ending_of(path)
    if ending not in TABLE_ENDINGS:
        raise InvalidInput.of(
            f"the ending of {path}", f"be one of {', '.join(TABLE_ENDINGS)}", repr(ending), "change it"
        )
    if ending == ".parquet":
        _write_parquet(rows, columns, path)
        return
    lines = _csv_lines(rows, columns) if ending == ".csv" else _jsonl_lines(rows, columns)
    with replaced_text(path) as file:
        file.writelines(lines)


class _Lines:
    """A file whose `write` returns what it is given, so that the csv module makes single lines."""

    def write(self, line: str) -> str:
        return line


def _csv_lines(rows: Iterable[Row], columns: Columns) -> Iterator[str]:
    writer = csv.writer(_Lines(), lineterminator="\n")
    yield _written(writer, [protected(name) for name in columns])
    for row in rows:
        yield _written(writer, [_cell(row[name], kind) for name, kind in columns.items()])


def _written(writer: Any, cells: Sequence[Any]) -> str:
    return str(writer.writerow(cells))


def _cell(value: Any, kind: type) -> Any:
    if value is None:
        return ""
    if kind is bool:
        return "true" if value else "false"
    return protected(value) if kind is str else value


def _jsonl_lines(rows: Iterable[Row], columns: Columns) -> Iterator[str]:
    for row in rows:
        yield json.dumps({name: row[name] for name in columns}, ensure_ascii=False, allow_nan=False) + "\n"


def _write_parquet(rows: Iterable[Row], columns: Columns, path: Path) -> None:
    arrow, parquet = arrow_modules()
    kinds = {str: arrow.string(), float: arrow.float64(), int: arrow.int64(), bool: arrow.bool_()}
    schema = arrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
    with replaced(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for block in _blocks(rows):
            cells = {name: [row[name] for row in block] for name in columns}
            writer.write_table(arrow.table(cells, schema=schema))


def _blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    block: list[Row] = []
    for row in rows:
        block.append(row)
        if len(block) == _BLOCK:
            yield block
            block = []
    yield block
