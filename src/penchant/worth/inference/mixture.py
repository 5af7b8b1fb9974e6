"""The posterior of scores as a mixture of normal posteriors, one for each scale of the prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from penchant.belief import rows_of
from penchant.checks import Floats, Ints
from penchant.mixture import draw_shares, mixture_covariance, mixture_quantile, mixture_variance
from penchant.worth.inference.posterior import Posterior


@dataclass(frozen=True, eq=False)
class Part:
    """A normal posterior with its weight; its mean is ``offset`` from that of the mixture, shape (n,)."""

    weight: float
    offset: Floats
    posterior: Posterior


@dataclass(frozen=True, eq=False)
class ComponentMoments:
    """Mean and covariance of the items' scores at one scale of the prior.

    The posterior is of the deviations from the mean and may have one row more, for the bar of both-bad answers.
    """

    mean: Floats
    posterior: Posterior

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each score (or of those of ``rows``)."""
        return self.posterior.variance()[rows_of(rows, len(self.mean))]

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``."""
        n_items = len(self.mean)
        return self.posterior.covariance(rows_of(rows, n_items), rows_of(columns, n_items))


class Mixture(Posterior):
    """A weighted mixture of posteriors around the mean of all.

    Parameters
    ----------
    parts : sequence of Part
        With weights that sum to 1 and offsets whose weighted mean is 0.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = tuple(parts)
        self._variances = np.array([part.posterior.variance() for part in parts])
        self._weights = np.array([part.weight for part in parts])
        self._offsets = np.array([part.offset for part in parts])
        self.most_draws = min(part.posterior.most_draws for part in parts)
        self.method = f"{len(parts)} scales of the prior; {parts[len(parts) // 2].posterior.method}"

    def variance(self) -> Floats:
        """Return the variance of each worth, shape (n,)."""
        return mixture_variance(self._weights, self._offsets, self._variances)

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the items ``rows`` with the items ``columns``."""
        n_items = self._offsets.shape[1]
        left, right = rows_of(rows, n_items), rows_of(columns, n_items)
        covariances = (part.posterior.covariance(left, right) for part in self._parts)
        return mixture_covariance(self._weights, self._offsets[:, left], self._offsets[:, right], covariances)

    @property
    def heaviest(self) -> Part:
        """The part of the highest weight."""
        return max(self._parts, key=lambda part: part.weight)

    def sample(self, n_draws: int, seed: int) -> Floats:
        """Draw deviations from the mean, from each part in proportion to its weight, shape (n_draws, n)."""
        rng = np.random.default_rng(seed)
        draws = [
            part.offset + part.posterior.sample(count, int(part_seed))
            for part, count, part_seed in zip(
                self._parts,
                draw_shares(self._weights, n_draws),
                rng.integers(2**31, size=len(self._parts)),
                strict=True,
            )
            if count
        ]
        together: Floats = np.concatenate(draws)
        return together[rng.permutation(n_draws)]

    def quantile(self, probability: float) -> Floats:
        """Return the quantile of each deviation from the mean, shape (n,)."""
        return mixture_quantile(self._weights, self._offsets, np.sqrt(self._variances), probability)

    def difference_quantile(self, first: Ints, second: Ints, probability: float) -> Floats:
        """Return the quantile of the difference of the deviations of pairs of items."""
        sd = np.array([part.posterior.difference_sd(first, second) for part in self._parts])
        offset = self._offsets[:, first] - self._offsets[:, second]
        return mixture_quantile(self._weights, offset, sd, probability)
