"""Compute progressive regrets and slacks from the utilities of rounds.

Rounds stand in the last axis: arrays are of shape (T,) for one run or (runs, T) for many. Entry t of a
regret is the average over the first t rounds, so that a curve can be drawn and its last entry reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, check_number, numbers, one_of
from penchant.coactive.analysis.losses import LinearLoss, Loss
from penchant.errors import InvalidInput
from penchant.metrics.gains import Log, dcg
from penchant.orders import ranks_from_order

_ROUNDING = 1e-9


def utility_regret(presented: ArrayLike, best: ArrayLike) -> Floats:
    """Compute the average regret REG_t of the first t rounds, for every t (eq. 4).

    Parameters
    ----------
    presented : array-like of shape (T,) or (runs, T)
        U(x_t, y_t), the utility of what was presented.
    best : array-like of the same shape
        U(x_t, y*_t), the largest utility that could have been presented.

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> utility_regret([1.0, 2.0, 3.0], [3.0, 3.0, 3.0])
    array([2. , 1.5, 1. ])
    """
    return convex_regret(presented, best, LinearLoss())


def convex_regret(presented: ArrayLike, best: ArrayLike, loss: Loss) -> Floats:
    """Compute the average convex regret CREG_t of the first t rounds, for every t (eq. 15).

    Parameters
    ----------
    presented, best
        As in `utility_regret`.
    loss : Loss
        For instance `QuadraticLoss`.

    Examples
    --------
    >>> from penchant.coactive.analysis.losses import SquaredLoss
    >>> convex_regret([1.0, 2.0], [3.0, 3.0], SquaredLoss(largest=3.0))
    array([4. , 2.5])
    """
    reached, possible = rounds("presented", presented), rounds("best", best)
    _refuse_other_shape("best", possible, reached)
    theta = reached - possible
    above = np.argwhere(theta > _ROUNDING * (1.0 + np.abs(possible)))
    if above.size:
        where = tuple(above[0])
        raise InvalidInput(
            f"best of round {where[-1]} must be at least what was presented, {reached[where]:g}, "
            f"got {possible[where]:g}: give the largest utility of the round"
        )
    return progressive_mean(loss.value(theta) - loss.value(np.zeros_like(theta)))


def dcg_regret(
    grades: Sequence[ArrayLike], presented: Sequence[ArrayLike], *, k: int = 5, log: Log = "natural"
) -> Floats:
    """Compute the average DCG* regret of the first t rounds, for every t.

    It is what the ranking by the grades themselves gains over the presented one, in DCG@k.

    Parameters
    ----------
    grades : sequence of T arrays
        The grades of each round's documents, at least 0.
    presented : sequence of T orders
        Each round's documents as they were presented, best first.
    k : int
        How many positions count.
    log : {"natural", "base2"}
        The logarithm of the discount.

    Returns
    -------
    ndarray of shape (T,)

    Examples
    --------
    >>> dcg_regret([[0, 1], [2, 0]], [[0, 1], [0, 1]], log="base2")
    array([0.36907025, 0.18453512])
    """
    one_of("log", log, get_args(Log))
    if len(grades) != len(presented) or not len(grades):
        raise InvalidInput(
            f"presented must have one order for each of at least one round of grades, "
            f"got {len(presented)} for {len(grades)}: give both for each round"
        )
    lost = [
        dcg(given, given, k=k, log=log) - dcg(given, -ranks_from_order(order), k=k, log=log)
        for given, order in zip(grades, presented, strict=True)
    ]
    return progressive_mean(lost)


def slack(presented: ArrayLike, feedback: ArrayLike, best: ArrayLike, *, alpha: float) -> Floats:
    """Compute how far each answer was from α-informative: ξ_t, below 0 where it was better (eq. 6).

    Parameters
    ----------
    presented, feedback, best : array-like of shape (T,) or (runs, T)
        The utilities of what was presented, of what came back, and of the best. With the expected utility
        of what may come back in place of ``feedback`` the result is the expected slack ξ̄_t of eq. 7.
    alpha : float
        In (0, 1].

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> slack([0.0, 0.0], [1.0, 0.2], [1.0, 1.0], alpha=0.5)
    array([-0.5,  0.3])
    """
    check_alpha(alpha)
    reached, answered, possible = (
        rounds(name, given)
        for name, given in (("presented", presented), ("feedback", feedback), ("best", best))
    )
    _refuse_other_shape("feedback", answered, reached)
    _refuse_other_shape("best", possible, reached)
    return alpha * (possible - reached) - (answered - reached)


def progressive_mean(values: ArrayLike) -> Floats:
    """Return the mean of the first t entries of the last axis, for every t.

    Examples
    --------
    >>> progressive_mean([[1.0, 3.0], [0.0, 4.0]])
    array([[1., 2.],
           [0., 2.]])
    """
    array = rounds("value", values)
    return np.asarray(np.cumsum(array, axis=-1) / np.arange(1, array.shape[-1] + 1))


def rounds(name: str, values: ArrayLike) -> Floats:
    """Return finite numbers of shape (T,) or (runs, T) with at least one entry, or say what came."""
    array = numbers(name, values)
    if array.ndim not in (1, 2) or not array.size:
        raise InvalidInput(
            f"{name} must be of shape (rounds,) or (runs, rounds) with at least one round, "
            f"got shape {array.shape}: give one value a round"
        )
    return array


def check_alpha(alpha: float) -> None:
    """Raise unless α is above 0 and at most 1."""
    check_number("alpha", alpha, above=0, most=1, remedy="give the share of the way")


def _refuse_other_shape(name: str, array: Floats, reached: Floats) -> None:
    if array.shape != reached.shape:
        raise InvalidInput(
            f"{name} must have the shape of presented, {reached.shape}, got {array.shape}: "
            "give one value for each round"
        )
