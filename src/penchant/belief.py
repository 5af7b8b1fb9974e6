"""The posterior over the scores of items, as query selection, stopping rules, studies and simulations use it.

`Belief` is the protocol. Every model of `penchant.worth` keeps it, and so do `LinkedGP` and the simulated beliefs; a
`PreferenceGP` or `MonotoneGP`, which is a function of features, gives one by ``model.belief(X)``. `NormalBelief` and
`IndependentBelief` supply what follows from the moments, so that a new belief writes little.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints
from penchant.counts import Counts
from penchant.linalg import draw_normal
from penchant.preferences import Preferences
from penchant.ranking import Ranking

LEAST_VARIANCE = 1e-12
PROBIT_NOISE = 0.5**0.5
"""The noise on each item where P(a beats b) = Φ(a − b)."""
LOGISTIC_NOISE = 1.2
"""The noise on each item at which a probit answer is close to a logistic one, P(a beats b) = 1/(1 + exp(b − a))."""


class Moments(Protocol):
    """Mean and covariance of the scores of n items."""

    @property
    def mean(self) -> Floats:
        """The expected score of each item, shape (n,)."""

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of the scores of ``rows``, shape (len(rows),); None is all items."""

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``; None is all items."""


class Belief(Moments, Protocol):
    """The posterior of the scores of n items, given the answers so far.

    Rows are items proper. The threshold that both-bad answers compare with has no row of its own.

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import BradleyTerry
    >>> belief = BradleyTerry().fit(Preferences.from_pairs([("tea", "water"), ("tea", "coffee"), ("coffee", "water")]))
    >>> belief.items_, belief.mean.round(2).tolist(), belief.variance().round(2).tolist()
    (('coffee', 'tea', 'water'), [0.0, 2.01, -2.01], [1.71, 4.89, 4.89])
    >>> belief.learn(Preferences.from_pairs([("water", "coffee")], items=belief.items_)).counts_.tolist()
    [3, 2, 3]
    """

    @property
    def items_(self) -> tuple[str, ...]:
        """The id of each item."""

    @property
    def counts_(self) -> Counts:
        """The number of answers that each item took part in, shape (n,); weights count."""

    @property
    def noise_(self) -> float:
        """The sd of the rating noise on each of two compared items, in units of ``mean``."""

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return vectors between which the variances lie; both are the variances where those cost little."""

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the scores of the items (of those at ``rows``) jointly, shape (n_draws, n)."""

    def most_probable(self) -> Moments:
        """Return the component of the highest weight where the belief is a mixture, else the belief itself."""

    def learn(self, preferences: Preferences) -> Self:
        """Update the belief by more answers."""

    def rank(self, *, level: float = 0.95, seed: int = 0) -> Ranking:
        """Return the items in order of their mean, with intervals and rank ranges at ``level``."""


class OnlineBelief(Belief, Protocol):
    """A belief that learns single answers at a cost that does not grow with their number.

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.simulate import Propagated
    >>> belief: OnlineBelief = Propagated(3)
    >>> belief.update(0, 1).mean.round(2)
    array([ 1.06, -1.06,  0.  ])
    """

    def update(self, better: int, worse: int) -> Self:
        """Learn that the item at row ``better`` was preferred to the one at ``worse``."""

    def refresh(self) -> Self:
        """Infer the posterior from all answers anew, where the updates approximate it."""


class LiveBelief(Belief, Protocol):
    """A belief that a running study updates: it learns single answers, can be copied and be stored.

    Every model that a study can use makes one from the answers so far, by ``model.live(preferences)``. What a live
    belief holds depends on those answers and on the later calls of `answer` alone.
    """

    def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
        """Learn one answer about two items, and return the log probability that it had before.

        Parameters
        ----------
        first, second : int
            Rows of the items.
        outcome : int
            An index into `penchant.preferences.OUTCOMES`: the first is better, the second is, a tie, both bad.
        weight : float
        """

    def outcome_probabilities(self, first: int, second: int) -> Floats:
        """Return the probabilities that the first is preferred, that the second is, and of a tie, shape (3,)."""

    def with_items(self, ids: Sequence[str]) -> Self | None:
        """Return the belief with more items, not compared yet; None where all answers must be learned anew."""

    def contributions(self, a: int, b: int) -> list[tuple[int, int, float]]:
        """Return (first, second, weight) of compared pairs: how much each of them moved ``a`` away from ``b``.

        The weights add up to the mean of ``a`` less that of ``b``, less the same difference before any answer, which is
        0 unless the prior expects items to differ. With the site exp(ν·d − ½ τ·d²) of a pair (i, j), the prior mean m₀
        and the posterior covariance Σ, a weight is (ν − τ (e_i − e_j)ᵀm₀) · (e_i − e_j)ᵀ Σ (e_a − e_b): the pull
        ν has the sign of the side that was preferred more often, unless many other answers predict far more of that,
        and the weight of a pair that is not connected with the two items is 0.
        """

    def copy(self) -> Self:
        """Return an independent copy."""

    def state(self) -> dict[str, Any]:
        """Return everything the belief consists of, as JSON values and arrays."""

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the belief whose `state` this is: it continues to the same bits."""


