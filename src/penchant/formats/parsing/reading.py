"""Results of reading and writing a file, and the rows that a reader rejects on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.counts import counted
from penchant.errors import Argument, Text
from penchant.formats.parsing.columns import Columns, carried_role
from penchant.formats.parsing.extra import NO_EXTRA, Extra
from penchant.formats.parsing.source import NoRows, Source
from penchant.preferences import Preferences

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Bools = NDArray[np.bool_]
_LISTED = 3


class Wrong(Exception):
    """The reason why a row cannot be used."""


@dataclass(frozen=True, order=True)
class Refusal:
    """A row that was not used: its line and the reason.

    Examples
    --------
    >>> Refusal(line=3, reason="loser is empty")
    Refusal(line=3, reason='loser is empty')
    """

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line:,}: {self.reason}"


@dataclass(frozen=True, eq=False)
class Reading:
    r"""The contents of a file.

    Attributes
    ----------
    preferences : Preferences
    path : Path
    format : str
        The name of the format, as `read_file` takes it.
    n_rows : int
        Rows in the file: those used, those rejected and those skipped.
    refusals : tuple of Refusal
        The rows that were not used, in the order of the file.
    columns : dict
        The column of each role, for instance ``{"better": "winner_name"}``.
    others : tuple of str
        The columns of comparisons that have no role and were not asked for.
    skipped : dict
        Rows that say nothing by themselves, counted by kind, for instance ``{"skip": 3}``.
    notes : tuple of str
        What a reader of the result should know: an encoding that was guessed, columns that were left out.
    doubts : tuple of str
        Where the file contradicts itself, for instance a header that counts other rows than there are; `read` warns.
    features : sparse array of shape (n, n_features), optional
        Where the format carries features (LETOR): one row a graded document.
    grades, qid : arrays of shape (n,), optional
        The grade and the query of each row of ``features``.
    ids : tuple of str, optional
        The document of each row of ``features``, where the file names them.
    labels : dict
        The text of each row of ``preferences`` in the columns that were asked for as labels, shape (n_rows,) each.
    ratings : pair of arrays of shape (n_ratings,), optional
        Where the format carries ratings (MovieLens): the number of the rated item, and the rating.

    Examples
    --------
    >>> import tempfile
    >>> from penchant.formats import read_file
    >>> place = Path(tempfile.mkdtemp()) / "votes.csv"
    >>> _ = place.write_text("winner,loser\ntea,coffee\ntea,\n")
    >>> reading = read_file(place)
    >>> reading.n_rows, len(reading.refusals), reading.preferences
    (2, 1, Preferences: 1 comparison of 2 items, connected)
    """

    preferences: Preferences
    path: Path
    format: str
    n_rows: int
    refusals: tuple[Refusal, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    features: csr_array | None = None
    grades: Floats | None = None
    qid: NDArray[Any] | None = None
    ids: tuple[str, ...] | None = None
    labels: Mapping[str, NDArray[np.object_]] = field(default_factory=dict)
    ratings: tuple[Ints, Floats] | None = None

    def __repr__(self) -> str:
        lines = [
            f"{self.path.name}: {counted(self.n_rows, 'row')} read as {self.format}, {self.preferences!r}"
        ]
        if self.columns:
            lines.append("columns: " + ", ".join(f"{role} = {name}" for role, name in self.columns.items()))
        lines += [f"{counted(number, 'row')} skipped: {kind}" for kind, number in self.skipped.items()]
        if self.refusals:
            lines.append(rejected_in_short(self.refusals))
        return "\n".join([*lines, *self.notes, *self.doubts])


@dataclass(frozen=True)
class Written:
    """The result of writing preferences to a file.

    Attributes
    ----------
    path : Path
    format : str
    n_rows : int
        Rows written, without a header.
    lost : tuple of str
        What the format cannot hold; empty if reading the file gives equal preferences.

    Examples
    --------
    >>> import tempfile
    >>> from penchant import Preferences
    >>> from penchant.formats import write_file
    >>> written = write_file(Preferences.from_pairs([("a", "b")]), Path(tempfile.mkdtemp()) / "votes.csv")
    >>> written.format, written.n_rows, written.lost
    ('pairs', 1, ())
    """

    path: Path
    format: str
    n_rows: int
    lost: tuple[str, ...] = ()


@dataclass(eq=False)
class Findings:
    """What is found in a file while it is read in one format."""

    source: Source
    format: str
    refusals: list[Refusal] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    others: dict[str, None] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    notes: dict[str, None] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    extra: Extra = NO_EXTRA
    labels: dict[str, NDArray[np.object_]] = field(default_factory=dict)

    def reject(self, line: int, reason: str) -> None:
        """Record that a row is not used, and why; too many such rows are an error."""
        limits = self.source.limits
        if len(self.refusals) >= limits.refused:
            raise limits.reject("refused", f"rows of {self.source.path} that cannot be used as {self.format}")
        self.refusals.append(Refusal(int(line), reason))

    def note(self, *notes: str) -> None:
        """Record what a reader of the result should know, each note once."""
        self.notes.update(dict.fromkeys(notes))

    def found(self, columns: Columns, names: Iterable[str], carried: Collection[str]) -> None:
        """Record the roles of columns among all ``names``, and which neither have one nor are carried."""
        roles = set(map(carried_role, carried))
        self.columns.update({role: name for role, name in columns.named.items() if role not in roles})
        used = {*columns.named.values(), *carried}
        self.others.update(dict.fromkeys(name for name in names if name not in used))
        self.note(*columns.notes)

    def doubt(self, *doubts: str) -> None:
        """Record where the file contradicts itself."""
        self.doubts += doubts

    def no_rows(self) -> NoRows:
        """Return the error, with the reasons, that no row can be used."""
        why = [rejected_in_short(sorted(self.refusals))] if self.refusals else []
        why += [f"{counted(number, 'row')} skipped: {kind}" for kind, number in self.skipped.items()]
        reasons = "; ".join(why) or "it has a header and no rows"
        remedy = Text("repair the rows, or give another ", Argument("format"), f" than {self.format!r}")
        error = NoRows.of(str(self.source.path), "hold at least one usable row", f"none ({reasons})", remedy)
        error.rejected = bool(self.refusals)
        return error

    def reading(self, preferences: Preferences, n_rows: int, **carried: object) -> Reading:
        """Return the result; ``carried`` are its features, grades, queries and ids."""
        return Reading(
            preferences,
            self.source.path,
            self.format,
            n_rows,
            refusals=tuple(sorted(self.refusals)),
            columns=self.columns,
            others=tuple(self.others),
            skipped=dict(self.skipped),
            notes=(*self.source.notes, *self.notes),
            doubts=tuple(self.doubts),
            labels=self.labels,
            **carried,  # type: ignore[arg-type]
        )


class Sieve:
    """The rows that are kept; each other row is rejected once, with the first reason against it."""

    def __init__(self, lines: Ints, findings: Findings) -> None:
        self.lines = lines
        self.kept = np.ones(len(lines), dtype=bool)
        self._findings = findings

    def reject(self, wrong: Bools, reason: str | Callable[[int], str]) -> None:
        """Drop the rows where ``wrong``, for a common ``reason`` or for ``reason(row)``."""
        for row in np.flatnonzero(wrong & self.kept):
            text = reason if isinstance(reason, str) else reason(int(row))
            self._findings.reject(self.lines[row], text)
        self.kept &= ~wrong

    def skip(self, dropped: Bools, kind: str) -> None:
        """Drop the rows where ``dropped``, and count them under the ``kind`` of rows that say nothing."""
        number = int((dropped & self.kept).sum())
        if number:
            self._findings.skipped[kind] += number
        self.kept &= ~dropped


def rejected_in_short(refusals: Sequence[Refusal]) -> str:
    """Return how many rows were rejected, with the first few reasons."""
    more = f"; and {len(refusals) - _LISTED:,} more" if len(refusals) > _LISTED else ""
    return f"{counted(len(refusals), 'row')} rejected: " + "; ".join(map(str, refusals[:_LISTED])) + more
