"""The normal posterior of worth: variances, covariances and draws from the Hessian of the log posterior.

The posterior is normal around the scores with the inverse of the Hessian H as covariance (Laplace), or, where answers
came in clusters, with the sandwich H⁻¹ M H⁻¹, in which M is the covariance of the gradients of the clusters. For a few
thousand items the inverse is computed; for more it is only applied to vectors.

Comparisons determine only differences of worth; the level of all items together is determined by a prior, if at all.
Worth is therefore relative to the mean of the items ``centre``, which leaves all differences as they are: otherwise
each interval would include the uncertainty of that level.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.belief import rows_of
from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.linalg import Product, conjugate_gradients, root_of
from penchant.progress import step_done

Bools = NDArray[np.bool_]
Noise = Callable[[np.random.Generator], Floats]
Noises = Callable[[np.random.Generator, int], Floats]

DENSE_ITEMS = 3000
"""Up to so many items the dense covariance is computed."""

_BATCH = 32
_MOST_DRAWS = 200  # each costs a solution of its own
_ENOUGH = 0.01
_DRAW_TOLERANCE = 1e-4
_COLUMN_TOLERANCE = 1e-9
_MOST_ENTRIES = 25_000_000
_FEW = 0.25
_INVERSE, _SANDWICH = "inverse of the Hessian", "sandwich of the inverse Hessian"
_SUM_TO_ZERO = ", the worths of a connected group summing to 0"
_SEMIDEFINITE = 1e-6
"""A negative eigenvalue up to this share of the largest one is taken to be rounding."""


class Posterior(ABC):
    """The posterior of the deviations of n worths from their mean.

    Attributes
    ----------
    method : str
        A description of how the covariance was computed and of its error.
    most_draws : int
        The largest reasonable number of draws.
    """

    method: str
    most_draws = 2000

    @abstractmethod
    def variance(self) -> Floats:
        """Return the variance of each worth, shape (n,)."""

    @abstractmethod
    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the items ``rows`` with the items ``columns``, shape (rows, columns)."""

    @abstractmethod
    def sample(self, n_draws: int, seed: int) -> Floats:
        """Draw deviations from the mean, shape (n_draws, n)."""

    def quantile(self, probability: float) -> Floats:
        """Return the quantile of each deviation from the mean, shape (n,)."""
        return NormalDist().inv_cdf(probability) * np.sqrt(self.variance())

    def difference_quantile(self, first: Ints, second: Ints, probability: float) -> Floats:
        """Return the quantile of the difference of the deviations of pairs of items, in the shape of ``first``."""
        return NormalDist().inv_cdf(probability) * self.difference_sd(first, second)

    def difference_sd(self, first: Ints, second: Ints) -> Floats:
        """Return the standard deviation of the difference of pairs of items, in the shape of ``first``."""
        left, in_left = np.unique(first, return_inverse=True)
        right, in_right = np.unique(second, return_inverse=True)
        together = self.covariance(left, right)[in_left, in_right].reshape(first.shape)
        variance = self.variance()
        squared = np.maximum(variance[first] + variance[second] - 2 * together, 0.0)
        return np.where(first == second, 0.0, np.sqrt(squared))


def dense_posterior(
    hessian: Floats,
    meat: Floats | None = None,
    *,
    prior: float = 0.0,
    centre: Bools | None = None,
    real: Bools | None = None,
) -> Posterior:
    """Return the posterior with covariance H⁻¹, or H⁻¹ M H⁻¹, from a factor of the precision of differences.

    Comparisons do not determine the level of a connected group of items, so that H 1 = p 1 on each group, where
    p is the prior's precision. The differences to one item of the group have the precision that H has without
    that item's row and column, less p / n in each entry. Its Cholesky factor gives a root R of the covariance,
    R Rᵀ, whose columns are centred; the covariance itself is never factored, since it is singular.

    Parameters
    ----------
    hessian : array of shape (n, n)
        H, symmetric, with H 1 = p 1 on each connected group and positive otherwise.
    meat : array of shape (n, n), optional
        M, the covariance of the gradient, positive semidefinite.
    prior : float
        p. If it is 0, only differences inside a group are determined, and its worths are taken to sum to 0.
    centre : bool array of shape (n,), optional
        The items to whose mean worth is relative; all of them if not given. Where there is none, worth is relative
        to the mean of the prior.
    real : bool array of shape (n,), optional
        The items whose mean is the level of their group; all of them if not given.

    Examples
    --------
    >>> posterior = dense_posterior(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    >>> posterior.covariance()
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    >>> posterior.method
    'inverse of the Hessian, the worths of a connected group summing to 0; exact'
    """
    diagonal = np.diag(hessian)
    if not np.isfinite(diagonal).all():
        raise InvalidInput(
            "weights must have finite sums in double precision, got some that do not: divide all weights by a constant"
        )
    if not (diagonal > 0).all():
        item = int(np.argmin(diagonal))
        raise InvalidInput(
            f"Hessian must be above 0 on its diagonal, got {diagonal[item]:g} for item {item}: "
            "an item without answers needs a prior"
        )
    groups = [group for group in _connected(hessian) if len(group) > 1]
    root = _root_of_differences(hessian, meat, groups, prior)
    share = _shares(centre, len(hessian))
    levels = []
    for group in groups:
        members = group if real is None or not real[group].any() else group[real[group]]
        root[... if len(group) == len(root) else group] -= root[members].mean(axis=0)
        inside = np.isin(np.arange(len(root)), group)
        if prior:
            levels.append((inside - share[group].sum()) / np.sqrt(prior * len(members)))
    root -= share @ root
    varying = [level for level in levels if level.any()]
    if varying:
        root = np.column_stack([root, *varying])
    zero = "" if prior else _SUM_TO_ZERO
    return _Dense(root, f"{_INVERSE if meat is None else _SANDWICH}{zero}; exact")


