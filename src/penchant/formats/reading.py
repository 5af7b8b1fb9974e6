"""What came of reading or writing a file. Rows, refusals and losses in; one result each out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from penchant.errors import Argument, InvalidInput, Text
from penchant.formats.files import Source
from penchant.preferences import Preferences

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from penchant.checks import Floats, Ints

SHOWN = 3


class Wrong(Exception):
    """Says why a row cannot be used."""


@dataclass(frozen=True, order=True)
class Refusal:
    """A row that was not used: where it stands and why."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line:,}: {self.reason}"


@dataclass(frozen=True, eq=False)
class Reading:
    """What a file held.

    Attributes
    ----------
    preferences : Preferences
    path : Path
    format : str
        The name of the format, as `read_file` takes it.
    n_rows : int
        Rows met in the file: those used, those refused and those skipped.
    refusals : tuple of Refusal
        The rows that were not used, in the order of the file.
    columns : dict
        Which column played which role, for instance ``{"better": "winner_name"}``.
    skipped : dict
        Rows that say nothing by themselves, counted by kind, for instance ``{"skip": 3}``.
    notes : tuple of str
        What a reader of the result should know: an encoding that was guessed, columns that were left out.
    features : sparse array of shape (n, n_features), optional
        Where the format carries features (LETOR): one row a graded document.
    grades, qid : arrays of shape (n,), optional
        The grade and the query of each row of ``features``.
    ids : tuple of str, optional
        The document of each row of ``features``, where the file names them.
    """

    preferences: Preferences
    path: Path
    format: str
    n_rows: int
    refusals: tuple[Refusal, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    features: csr_array | None = None
    grades: Floats | None = None
    qid: Ints | None = None
    ids: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        told = [
            f"{self.path.name}: {counted(self.n_rows, 'row')} read as {self.format}, {self.preferences!r}"
        ]
        if self.columns:
            told.append("columns: " + ", ".join(f"{role} = {name}" for role, name in self.columns.items()))
        told += [f"{counted(number, 'row')} skipped: {kind}" for kind, number in self.skipped.items()]
        if self.refusals:
            told.append(refused_in_short(self.refusals))
        return "\n".join([*told, *self.notes])


@dataclass(frozen=True)
class Written:
    """What became of preferences in a file.

    Attributes
    ----------
    path : Path
    format : str
    n_rows : int
        Rows written, without a header.
    lost : tuple of str
        What the format could not carry; empty if the file says all that the preferences say.
    """

    path: Path
    format: str
    n_rows: int
    lost: tuple[str, ...] = ()


class Findings:
    """What is found out about a file while it is read."""

    def __init__(self, source: Source, format: str) -> None:
        self.path = source.path
        self.limits = source.limits
        self.format = format
        self.refusals: list[Refusal] = []
        self.columns: dict[str, str] = {}
        self.skipped: Counter[str] = Counter()
        self.notes: dict[str, None] = {}

    def refuse(self, line: int, reason: str) -> None:
        """Keep that a row is not used, and why; too many such rows are an error."""
        if len(self.refusals) >= self.limits.refused:
            raise self.limits.reject("refused", f"rows of {self.path} that cannot be used as {self.format}")
        self.refusals.append(Refusal(int(line), reason))

    def note(self, *notes: str) -> None:
        """Keep what a reader of the result should know, each thing once."""
        self.notes.update(dict.fromkeys(notes))

    def require_rows(self, n_usable: int) -> None:
        """Refuse the file if nothing in it can be used, and say what stands in the way."""
        if n_usable:
            return
        why = [refused_in_short(sorted(self.refusals))] if self.refusals else []
        why += [f"{counted(number, 'row')} skipped: {kind}" for kind, number in self.skipped.items()]
        told = "; ".join(why) or "it has a header and no rows"
        remedy = Text("repair the rows, or give another ", Argument("format"), f" than {self.format!r}")
        raise InvalidInput.of(str(self.path), "hold at least one usable row", f"none ({told})", remedy)

    def reading(self, preferences: Preferences, n_rows: int, **carried: object) -> Reading:
        """Return what came of it all."""
        return Reading(
            preferences,
            self.path,
            self.format,
            n_rows,
            refusals=tuple(sorted(self.refusals)),
            columns=self.columns,
            skipped=dict(self.skipped),
            notes=tuple(self.notes),
            **carried,  # type: ignore[arg-type]
        )


def refused_in_short(refusals: Iterable[Refusal]) -> str:
    """Return how many rows were refused, with the first few reasons."""
    told = list(refusals)
    more = f"; and {len(told) - SHOWN:,} more" if len(told) > SHOWN else ""
    return f"{counted(len(told), 'row')} refused: " + "; ".join(map(str, told[:SHOWN])) + more


def counted(number: int, noun: str) -> str:
    """Return for instance "1 row" or "1,000 rows"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
