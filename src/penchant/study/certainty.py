"""How the certainty of a ranking grew with the number of answers, measured against the goal of its study."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.ask import settled
from penchant.ask.stopping import GOALS, MOST_ITEMS
from penchant.checks import Ints, whole
from penchant.study.active import without_retired
from penchant.study.answers import Answer
from penchant.study.starting import ModelStart

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_POINTS = 50
_DRAWS = 1000


@dataclass(frozen=True)
class Certainty:
    """How near the ranking was to its goal after some numbers of answers.

    Attributes
    ----------
    goal : {"order", "exact", "top"}
    level : float
        What is enough.
    answers : tuple of int
        Numbers of answers, skips left out, the last one all of them.
    values, errors : tuples of float
        The expected Kendall correlation or the probability after so many answers, and its standard error.
    """

    goal: str
    level: float
    answers: tuple[int, ...]
    values: tuple[float, ...]
    errors: tuple[float, ...]

    def to_frame(self) -> DataFrame:
        """Return the curve as a pandas frame, one row a number of answers."""
        from pandas import DataFrame

        return DataFrame({"answers": self.answers, "value": self.values, "error": self.errors})

    def to_json(self) -> str:
        """Return the curve as JSON text."""
        return json.dumps(asdict(self), allow_nan=False, indent=2)


def certainty(
    start: ModelStart,
    answers: Sequence[Answer],
    retired: Ints,
    settings: Mapping[str, Any],
    points: int = 12,
) -> Certainty:
    """Return how near the ranking was to its goal after some of the first answers.

    The belief is started anew from the first answers at each number. Where there are too many items to evaluate the
    goal, the curve is empty.

    Parameters
    ----------
    start : ModelStart
    answers : sequence of Answer
        That count, without skips.
    retired : int array
        The rows of the items that are not ranked.
    settings : mapping
        Those of the study.
    points : int
        At how many numbers of answers, at most.
    """
    whole("points", points, 1, MOST_POINTS, remedy="12 is usual")
    goal, top = settings["goal"], settings["top"]
    active = len(start.ids) - len(retired)
    counts: list[int] = []
    if active > 1 and answers and (active <= MOST_ITEMS or top is not None):
        least = min(len(answers), max(1, active // 2))
        counts = sorted({int(count) for count in np.linspace(len(answers), least, points).round()})
    found = []
    for count in counts:
        belief = without_retired(start(answers[:count]), retired)
        found.append(settled(belief, goal=goal, top=top, remaining=False, draws=_DRAWS, answers=count))
    return Certainty(
        goal,
        GOALS[goal],
        tuple(counts),
        tuple(float(each.value) for each in found),
        tuple(float(each.error) for each in found),
    )
