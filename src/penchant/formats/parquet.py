"""Parquet: tables with one statement a row (extra ``penchant[parquet]``)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from penchant.checks import shown
from penchant.errors import InvalidInput, PenchantError
from penchant.formats.parsing.columns import DECIDED, ROLES, SCORES, SIDES, SINGLE, plain
from penchant.formats.parsing.extra import extra_columns
from penchant.formats.parsing.objects import ORDER_KEYS, Objects
from penchant.formats.parsing.reading import Findings, Reading, Written
from penchant.formats.parsing.source import Source, replaced
from penchant.formats.parsing.tabulated import tabulated
from penchant.preferences import Preferences

NAME = "parquet"
_BLOCK = 1 << 12
_LISTS = {*ORDER_KEYS, "tied", "offered", "presented", "clicked", "chosen", "picked"}


def arrow_modules() -> tuple[Any, Any]:
    """Return pyarrow and pyarrow.parquet, or raise an error that names the extra which has them."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise PenchantError(
            "Parquet files need pyarrow, which is not installed: pip install 'penchant[parquet]'"
        ) from error
    return pyarrow, parquet


def read(source: Source, **options: Any) -> Reading:
    """Read a table; rows count from 1, and only columns that can play a role are loaded.

    Parameters
    ----------
    better, worse, left, right, outcome, … : str
        Names of columns, which take precedence over recognition.
    """
    arrow, parquet = arrow_modules()
    findings = Findings(source, NAME)
    objects = Objects(findings, options)
    try:
        with source.path.open("rb") as bytes_:
            file = parquet.ParquetFile(bytes_)
            rows = chain.from_iterable(batches(file, source, options))
            for number, row in enumerate(rows, 1):
                objects.add(number, row)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{source.path} must be a Parquet file ({shown(str(error))}): write it anew"
        ) from error
    return findings.reading(objects.preferences(), objects.n_rows)


def batches(file: Any, source: Source, options: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield the rows in batches; a small file may decompress to a large one, so bytes are counted on the way."""
    limits, names = source.limits, file.schema_arrow.names
    if len(names) > limits.columns:
        raise limits.reject("columns", f"columns of {source.path}", len(names))
    groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
    what, claimed = f"bytes of {source.path}, unpacked,", sum(group.total_byte_size for group in groups)
    if claimed > limits.bytes:
        raise limits.reject("bytes", what, claimed)
    total = 0
    for batch in file.iter_batches(_BLOCK, columns=_wanted(names, options)):
        total += max(batch.nbytes, batch.num_rows)
        if total > limits.bytes:
            raise limits.reject("bytes", what)
        yield batch.to_pylist()


def _wanted(names: list[str], options: dict[str, Any]) -> list[str]:
    known = {name for pair in (*DECIDED, *SIDES, *SCORES) for name in pair}
    known.update(name for wanted in SINGLE.values() for name in wanted)
    given = {str(options[role]) for role in options if role in ROLES}
    given.update(extra_columns(names, options).columns)
    wanted = [name for name in names if plain(name) in known or name in given or name in _LISTS]
    return wanted or names


def write(preferences: Preferences, path: Path) -> Written:
    """Write comparisons with the columns that a CSV file would have, as text, numbers and truth values."""
    arrow, parquet = arrow_modules()
    table = tabulated(preferences)
    kinds = {
        "tie": arrow.bool_(),
        "better_on_left": arrow.bool_(),
        "weight": arrow.float64(),
        "period": arrow.int64(),
    }
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in table.header])
    n_rows = 0
    with replaced(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for block in table.blocks():
            columns = [_column(name, block[name], table.words.get(name)) for name in table.header]
            arrays = [arrow.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)]
            writer.write_table(arrow.table(arrays, schema=schema))
            n_rows += len(columns[0])
    return Written(path, NAME, n_rows, table.lost)


def _column(name: str, cells: list[Any], words: list[str] | None) -> list[Any]:
    if words is not None:
        return [words[code] or None for code in cells]
    if name in ("tie", "better_on_left"):
        return [{"true": True, "false": False, "": None}[cell] for cell in cells]
    if name == "weight":
        return list(map(float, cells))
    return list(map(int, cells)) if name == "period" else cells