def normal_posterior(
    precision: Floats, meat: Floats | None = None, *, centre: Bools | None = None
) -> Posterior:
    """Return the posterior with covariance P⁻¹, or P⁻¹ M P⁻¹, for a precision P that is positive in every direction.

    Parameters
    ----------
    precision : array of shape (n, n)
        P.
    meat, centre
        As in `dense_posterior`.

    Examples
    --------
    >>> normal_posterior(np.diag([2.0, 4.0]), centre=np.array([False, False])).variance()
    array([0.5 , 0.25])
    """
    gradient = None if meat is None else root_of(meat)
    root = inverse_root(precision, gradient, float(np.finfo(float).tiny))
    root -= _shares(centre, len(precision)) @ root
    return _Dense(root, f"{_INVERSE if meat is None else _SANDWICH}; exact")


def _shares(centre: Bools | None, n_items: int) -> Floats:
    """Return the share of each item in the mean to which worth is relative."""
    chosen = np.ones(n_items) if centre is None else centre.astype(np.float64)
    chosen /= max(chosen.sum(), 1.0)
    return chosen


def _connected(hessian: Floats) -> list[Ints]:
    """Return the groups of items that the Hessian connects."""
    if (hessian[0] != 0).all():
        return [np.arange(len(hessian))]
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n_groups, labels = connected_components(csr_array(hessian), directed=False)
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, n_groups)))


def _root_of_differences(hessian: Floats, meat: Floats | None, groups: list[Ints], prior: float) -> Floats:
    """Return a root of the covariance of each worth less that of its group's item of most curvature, shape (n, k).

    Items that are in none of ``groups`` have the variance of the prior.
    """
    n_items, diagonal = len(hessian), np.diag(hessian)
    kept = np.ones(n_items, dtype=bool)
    kept[[group[np.argmax(diagonal[group])] for group in groups]] = False
    precision = hessian[np.ix_(kept, kept)]
    gradient = None if meat is None else root_of(meat)
    place = np.cumsum(kept) - 1
    for group in groups:
        inside = place[group[kept[group]]]
        if prior:
            whole = len(inside) == len(precision)  # then no copy is made
            precision[... if whole else np.ix_(inside, inside)] -= prior / len(group)
        if gradient is not None:
            gradient[group] -= gradient[group].mean(axis=0)
    root = np.zeros((n_items, kept.sum() if gradient is None else gradient.shape[1]))
    if len(precision):
        root[kept] = inverse_root(precision, None if gradient is None else gradient[kept], prior / n_items)
    return root


def inverse_root(precision: Floats, gradient: Floats | None, floor: float) -> Floats:
    """Return R with R Rᵀ = A⁻¹, or A⁻¹ G for the gradient's root G, where A has no eigenvalue below ``floor``.

    Where rounding leaves A without a Cholesky factor, its eigenvalues are raised to the floor.
    """
    from scipy.linalg import lapack

    factor, failed = lapack.dpotrf(precision, lower=1, clean=1)
    if not failed:
        if gradient is not None:
            solution, _ = lapack.dpotrs(factor, gradient, lower=1)
            return np.ascontiguousarray(solution)
        inverse, failed = lapack.dtrtri(factor, lower=1, overwrite_c=1)
        if not failed:
            root: Floats = inverse.T
            return root
    values, vectors = np.linalg.eigh(precision)
    if values[0] < -_SEMIDEFINITE * values[-1]:
        raise InvalidInput("Hessian must be positive, got one that is not: give the model a prior above 0")
    values = np.maximum(values, max(floor, len(values) * np.finfo(float).eps * values[-1]))
    root = vectors / np.sqrt(values)
    return root if gradient is None else root @ (root.T @ gradient)


