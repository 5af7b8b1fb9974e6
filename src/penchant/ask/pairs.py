"""Step three: the next question. A belief about scores in, the pair of items to ask about out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from penchant.ask.value import chance_of_wrong_order, information_gain
from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput

ALL_PAIRS = 400
"""Up to this many items every pair is weighed; of more, those that stand near one another."""
NEIGHBOURS = 24


class Belief(Protocol):
    """Anything that offers a mean and covariances of scores, as every model of worth does."""

    @property
    def mean(self) -> Floats:
        """The expected score of each item, shape (n_items,)."""

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """The variance of each score."""

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """The covariance of the scores of ``rows`` with those of ``columns``."""


def next_pair(
    belief: Belief,
    answers: Ints,
    *,
    noise: float = 1.0,
    avoid: Collection[tuple[int, int]] = (),
    least_answers: int = 2,
) -> tuple[int, int]:
    """Return the pair that is most worth asking about, as indices i < j.

    A question is worth what its answer is expected to tell (`information_gain`) times the chance that the
    two are believed in the wrong order: what would not change the ranking is not asked, and a pair comes
    back when it is still the most doubtful one. Before that, items with fewer than ``least_answers``
    answers come first, those with the fewest before the others.

    Parameters
    ----------
    belief : Belief
        What is believed about the scores of n items.
    answers : int array of shape (n,)
        How many answers each item has.
    noise : float
        The sd of the rating noise on each of two compared items, P(a beats b) = Φ((a − b)/(√2 · noise)).
    avoid : collection of (i, j), i < j
        Pairs not to ask now, for instance because somebody is being asked about them. If nothing else is
        left they are asked all the same.
    least_answers : int

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import Thurstone
    >>> model = Thurstone().fit(Preferences.from_pairs([(0, 1), (1, 2)] * 4))
    >>> next_pair(model, model.answers_)
    (0, 1)
    """
    n_items = len(answers)
    if n_items < 2:
        raise InvalidInput(f"asking needs at least 2 items, got {n_items}: add some")
    first, second = _candidates(belief.mean, answers, least_answers)
    worth = _worth(belief, first, second, 2 * noise**2)
    allowed = np.array([(i, j) not in avoid for i, j in zip(first.tolist(), second.tolist(), strict=True)])
    if allowed.any():
        worth[~allowed] = -1.0
    best = int(np.argmax(worth))
    return int(first[best]), int(second[best])


def _candidates(mean: Floats, answers: Ints, least_answers: int) -> tuple[Ints, Ints]:
    """Return the pairs to weigh, first < second, in the order in which ties go to the earlier."""
    n_items = len(answers)
    if n_items <= ALL_PAIRS:
        first, second = np.triu_indices(n_items, k=1)
    else:
        first, second = _neighbours(mean)
    fewest = int(answers.min())
    if fewest < least_answers:
        new = (answers[first] == fewest) | (answers[second] == fewest)
        first, second = first[new], second[new]
        # Two of the least asked at once, where that is possible.
        both = (answers[first] == fewest) & (answers[second] == fewest)
        if both.any():
            first, second = first[both], second[both]
    return first.astype(np.int64), second.astype(np.int64)


def _neighbours(mean: Floats) -> tuple[Ints, Ints]:
    """Return the pairs that are at most ``NEIGHBOURS`` ranks apart."""
    order = np.argsort(-mean, kind="stable")
    apart = range(1, NEIGHBOURS + 1)
    one = np.concatenate([order[:-gap] for gap in apart])
    other = np.concatenate([order[gap:] for gap in apart])
    first, second = np.minimum(one, other), np.maximum(one, other)
    by_index = np.lexsort((second, first))
    return first[by_index], second[by_index]


def _worth(belief: Belief, first: Ints, second: Ints, noise_variance: float) -> Floats:
    difference = (belief.mean[first] - belief.mean[second]) / np.sqrt(noise_variance)
    variance = belief.variance()
    spread = variance[first] + variance[second]
    if len(variance) <= ALL_PAIRS:
        spread = spread - 2 * belief.covariance()[first, second]
    spread = np.maximum(spread / noise_variance, 1e-12)
    worth: Floats = information_gain(difference, spread) * chance_of_wrong_order(difference, spread)
    return worth
