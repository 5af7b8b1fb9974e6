"""How the certainty of a ranking grew with the number of answers, measured against the goal of its study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from penchant.ask import settled
from penchant.ask.stopping import GOALS, MOST_ITEMS
from penchant.belief import Belief
from penchant.checks import Ints, whole
from penchant.study.active import without_retired
from penchant.study.answers import Answer
from penchant.study.encoding import Encoded
from penchant.study.starting import ModelStart
from penchant.study_reports import Certainty

MOST_POINTS = 50
_DRAWS = 1000
Point = tuple[float, float]
"""The value after some answers, and its standard error."""


class Points:
    """The points of a curve that were computed, each for the answers that it was computed from.

    Answers that are added, and those that come or go behind a point, leave it as it is.
    """

    def __init__(self) -> None:
        self._about: object = None
        self._kept: dict[tuple[int, int], Point] = {}

    def get(self, about: object, digests: Mapping[int, int]) -> dict[int, Point]:
        """Return the points that are kept, by number of answers.

        Parameters
        ----------
        about : object
            What the points depend on besides the answers; those of anything else are dropped.
        digests : mapping of int
            For each number of answers a digest of those answers.
        """
        if about != self._about:
            self._about, self._kept = about, {}
        return {
            count: self._kept[count, digest]
            for count, digest in digests.items()
            if (count, digest) in self._kept
        }

    def keep(self, about: object, digests: Mapping[int, int], found: Mapping[int, Point]) -> None:
        """Keep points for later calls, and not many more than one curve has."""
        if about == self._about:
            self._kept |= {(count, digests[count]): point for count, point in found.items()}
            for key in list(self._kept)[: -2 * MOST_POINTS]:
                del self._kept[key]


def curve_of(goal: str, points: Mapping[int, Point], pending: int = 0) -> Certainty:
    """Return the curve through some points, of which so many more are still to be computed."""
    counts = sorted(points)
    values, errors = (tuple(points[count][part] for count in counts) for part in (0, 1))
    return Certainty(goal, GOALS[goal], tuple(counts), values, errors, pending)


def counts_of(total: int, first: int, points: int) -> list[int]:
    """Return up to ``points`` numbers of answers, the last one ``total`` and most of them multiples of one step.

    The step doubles as the answers grow, so that later curves have the points of earlier ones.

    Examples
    --------
    >>> counts_of(50, 3, 6), counts_of(100, 3, 6), counts_of(3, 3, 6)
    ([3, 12, 24, 36, 48, 50], [3, 24, 48, 72, 96, 100], [3])
    """
    if points < 3 or total <= first:
        return sorted({min(first, total), total})[-points:]
    step = first
    while (total - 1) // step > points - 2:
        step *= 2
    return [*sorted({first, *range(step, total, step)}), total][-points:]


def digests_of(answers: Sequence[Answer], counts: Sequence[int]) -> dict[int, int]:
    """Return for each count a digest of so many first answers: two lists with the same answers have the same.

    An answer is known by its place in the log; the digest is the sum of a hash of each place (splitmix64).
    """
    places = np.fromiter((answer.place for answer in answers), dtype=np.uint64, count=len(answers))
    with np.errstate(over="ignore"):
        mixed = (places + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        sums = np.cumsum(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)
    return {count: int(sums[count - 1]) for count in counts}


def curve_counts(n_answers: int, n_items: int, settings: Mapping[str, Any], points: int) -> list[int]:
    """Return at which numbers of answers a curve has its points; none where the goal cannot be evaluated."""
    whole("points", points, 1, MOST_POINTS, remedy="12 is usual")
    if n_items < 2 or not n_answers or (n_items > MOST_ITEMS and settings["top"] is None):
        return []
    return counts_of(n_answers, max(1, n_items // 2), points)


def compute_points(
    start: ModelStart,
    answers: Encoded,
    retired: Ints,
    settings: Mapping[str, Any],
    counts: Sequence[int],
    *,
    current: Belief,
    seconds: float | None = None,
) -> dict[int, Point]:
    """Return how near the ranking was to its goal after some numbers of the first answers.

    Parameters
    ----------
    start : ModelStart
        Starts a belief from the first answers.
    answers : Encoded
        Those that count, without skips.
    retired : int array
        The rows of the items that are not ranked.
    settings : mapping
        Those of the study.
    counts : sequence of int
        The numbers of answers.
    current : Belief
        That after all answers, over the items that are ranked: it need not be started again.
    seconds : float, optional
        Begin no other point after so many seconds; at least one is computed.
    """
    begun = perf_counter()
    found: dict[int, Point] = {}
    for count in coarse_first(counts):
        if found and seconds is not None and perf_counter() - begun >= seconds:
            break
        belief = current if count == len(answers) else without_retired(start(answers[:count]), retired)
        near = settled(
            belief, goal=settings["goal"], top=settings["top"], remaining=False, draws=_DRAWS, answers=count
        )
        found[count] = float(near.value), float(near.error)
    return found


def coarse_first(counts: Sequence[int]) -> list[int]:
    """Return counts in an order in which any first part of them spans the curve.

    Examples
    --------
    >>> coarse_first([3, 12, 24, 36, 48, 50])
    [50, 3, 12, 36, 48, 24]
    """
    order = sorted(counts, reverse=True)
    ends = order[:1] + order[1:][-1:]
    stride = 1 << len(order).bit_length()
    while stride > 1:
        stride //= 2
        ends += [count for count in order[::stride] if count not in ends]
    return ends
