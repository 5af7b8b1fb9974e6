"""The answers of a study as columns of numbers, from which checks and explanations are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints, positive, same_length
from penchant.counts import Count, are_whole
from penchant.preferences import OUTCOMES, Items, Preferences
from penchant.preferences.columns import judge_codes, outcome_codes
from penchant.preferences.items import Column

LEFT, RIGHT, TIE, BOTH_BAD, SKIP = range(len(OUTCOMES))
BAR_ROW = -1
"""The row of the bar that both items of a both-bad answer lose to, in contributions to a difference."""


@dataclass(frozen=True, eq=False, repr=False)
class AnswerColumns:
    """Answers in the order of the log, one entry an answer. Build them with `AnswerColumns.of`.

    Attributes
    ----------
    items : tuple of n ids
    lengths : int array of shape (n,)
        How many characters are shown of each item.
    left, right : int arrays of shape (m,)
        Rows of the items that were shown.
    choice : int array of shape (m,)
        Indices into `penchant.preferences.OUTCOMES`.
    judge : int array of shape (m,)
        Indices into ``judges``; -1 where nobody is named.
    judges : tuple of str
        Sorted.
    seconds : array of shape (m,)
        From the question to its answer; NaN where that is not known.
    repeats : int array of shape (m,)
        The row of the earlier answer to the question that this one repeats; -1 where it repeats none.
    weight : array of shape (m,)
        How many answers each one is.
    sides : bool array of shape (m,)
        Whether it is known that left and right are where the items stood.

    Examples
    --------
    >>> columns = AnswerColumns.of(["a", "b", "a"], ["b", "a", "c"], ["left", "right", "tie"], items="abc")
    >>> columns.totals(0, 1), columns.totals(1, 0), columns.totals(2, 0)
    ((2, 0, 0), (0, 2, 0), (0, 0, 1))
    """

    items: tuple[str, ...]
    lengths: Ints
    left: Ints
    right: Ints
    choice: Ints
    judge: Ints
    judges: tuple[str, ...]
    seconds: Floats
    repeats: Ints
    weight: Floats
    sides: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        left: Sequence[str],
        right: Sequence[str],
        choice: Sequence[str],
        *,
        items: Iterable[str],
        judge: Column | None = None,
        seconds: Sequence[float | None] | None = None,
        question: Sequence[str] | None = None,
        repeats: Sequence[str | None] | None = None,
        lengths: Sequence[int] | None = None,
        weight: Sequence[float] | None = None,
        sides: Sequence[bool] | None = None,
    ) -> AnswerColumns:
        """Encode answers.

        Parameters
        ----------
        left, right : sequences of m ids
        choice : sequence of m outcomes
        items : iterable of n ids
            Those that the answers are about, and others.
        judge : sequence of m names, optional
        seconds : sequence of m numbers, optional
            From the question to its answer; None or a negative one (of a clock that was set back) is not known.
        question, repeats : sequences of m ids, optional
            Of the question that was answered, and of the earlier question that this one repeats, or None.
        lengths : sequence of n counts, optional
            How many characters are shown of each item; 0 unless given.
        weight : sequence of m numbers above 0, optional
            How many answers each one is; 1 unless given.
        sides : sequence of m bools, optional
            Whether left and right are where the items stood; True unless given.
        """
        catalogue, n_rows = Items.named(items), len(left)
        columns = {"right": right, "choice": choice, "seconds": seconds, "repeats": repeats, "sides": sides}
        for name, column in columns.items():
            if column is not None:
                same_length(name, column, n_rows)
        codes, judges = judge_codes(judge, n_rows)
        if lengths is not None:
            same_length("lengths", lengths, catalogue.count)
        return cls(
            items=catalogue.ids,
            lengths=np.asarray([0] * catalogue.count if lengths is None else lengths, dtype=np.int64),
            left=catalogue.encode(left),
            right=catalogue.encode(right),
            choice=outcome_codes(choice).astype(np.int64),
            judge=np.full(n_rows, -1) if codes is None else codes,
            judges=judges,
            seconds=_durations(seconds, n_rows),
            repeats=_repeated_rows(question, repeats, n_rows),
            weight=np.ones(n_rows) if weight is None else positive("weight", weight, length=n_rows),
            sides=np.ones(n_rows, dtype=np.bool_) if sides is None else np.array(sides, dtype=np.bool_),
        )

    def __len__(self) -> int:
        return len(self.left)

    def __repr__(self) -> str:
        return f"AnswerColumns({len(self):,} answers about {len(self.items):,} items)"

    @cached_property
    def decided(self) -> NDArray[np.bool_]:
        """Which answers are left or right."""
        found: NDArray[np.bool_] = self.choice <= RIGHT
        return found

    @cached_property
    def pair(self) -> Ints:
        """A number of the pair of each answer, the same whichever of the two was on the left, shape (m,)."""
        return np.minimum(self.left, self.right) * len(self.items) + np.maximum(self.left, self.right)

    def preferences(self, rows: NDArray[np.bool_] | None = None) -> Preferences:
        """Return the decided answers, of those where ``rows`` is true; the items are rows, and sides are left out."""
        kept = self.decided if rows is None else self.decided & rows
        won = self.choice[kept] == LEFT
        left, right = self.left[kept], self.right[kept]
        pairs = np.stack([np.where(won, left, right), np.where(won, right, left)], axis=1)
        weight = None if (self.weight == 1).all() else self.weight[kept]
        return Preferences.from_pairs(pairs, weight=weight, items=range(len(self.items)))

    def totals(self, first: int, second: int) -> tuple[Count, Count, Count]:
        """Return how often the item at row ``first`` was preferred to ``second``, how often not, and how often tied.

        Weights count. Where ``second`` is `BAR_ROW`, it lost as often as it was in a both-bad answer.
        """
        if second == BAR_ROW:
            bad = (self.choice == BOTH_BAD) & ((self.left == first) | (self.right == first))
            return 0, self._count(bad), 0
        ahead, behind = ((self.left == x) & (self.right == y) for x, y in ((first, second), (second, first)))
        won, lost, tied = (
            self._count((ahead & (self.choice == forward)) | (behind & (self.choice == backward)))
            for forward, backward in ((LEFT, RIGHT), (RIGHT, LEFT), (TIE, TIE))
        )
        return won, lost, tied

    def _count(self, rows: NDArray[np.bool_]) -> Count:
        total = float(self.weight[rows].sum())
        return round(total) if are_whole(self.weight) else total


def _durations(seconds: Sequence[float | None] | None, n_rows: int) -> Floats:
    if seconds is None:
        return np.full(n_rows, np.nan)
    found = np.array(seconds, dtype=np.float64)  # None becomes NaN
    found[found < 0] = np.nan
    return found


def _repeated_rows(question: Sequence[str] | None, repeats: Sequence[str | None] | None, n_rows: int) -> Ints:
    """Return the row that answered the question that each answer's own question repeats, -1 for none."""
    if question is None or repeats is None:
        return np.full(n_rows, -1)
    same_length("question", question, n_rows)
    row = {asked: number for number, asked in enumerate(question)}
    return np.array([-1 if asked is None else row.get(asked, -1) for asked in repeats], dtype=np.int64)
