"""A belief without the items that are retired."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.belief import Belief, Moments, NormalBelief, rows_of
from penchant.checks import Floats, Ints
from penchant.counts import Counts


class PartOfBelief(NormalBelief):
    """The belief about some of the items of another one.

    Parameters
    ----------
    belief : Belief
    rows : int array of shape (m,)
        The items that it is about.
    """

    def __init__(self, belief: Belief, rows: Ints) -> None:
        self._belief, self._rows = belief, rows

    @property
    def items_(self) -> tuple[str, ...]:
        """The id of each item."""
        return tuple(self._belief.items_[row] for row in self._rows)

    @property
    def counts_(self) -> Counts:
        """The number of answers that each item took part in, shape (m,)."""
        return self._belief.counts_[self._rows]

    @property
    def noise_(self) -> float:
        """The sd of the rating noise on each of two compared items."""
        return self._belief.noise_

    @property
    def only_ties_(self) -> bool:
        """Whether there are answers, and all of them are ties."""
        return bool(getattr(self._belief, "only_ties_", False))

    @property
    def mean(self) -> Floats:
        """The expected score of each item, shape (m,)."""
        mean: Floats = self._belief.mean[self._rows]
        return mean

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of the scores of ``rows``; None is all items."""
        return self._belief.variance(self._at(rows))

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``; None is all items."""
        return self._belief.covariance(self._at(rows), self._at(columns))

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the scores of the items (of those at ``rows``) jointly, shape (n_draws, m)."""
        return self._belief.sample(n_draws, seed, rows=self._at(rows))

    def most_probable(self) -> Moments:
        """Return the component of the highest weight where the belief is a mixture, else the belief itself."""
        return _Part(self._belief.most_probable(), self._rows)

    def learn(self, preferences: Any) -> Any:
        """Raise an error: answers are learned by the whole belief."""
        raise NotImplementedError("a part of a belief does not learn: use the whole one")

    def _at(self, rows: ArrayLike | None) -> Ints:
        return self._rows[rows_of(rows, len(self._rows))]

    def __repr__(self) -> str:
        return repr(self._belief)


class _Part:
    """The moments of some of the items."""

    def __init__(self, moments: Moments, rows: Ints) -> None:
        self._moments, self._rows = moments, rows

    @property
    def mean(self) -> Floats:
        mean: Floats = self._moments.mean[self._rows]
        return mean

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        return self._moments.variance(self._rows[rows_of(rows, len(self._rows))])

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        first, second = (self._rows[rows_of(given, len(self._rows))] for given in (rows, columns))
        return self._moments.covariance(first, second)


def without_retired(belief: Belief, retired: Ints) -> Belief:
    """Return the belief about the items that are not at the rows ``retired``."""
    if not len(retired):
        return belief
    kept = np.setdiff1d(np.arange(len(belief.items_)), retired)
    part: Belief = PartOfBelief(belief, kept)
    return part
