"""Parse comparisons, one a row, from the cells of columns whose role is known.

Every column is kept as codes into the list of its distinct texts, so that each text is parsed once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Ints, shown
from penchant.errors import InvalidInput
from penchant.formats.parsing.blocks import Growing
from penchant.formats.parsing.columns import (
    BOTH_BAD,
    ITEM_ROLES,
    LEFT,
    OUTCOME_IS,
    RIGHT,
    SKIP,
    TIE,
    UNKNOWN_WORD,
    Columns,
    OutcomeWords,
    carried_role,
)
from penchant.formats.parsing.extra import NO_EXTRA
from penchant.formats.parsing.reading import Bools, Findings, Sieve
from penchant.formats.parsing.rows import NOBODY, Part
from penchant.preferences import BAR, OUTCOMES
from penchant.preferences.items import Vocabulary

_YES = {"true", "t", "yes", "y", "1", "1.0"}
_NO = {"false", "f", "no", "n", "0", "0.0"}
_MISSING = {"", "nan", "none", "<na>"}
_EMPTY, _WRONG = -1, -2

DOES_NOT_COUNT = "does not count"
"""Rows of a column ``live`` that is false: answers that were taken back, and those of judges who were set aside."""
Codes = NDArray[Any]
"""Small whole numbers, in as few bytes as they need."""
_LARGEST_PERIOD = 2**62


@dataclass(frozen=True)
class Cells:
    """One column: its distinct texts, and for each row the index of its text."""

    texts: list[str]
    codes: Ints

    def __getitem__(self, row: int) -> str:
        return self.texts[int(self.codes[row])]

    def each(self, convert: Callable[[str], Any], kind: type = np.float64) -> Any:
        """Return ``convert(text)`` for each row as an array of dtype ``kind``, computed once a distinct text."""
        return np.array([convert(text) for text in self.texts], dtype=kind)[self.codes]


class Table:
    """The columns of comparisons that have a role, taken in block by block.

    Parameters
    ----------
    columns : Columns
    places : dict
        The place of each role's cell in a row.
    """

    def __init__(self, columns: Columns, places: Mapping[str, int]) -> None:
        items = Vocabulary()
        self.columns, self.places = columns, places
        self._texts = {role: items if role in ITEM_ROLES else Vocabulary() for role in places}
        self._codes = {role: Growing(np.int32) for role in places}
        self._lines = Growing(np.int64)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._lines.size

    def add(self, lines: Sequence[int], rows: Sequence[Sequence[str]]) -> None:
        """Append rows of cells, each with its line in the file."""
        self._lines.extend(lines)
        for role, place in self.places.items():
            self._codes[role].extend(self._texts[role].codes(list(map(itemgetter(place), rows))))

    def add_coded(self, lines: Ints, columns: Mapping[int, tuple[list[str], Ints]]) -> None:
        """Append rows whose columns, by their place, are distinct texts and the index of each row's text."""
        self._lines.extend(lines)
        for role, place in self.places.items():
            texts, codes = columns[place]
            self._codes[role].extend(self._texts[role].codes(texts)[codes])

    def cells(self, clean: Callable[[str], str] = str) -> tuple[Ints, dict[str, Cells]]:
        """Return the line of each row, and the cells of each role, every text passed through ``clean``."""
        return self._lines.trimmed(), {
            role: Cells(list(map(clean, texts)), self._codes[role].trimmed())
            for role, texts in self._texts.items()
        }


