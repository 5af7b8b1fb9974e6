"""Parquet: tables with one statement a row (extra ``penchant[parquet]``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import Ints, shown
from penchant.errors import InvalidInput, PenchantError
from penchant.formats.parsing.columns import (
    DECIDED,
    LIVE_BESIDE,
    ROLES,
    SCORES,
    SIDES,
    SINGLE,
    plain,
)
from penchant.formats.parsing.extra import extra_columns
from penchant.formats.parsing.objects import ORDER_KEYS, Objects
from penchant.formats.parsing.reading import Findings, Reading, Written
from penchant.formats.parsing.source import Source, replaced
from penchant.formats.parsing.tabulated import tabulated
from penchant.preferences import Preferences

NAME = "parquet"
_BLOCK, _CODED = 1 << 12, 1 << 18  # rows that are read at once: one by one, and by column
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
    arrow, _ = arrow_modules()
    findings = Findings(source, NAME)
    objects = Objects(findings, options)
    try:
        for _ in add_rows(lambda: objects, source, options):
            pass
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{source.path} must be a Parquet file ({shown(str(error))}): write it anew"
        ) from error
    return findings.reading(objects.preferences(), objects.n_rows)


def add_rows(objects: Callable[[], Objects], source: Source, options: Mapping[str, Any]) -> Iterator[None]:
    """Add the rows of a file, numbered from 1, to what ``objects`` returns, and yield after each batch.

    Columns are added as their distinct values. Rows are added one by one where cells are lists or structures, and where
    some value cannot be used, so that its row alone is rejected.
    """
    arrow, parquet = arrow_modules()
    with source.path.open("rb") as bytes_:
        schema = parquet.read_schema(bytes_)
        names = _wanted(schema.names, options)
        kinds = {name: schema.field(name).type for name in names if schema.names.count(name) == 1}
        is_simple = len(kinds) == len(names) and all(_is_simple(arrow.types, kind) for kind in kinds.values())
        texts = [name for name, kind in kinds.items() if _is_text(arrow.types, kind)] if is_simple else []
        number = 1
        for batch in _batches(parquet.ParquetFile(bytes_, read_dictionary=texts), source, names, is_simple):
            coded = {name: _coded(arrow.types, batch.column(name)) for name in names} if is_simple else None
            if coded is None or not objects().add_columns(number, coded):
                for start in range(0, batch.num_rows, _BLOCK):
                    for place, row in enumerate(batch.slice(start, _BLOCK).to_pylist(), number + start):
                        objects().add(place, row)
            number += batch.num_rows
            yield


def _is_simple(types: Any, kind: Any) -> bool:
    """Whether the cells of a column are no lists or structures."""
    kind = kind.value_type if types.is_dictionary(kind) else kind
    numbers = (types.is_integer, types.is_floating, types.is_boolean, types.is_date, types.is_timestamp)
    return _is_text(types, kind) or any(test(kind) for test in numbers)


def _is_text(types: Any, kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _coded(types: Any, column: Any) -> tuple[list[Any], Ints]:
    """Return the distinct values of a column, and the index of each row's value."""
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = column.dictionary.to_pylist()
    if column.null_count:
        return [*values, None], column.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
    return values, column.indices.to_numpy(zero_copy_only=False)


def _batches(file: Any, source: Source, names: list[str], is_simple: bool) -> Iterator[Any]:
    """Yield the rows in batches; a small file may unpack to a large one, so bytes are counted on the way."""
    limits, n_columns = source.limits, len(file.schema_arrow.names)
    if n_columns > limits.columns:
        raise limits.reject("columns", f"columns of {source.path}", n_columns)
    groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
    what, claimed = f"bytes of {source.path}, unpacked,", sum(group.total_byte_size for group in groups)
    if claimed > limits.bytes:
        raise limits.reject("bytes", what, claimed)
    total = done = 0
    for batch in file.iter_batches(_CODED if is_simple else _BLOCK, columns=names):
        total += max(sum(map(_unpacked, batch.columns)), batch.num_rows)
        if total > limits.bytes:
            raise limits.reject("bytes", what)
        yield batch
        done += batch.num_rows
        if source.progress is not None:
            source.progress(done, file.metadata.num_rows)


def _unpacked(column: Any) -> int:
    """Return the bytes of a column; of one that holds numbers of texts, those that the texts of all rows take."""
    from pyarrow import compute, types

    if not types.is_dictionary(column.type) or not _is_text(types, column.type.value_type):
        return int(column.nbytes)
    lengths = compute.binary_length(column.dictionary).fill_null(0).to_numpy(zero_copy_only=False)
    indices = column.indices.drop_null().to_numpy(zero_copy_only=False)
    return int(lengths[indices].sum(dtype=np.int64)) + int(column.indices.nbytes)


def _wanted(names: list[str], options: Mapping[str, Any]) -> list[str]:
    known = {name for pair in (*DECIDED, *SIDES, *SCORES) for name in pair}
    known.update(name for wanted in SINGLE.values() for name in wanted)
    if set(map(plain, names)) >= LIVE_BESIDE:
        known |= LIVE_BESIDE
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
