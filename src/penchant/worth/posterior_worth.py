"""Models that know how sure they are. Scores and their curvature in; variances, covariances, draws out.

A model of this kind writes `_believed`, which is worked out when it is first asked for and is no part of what is
saved: it follows from the rest.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats
from penchant.threads import one_thread
from penchant.worth.model import WorthModel, tail_of
from penchant.worth.posterior import Posterior


class PosteriorWorth(WorthModel):
    """A worth for each item, with a normal posterior around it."""

    _posterior: Posterior

    @abstractmethod
    def _believed(self) -> Posterior:
        """Work out what is believed about the scores around their values."""

    def posterior(self) -> Posterior:
        """Return what is believed about the scores around their values; worked out on first use."""
        if not hasattr(self._fitted(), "_posterior"):
            with one_thread():
                self._posterior = self._believed()
        return self._posterior

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each worth (or of those of ``rows``), shape (n_items,).

        Worth is told from the mean of the items that were compared.
        """
        variance = self.posterior().variance()
        return variance if rows is None else variance[np.asarray(rows)]

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the worths of ``rows`` with those of ``columns``; None is all items."""
        with one_thread():
            return self.posterior().covariance(rows, columns)

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw worths (of all items, or of ``rows``) from the posterior, shape (n_draws, n_items)."""
        with one_thread():
            drawn = self.mean + self.posterior().sample(n_draws, seed)
        return drawn if rows is None else drawn[:, np.asarray(rows)]

    def interval(self, level: float = 0.95) -> Floats:
        """Return what each worth lies between with probability ``level``, shape (n_items, 2)."""
        tail = tail_of(level)
        with one_thread():
            below = [self.posterior().quantile(share) for share in (tail, 1 - tail)]
        return self.mean[:, None] + np.column_stack(below)

    def difference_interval(self, a: Any, b: Any, level: float = 0.95) -> Floats:
        """Return what `WorthModel.difference_interval` does, from the joint posterior of the two.

        It is narrower than their two intervals suggest where the errors of the two go together.
        """
        tail = tail_of(level)
        first, second = np.broadcast_arrays(self._fitted()._indices(a), self._indices(b))
        with one_thread():
            below = [self.posterior().difference_quantile(first, second, share) for share in (tail, 1 - tail)]
        return np.stack([self.mean[first] - self.mean[second] + part for part in below], axis=-1)

    def _most_draws(self) -> int:
        return self.posterior().most_draws