@dataclass
class Comparing:
    """Parses tables of one file into rows with common ids and judges.

    ``outcome_is`` ("side" or "item") is what the words of an outcome column name, where both are possible.
    """

    findings: Findings
    ids: Vocabulary
    judges: Vocabulary
    outcome_is: str | None = None

    def __post_init__(self) -> None:
        if self.outcome_is not in (None, "side", "item"):
            raise InvalidInput(
                f"{OUTCOME_IS} must be 'side' or 'item', got {self.outcome_is!r}: give one of them"
            )

    def part(self, table: Table, clean: Callable[[str], str] = str) -> Part:
        """Return the rows of a table that can be used; reject the others.

        Parameters
        ----------
        clean : callable
            Applied to every text of the table.
        """
        columns, (lines, cells) = table.columns, table.cells(clean)
        sieve = Sieve(lines, self.findings)
        if "live" in cells:
            sieve.skip(_flags("live", cells, sieve) == 0, DOES_NOT_COUNT)
        roles = ("better", "worse") if "better" in cells else ("left", "right")
        for role in roles:
            column, name = cells[role], columns.named[role]
            sieve.reject(column.each(lambda text: not text.strip(), np.bool_), f"{name} is empty")
            sieve.reject(column.each(is_missing, np.bool_), _reason(f"{name} is missing", column))
            sieve.reject(~column.each(is_text, np.bool_), _reason(f"{name} is no valid text", column))
        first, second = (
            self.ids.codes(cells[role].texts).astype(np.int32)[cells[role].codes] for role in roles
        )
        sieve.reject(first == second, lambda row: f"{shown(cells[roles[0]][row])} is compared with itself")
        if "better" in cells:
            part = _decided(first, second, cells, sieve)
        else:
            outcome = self._outcomes(first, second, cells, columns, sieve)
            bar = self.ids[BAR] if (outcome == BOTH_BAD).any() else NOBODY
            part = _answered(first, second, outcome, bar, lines)
            skipped = int((sieve.kept & (outcome == SKIP)).sum())
            self.findings.skipped += Counter({OUTCOMES[SKIP]: skipped})
        if "weight" in cells:
            part.weight = cells["weight"].each(number)
            sieve.reject(~(part.weight > 0), _reason("weight must be a number above 0", cells["weight"]))
        if "judge" in cells:
            part.judge = cells["judge"].each(self._judge, np.int64)
        if "period" in cells:
            part.period = _periods(cells["period"], sieve)
        if self.findings.extra is not NO_EXTRA:
            self._carry(part, cells, sieve)
        kept = (
            sieve.kept
            if part.rows is None
            else sieve.kept & (np.bincount(part.rows, minlength=len(lines)) > 0)
        )
        return part if kept.all() else part.keep(kept)

    def _carry(self, part: Part, cells: Mapping[str, Cells], sieve: Sieve) -> None:
        """Add the covariates and labels that were asked for; reject rows in which a covariate is no number."""
        extra = self.findings.extra
        if extra.covariates:
            values = {}
            for name in extra.covariate_columns:
                column = cells[carried_role(name)]
                values[name] = column.each(covariate_number)
                sieve.reject(np.isnan(values[name]), _reason(f"{name} must be a number", column))
            covariates = extra.matrix(values)
            if "left" in cells and part.better_on_left is not None:  # given as left less right
                covariates *= np.array([-1.0, 1.0, 0.0])[part.better_on_left][:, None]
            part.covariates = covariates
        if extra.labels:
            columns = [cells[carried_role(name)].each(str.strip, object) for name in extra.labels]
            part.labels = np.column_stack(columns)

    def _judge(self, text: str) -> int:
        return self.judges[text] if not is_missing(text) and is_text(text) else NOBODY

    def _outcomes(
        self, first: Codes, second: Codes, cells: Mapping[str, Cells], columns: Columns, sieve: Sieve
    ) -> Codes:
        if "outcome" not in cells:
            return _by_score(cells, columns, sieve)
        outcome = cells["outcome"]
        words = OutcomeWords(columns.named["left"], columns.named["right"])
        by_word = outcome.each(words.code, np.int8)
        named = outcome.each(lambda text: self.ids.get(text, self.ids.get(text.strip(), NOBODY)), np.int32)
        by_item = np.full(len(named), UNKNOWN_WORD, dtype=np.int8)
        by_item[named == second] = RIGHT
        by_item[named == first] = LEFT
        if self._names_items(columns, by_word, by_item, named, outcome, sieve.kept):
            codes = np.where((by_item == UNKNOWN_WORD) & (by_word > RIGHT), by_word, by_item)
        else:
            codes = np.where(by_word == UNKNOWN_WORD, by_item, by_word)
        sieve.reject(outcome.each(lambda text: not text.strip(), np.bool_), "the outcome is empty")
        sieve.reject(
            codes == UNKNOWN_WORD,
            lambda row: (
                f"outcome {shown(outcome[row])} is neither one of {', '.join(OUTCOMES)} nor one of the two items"
            ),
        )
        return codes

    def _names_items(
        self, columns: Columns, by_word: Codes, by_item: Codes, named: Codes, outcome: Cells, kept: Bools
    ) -> bool:
        """Whether the outcome column names items, where its words could also be those for sides."""
        if self.outcome_is is not None:
            return self.outcome_is == "item"
        roles = ("left", "right", "outcome")
        if tuple(columns.named[role] for role in roles) == roles and set(outcome.texts) <= set(OUTCOMES):
            return False  # as `write` writes them
        differ = kept & (by_word != UNKNOWN_WORD) & (by_item != UNKNOWN_WORD) & (by_word != by_item)
        if not differ.any():
            return False
        only_item = (kept & (by_word == UNKNOWN_WORD) & (by_item != UNKNOWN_WORD)).any()
        only_side = (kept & (by_word != UNKNOWN_WORD) & (by_item == UNKNOWN_WORD) & (named != NOBODY)).any()
        if only_item == only_side:
            word = outcome[int(np.argmax(differ))]
            raise InvalidInput(
                f"outcome {shown(word)} must mean one thing, got an item and a side or answer of that name: "
                f"give {OUTCOME_IS}='item' or {OUTCOME_IS}='side'"
            )
        return bool(only_item)


