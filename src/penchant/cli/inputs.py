"""What a command reads: comparisons or a study, tables of features, and saved models."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from penchant.cli.command import limits, report, with_options
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import busy, opened, working
from penchant.errors import InvalidInput, PenchantError, Text
from penchant.progress import step_done

if TYPE_CHECKING:
    from pandas import DataFrame

    from penchant.formats import Counted, Reading, Refusal

STUDY = "study"
STANDARD_INPUT = Path("-")
"""Stands for the standard input where a file can be named."""
TABLES = {".csv": ",", ".tsv": "\t"}
_SHOWN = 3
_INPUT = "the input"


def read(
    path: StudyPlace,
    *,
    format: str | None = None,
    strict: bool = False,
    columns: Mapping[str, Any] | None = None,
) -> Reading:
    """Read ``path``, a file in a known format or a study, with a progress bar if that takes long."""
    from penchant.formats import read_file

    doing = f"reading {called(path)}"
    with busy(doing) as shown:
        if not isinstance(path, Path):
            return _read_study(path)
        with file_or_input(path) as place:
            if format is None and holds_study(place):
                return _read_study(place)
            return read_file(
                place,
                format=format,
                strict=strict,
                limits=limits(),
                progress=lambda done, size: shown(doing, done, size),
                **(columns or {}),
            )


def read_reported(path: StudyPlace, **options: Any) -> Reading:
    """Read ``path`` as `read` does, and report on the error output what of it is not used."""
    reading = read(path, **options)
    for line in unused(reading):
        report(line)
    return reading


def files_read(path: StudyPlace, columns: Mapping[str, Any]) -> list[StudyPlace]:
    """Return the files that `read` reads: ``path`` and perhaps the titles beside it."""
    from penchant.formats.movielens import TITLES

    if not isinstance(path, Path):
        return [path]

    return [path, *(path.with_name(name) for name in TITLES if columns.get("titles"))]


def read_as(columns: Mapping[str, str | bool], format: str | None) -> list[str]:
    """Return the options with which another command reads the same file in the same way."""
    words = [] if format is None else ["--format", format]
    for name, value in columns.items():
        option = name.replace("_", "-")
        words += [f"--{option}", value] if isinstance(value, str) else [f"--{'' if value else 'no-'}{option}"]
    return words


def called(path: StudyPlace) -> str:
    """Return the name of a file or a study in messages."""
    return _INPUT if path == STANDARD_INPUT else path.name


def holds_study(path: StudyPlace) -> bool:
    """Return whether ``path`` is a study's file, which is one of SQLite, or the address of one."""
    if not isinstance(path, Path):
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


@contextmanager
def file_or_input(path: Path) -> Iterator[Path]:
    """Give the file at ``path``, or one with what the standard input holds where that is ``-``."""
    if path != STANDARD_INPUT:
        yield path
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "input"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield copy
        except PenchantError as error:
            _name_input(error, str(copy))
            raise


def _name_input(error: PenchantError, copy: str) -> None:
    """Let a message about a copy of the standard input, which is gone when it is read, name the input."""
    if error.args:
        parts = error.args[0].parts if isinstance(error.args[0], Text) else error.args[:1]
        named = (part.replace(copy, _INPUT) if isinstance(part, str) else part for part in parts)
        error.args = (Text(*named), *error.args[1:])
    error.argument = error.argument.replace(copy, _INPUT)
    error.received = error.received.replace(copy, _INPUT)


def _read_study(path: StudyPlace) -> Reading:
    from penchant.formats import Reading
    from penchant.study import CompareStudy

    with opened(CompareStudy.open, path, write=False) as study:
        preferences, answers = study.preferences(), study.answers()
    skips = len(answers) - len(preferences)
    return Reading(
        preferences, Path(path.name), STUDY, len(answers), skipped={"skip": skips} if skips else {}
    )


def unused(reading: Reading | Counted) -> list[str]:
    """Return lines about the rows that were not used: how many, and the first few reasons."""
    from penchant.counts import counted

    lines = [f"Skipped: {counted(number, 'row')} ({kind})" for kind, number in reading.skipped.items()]
    lines += [f"Note: {with_options(note)}" for note in reading.notes]
    lines += [f"Warning: {doubt}" for doubt in reading.doubts]
    if reading.refusals:
        lines += rejected(reading.refusals, counted(reading.n_rows, "row"))
    return lines


