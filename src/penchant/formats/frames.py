"""Tables in memory: find the columns of comparisons by their names, as in a file, and read the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import Ints, same_length, shown
from penchant.errors import InvalidInput, Text
from penchant.formats.parsing.columns import OPTIONS, OUTCOME_IS, Columns, columns_among, unrecognised
from penchant.formats.parsing.comparisons import Cells, Comparing
from penchant.formats.parsing.extra import extra_columns
from penchant.formats.parsing.objects import text_of
from penchant.formats.parsing.reading import Findings, Reading
from penchant.formats.parsing.rows import assembled
from penchant.formats.parsing.source import Source
from penchant.frames import as_frame
from penchant.preferences.columns import cells, missing
from penchant.preferences.items import Vocabulary

NAME = "frame"


def read_frame(frame: Any, **options: Any) -> Reading:
    """Read comparisons from a data frame, or a mapping of names to columns, as `penchant.read` reads a file.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, Table of pyarrow, or mapping of names to columns
    **options
        Names of columns by their role, which take precedence over recognition, and ``covariates`` and ``labels``.

    Returns
    -------
    Reading
        The lines of its refusals are positions of rows, counted from 0.

    Examples
    --------
    >>> votes = {"model_a": ["gpt", "llama"], "model_b": ["llama", "claude"], "winner": ["model_a", "tie"]}
    >>> read_frame(votes).preferences
    Preferences: 2 comparisons (1 tie) of 3 items, connected
    """
    for name in options:
        if name not in OPTIONS:
            raise TypeError(f"got an unexpected keyword argument {name!r}: {', '.join(OPTIONS)} are known")
    frame = as_frame(frame)
    names = [str(name) for name in getattr(frame, "columns", frame)]
    findings = Findings(Source(Path("the table")), NAME)
    findings.extra = extra_columns(names, options)
    columns = columns_among(names, options, findings.extra.columns)
    if columns is None:
        raise InvalidInput(Text("the table: ", unrecognised(names)))
    findings.columns.update(
        {role: name for role, name in columns.named.items() if name not in findings.extra.columns}
    )
    table = _Table(columns, frame)
    comparing = Comparing(findings, Vocabulary(), Vocabulary(), options.get(OUTCOME_IS))
    preferences = assembled([comparing.part(table)], comparing.ids, comparing.judges, findings)  # type: ignore[arg-type]
    return Reading(
        preferences,
        findings.source.path,
        NAME,
        table.n_rows,
        refusals=tuple(sorted(findings.refusals)),
        columns=findings.columns,
        skipped=dict(findings.skipped),
        notes=tuple(columns.notes),
        labels=findings.labels,
    )


class _Table:
    """The columns with a role, as `penchant.formats.parsing.comparisons.Table` gives those of a file."""

    def __init__(self, columns: Columns, frame: Any) -> None:
        self.columns = columns
        self._columns = {role: cells(frame, name) for role, name in columns.named.items()}
        self.n_rows = len(next(iter(self._columns.values())))
        for role, name in columns.named.items():
            same_length(f"column {name!r}", self._columns[role], self.n_rows)

    def cells(self, clean: Callable[[str], str] = str) -> tuple[Ints, Mapping[str, Cells]]:
        return np.arange(self.n_rows), {role: _cells(column, clean) for role, column in self._columns.items()}


def _cells(column: Any, clean: Callable[[str], str]) -> Cells:
    # A pandas column numbers its values itself, and faster; one of objects would take 1.0 and True for 1.
    if hasattr(column, "factorize") and str(column.dtype) != "object":
        codes, distinct = column.factorize()  # -1 where a cell is missing
        return Cells([*(clean(_text(value)) for value in distinct), clean("")], codes)
    values = Vocabulary()
    try:
        codes = values.codes([None if missing(value) else value for value in column])
    except TypeError:
        wrong = next(value for value in column if not isinstance(value, str | float | int | None))
        raise InvalidInput(f"cells must be text or numbers, got {shown(wrong)}: correct the column") from None
    return Cells([clean(_text(value)) for value in values], codes)


def _text(value: Any) -> str:
    """Return the text that a file would have: a number that is whole without a point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, np.bool_):
        return text_of(bool(value))
    return text_of(value)
