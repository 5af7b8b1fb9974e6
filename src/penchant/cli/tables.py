"""Tables with features or links. A .csv or .tsv file in; a DataFrame, or an error that says what is wrong, out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from penchant.cli.limits import limits
from penchant.cli.refusals import complain
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from pandas import DataFrame

TABLES = {".csv": ",", ".tsv": "\t"}


def is_table(path: Path) -> bool:
    """Whether the ending of a file, gzipped or not, is one of a table."""
    from penchant.formats.parsing.source import ending_of

    return ending_of(path) in TABLES


def read_table(path: Path, *, ids: int = 0) -> DataFrame:
    """Return a table whose first ``ids`` columns are text as it is written, zeros before numbers included."""
    import pandas as pd

    from penchant.formats.parsing.csv_rows import csv_rows, header_row
    from penchant.formats.parsing.source import Source, ending_of

    if not is_table(path):
        raise InvalidInput(f"{path} must be a table that ends in {' or '.join(TABLES)}: give such a file")
    source, between = Source.of(path, limits()), TABLES[ending_of(path)]
    with csv_rows(source, between=between) as rows:
        width = len(header_row(rows, source))
    if width < ids:
        raise InvalidInput(f"{path} must have {ids} columns of ids, got {width}: add them")
    for note in source.notes:
        complain(f"Note: {note}")
    try:
        with source.open_text(newline="") as file:
            converters = dict.fromkeys(range(ids), str)
            table = pd.read_csv(file, sep=between, converters=converters, low_memory=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"{path} cannot be read as a table ({_first_line(error)}): repair it") from None
    if table.shape[1] != width or not isinstance(table.index, pd.RangeIndex):
        raise InvalidInput(f"rows of {path} must have {width} cells as the first one, got more: repair them")
    _require_ids(table.iloc[:, :ids], path)
    return table


def _require_ids(ids: DataFrame, path: Path) -> None:
    empty = ids.replace("", None).isna().any(axis=1).to_numpy().nonzero()[0]
    if len(empty):
        raise InvalidInput(f"row {empty[0] + 1} of {path} must have an id, got none: fill it in or remove it")
    longest = max((ids[name].str.len().max() for name in ids if len(ids)), default=0)
    if longest > limits().field:
        raise limits().reject("field", f"characters of an id in {path}", int(longest))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