class NormalBelief(ABC):
    """The members of `Belief` that follow from the moments of a normal posterior."""

    @abstractmethod
    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of the scores of ``rows``; None is all items."""

    @abstractmethod
    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``; None is all items."""

    def variance_bounds(self: Belief) -> tuple[Floats, Floats]:
        """Return the variances twice."""
        variance = self.variance()
        return variance, variance

    def sample(self: Belief, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the scores of the items (of those at ``rows``) jointly, shape (n_draws, n)."""
        mean = self.mean if rows is None else self.mean[np.asarray(rows)]
        return mean + draw_normal(self.covariance(rows, rows), n_draws, seed)

    def most_probable(self: Belief) -> Moments:
        """Return the belief itself, which is no mixture."""
        return self

    def rank(self: Belief, *, level: float = 0.95, seed: int = 0) -> Ranking:
        """Return the items in order of their mean, with intervals and rank ranges at ``level``."""
        return Ranking.from_scores(
            self.items_,
            self.mean,
            variance=self.variance(),
            sample=self.sample,
            level=level,
            answers=self.counts_,
            model=repr(self),
            seed=seed,
        )


class IndependentBelief(NormalBelief):
    """A normal belief in which the scores of different items are independent."""

    def covariance(self: Belief, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return a part of a diagonal matrix."""
        left, right = rows_of(rows, len(self.mean)), rows_of(columns, len(self.mean))
        return np.where(left[:, None] == right, self.variance()[left][:, None], 0.0)

    def sample(self: Belief, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the scores of the items (of those at ``rows``), shape (n_draws, n)."""
        noise = np.random.default_rng(seed).standard_normal((n_draws, len(self.mean)))
        drawn = self.mean + noise * np.sqrt(self.variance())
        return drawn if rows is None else drawn[:, np.asarray(rows)]


def rows_of(rows: ArrayLike | None, n_items: int) -> Ints:
    """Return ``rows`` as a vector of indices, all items for None; negative ones count from the end."""
    every: Ints = np.arange(n_items)
    return every if rows is None else every[np.atleast_1d(np.asarray(rows))]


def to_choose_by(belief: Moments) -> Moments:
    """Return the moments by which questions are chosen: of a mixture, those of its most probable component.

    Where a mixture is over scales, the difference of two items that are far apart has a large variance although its
    sign is certain: by the moments of the mixture such pairs would be asked about again and again.
    """
    most_probable = getattr(belief, "most_probable", None)
    moments: Moments = belief if most_probable is None else most_probable()
    return moments


def noise_of(belief: Moments) -> float:
    """Return the rating noise on each item, 1 where the belief has none of its own."""
    return float(getattr(belief, "noise_", 1.0))


def deviations(belief: Moments, rows: Ints, n_draws: int, seed: int) -> Floats:
    """Draw the scores of ``rows`` around their means, from the belief itself or else from its covariance."""
    sample = getattr(belief, "sample", None)
    if sample is None:
        return draw_normal(belief.covariance(rows, rows), n_draws, seed)
    drawn: Floats = sample(n_draws, seed, rows=rows) - belief.mean[rows]
    return drawn


def upper_variance(moments: Moments) -> Floats:
    """Return the variance of each score, or an upper bound where exact variances would take a solve per item."""
    bounds = getattr(moments, "variance_bounds", None)
    variance: Floats = moments.variance() if bounds is None else bounds()[1]
    return variance


def difference_variance(moments: Moments, first: Ints, second: Ints) -> Floats:
    """Return the variance of the score difference of each pair, shape (m,).

    Moments may offer a method of this name where that takes less than the covariance of the items that occur.
    """
    own_method = getattr(moments, "difference_variance", None)
    if own_method is not None:
        return np.asarray(np.maximum(own_method(first, second), LEAST_VARIANCE))
    n_items = len(moments.mean)
    items = np.arange(n_items)
    left, right = first, second
    if len(first) < n_items:
        items, places = np.unique(np.concatenate([first, second]), return_inverse=True)
        left, right = places.reshape(2, -1)
    block = moments.covariance(items, items)
    variance = block.diagonal()
    return np.maximum(variance[left] + variance[right] - 2 * block[left, right], LEAST_VARIANCE)
