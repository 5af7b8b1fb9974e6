"""Prior covariances K₀ over items: rows, blocks and variances, without an n × n matrix unless one was given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.gp.inference.gaussian import UNEXPLAINED

_BLOCK, _CANDIDATES = 1024, 1000
_RAISED = (1e-12, 1e-10, 1e-8)
"""Shares of the largest variance by which a diagonal is raised where a covariance is singular but for rounding."""


class Prior(ABC):
    """A covariance over n items, row by row.

    Attributes
    ----------
    n_items : int
    fast_product : bool
        Whether `times` costs about as much as one row, so that its results need not be stored.
    """

    n_items: int
    fast_product: bool = False

    @abstractmethod
    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns], shape (len(rows), len(columns)); None is all columns."""

    @abstractmethod
    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the diagonal at ``rows`` (None: all), or None where all of it would cost too much."""

    @abstractmethod
    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the diagonal lies; both are the diagonal where it is known."""

    def of_difference(self, first: int, second: int) -> Floats:
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


class CheapVariance(Prior):
    """A prior whose whole diagonal is cheap."""

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


class FeaturePrior(CheapVariance):
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


class MatrixPrior(CheapVariance):
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


class IndependentPrior(CheapVariance):
    """Independent items of equal variance: K₀ = variance · I."""

    def __init__(self, n_items: int, variance: float = 1.0) -> None:
        self.n_items = n_items
        self._variance = variance

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        others = np.arange(self.n_items) if columns is None else columns
        return np.where(rows[:, None] == others, self._variance, 0.0)

    def of_difference(self, first: int, second: int) -> Floats:
        """Return K₀(e_first − e_second)."""
        difference = np.zeros(self.n_items)
        difference[first], difference[second] = self._variance, -self._variance
        return difference

    def _diagonal(self) -> Floats:
        return np.full(self.n_items, self._variance)


class WeightedPrior(Prior):
    """A sum of independent parts: K₀ = Σ weight · part (eq. 6)."""

    def __init__(self, parts: Sequence[Prior], weights: Sequence[float]) -> None:
        self.n_items = parts[0].n_items
        self.fast_product = all(part.fast_product for part in parts)
        self._parts = list(zip(weights, parts, strict=True))

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        return self._total(lambda part: part.block(rows, columns))

    def of_difference(self, first: int, second: int) -> Floats:
        """Return K₀(e_first − e_second)."""
        return self._total(lambda part: part.of_difference(first, second))

    def times(self, items: Ints, weights: Floats) -> Floats:
        """Return K₀[:, items] weights."""
        return self._total(lambda part: part.times(items, weights))

    def difference_variance(self, first: Ints, second: Ints) -> Floats:
        """Return the variances of the differences of pairs of items."""
        return self._total(lambda part: part.difference_variance(first, second))

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the diagonal at ``rows`` (None: all), or None where all of it would cost too much."""
        variances = {id(part): part.variance(rows) for _, part in self._parts}
        if any(variance is None for variance in variances.values()):
            return None
        return self._total(lambda part: np.asarray(variances[id(part)]))

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the diagonal lies."""
        bounds = self._total(lambda part: np.stack(part.variance_bounds()))
        return bounds[0], bounds[1]

    def _total(self, values: Callable[[Prior], Floats]) -> Floats:
        """Return the weighted sum of ``values`` of the parts."""
        (weight, first), *others = self._parts
        total = weight * values(first)
        for weight, part in others:
            total += weight * values(part)
        return total


