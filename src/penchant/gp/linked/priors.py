"""What is believed before anyone answers. Features or a matrix in; rows of the covariance K₀ out.

Nothing n × n is formed here except where somebody gave it: a prior hands out the rows, blocks and variances that
are asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from penchant.checks import Floats, Ints


class Prior(ABC):
    """A covariance over n items, row by row.

    Attributes
    ----------
    n_items : int
    quick : bool
        Whether `times` takes hardly more than one row, so that its results need not be stored.
    """

    n_items: int
    quick: bool = False

    @abstractmethod
    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns], shape (len(rows), len(columns)); None is all columns."""

    @abstractmethod
    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the diagonal at ``rows`` (None: all), or None where all of it would cost too much."""

    @abstractmethod
    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the diagonal lies; both are the diagonal where it is known."""

    def against(self, first: int, second: int) -> Floats:
        """Return K₀(e_first − e_second), shape (n_items,)."""
        rows = self.block(np.array([first, second]))
        difference: Floats = rows[0] - rows[1]
        return difference

    def difference_variance(self, first: Ints, second: Ints) -> Floats:
        """Return the variances of the differences of pairs of items, shape (m,)."""
        items, places = np.unique(np.concatenate([first, second]), return_inverse=True)
        left, right = places.reshape(2, -1)
        block = self.block(items, items)
        own = block.diagonal()
        variance: Floats = own[left] + own[right] - 2 * block[left, right]
        return variance

    def times(self, items: Ints, weights: Floats) -> Floats:
        """Return K₀[:, items] weights, shape (n_items,)."""
        total: Floats = weights @ self.block(items)
        return total


class KnownVariance(Prior):
    """A prior whose whole diagonal costs nothing."""

    @abstractmethod
    def _diagonal(self) -> Floats:
        """Return the diagonal of K₀, shape (n_items,)."""

    def variance(self, rows: Ints | None = None) -> Floats:
        """Return the diagonal at ``rows``; None is all of it."""
        diagonal = self._diagonal()
        return diagonal if rows is None else diagonal[rows]

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the diagonal lies."""
        diagonal = self._diagonal()
        return diagonal, diagonal


class FeaturePrior(KnownVariance):
    """The squared exponential on features, κ² exp(−ρ²/2 ‖x − x′‖²) with ρ = 1/lengthscale (eq. 2).

    Examples
    --------
    >>> prior = FeaturePrior(np.array([[0.0], [1.0]]), scale=2.0, lengthscale=1.0)
    >>> prior.block(np.array([0])).round(3)
    array([[4.   , 2.426]])
    """

    def __init__(self, features: Floats, *, scale: float, lengthscale: float) -> None:
        self.n_items = len(features)
        self._scale = scale
        # Centred, so that the squared norms below cancel as little as possible.
        self._points = np.ascontiguousarray((features - features.mean(axis=0)) / lengthscale)
        self._half_norms = (self._points**2).sum(axis=1) / 2

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        points, norms = self._points, self._half_norms
        if columns is not None:
            points, norms = points[columns], norms[columns]
        exponent: Floats = self._points[rows] @ points.T
        exponent -= self._half_norms[rows][:, None]
        exponent -= norms
        np.minimum(exponent, 0.0, out=exponent)
        np.exp(exponent, out=exponent)
        exponent *= self._scale**2
        return exponent

    def _diagonal(self) -> Floats:
        return np.full(self.n_items, self._scale**2)


class MatrixPrior(KnownVariance):
    """A covariance that is written out, for a few thousand items at most."""

    def __init__(self, covariance: Floats) -> None:
        self.n_items = len(covariance)
        self._covariance = covariance

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        part: Floats = self._covariance[rows] if columns is None else self._covariance[np.ix_(rows, columns)]
        return part

    def _diagonal(self) -> Floats:
        return self._covariance.diagonal().copy()


class IndependentPrior(KnownVariance):
    """Items that know nothing of one another, each of one variance: K₀ = variance · I."""

    def __init__(self, n_items: int, variance: float = 1.0) -> None:
        self.n_items = n_items
        self._variance = variance

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        if columns is not None:
            return np.where(rows[:, None] == columns, self._variance, 0.0)
        block = np.zeros((len(rows), self.n_items))
        block[np.arange(len(rows)), rows] = self._variance
        return block

    def against(self, first: int, second: int) -> Floats:
        """Return K₀(e_first − e_second)."""
        difference = np.zeros(self.n_items)
        difference[first], difference[second] = self._variance, -self._variance
        return difference

    def _diagonal(self) -> Floats:
        return np.full(self.n_items, self._variance)


class ScaledPrior(Prior):
    """Another prior times a factor: K₀ = factor · part."""

    def __init__(self, part: Prior, factor: float) -> None:
        self.n_items, self.quick = part.n_items, part.quick
        self._part, self._factor = part, factor

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        return self._factor * self._part.block(rows, columns)

    def against(self, first: int, second: int) -> Floats:
        """Return K₀(e_first − e_second)."""
        return self._factor * self._part.against(first, second)

    def times(self, items: Ints, weights: Floats) -> Floats:
        """Return K₀[:, items] weights."""
        return self._factor * self._part.times(items, weights)

    def difference_variance(self, first: Ints, second: Ints) -> Floats:
        """Return the variances of the differences of pairs of items."""
        return self._factor * self._part.difference_variance(first, second)

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the diagonal at ``rows`` (None: all), or None where all of it would cost too much."""
        variance = self._part.variance(rows)
        return None if variance is None else self._factor * variance

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the diagonal lies."""
        lower, upper = self._part.variance_bounds()
        return self._factor * lower, self._factor * upper


class WeightedPrior(Prior):
    """Independent parts added up: K₀ = Σ weight² · part (eq. 6)."""

    def __init__(self, parts: Sequence[Prior], weights: Sequence[float]) -> None:
        self.n_items = parts[0].n_items
        self._parts = [(weight**2, part) for weight, part in zip(weights, parts, strict=True)]

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        (weight, first), *others = self._parts
        total = weight * first.block(rows, columns)
        for weight, part in others:
            total += weight * part.block(rows, columns)
        return total

    def against(self, first: int, second: int) -> Floats:
        """Return K₀(e_first − e_second)."""
        total = np.zeros(self.n_items)
        for weight, part in self._parts:
            total += weight * part.against(first, second)
        return total

    def difference_variance(self, first: Ints, second: Ints) -> Floats:
        """Return the variances of the differences of pairs of items."""
        total = np.zeros(len(first))
        for weight, part in self._parts:
            total += weight * part.difference_variance(first, second)
        return total

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the diagonal at ``rows`` (None: all), or None where all of it would cost too much."""
        total = np.zeros(self.n_items if rows is None else len(rows))
        for weight, part in self._parts:
            variance = part.variance(rows)
            if variance is None:
                return None
            total += weight * variance
        return total

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the diagonal lies."""
        lower, upper = np.zeros((2, self.n_items))
        for weight, part in self._parts:
            low, high = part.variance_bounds()
            lower += weight * low
            upper += weight * high
        return lower, upper