def is_missing(text: str) -> bool:
    """Whether a cell is empty, or holds what pandas and Python write for a missing value.

    >>> [is_missing(text) for text in ("", " NaN", "None", "nano")]
    [True, True, True, False]
    """
    return text.strip().lower() in _MISSING


def is_text(text: str) -> bool:
    """Whether a text can be encoded: lone surrogates, which JSON may hold, cannot."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _decided(first: Codes, second: Codes, cells: Mapping[str, Cells], sieve: Sieve) -> Part:
    n_rows = len(first)
    tie = _flags("tie", cells, sieve) == 1 if "tie" in cells else np.zeros(n_rows, dtype=bool)
    levels = np.zeros((n_rows, 2), dtype=np.int8)
    levels[:, 1] = ~tie
    members = np.column_stack([first, second]).ravel()
    part = Part(sieve.lines, None, members, levels.ravel(), np.ones(n_rows, dtype=bool))
    if "better_on_left" in cells:
        part.better_on_left = _flags("better_on_left", cells, sieve).astype(np.int8)
    return part


def _answered(first: Codes, second: Codes, outcome: Codes, bar: int, lines: Ints) -> Part:
    """Return rows of which those answered "both bad" have the bar above the two, and skips have no members."""
    bad = outcome == BOTH_BAD
    if not (bad | (outcome == SKIP)).any():
        members, levels = (
            np.column_stack([first, second]),
            np.column_stack([outcome == RIGHT, outcome == LEFT]),
        )
        sides = (outcome != RIGHT).astype(np.int8)
        return Part(lines, None, members.ravel(), levels.ravel().view(np.int8), ~bad, better_on_left=sides)
    members = np.column_stack([np.full(len(first), bar), first, second])
    levels = np.column_stack([np.zeros_like(outcome), bad | (outcome == RIGHT), bad | (outcome == LEFT)])
    inside = np.column_stack([bad, outcome != SKIP, outcome != SKIP]).ravel()
    rows = np.repeat(np.arange(len(first)), 3)[inside]
    sides = np.where(bad | (outcome == SKIP), NOBODY, outcome != RIGHT).astype(np.int8)
    return Part(lines, rows, members.ravel()[inside], levels.ravel()[inside], ~bad, better_on_left=sides)


def _by_score(cells: Mapping[str, Cells], columns: Columns, sieve: Sieve) -> Ints:
    scores = []
    for role in ("left_score", "right_score"):
        score, name = cells[role].each(number), columns.named[role]
        sieve.reject(np.isnan(score), _reason(f"{name} must be a number", cells[role]))
        scores.append(score)
    return np.where(scores[0] == scores[1], TIE, np.where(scores[0] > scores[1], LEFT, RIGHT))


def _reason(what: str, column: Cells) -> Callable[[int], str]:
    return lambda row: f"{what}, got {shown(column[row])}"


def _flags(role: str, cells: Mapping[str, Cells], sieve: Sieve) -> Ints:
    flags: Ints = cells[role].each(flag, np.int64)
    sieve.reject(flags == _WRONG, _reason(f"{role} must be true, false or empty", cells[role]))
    return flags


def _periods(column: Cells, sieve: Sieve) -> Ints:
    sieve.reject(
        column.each(lambda text: period(text) is None, np.bool_),
        _reason("period must be a whole number or a date like 2024-12-31", column),
    )
    periods: Ints = column.each(lambda text: period(text) or 0, np.int64)
    return periods


def number(text: str) -> float:
    """Return a finite number, NaN for anything else.

    >>> number("2.5"), number("inf"), number("1_000"), number("")
    (2.5, nan, nan, nan)
    """
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) and "_" not in text else math.nan


def covariate_number(text: str) -> float:
    """Return a finite number, 1 and 0 for yes and no, NaN for anything else."""
    value = number(text)
    return float(answer) if math.isnan(value) and (answer := flag(text)) >= 0 else value


def flag(text: str) -> int:
    """Return 1 for yes, 0 for no, -1 for an empty cell, -2 for anything else."""
    word = text.strip().lower()
    if not word:
        return _EMPTY
    return 1 if word in _YES else 0 if word in _NO else _WRONG


def period(text: str) -> int | None:
    """Return a whole number, or a date as its day counted from the year 1; None for anything else."""
    word = text.strip()
    try:
        value = int(word)
        return value if abs(value) < _LARGEST_PERIOD and "_" not in word else None
    except ValueError:
        pass
    try:
        return date.fromisoformat(word).toordinal() if len(word) == 10 else None
    except ValueError:
        return None