def posterior_of_root(root: Floats, method: str) -> Posterior:
    """Return the normal posterior with covariance R Rᵀ for a root R of shape (n, k)."""
    return _Dense(root, method)


class _Dense(Posterior):
    def __init__(self, root: Floats, method: str) -> None:
        self._root = root
        self._matrix: Floats | None = None
        self.method = method

    def variance(self) -> Floats:
        variance: Floats = np.einsum("ij,ij->i", self._root, self._root)
        return variance

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        left, right = rows_of(rows, len(self._root)), rows_of(columns, len(self._root))
        if self._matrix is None and len(left) * len(right) < _FEW * len(self._root) ** 2:
            return self._root[left] @ self._root[right].T
        if self._matrix is None:
            self._matrix = self._root @ self._root.T
        return self._matrix[np.ix_(left, right)]

    def sample(self, n_draws: int, seed: int) -> Floats:
        noise = np.random.default_rng(seed).standard_normal((n_draws, self._root.shape[1]))
        return noise @ self._root.T


def sampled_posterior(
    product: Product,
    diagonal: Floats,
    noise: Noise,
    n_items: int,
    *,
    seed: int = 0,
    n_draws: int = 256,
    sandwich: bool = False,
    centre: Bools | None = None,
    noises: Noises | None = None,
    batch: int = _BATCH,
    most_draws: int = _MOST_DRAWS,
) -> Posterior:
    """Return the posterior with covariance H⁻¹, or H⁻¹ M H⁻¹, never forming an n × n matrix.

    To solve H x = e with e from N(0, H) is to draw x from N(0, H⁻¹); e is cheap, being a sum over answers.
    Given all others, item i has the variance 1/H_ii and the mean −Σ_j≠i H_ij x_j / H_ii, so that

        Var_i = 1/H_ii + Var(Σ_j≠i H_ij x_j / H_ii)

    needs draws only for its last part (Rao–Blackwell), which is small where an item has many answers; what in
    it comes from the level of all items is solved for as well. Draws are added, ``batch`` at a time, until the
    standard error of nearly all (95 %) of the standard deviations is below 1 %, or there are ``n_draws``.
    Measured on 600 items against the dense inverse: with 60 answers an item the standard deviations are
    off by 0.2 % (the worst by 1 %), with 12 by 0.7 % (3 %), with 4 by 1 % (5 %). Covariances are solved for,
    not drawn. In a sandwich everything is estimated from ``n_draws`` draws, and the standard deviations are off by
    about 1/√(2 n_draws), 4 %. ``method`` states these standard errors.

    Parameters
    ----------
    product : callable
        Multiplies H with an array of shape (n,) or (n, k).
    diagonal : array of shape (n,)
        Of H, which must be positive, but may vanish along the constant of all items together.
    noise : callable
        ``noise(rng)`` draws from N(0, H), for a sandwich from N(0, M), shape (n,).
    n_items : int
        n.
    seed : int
        Of the draws for variances.
    n_draws : int
        At most so many of them.
    sandwich : bool
        Whether ``noise`` is from N(0, M).
    centre : bool array of shape (n,), optional
        As in `dense_posterior`.
    noises : callable, optional
        ``noises(rng, k)`` makes k columns of noise, shape (n, k), where that costs less than one at a time.
    batch : int
        How many systems are solved side by side.
    most_draws : int
        The number of draws that a ranking takes at most.
    """
    noises = noises or (lambda rng, count: np.column_stack([noise(rng) for _ in range(count)]))
    level = np.abs(product(np.ones(n_items)))
    free = bool((level <= n_items * np.finfo(float).eps * diagonal).all())
    if free:
        product, diagonal, noises = _lifted(product, diagonal, noises)
    zero = _SUM_TO_ZERO if free else ""
    method = f"{_SANDWICH if sandwich else _INVERSE}{zero}, applied by conjugate gradients"
    return _Sampled(
        product,
        diagonal,
        noises,
        _shares(centre, n_items),
        method,
        sandwich,
        seed,
        n_draws,
        batch,
        most_draws,
    )


def _lifted(product: Product, diagonal: Floats, noises: Noises) -> tuple[Product, Floats, Noises]:
    """Return H and its noise with a precision added along the sum of all items, which centring removes."""
    lift = float(diagonal.mean() / len(diagonal))
    return (
        lambda values: product(values) + lift * values.sum(axis=0),
        diagonal + lift,
        lambda rng, count: noises(rng, count) + np.sqrt(lift) * rng.standard_normal(count),
    )


