"""A prior of low rank. A prior in; its covariance through a few inducing items out.

Given m items u, what the others share is taken to come through these alone: K₀ ≈ K_nu K_uu⁻¹ K_un + diag(own), with
what is missing on the diagonal given back, so that every prior variance is exact (the fully independent
training conditional, FITC). A product with it takes n·m steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.gp.gaussian import UNEXPLAINED
from penchant.gp.linked.priors import KnownVariance, Prior

_BLOCK = 1024
_WEIGHED = 1000


class PriorError(NamedTuple):
    """What a prior through inducing items leaves out of the covariances between different items.

    Attributes
    ----------
    largest, mean : float
        Of the absolute differences over pairs of items, in units of the largest prior variance.
    unexplained : float
        The share of the prior variances that does not come through the inducing items.
    """

    largest: float
    mean: float
    unexplained: float


class InducingPrior(KnownVariance):
    """K₀ = LLᵀ + diag(own), L = K_nu K_uu^(−½) (n, m).

    Parameters
    ----------
    prior : Prior
        What is approximated, without a nugget.
    items : int array of shape (m,)
        u.
    nugget : float

    Examples
    --------
    >>> from penchant.gp.linked.priors import FeaturePrior
    >>> exact = FeaturePrior(np.arange(4.0)[:, None], scale=1.0, lengthscale=2.0)
    >>> InducingPrior(exact, np.array([0, 3])).block(np.array([1])).round(3)
    array([[0.882, 1.   , 0.781, 0.607]])
    >>> exact.block(np.array([1])).round(3)
    array([[0.882, 1.   , 0.882, 0.607]])
    """

    quick = True

    def __init__(self, prior: Prior, items: Ints, nugget: float = 0.0) -> None:
        from scipy.linalg import cholesky, solve_triangular

        self.n_items = prior.n_items
        triangle = cholesky(prior.block(items, items), lower=True)
        self._factor = np.ascontiguousarray(solve_triangular(triangle, prior.block(items), lower=True).T)
        # At an inducing item nothing is left, whatever rounding says.
        left = known_variance(prior) - np.einsum("ij,ij->i", self._factor, self._factor)
        left[items] = 0.0
        self._unexplained = np.maximum(left, 0.0)
        self._own = self._unexplained + nugget

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        if columns is None:
            block = self._factor[rows] @ self._factor.T
            block[np.arange(len(rows)), rows] += self._own[rows]
            return block
        part = self._factor[rows] @ self._factor[columns].T
        same = rows[:, None] == columns
        return part + same * self._own[columns] if same.any() else part

    def times(self, items: Ints, weights: Floats) -> Floats:
        """Return K₀[:, items] weights, for items that stand there once each."""
        total: Floats = self._factor @ (weights @ self._factor[items])
        total[items] += self._own[items] * weights
        return total

    def against(self, first: int, second: int) -> Floats:
        """Return K₀(e_first − e_second)."""
        return self.times(np.array([first, second]), np.array([1.0, -1.0]))

    def _diagonal(self) -> Floats:
        diagonal: Floats = np.einsum("ij,ij->i", self._factor, self._factor) + self._own
        return diagonal

    def error(self, exact: Prior) -> PriorError:
        """Return how far ``exact``, without a nugget, is from this prior; it takes all n² pairs."""
        largest = total = 0.0
        variance = known_variance(exact)
        for start in range(0, self.n_items, _BLOCK):
            rows = np.arange(start, min(start + _BLOCK, self.n_items))
            apart = np.abs(exact.block(rows) - self._factor[rows] @ self._factor.T)
            apart[np.arange(len(rows)), rows] = 0.0
            largest, total = max(largest, float(apart.max())), total + float(apart.sum())
        unit, pairs = float(variance.max()), max(self.n_items * (self.n_items - 1), 1)
        return PriorError(
            largest / unit, total / pairs / unit, float(self._unexplained.sum() / variance.sum())
        )


def inducing_items(prior: Prior, most: int) -> Ints:
    """Choose at most ``most`` items through which ``prior``, without a nugget, is told best.

    One after the other by Cholesky with pivoting: the next is the item that explains most of what those before it
    left of all variances, Σ_j R_ij² / R_ii with R = K − CCᵀ, the lowest index among equal ones. Of many items those
    weighed are a thousand (or twice as many as are chosen), spread evenly. It stops early where nothing is left.
    """
    left = known_variance(prior)
    count = min(prior.n_items, max(_WEIGHED, 2 * most))
    sample = np.linspace(0, prior.n_items - 1, count).round().astype(np.int64)
    covariance, left = prior.block(sample, sample), left[sample]
    enough = UNEXPLAINED * float(left.max())
    squares = (covariance**2).sum(axis=0)  # Σ_j R_ij²
    columns = np.empty((min(most, count), count))
    chosen: list[int] = []
    while len(chosen) < len(columns) and (left > enough).any():
        item = int(np.argmax(np.where(left > enough, squares / np.maximum(left, enough), -1.0)))
        before = columns[: len(chosen)]
        column = (covariance[item] - before[:, item] @ before) / np.sqrt(left[item])
        toward = covariance @ column - (before @ column) @ before
        squares = np.maximum(squares - 2 * column * toward + column**2 * (column @ column), 0.0)
        columns[len(chosen)] = column
        chosen.append(item)
        left = left - column**2
        left[chosen] = 0.0
    return sample[chosen]


def known_variance(prior: Prior) -> Floats:
    """Return the diagonal of ``prior``, or refuse where it would take a solve an item."""
    variance = prior.variance()
    if variance is None:
        raise InvalidInput(
            f"inducing items need every prior variance, which links of {prior.n_items} items tell by one solve each: "
            "leave inducing out, or keep to features"
        )
    return variance