def not_stored(reading: Reading) -> list[str]:
    """Return a line about the columns of answers that a study does not store."""
    times = [name for role, name in reading.columns.items() if role == "period"]
    if not (left_out := [*times, *reading.others]):
        return []
    return [
        f"Not stored: {', '.join(left_out)} (a study stores items, outcome, judge and weight of such answers)"
    ]


def rejected(rows: Sequence[Refusal], of: str) -> list[str]:
    """Return lines about the rows that were rejected: how many, and the first few reasons."""
    lines = [f"Rejected: {len(rows):,} of {of}"]
    lines += [f"  line {row.line:,}: {with_options(row.reason)}" for row in rows[:_SHOWN]]
    if len(rows) > _SHOWN:
        lines.append(f"  … and {len(rows) - _SHOWN:,} more; --strict stops at them")
    return lines


def is_table(path: Path) -> bool:
    """Return whether the ending of a file, gzipped or not, is one of a table."""
    from penchant.formats.parsing.source import ending_of

    return ending_of(path) in TABLES


def read_table(path: Path, *, ids: int = 0) -> DataFrame:
    """Return a table whose first ``ids`` columns are text as it is written, leading zeros included."""
    import pandas as pd

    from penchant.formats.parsing.csv_rows import csv_rows, header_row
    from penchant.formats.parsing.source import Source, ending_of

    if path == STANDARD_INPUT:
        with file_or_input(path) as place:
            copy = place.with_suffix(
                ".tsv" if b"\t" in place.read_bytes()[:65536].split(b"\n")[0] else ".csv"
            )
            return read_table(place.rename(copy), ids=ids)
    if not is_table(path):
        raise InvalidInput(f"{path} must be a table that ends in {' or '.join(TABLES)}: give such a file")
    source, between = Source.of(path, limits(), step_done), TABLES[ending_of(path)]
    with csv_rows(source, between=between) as rows:
        width = len(header_row(rows, source))
    if width < ids:
        raise InvalidInput(f"{path} must have {ids} columns of ids, got {width}: add them")
    for note in source.notes:
        report(f"Note: {note}")
    try:
        with working(f"reading {path.name}"), source.open_text(newline="") as file:
            converters = dict.fromkeys(range(ids), str)
            table = pd.read_csv(file, sep=between, converters=converters, low_memory=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        first_line = str(error).strip().partition("\n")[0]
        raise InvalidInput(f"{path} cannot be read as a table ({first_line}): repair it") from None
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


def read_features(path: Path, without: list[str]) -> DataFrame:
    """Return the features of items by their ids, which stand in the first column."""
    table = read_table(path, ids=1)
    absent = [name for name in without if name not in table]
    if absent:
        raise InvalidInput.of("--without", f"name a column of {path}", repr(absent[0]), "correct it")
    return columns_of_numbers(table.set_index(table.columns[0]).drop(columns=without))


def columns_of_numbers(table: DataFrame) -> DataFrame:
    """Return the columns that hold numbers, and report which are left out."""
    from pandas.api.types import is_numeric_dtype

    words = [name for name in table if not is_numeric_dtype(table[name])]
    for name in words:
        _reject_text(table[name])
    if words:
        report(f"Left out: {', '.join(map(str, words))} (no numbers)")
    return table.drop(columns=words)


def _reject_text(column: Any) -> None:
    """Reject text in a column that mostly holds numbers."""
    import pandas as pd

    cells = column.dropna()
    numbers = pd.to_numeric(cells, errors="coerce")
    if len(cells) and numbers.notna().mean() > 0.5:
        row = numbers.index[numbers.isna()][0]
        raise InvalidInput.of(
            f"{column.name} of {row}",
            "be a number, as in most rows",
            repr(cells[row] if cells.index.is_unique else cells[numbers.isna()].iloc[0]),
            f"correct the cell, or give --without {column.name}",
        )


def load_model(path: Path, *kinds: type, what: str, saved_by: str) -> Any:
    """Load a model of one of ``kinds``, of at most the usual size or the limit that was typed."""
    from penchant.formats.parsing.source import require_file
    from penchant.saving import MAXIMUM_SIZE, load

    loaded = load(require_file(path), limit=max(MAXIMUM_SIZE, limits().bytes))
    if not isinstance(loaded, kinds):
        remedy = f"save one with {saved_by}"
        raise InvalidInput.of(str(path), f"hold {what}", f"a {type(loaded).__name__}", remedy)
    return loaded
