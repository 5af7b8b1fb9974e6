"""What every belief that learns single answers does alike: check an answer, and expect a first tie."""

from __future__ import annotations

from math import inf, log, log1p

from penchant.checks import Floats
from penchant.errors import InvalidInput

LEFT, RIGHT, TIE, BOTH_BAD = range(4)
"""Indices into `penchant.preferences.OUTCOMES`."""
_TIES_BEFORE, _ANSWERS_BEFORE = 0.5, 10.0
"""The prior of the share of ties, in ties and answers: 1 in 20, as sure as after ten answers."""


def check_answer(first: int, second: int, outcome: int, weight: float, n_items: int) -> None:
    """Reject an answer about rows that are not two items, of an unknown outcome, or without a positive weight."""
    if not (0 <= first < n_items and 0 <= second < n_items and first != second):
        limit = f"be two different rows from 0 to {n_items - 1}"
        raise InvalidInput.of("first and second", limit, f"{first} and {second}", "correct them")
    if not 0 < weight < inf:
        raise InvalidInput.of("weight", "be a number above 0", weight, "1 is one answer")
    if outcome not in (LEFT, RIGHT, TIE, BOTH_BAD):
        raise InvalidInput.of(
            "outcome", "be 0, 1, 2 or 3", outcome, "it is an index into penchant.preferences.OUTCOMES"
        )


def first_tie_share(answers: float) -> float:
    """Return the probability that the next answer is a tie, after ``answers`` without one.

    It is the mean of a beta distribution that began as that of half a tie in ten answers, for all pairs alike: without
    ties nothing is known about how they depend on the difference of two items. It is small but above 0, since nobody
    promised that there are no ties; the log loss of the first one is ln 20 at the beginning, and ln 220 after a hundred
    answers.

    Examples
    --------
    >>> first_tie_share(0), first_tie_share(90)
    (0.05, 0.005)
    """
    return _TIES_BEFORE / (_ANSWERS_BEFORE + answers)


def with_first_tie(decided: Floats, answers: float) -> Floats:
    """Return the probabilities of left, right and tie, given those that sum to 1 without ties, shape (3,)."""
    share = first_tie_share(answers)
    chances: Floats = decided * (1 - share)
    chances[TIE] = share
    return chances


def log_chance_before_ties(outcome: int, log_chance: float, answers: float, weight: float) -> float:
    """Return the log probability of an answer where there was no tie yet.

    ``log_chance`` is that of a decided answer if there are no ties. A both-bad answer has no probability among those of
    left, right and tie, and keeps its own.
    """
    if outcome == BOTH_BAD:
        return log_chance
    share = first_tie_share(answers)
    return weight * log(share) if outcome == TIE else log_chance + weight * log1p(-share)
