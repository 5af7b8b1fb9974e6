"""Find judges who disagree with all others: each judge's answers against what the answers of the others predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats, Ints
from penchant.study.columns import LEFT, AnswerColumns
from penchant.study.significance import holm
from penchant.worth import BradleyTerry

LEAST_ANSWERS = 20
"""The fewest decided answers of a judge that are tested: with fewer, even a reversed judge is hardly found."""
LEAST_JUDGES = 3
"""The fewest judges: of two, nothing shows which one disagrees."""
PARTS = 10
"""In how many parts the judges are left out; with more judges than parts, several are left out together."""
PARTS_OF_MANY, MANY_ITEMS = 5, 500
"""Parts where there are more items than this: each takes an inference over all of them."""
PRIOR = 0.5
"""Precision of the prior of worth, in log odds: weak beside twenty answers of a judge about an item, and the
comparison with the other judges corrects for what is wrong with it."""
_DRAWN_NUMBERS = 400_000
_MOST_DRAWS, _LEAST_DRAWS = 200, 20


@dataclass(frozen=True, eq=False)
class Disagreement:
    """How each judge with enough answers agrees with the others; one entry a judge.

    Attributes
    ----------
    judge : int array of shape (k,)
        Indices of judges.
    answers : int array of shape (k,)
        Decided answers.
    agreement : array of shape (k,)
        The share of them that prefer the item that the others put higher.
    reliability : array of shape (k,)
        The agreement beyond chance, each answer weighted by how sure the others are, relative to that of the other
        judges: 1 is like them, 0 at random, −1 reversed.
    p : array of shape (k,)
        One-sided p-values of a smaller reliability than that of the others, adjusted by Holm's method.
    """

    judge: Ints
    answers: Ints
    agreement: Floats
    reliability: Floats
    p: Floats


def disagreement(columns: AnswerColumns) -> Disagreement | None:
    """Compare each judge's decided answers with a belief from the other judges; None where that cannot be done.

    For an answer about items whose order the others predict with probability p, the weight is w = 2p − 1, so that close
    pairs count little. T = Σ ± w over a judge's answers (plus where the answer is the predicted one) is E = Σ w² in
    expectation if the judge is like the others and their belief is right. Whether it is right is estimated from the
    other judges: r = Σ T / Σ E over them, at most 1. The p-value is that of T − rE, normal with the variance of the
    answers, of the belief and of r.

    In simulations of clean studies (10 judges, 60 answers each, 20 or 60 items, pairs at random or close in rank) a
    level of 1 % of these p-values gave a false alarm in at most 4 % of studies. With pairs at random of items that
    differ by a standard deviation of 1.5 in log odds, a judge who answers at random was found in 97 % of studies, and
    one who answers reversed in all. On pairs that a study chooses, which are close, anybody's answers are near a coin:
    with 10 judges and 20 or 40 items, the one at random was found in 27, 41 and 51 % of 41 studies with 30, 60 and 120
    answers a judge, and 1 in 43 clean ones had a false alarm. The same test with the true scores in the place of the
    belief of the others finds 68, 71 and 80 %, which no test exceeds by much; weights that take account of the errors
    of the belief, and a test of the likelihood ratio, found no more at the same rate of false alarms.
    """
    counts = np.bincount(columns.judge[columns.decided & (columns.judge >= 0)], minlength=len(columns.judges))
    judges = np.flatnonzero(counts >= LEAST_ANSWERS)
    if len(judges) < LEAST_JUDGES:
        return None
    parts = min(len(judges), PARTS if len(columns.items) <= MANY_ITEMS else PARTS_OF_MANY)
    found = np.zeros((4, len(judges)))
    for part in range(parts):
        places = np.arange(part, len(judges), parts)
        found[:, places] = _against_others(columns, judges[places])
    agreed, observed, expected, variance = found
    p, reliability = _compared(observed, expected, variance)
    return Disagreement(judges, counts[judges], agreed, reliability, holm(p))


def _against_others(columns: AnswerColumns, judges: Ints) -> Floats:
    """Return the share that agrees, T, E and the variance of T of some judges, by the others, shape (4, k)."""
    left_out = np.isin(columns.judge, judges)
    model = BradleyTerry(prior=PRIOR).update(columns.preferences(~left_out))
    n_items = len(columns.items)
    draws = model.sample(int(np.clip(_DRAWN_NUMBERS // n_items, _LEAST_DRAWS, _MOST_DRAWS)), 0)
    draws = draws - draws.mean(axis=0)
    return np.array(
        [
            _of_judge(columns, (columns.judge == judge) & columns.decided, model.scores_, draws)
            for judge in judges
        ]
    ).T


def _of_judge(
    columns: AnswerColumns, rows: np.ndarray[tuple[int], np.dtype[np.bool_]], scores: Floats, draws: Floats
) -> tuple[float, float, float, float]:
    """Return the share that agrees, T, E and the variance of T of the answers at ``rows``."""
    left, right = columns.left[rows], columns.right[rows]
    sign, count = np.where(columns.choice[rows] == LEFT, 1.0, -1.0), columns.weight[rows]
    apart = draws[:, left] - draws[:, right]
    spread = apart.var(axis=0)
    difference = (scores[left] - scores[right]) / np.sqrt(1 + np.pi * spread / 8)
    predicted = 1 / (1 + np.exp(-difference))
    weight, slope = 2 * predicted - 1, predicted * (1 - predicted)
    # An error of the belief moves all answers of the judge together; its part in single answers is in ``slope``.
    together = (apart @ (count * weight * slope)).var() - np.sum(count * (weight * slope) ** 2 * spread)
    variance = 4 * (np.sum(count * weight**2 * slope) + max(float(together), 0.0))
    agreed = count[(sign > 0) == (difference > 0)].sum() / count.sum()
    return float(agreed), float(weight @ (count * sign)), float(count @ weight**2), float(variance)


def _compared(observed: Floats, expected: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return the one-sided p-value and the reliability of each judge, relative to the other judges."""
    from scipy.special import ndtr

    others = expected.sum() - expected
    estimable = (expected > 0) & (others > 0) & (variance > 0)
    safe = np.where(estimable, others, 1.0)
    usual = np.clip((observed.sum() - observed) / safe, 0.0, 1.0)
    error = np.sqrt(np.where(estimable, variance + expected**2 * (variance.sum() - variance) / safe**2, 1.0))
    p = np.where(estimable, ndtr((observed - usual * expected) / error), 1.0)
    like_others = np.where(estimable & (usual > 0), usual * expected, 1.0)
    return p, np.where(estimable & (usual > 0), observed / like_others, 1.0)