class _Sampled(Posterior):
    def __init__(
        self,
        product: Product,
        diagonal: Floats,
        noises: Noises,
        share: Floats,
        method: str,
        sandwich: bool,
        seed: int,
        n_draws: int,
        batch: int,
        most_draws: int,
    ) -> None:
        self._product, self._diagonal, self._noises, self._share = product, diagonal, noises, share
        self._batch, self.most_draws = batch, most_draws
        self._level = conjugate_gradients(product, diagonal, share, tolerance=_COLUMN_TOLERANCE)
        self._draws: Floats | None = None
        rng = np.random.default_rng(seed)
        if sandwich:
            self._draws = self._centred(self._drawn(n_draws, rng))
            self._variance: Floats = (self._draws**2).mean(axis=1)
            error = np.full(len(diagonal), 1 / np.sqrt(2 * n_draws))
        else:
            self._variance, error, n_draws = self._rao_blackwell(n_draws, rng)
        usual, most = 100 * np.sqrt((error**2).mean()), 100 * _within(error, 0.95)
        self.method = (
            f"{method}; standard deviations from {n_draws} draws, off by {usual:.2g} % (root mean square), "
            f"95 % of them by less than {most:.2g} %"
        )

    def _rao_blackwell(self, n_draws: int, rng: np.random.Generator) -> tuple[Floats, Floats, int]:
        """Return the variances, the relative standard errors of their roots, and the number of draws."""
        level_variance = self._share @ self._level
        # The regression of each item's conditional mean on the level, and its share of the variance, are exact.
        gradient = (self._level - self._share / self._diagonal) / (level_variance or 1)
        exact = 1 / self._diagonal + (gradient**2 + 1) * level_variance - 2 * self._level
        squares, drawn = np.zeros(len(self._diagonal)), 0
        while True:
            batch = self._drawn(min(self._batch, n_draws - drawn), rng)
            given_others = batch - self._product(batch) / self._diagonal[:, None]
            given_others -= gradient[:, None] * (self._share @ batch)
            squares += (given_others**2).sum(axis=1)
            drawn += batch.shape[1]
            rest = squares / drawn
            variance = np.maximum(exact + rest, 0)
            error = rest / np.maximum(variance, np.finfo(float).tiny) / np.sqrt(2 * drawn)
            step_done(drawn, n_draws)
            if drawn >= n_draws or np.quantile(error, 0.95) <= _ENOUGH:
                return variance, error, drawn

    def _drawn(self, n_draws: int, rng: np.random.Generator) -> Floats:
        noise = self._noises(rng, n_draws)
        return conjugate_gradients(self._product, self._diagonal, noise, tolerance=_DRAW_TOLERANCE)

    def _centred(self, columns: Floats) -> Floats:
        centred: Floats = columns - self._share @ columns
        return centred

    def variance(self) -> Floats:
        return self._variance.copy()

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        n_items = len(self._diagonal)
        left, right = rows_of(rows, n_items), rows_of(columns, n_items)
        if len(left) * len(right) > _MOST_ENTRIES:
            raise InvalidInput(
                f"covariance can be written out up to {_MOST_ENTRIES:,} entries, got {len(left):,} by "
                f"{len(right):,}: ask for fewer rows or columns"
            )
        if self._draws is not None:
            product: Floats = self._draws[left] @ self._draws[right].T / self._draws.shape[1]
            return product
        if len(left) < len(right):
            return self.covariance(right, left).T
        unit = np.zeros((n_items, len(right)))
        unit[right, np.arange(len(right))] = 1
        unit -= self._share[:, None]
        return self._centred(
            conjugate_gradients(self._product, self._diagonal, unit, tolerance=_COLUMN_TOLERANCE)
        )[left]

    def sample(self, n_draws: int, seed: int) -> Floats:
        rng = np.random.default_rng(seed)
        starts = range(0, n_draws, self._batch)
        batches = []
        for start in starts:
            batches.append(self._drawn(min(self._batch, n_draws - start), rng))
            step_done(len(batches), len(starts))
        return np.ascontiguousarray(self._centred(np.concatenate(batches, axis=1)).T)


def _within(error: Floats, share: float) -> float:
    """Return the bound below which this share of normal deviations with standard errors ``error`` lies."""
    from scipy.special import ndtr

    scale = np.maximum(error, np.finfo(float).tiny)
    low, high = 0.0, 10 * float(scale.max())
    for _ in range(50):
        middle = (low + high) / 2
        below = float((2 * ndtr(middle / scale) - 1).mean()) < share
        low, high = (middle, high) if below else (low, middle)
    return high
