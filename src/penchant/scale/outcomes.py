"""Decide what the words of outcomes mean for all partitions together, as `penchant.read` decides it for one file.

A word like ``a`` or ``1`` may name a side, or an item that is called so. Where both are possible in some row, the other
rows decide; those may be in other partitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import shown
from penchant.errors import Argument, InvalidInput, Text
from penchant.formats import Reading, frames, jsonl, pairs, parquet
from penchant.formats.parsing.columns import OUTCOME_IS, UNKNOWN_WORD, Columns, OutcomeWords, columns_among
from penchant.formats.parsing.comparisons import Cells, Comparing, Table
from penchant.formats.parsing.csv_rows import blocks, csv_rows, header_row, unprotected
from penchant.formats.parsing.extra import extra_columns
from penchant.formats.parsing.json_text import JsonDecoder
from penchant.formats.parsing.objects import Objects
from penchant.formats.parsing.reading import Bools, Findings
from penchant.formats.parsing.source import Source
from penchant.formats.recognition import format_named, format_of
from penchant.frames import as_frame
from penchant.preferences import OUTCOMES
from penchant.preferences.items import Vocabulary
from penchant.scale.partitions import named_errors

_AS_WRITTEN = ("left", "right", "outcome")


class Evidence(NamedTuple):
    """What rows tell about the words in their outcomes.

    Attributes
    ----------
    is_written : bool
        Whether columns and words are those that `penchant.write` uses.
    differs : tuple of str
        At most one word that means a side or answer, and names an item of its row that it does not mean.
    only_item : bool
        Whether some word is only that of an item of its row.
    sides : frozenset of str
        Words of sides or answers that name no item of their row.
    ids : frozenset of str
        The ids of items that are such words.
    """

    is_written: bool = True
    differs: tuple[str, ...] = ()
    only_item: bool = False
    sides: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()

    def plus(self, other: Evidence) -> Evidence:
        """Return what both tell together."""
        return Evidence(
            self.is_written and other.is_written,
            (*self.differs, *other.differs)[:1],
            self.only_item or other.only_item,
            self.sides | other.sides,
            self.ids | other.ids,
        )


def meaning(evidence: Sequence[Evidence]) -> str | None:
    """Return "item" or "side", which words name in all rows; None where each means one thing anyway.

    Examples
    --------
    >>> unclear = Evidence(is_written=False, differs=("a",))
    >>> meaning([unclear, Evidence(only_item=True)])
    'item'
    """
    found = Evidence()
    for each in evidence:
        found = found.plus(each)
    if not found.differs:
        return None
    if found.is_written:
        return "side"
    only_side = any(word in found.ids or word.strip() in found.ids for word in found.sides)
    if found.only_item == only_side:
        raise InvalidInput(
            Text(
                f"outcome {shown(found.differs[0])} must mean one thing in all partitions, got an item and a side or "
                "answer of that name: give ",
                *(Argument(OUTCOME_IS, "item"), " or ", Argument(OUTCOME_IS, "side")),
            )
        )
    return "item" if found.only_item else "side"


def may_be_unclear(reading: Reading) -> bool:
    """Whether an item of a partition is called like an outcome of its columns."""
    named = reading.columns
    if "outcome" not in named:
        return False
    words = OutcomeWords(named["left"], named["right"])
    return any(words.code(name) != UNKNOWN_WORD for name in reading.preferences.items)


def outcome_evidence(name: str, parts: tuple[Any, ...], options: Mapping[str, Any]) -> Evidence | None:
    """Read a partition on a worker for what it tells about outcomes; None where it has no words of outcomes."""
    (given,) = parts
    with named_errors(name):
        if isinstance(given, str):
            return _of_file(given, dict(options))
        if isinstance(given, Mapping) or hasattr(given, "columns"):
            return _of_table(given, options)
        return None


def _of_file(path: str, options: dict[str, Any]) -> Evidence | None:
    limits = options.pop("limits", None)
    source, given = Source.of(path, limits), options.pop("format", None)
    chosen = format_of(source) if given is None else format_named(given)
    options.pop("strict", None)
    watching = _Watching.of(source, chosen.name)
    if chosen.name == pairs.NAME:
        watching.part(_table(source, watching.findings, options), unprotected)
    elif chosen.name in (jsonl.NAME, parquet.NAME):
        objects = Objects(watching.findings, options, watching)
        if chosen.name == parquet.NAME:
            for _ in parquet.add_rows(lambda: objects, source, options):
                pass
        else:
            with source.open_text() as file:
                for line, value in jsonl.objects_in(file, JsonDecoder(source.limits), watching.findings):
                    if value is not jsonl.REJECTED:
                        objects.add(line, value)
        objects.comparisons()
    return watching.evidence


def _table(source: Source, findings: Findings, options: dict[str, Any]) -> Table:
    """Return the rows of a CSV file."""
    header = options.pop("header", True)
    with csv_rows(source) as reader:
        top = header_row(reader, source)
        names = [unprotected(name) for name in top] if header else [str(i + 1) for i in range(len(top))]
        columns = pairs.columns_of(names, header, options, findings)
        table = Table(columns, {role: names.index(name) for role, name in columns.named.items()})
        if not header:
            table.add([1], [top])
        for lines, rows in blocks(reader, len(names), findings):
            table.add(lines, rows)
    return table


def _of_table(table: Any, options: Mapping[str, Any]) -> Evidence | None:
    """Return what a table tells, whose columns are found as `read_frame` finds them."""
    frame = as_frame(table)
    names = [str(name) for name in getattr(frame, "columns", frame)]
    columns = columns_among(names, options, extra_columns(names, options).columns)
    watching = _Watching.of(Source(Path("the table")), "frame")
    if columns is not None:
        watching.part(frames._Table(columns, frame))  # type: ignore[arg-type]
    return watching.evidence


@dataclass
class _Watching(Comparing):
    """Parses rows for what their outcomes tell; the meaning that it gives to words is not used."""

    evidence: Evidence | None = None

    @classmethod
    def of(cls, source: Source, format: str) -> _Watching:
        return cls(Findings(source, format), Vocabulary(), Vocabulary())

    def _names_items(
        self, columns: Columns, by_word: Any, by_item: Any, named: Any, outcome: Cells, kept: Bools
    ) -> bool:
        words = OutcomeWords(columns.named["left"], columns.named["right"])
        is_word, is_item = kept & (by_word != UNKNOWN_WORD), kept & (by_item != UNKNOWN_WORD)
        differ = is_word & is_item & (by_word != by_item)
        sides = np.unique(outcome.codes[is_word & ~is_item])
        found = Evidence(
            tuple(columns.named[role] for role in _AS_WRITTEN) == _AS_WRITTEN
            and set(outcome.texts) <= set(OUTCOMES),
            (outcome[int(np.argmax(differ))],) if differ.any() else (),
            bool((is_item & ~is_word).any()),
            frozenset(outcome.texts[code] for code in sides.tolist()),
            frozenset(name for name in self.ids if words.code(name) != UNKNOWN_WORD),
        )
        self.evidence = found if self.evidence is None else self.evidence.plus(found)
        return False