class PriorError(NamedTuple):
    """The error of a prior through inducing items in the covariances between different items.

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


class InducingPrior(CheapVariance):
    """A prior of low rank, through inducing items u: K₀ = LLᵀ + diag(own), L = K_nu K_uu^(−½) (n, m).

    Given the inducing items the others are independent, and every prior variance is exact (the fully independent
    training conditional, FITC). A product takes n·m steps.

    Parameters
    ----------
    prior : Prior
        The exact prior, without a nugget.
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

    fast_product = True

    def __init__(self, prior: Prior, items: Ints, nugget: float = 0.0) -> None:
        from scipy.linalg import solve_triangular

        self.n_items = prior.n_items
        triangle = _triangle(prior.block(items, items))
        self._factor: Floats = np.ascontiguousarray(
            solve_triangular(triangle, prior.block(items), lower=True).T
        )
        # At an inducing item nothing is left but rounding.
        left = full_variance(prior) - np.einsum("ij,ij->i", self._factor, self._factor)
        left[items] = 0.0
        self._unexplained = np.maximum(left, 0.0)
        self._own: Floats = self._unexplained + nugget

    @property
    def factor(self) -> Floats:
        """L, shape (n, m)."""
        return self._factor

    @property
    def own(self) -> Floats:
        """The variance that each item has beside the inducing items, the nugget included, shape (n,)."""
        return self._own

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
        """Return K₀[:, items] weights, for different items."""
        total: Floats = self._factor @ (weights @ self._factor[items])
        total[items] += self._own[items] * weights
        return total

    def of_difference(self, first: int, second: int) -> Floats:
        """Return K₀(e_first − e_second)."""
        return self.times(np.array([first, second]), np.array([1.0, -1.0]))

    def _diagonal(self) -> Floats:
        diagonal: Floats = np.einsum("ij,ij->i", self._factor, self._factor) + self._own
        return diagonal

    def error(self, exact: Prior) -> PriorError:
        """Return the error of this prior beside ``exact``, without a nugget, over all n² pairs."""
        largest = total = 0.0
        variance = full_variance(exact)
        for start in range(0, self.n_items, _BLOCK):
            rows = np.arange(start, min(start + _BLOCK, self.n_items))
            apart = np.abs(exact.block(rows) - self._factor[rows] @ self._factor.T)
            apart[np.arange(len(rows)), rows] = 0.0
            largest, total = max(largest, float(apart.max())), total + float(apart.sum())
        unit, pairs = float(variance.max()), max(self.n_items * (self.n_items - 1), 1)
        return PriorError(
            largest / unit, total / pairs / unit, float(self._unexplained.sum() / variance.sum())
        )


def _triangle(block: Floats) -> Floats:
    """Return the Cholesky factor of a covariance; one that is singular but for rounding has its diagonal raised."""
    from scipy.linalg import LinAlgError, cholesky

    for share in (0.0, *_RAISED):
        try:
            raised = block + share * float(block.diagonal().max()) * np.eye(len(block))
            return np.asarray(cholesky(raised, lower=True))
        except LinAlgError:
            continue
    raise InvalidInput(
        "features of items must differ by more than rounding, got some that do not: rescale them"
    )


def inducing_items(prior: Prior, most: int) -> Ints:
    """Choose at most ``most`` inducing items for ``prior``, without a nugget.

    One after the other by Cholesky with pivoting: the next is the item that explains most of the variance that those
    before it left, Σ_j R_ij² / R_ii with R = K − CCᵀ, the lowest index among equal ones. Of many items the candidates
    are a thousand (or twice as many as are chosen), spread evenly. It stops early where nothing is left.
    """
    left = full_variance(prior)
    count = min(prior.n_items, max(_CANDIDATES, 2 * most))
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
        product = covariance @ column - (before @ column) @ before
        squares = np.maximum(squares - 2 * column * product + column**2 * (column @ column), 0.0)
        columns[len(chosen)] = column
        chosen.append(item)
        left = left - column**2
        left[chosen] = 0.0
    return sample[chosen]


def full_variance(prior: Prior) -> Floats:
    """Return the diagonal of ``prior``; an error where it would take a solve for each item."""
    variance = prior.variance()
    if variance is None:
        raise InvalidInput(
            f"inducing items need every prior variance, and links of {prior.n_items} items take one solve for each: "
            "leave inducing out, or use features alone"
        )
    return variance
