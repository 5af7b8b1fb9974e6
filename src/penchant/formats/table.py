"""One comparison a row. Cells of columns whose role is known in, rows or refusals out.

Every column is kept as numbers into a list of its different texts, so that each text is looked at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints, shown
from penchant.errors import InvalidInput
from penchant.formats.columns import OUTCOME_IS, Columns
from penchant.formats.draft import NOBODY, Bools, Part, Sieve, Vocabulary
from penchant.formats.outcomes import BOTH_BAD, LEFT, RIGHT, SKIP, TIE, UNKNOWN_WORD, OutcomeWords
from penchant.formats.reading import Findings
from penchant.preferences import BAR, OUTCOMES

_YES = {"true", "t", "yes", "y", "1", "1.0"}
_NO = {"false", "f", "no", "n", "0", "0.0"}
_EMPTY, _WRONG = -1, -2
_LARGEST_PERIOD = 2**62


@dataclass(frozen=True)
class Cells:
    """One column: the different texts that stand in it, and for each row which."""

    texts: list[str]
    codes: Ints

    def __getitem__(self, row: int) -> str:
        return self.texts[int(self.codes[row])]

    def each(self, told: Callable[[str], float]) -> Floats:
        """Return a number for each row, computed once for each different text."""
        return np.array([told(text) for text in self.texts], dtype=np.float64)[self.codes]

    def codes_of(self, told: Callable[[str], int]) -> Ints:
        """Return a whole number for each row, computed once for each different text."""
        return np.array([told(text) for text in self.texts], dtype=np.int64)[self.codes]

    def where(self, holds: Callable[[str], bool]) -> Bools:
        """Return for each row whether something holds of its text."""
        return np.array([holds(text) for text in self.texts], dtype=bool)[self.codes]


@dataclass
class Comparing:
    """Turns cells into rows, as often as there are blocks of them, all with the same ids and judges.

    ``outcome_is`` ("side" or "item") says what the words of an outcome column name, where both could be meant.
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

    def part(self, columns: Columns, cells: Mapping[str, Cells], lines: Ints) -> Part:
        """Return the rows that can be used; the others are refused.

        Parameters
        ----------
        columns : Columns
        cells : dict of Cells by role
        lines : array of shape (n,)
            Where each row stands in the file.
        """
        sieve = Sieve(lines, self.findings)
        roles = ("better", "worse") if "better" in columns else ("left", "right")
        for role in roles:
            _require_ids(cells[role], columns.named[role], sieve)
        first, second = (self.ids.codes(cells[role].texts)[cells[role].codes] for role in roles)
        sieve.refuse(first == second, lambda row: f"{shown(cells[roles[0]][row])} is compared with itself")
        if "better" in columns:
            part = _decided(first, second, cells, sieve)
        else:
            said = self._said(first, second, cells, columns, sieve)
            part = _answered(first, second, said, self.ids[BAR] if (said == BOTH_BAD).any() else -1, lines)
            self._count_skips(said, sieve)
        part.weight = _weights(cells, sieve)
        part.judge = _judges(cells, self.judges)
        part.period = _periods(cells, sieve)
        return part.keep(sieve.kept & (np.bincount(part.rows, minlength=len(part)) > 0))

    def _count_skips(self, said: Ints, sieve: Sieve) -> None:
        number = int((sieve.kept & (said == SKIP)).sum())
        if number:
            self.findings.skipped[OUTCOMES[SKIP]] += number

    def _said(
        self, first: Ints, second: Ints, cells: Mapping[str, Cells], columns: Columns, sieve: Sieve
    ) -> Ints:
        if "outcome" not in columns:
            return _by_score(cells, columns, sieve)
        outcome = cells["outcome"]
        words = OutcomeWords(columns.named["left"], columns.named["right"])
        by_word = outcome.codes_of(words.code)
        named = outcome.codes_of(lambda text: self.ids.get(text, self.ids.get(text.strip(), NOBODY)))
        by_item = np.where(named == first, LEFT, np.where(named == second, RIGHT, UNKNOWN_WORD))
        if self._names_items(by_word, by_item, named, outcome, sieve.kept):
            said = np.where((by_item == UNKNOWN_WORD) & (by_word > RIGHT), by_word, by_item)
        else:
            said = np.where(by_word == UNKNOWN_WORD, by_item, by_word)
        sieve.refuse(outcome.where(lambda text: not text.strip()), lambda row: "the outcome is empty")
        sieve.refuse(
            said == UNKNOWN_WORD,
            lambda row: (
                f"outcome {shown(outcome[row])} is neither one of {', '.join(OUTCOMES)} nor one of the two items"
            ),
        )
        return said

    def _names_items(self, by_word: Ints, by_item: Ints, named: Ints, outcome: Cells, kept: Bools) -> bool:
        """Whether the outcome column speaks of items where its words could also be those for sides."""
        if self.outcome_is is not None:
            return self.outcome_is == "item"
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


