"""Compiled steps of paper 5: the choice of the pair with the largest expected loss, and Glicko's update.

Arguments are checked before. The choice is that of `penchant.ask.largest_expected_loss_pair`, for experiments that make
it a million times; here items may belong to several queries, each with ranks of its own.
"""

from __future__ import annotations

import math

import numpy as np

from penchant.checks import Floats, Ints
from penchant.compiled import compiled

_EQUAL = 1e-10


@compiled
def misordered(behind: float, variance: float) -> float:
    """Return eq. 28 without its weight, ``behind`` being −|δ̂|."""
    nu = math.sqrt(variance)
    z = -behind / nu
    tail = 0.5 * math.erfc(z / math.sqrt(2.0))
    return variance * (tail + z * math.exp(-z * z / 2) / math.sqrt(2 * math.pi))


@compiled
def largest_loss(
    mean: Floats, variance: Floats, covariance: Floats, asked: Ints, starts: Ints, tau: float
) -> tuple[int, int]:
    """Return the pair (i, j), i < j, of one query with the largest expected loss; (−1, −1) if all were asked.

    Parameters
    ----------
    mean, variance : array of shape (n,)
    covariance : array of shape (n, n), or (0, 0) where items know nothing of one another
    asked : uint8 array of shape (n, n)
        1 where a pair was asked, both ways round.
    starts : int array
        Where each query begins, and n.
    tau : float
    """
    best, first, second = -1.0, -1, -1
    linked = len(covariance) > 0
    for query in range(len(starts) - 1):
        start = starts[query]
        order = start + np.argsort(-mean[start : starts[query + 1]], kind="mergesort")
        most = 2 * variance[start : starts[query + 1]].max()
        for place in range(len(order) - 1):
            weight = math.exp(-(place + 1) / tau)
            if weight * most < best * (1 - _EQUAL):  # no later item can hold a better pair
                break
            item = order[place]
            for other in order[place + 1 :]:
                if asked[item, other]:
                    continue
                spread = variance[item] + variance[other]
                if linked:
                    spread -= 2 * covariance[item, other]
                if weight * spread / 2 < best * (1 - _EQUAL):
                    continue
                loss = weight * misordered(mean[other] - mean[item], max(spread, 1e-300))
                i, j = min(item, other), max(item, other)
                if loss > best * (1 + _EQUAL) or first < 0:
                    best, first, second = loss, i, j
                elif loss >= best * (1 - _EQUAL) and (i < first or (i == first and j < second)):
                    best, first, second = max(best, loss), i, j
    return first, second


@compiled
def rate(mean: Floats, variance: Floats, better: int, worse: int, logit: float) -> None:
    """Update the ratings of two items by one game, as Glickman does.

    Parameters
    ----------
    mean, variance : array of shape (n,)
    better, worse : int
    logit : float
        The log odds of an item without deviation that is ahead by 1.
    """
    ratings, variances = (mean[better], mean[worse]), (variance[better], variance[worse])
    for place in range(2):
        item = better if place == 0 else worse
        g = logit / math.sqrt(1 + 3 * (logit / math.pi) ** 2 * variances[1 - place])
        expected = 1 / (1 + math.exp(-g * (ratings[place] - ratings[1 - place])))
        after = 1 / (1 / variances[place] + g * g * expected * (1 - expected))
        mean[item] = ratings[place] + after * g * (1 - place - expected)
        variance[item] = after
