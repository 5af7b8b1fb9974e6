"""Answers as rows of numbers, which is all that a belief learns from.

The objects of 100,000 answers lie all over the memory, and reading them takes Python's lock for a quarter of a second;
the rows are one block, and each answer is encoded once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.preferences import OUTCOMES
from penchant.study.answers import Answer

Encoded = NDArray[np.void]
"""An array of `ANSWER`, one row an answer."""
ANSWER = np.dtype(
    [
        ("left", np.int32),
        ("right", np.int32),
        ("outcome", np.int8),
        ("weight", np.float64),
        ("judge", np.int32),
        ("sides", np.bool_),
    ]
)
"""The rows of the two items, the place of the choice in `penchant.preferences.OUTCOMES`, the weight, the number of the
judge, and whether it is known where the items stood."""
_CODES = {name: code for code, name in enumerate(OUTCOMES)}


class Encoder:
    """Translates the ids in answers into numbers.

    Parameters
    ----------
    rows : mapping of int
        The row of each item.

    Attributes
    ----------
    judges : dict of int
        The number of each judge, in the order in which they were met.

    Examples
    --------
    >>> from penchant.study.answers import Question
    >>> encoder = Encoder({"tea": 0, "coffee": 1})
    >>> rows = encoder([Answer("a-1", Question("q-1", "coffee", "tea", "ann"), "right")])
    >>> rows["left"].tolist(), rows["right"].tolist(), rows["outcome"].tolist(), encoder.judges
    ([1], [0], [1], {'ann': 0})
    """

    def __init__(self, rows: Mapping[str, int]) -> None:
        self._rows = rows
        self.judges: dict[str, int] = {}

    def __call__(self, answers: Sequence[Answer]) -> Encoded:
        """Return answers as rows of numbers."""
        return np.fromiter(map(self.one, answers), dtype=ANSWER, count=len(answers))

    def one(self, answer: Answer) -> tuple[Any, ...]:
        """Return the numbers of one answer, a row of `ANSWER`."""
        _, question, choice, weight, _, _, _, sides = answer
        judge = self.judges.setdefault(question.judge, len(self.judges))
        return self._rows[question.left], self._rows[question.right], _CODES[choice], weight, judge, sides


class GrowingRows:
    """The rows of answers that grow: each call encodes those that came since the last one.

    Parameters
    ----------
    encode : Encoder
    """

    def __init__(self, encode: Encoder) -> None:
        self._encode = encode
        self._rows = np.empty(64, dtype=ANSWER)
        self._count = 0

    def of(self, answers: Sequence[Answer], unchanged: int) -> Encoded:
        """Return the rows of all answers, which the next call may change: copy what is needed longer.

        Parameters
        ----------
        answers : sequence of Answer
        unchanged : int
            The first so many answers are those of the call before.
        """
        same, count = min(unchanged, self._count), len(answers)
        if count > len(self._rows):
            larger = np.empty(2 * count, dtype=ANSWER)
            larger[:same] = self._rows[:same]
            self._rows = larger
        if same == count - 1:  # after nearly every answer
            self._rows[same] = self._encode.one(answers[same])
        elif same < count:
            self._rows[same:count] = self._encode(answers[same:])
        self._count = count
        return self._rows[:count]
