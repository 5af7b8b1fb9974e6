"""What asking looks at. Anything with a mean and covariances in; differences of pairs out."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints

LEAST_VARIANCE = 1e-12


class Belief(Protocol):
    """Anything that offers a mean and covariances of scores, as models of worth and Gaussian processes do."""

    @property
    def mean(self) -> Floats:
        """The expected score of each item, shape (n_items,)."""

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """The variance of each score."""

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """The covariance of the scores of ``rows`` with those of ``columns``."""


@runtime_checkable
class Drawable(Protocol):
    """A belief that need not be normal, and draws scores itself: a mixture over scales of the prior, for instance."""

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the scores of the items (of those of ``rows``) together, shape (n_draws, n)."""


@runtime_checkable
class Mixed(Protocol):
    """A belief that is a mixture, and gives its most probable component."""

    def most_probable(self) -> Belief:
        """Return the component of the highest weight."""


def to_choose_by(belief: Belief) -> Belief:
    """Return the belief by which questions are chosen: of a mixture, its most probable component.

    Where a mixture is over scales, the difference of two items that are far apart has a large variance although its
    sign is certain: by the moments of the mixture such pairs would be asked about again and again.
    """
    return belief.most_probable() if isinstance(belief, Mixed) else belief


def variance_of(belief: Belief) -> Floats:
    """Return the variance of each score, or what it is at most where all of them would cost too much."""
    bounds = getattr(belief, "variance_bounds", None)
    variance: Floats = belief.variance() if bounds is None else bounds()[1]
    return variance


def spread(belief: Belief, first: Ints, second: Ints) -> Floats:
    """Return the variance of score difference of each pair, from the covariance of the items that occur.

    A belief may offer ``difference_variance(first, second)`` where that takes less.
    """
    own_way = getattr(belief, "difference_variance", None)
    if own_way is not None:
        return np.asarray(np.maximum(own_way(first, second), LEAST_VARIANCE))
    n_items = len(belief.mean)
    if len(first) < n_items:
        items, places = np.unique(np.concatenate([first, second]), return_inverse=True)
        one, other = places.reshape(2, -1)
    else:
        items, one, other = np.arange(n_items), first, second
    block = belief.covariance(items, items)
    own = block.diagonal()
    return np.maximum(own[one] + own[other] - 2 * block[one, other], LEAST_VARIANCE)
