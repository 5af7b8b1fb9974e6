"""Count the comparisons of files by pairs of items, in one pass and in bounded memory.

The files, which may be larger than memory, are read in chunks of rows. A chunk is parsed as `penchant.read` parses a
whole file, and only its sums by pair are kept (`penchant.preferences.pair_counts`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np

from penchant.checks import shown
from penchant.counts import counted
from penchant.errors import Argument, InvalidInput, PenchantWarning, Text
from penchant.formats import jsonl, pairs, parquet
from penchant.formats.parsing.columns import (
    COVARIATES,
    LABELS,
    OUTCOME_IS,
    Columns,
)
from penchant.formats.parsing.comparisons import Comparing, Table
from penchant.formats.parsing.csv_rows import blocks, csv_rows, delimiter_of, header_row, unprotected
from penchant.formats.parsing.json_text import JsonDecoder
from penchant.formats.parsing.objects import Objects
from penchant.formats.parsing.paths import paths_of
from penchant.formats.parsing.plain_csv import SMALL, PlainBlocks
from penchant.formats.parsing.reading import Findings, Refusal, rejected_in_short
from penchant.formats.parsing.rows import Part, in_order
from penchant.formats.parsing.source import Limits, Progress, Source
from penchant.formats.recognition import format_named, format_of
from penchant.preferences import BAR, OUTCOMES, Items, PairCounter, PairCounts, Preferences
from penchant.preferences.items import Vocabulary
from penchant.preferences.pair_counts import MEMORY

_ROWS, _OBJECTS = 1 << 21, 1 << 18
UNLIMITED = 2**62
"""The bytes of a file that is counted, unless a limit is given."""
_LISTS = {"order", "ranking", "offered", "presented"}
_NO_JUDGES = "judges are not kept when comparisons are counted: intervals take comparisons to be independent"
_READ_IT = "read it into memory, with penchant.read or without --memory"


class CannotCount(InvalidInput):
    """A file must be read as a whole: it holds more than comparisons, or what its rows mean depends on others."""


@dataclass(frozen=True, eq=False)
class Counted:
    r"""The comparisons of files, counted.

    Attributes
    ----------
    counts : PairCounts
    paths : tuple of Path
    n_rows : int
        Rows of all files: those used, those rejected and those skipped.
    refusals : tuple of Refusal
        The rows that were not used; where there are several files, the reason starts with the name of the file.
    columns, skipped, notes
        As in `penchant.formats.Reading`.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "votes.csv"
    >>> place.write_text("winner,loser\ntea,water\ntea,\n") > 0
    True
    >>> found = count_files(place)
    >>> found.n_rows, found.columns["better"], len(found.refusals)
    (2, 'winner', 1)
    """

    counts: PairCounts
    paths: tuple[Path, ...]
    n_rows: int
    refusals: tuple[Refusal, ...]
    columns: Mapping[str, str]
    skipped: Mapping[str, int]
    notes: tuple[str, ...]
    doubts: tuple[str, ...] = ()


def count(
    files: str | Path | Sequence[str | Path],
    *,
    memory: int = MEMORY,
    folder: str | Path | None = None,
    format: str | None = None,
    strict: bool = False,
    limits: Limits | None = None,
    **options: Any,
) -> PairCounts:
    r"""Count the comparisons of files by pairs of items, for files that are larger than memory.

    The result is what `BradleyTerry` and `Thurstone` are fitted to. Ties, weights and both-bad answers count as they do
    in `penchant.read`; skips are left out; judges are not kept. Rankings, choices and pages of results are rejected.

    Parameters
    ----------
    files : path, pattern such as "votes/*.csv", folder of Parquet files, or sequence of these
        CSV, JSONL or Parquet, plain or packed.
    memory : int
        The bytes that counting and fitting may take, beside the names of the items. Where the different pairs do not
        fit, they go to temporary files, which have no names and vanish with the process.
    folder : path, optional
        The folder of the temporary files.
    format, strict, limits, **options
        As in `penchant.read`; the bytes of a file are not limited unless ``limits`` are given.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> for day in ("monday", "tuesday"):
    ...     _ = (place / f"{day}.csv").write_text("winner,loser\ntea,coffee\ntea,water\nwater,tea\n")
    >>> counts = count(f"{place}/*.csv")
    >>> counts
    PairCounts: 6 comparisons of 3 items, 2 different pairs
    """
    found = count_files(
        files, memory=memory, folder=folder, format=format, strict=strict, limits=limits, **options
    )
    if found.refusals:
        warn(rejected_in_short(found.refusals), PenchantWarning, stacklevel=2)
    return found.counts


def count_files(
    files: str | Path | Sequence[str | Path],
    *,
    memory: int = MEMORY,
    folder: str | Path | None = None,
    format: str | None = None,
    strict: bool = False,
    limits: Limits | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Counted:
    r"""Count files as `count` does, and return all findings, without a warning.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "votes.csv"
    >>> place.write_text("winner,loser\ntea,water\ntea,\n") > 0
    True
    >>> [refusal.line for refusal in count_files(place).refusals]
    [3]
    """
    for name in (COVARIATES, LABELS):
        if options.get(name):
            raise InvalidInput.of(
                name, "not be given where comparisons are counted", shown(options[name]), "read the file"
            )
    paths = paths_of(files)
    counting = _Counting(PairCounter(memory=memory, folder=folder), options.get(OUTCOME_IS))
    limits = limits or Limits(bytes=UNLIMITED)
    for path in paths:
        counting.add(Source.of(path, limits, progress), format, options, many=len(paths) > 1, strict=strict)
    return counting.result(tuple(paths))


class _ByChunks(Comparing):
    """Parses chunks of a file, in which an outcome must mean the same whatever the other chunks hold."""

    _has_two_meanings = False
    _has_own_words = False

    def _names_items(
        self, columns: Columns, by_word: Any, by_item: Any, named: Any, outcome: Any, kept: Any
    ) -> bool:
        if self.outcome_is is not None:
            return self.outcome_is == "item"
        roles = ("left", "right", "outcome")
        as_written = tuple(columns.named[role] for role in roles) == roles
        differ = kept & (by_word >= 0) & (by_item >= 0) & (by_word != by_item)
        self._has_two_meanings |= bool(differ.any())
        self._has_own_words |= not (as_written and set(outcome.texts) <= set(OUTCOMES))
        if self._has_two_meanings and self._has_own_words:
            word = f" {shown(outcome[int(np.argmax(differ))])}" if differ.any() else "s"
            both = Argument(OUTCOME_IS, "item"), " or ", Argument(OUTCOME_IS, "side")
            raise CannotCount(
                Text(
                    f"outcome{word} must mean one thing to be counted, got an item and a side or answer of that name: "
                    "give ",
                    *both,
                )
            )
        return False


class _Counting:
    """The counts of files so far, with the ids and findings of all."""

    def __init__(self, counter: PairCounter, outcome_is: str | None) -> None:
        self._counter, self._outcome_is = counter, outcome_is
        self._ids = Vocabulary()
        self._used = np.zeros(0, dtype=bool)
        self._refusals: list[Refusal] = []
        self._columns: dict[str, str] = {}
        self._skipped: Counter[str] = Counter()
        self._notes: dict[str, None] = {}
        self._n_rows = 0
        self._last: Findings | None = None

    def add(
        self, source: Source, format: str | None, options: Mapping[str, Any], *, many: bool, strict: bool
    ) -> None:
        """Count the rows of one file."""
        if format is None and "layout" in options:
            format = "wide"  # which alone has layouts
        chosen = format_of(source) if format is None else format_named(format)
        readers = {pairs.NAME: _csv_parts, jsonl.NAME: _jsonl_parts, parquet.NAME: _parquet_parts}
        if chosen.name not in readers:
            raise CannotCount.of(
                str(source.path), f"be one of {', '.join(readers)} to be counted", chosen.name, _READ_IT
            )
        for name in options:
            if name not in chosen.options:
                raise InvalidInput.of(
                    name, f"not be given for the format {chosen.name}", shown(options[name]), "leave it out"
                )
        findings = Findings(source, chosen.name)
        comparing = _ByChunks(findings, self._ids, Vocabulary(), self._outcome_is)
        for n_rows, part in readers[chosen.name](findings, comparing, dict(options)):
            self._n_rows += n_rows
            self._count(part)
        refusals = sorted(findings.refusals)
        if strict and refusals:
            first = refusals[0]
            raise InvalidInput(
                f"{source.path}:{first.line}: {first.reason} ({counted(len(refusals), 'row')} rejected): "
                "repair the file, or count it without strict"
            )
        self._refusals += (
            [Refusal(row.line, f"{source.path.name}: {row.reason}") for row in refusals] if many else refusals
        )
        self._columns.update(findings.columns)
        self._skipped.update(findings.skipped)
        self._notes.update(dict.fromkeys((*source.notes, *findings.notes)))
        self._last = findings

    def _count(self, part: Part) -> None:
        if not len(part.line):
            return
        if len(self._used) < len(self._ids):
            self._used = np.append(self._used, np.zeros(2 * len(self._ids) - len(self._used), dtype=bool))
        self._used[part.members] = True
        statements = part.statements(part.members.astype(np.int64), part.tied)
        self._counter.add_preferences(Preferences(statements, Items(len(self._ids)), weight=part.weight))

    def result(self, paths: tuple[Path, ...]) -> Counted:
        """Return the counts of all files, the items sorted as `penchant.read` sorts them."""
        codes = np.flatnonzero(self._used[: len(self._ids)])
        if not len(codes):
            assert self._last is not None  # noqa: S101  (there is at least one file)
            raise self._last.no_rows()
        names = list(self._ids)
        ordered = in_order(names[code] for code in codes)
        place = {name: number for number, name in enumerate(ordered)}
        index = np.zeros(len(names), dtype=np.int64)
        index[codes] = [place[names[code]] for code in codes]
        items = Items(len(ordered), tuple(ordered), bar=ordered[-1] == BAR)
        self._ids = Vocabulary()
        return Counted(
            self._counter.finish(items, index),
            paths,
            self._n_rows,
            tuple(self._refusals),
            self._columns,
            {kind: number for kind, number in self._skipped.items() if number},
            tuple(self._notes),
        )


Parts = Iterator[tuple[int, Part]]
"""The rows of a chunk, and their number with those that are not used."""


class _TableChunks:
    """Rows of cells, parsed chunk by chunk."""

    def __init__(
        self,
        columns: Columns,
        places: Mapping[str, int],
        comparing: Comparing,
        clean: Callable[[str], str] = str,
    ) -> None:
        self._columns, self._places, self._comparing, self._clean = columns, places, comparing, clean
        self._n_rejected = 0
        self.table = Table(columns, places)

    def full(self) -> Parts:
        return self.flush() if self.table.n_rows >= _ROWS else iter(())

    def flush(self) -> Parts:
        refusals = self._comparing.findings.refusals
        n_rows = self.table.n_rows + len(refusals) - self._n_rejected  # with those that are no row of cells
        part = self._comparing.part(self.table, self._clean)
        self._n_rejected = len(refusals)
        self.table = Table(self._columns, self._places)
        yield n_rows, part


def _csv_parts(findings: Findings, comparing: Comparing, options: dict[str, Any]) -> Parts:
    source, header = findings.source, options.pop("header", True)
    with csv_rows(source) as reader:
        top = header_row(reader, source)
        names = [unprotected(name) for name in top] if header else [str(i + 1) for i in range(len(top))]
        columns = _without_judge(pairs.columns_of(names, header, options, findings), findings)
        places = {role: names.index(name) for role, name in columns.named.items()}
        n_header, width = reader.line_num, len(names)
    chunks = _TableChunks(columns, places, comparing, unprotected)
    if not header:
        chunks.table.add([1], [top])
    plain = PlainBlocks(findings, delimiter_of(source), width, n_header)
    if source.path.stat().st_size > SMALL:
        for lines, cells in plain.columns(places):
            chunks.table.add_coded(lines, cells)
            yield from chunks.full()
    if not plain.is_whole:
        with csv_rows(source, after=plain.n_lines) as reader:
            for found, rows in blocks(reader, width, findings, plain.n_lines):
                chunks.table.add(found, rows)
                yield from chunks.full()
    yield from chunks.flush()


def _without_judge(columns: Columns, findings: Findings) -> Columns:
    """Return the columns without that of judges, whose names may be as many as the rows."""
    if "judge" not in columns.named:
        return columns
    findings.note(_NO_JUDGES)
    return replace(columns, named={role: name for role, name in columns.named.items() if role != "judge"})


class _ObjectChunks:
    """Objects, parsed chunk by chunk."""

    def __init__(self, findings: Findings, comparing: Comparing, options: dict[str, Any]) -> None:
        self._made = findings, options, comparing
        self.objects = Objects(*self._made, judges=False)

    def full(self, most: int = _OBJECTS) -> Parts:
        return self.flush() if self.objects.n_rows >= most else iter(())

    def flush(self) -> Parts:
        findings, objects = self._made[0], self.objects
        if objects.line_of_order is not None:
            raise CannotCount.of(
                str(findings.source.path),
                "hold comparisons of two items to be counted",
                f"a ranking, choice or page of results in line {objects.line_of_order:,}",
                _READ_IT,
            )
        if "judge" in findings.columns:
            findings.note(_NO_JUDGES)
        n_rows = objects.n_rows
        for part in objects.comparisons():
            yield n_rows, part
            n_rows = 0
        self.objects = Objects(*self._made, judges=False)


def _jsonl_parts(findings: Findings, comparing: Comparing, options: dict[str, Any]) -> Parts:
    source = findings.source
    chunks, decoder = _ObjectChunks(findings, comparing, options), JsonDecoder(source.limits)
    with source.open_text() as file:
        for number, value in jsonl.objects_in(file, decoder, findings):
            if value is jsonl.REJECTED:
                chunks.objects.n_rows += 1
            else:
                chunks.objects.add(number, value)
            yield from chunks.full()
    yield from chunks.flush()


def _parquet_parts(findings: Findings, comparing: Comparing, options: dict[str, Any]) -> Parts:
    source, (arrow, _) = findings.source, parquet.arrow_modules()
    chunks = _ObjectChunks(findings, comparing, options)
    try:
        for _ in parquet.add_rows(lambda: chunks.objects, source, options):
            yield from chunks.full(_ROWS)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{source.path} must be a Parquet file ({shown(str(error))}): write it anew"
        ) from error
    yield from chunks.flush()