def _require_ids(column: Cells, name: str, sieve: Sieve) -> None:
    sieve.refuse(column.where(lambda text: not text.strip()), lambda row: f"{name} is empty")
    sieve.refuse(~column.where(is_text), lambda row: f"{name} is no valid text, got {shown(column[row])}")


def is_text(text: str) -> bool:
    """Whether a text can be written to a file: halves of a character, as JSON may hold, cannot."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _decided(first: Ints, second: Ints, cells: Mapping[str, Cells], sieve: Sieve) -> Part:
    n_rows = len(first)
    tie = _flags("tie", cells, sieve) == 1 if "tie" in cells else np.zeros(n_rows, dtype=bool)
    levels = np.zeros((n_rows, 2), dtype=np.int64)
    levels[:, 1] = ~tie
    members = np.column_stack([first, second]).ravel()
    rows = np.repeat(np.arange(n_rows), 2)
    part = Part(sieve.lines, rows, members, levels.ravel(), np.ones(n_rows, dtype=bool))
    if "better_on_left" in cells:
        part.better_on_left = _flags("better_on_left", cells, sieve).astype(np.int8)
    return part


def _answered(first: Ints, second: Ints, said: Ints, bar: int, lines: Ints) -> Part:
    """Return rows of which those said to be both bad have the bar above the two, and skips have no members."""
    bad = said == BOTH_BAD
    members = np.column_stack([np.full(len(first), bar), first, second])
    levels = np.column_stack([np.zeros_like(said), bad | (said == RIGHT), bad | (said == LEFT)])
    inside = np.column_stack([bad, said != SKIP, said != SKIP]).ravel()
    rows = np.repeat(np.arange(len(first)), 3)[inside]
    sides = np.where(bad | (said == SKIP), NOBODY, said != RIGHT).astype(np.int8)
    return Part(lines, rows, members.ravel()[inside], levels.ravel()[inside], ~bad, better_on_left=sides)


def _by_score(cells: Mapping[str, Cells], columns: Columns, sieve: Sieve) -> Ints:
    scores = []
    for role in ("left_score", "right_score"):
        score, name = cells[role].each(number), columns.named[role]
        sieve.refuse(np.isnan(score), _reason(f"{name} must be a number", cells[role]))
        scores.append(score)
    return np.where(scores[0] == scores[1], TIE, np.where(scores[0] > scores[1], LEFT, RIGHT))


def _reason(what: str, column: Cells) -> Callable[[int], str]:
    return lambda row: f"{what}, got {shown(column[row])}"


def _flags(role: str, cells: Mapping[str, Cells], sieve: Sieve) -> NDArray[np.int64]:
    told = cells[role].codes_of(flag)
    sieve.refuse(told == _WRONG, _reason(f"{role} must be true, false or empty", cells[role]))
    return told


def _weights(cells: Mapping[str, Cells], sieve: Sieve) -> Floats | None:
    if "weight" not in cells:
        return None
    weight = cells["weight"].each(number)
    sieve.refuse(~(weight > 0), _reason("weight must be a number above 0", cells["weight"]))
    return weight


def _judges(cells: Mapping[str, Cells], judges: Vocabulary) -> Ints | None:
    if "judge" not in cells:
        return None
    return cells["judge"].codes_of(lambda text: judges[text] if text.strip() and is_text(text) else NOBODY)


def _periods(cells: Mapping[str, Cells], sieve: Sieve) -> Ints | None:
    if "period" not in cells:
        return None
    column = cells["period"]
    sieve.refuse(
        column.where(lambda text: period(text) is None),
        _reason("period must be a whole number or a date like 2024-12-31", column),
    )
    return column.codes_of(lambda text: period(text) or 0)


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
