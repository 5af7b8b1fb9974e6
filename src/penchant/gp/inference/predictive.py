"""The posterior of a Gaussian process at any rows of features, averaged over kernels where these are uncertain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import solve_triangular

from penchant.checks import Floats, Ints
from penchant.gp.inference.evidence import UtilityPosterior
from penchant.gp.inference.gaussian import UNEXPLAINED, Factor
from penchant.gp.kernels import Kernel
from penchant.mixture import mixture_covariance, mixture_variance
from penchant.schema import Array, Instance, Number, Schema, require

_MOST_ROWS = 512
_MOST_CELLS = 1 << 23


@dataclass(frozen=True, eq=False)
class PosteriorCovariance:
    """The posterior covariance of a Gaussian process that was observed at some items.

    Attributes
    ----------
    kernel : Kernel
    basis : ndarray of shape (rank, n_features)
        The items whose utilities determine those of all others.
    prior_root, posterior_root : ndarray of shape (rank, rank)
        Lower triangles: of K on the basis, and of B = I + LᵀWL.
    """

    kernel: Kernel
    basis: Floats
    prior_root: Floats
    posterior_root: Floats

    def coordinates(self, X: Floats) -> tuple[Floats, Floats]:
        """Return l with k(x) = L l, and root⁻¹ l, for rows X (k, n_features), (rank, k) each.

        The variance is k(x, x) − lᵀl + ‖root⁻¹ l‖².
        """
        prior = solve_triangular(self.prior_root, self.kernel(self.basis, X), lower=True, check_finite=False)
        posterior = solve_triangular(self.posterior_root, prior, lower=True, check_finite=False)
        return np.asarray(prior), np.asarray(posterior)

    def parts(self, X: Floats) -> tuple[Floats, Floats]:
        """Return the covariance given the utilities of the basis, (k, k), and a root of the rest, (rank, k)."""
        prior, posterior = self.coordinates(X)
        return self.kernel(X) - prior.T @ prior, posterior

    def matrix(self, X: Floats) -> Floats:
        """Return the posterior covariance between rows X (k, n_features), shape (k, k)."""
        rest, root = self.parts(X)
        return np.asarray(rest + root.T @ root)

    def variance(self, X: Floats) -> Floats:
        """Return the posterior variance at rows X (k, n_features), shape (k,)."""
        variances = np.empty(len(X))
        for block in blocks(len(X), len(self.basis)):
            variances[block] = _variance(self.kernel.diagonal(X[block]), *self.coordinates(X[block]))
        return variances

    def difference_variance(self, A: Floats, B: Floats) -> Floats:
        """Return the posterior variance of f(a) − f(b) for rows a, b of A and B (k, n_features), shape (k,)."""
        variances = np.empty(len(A))
        for block in blocks(len(A), len(self.basis)):
            a, b = A[block], B[block]
            prior = self.kernel.diagonal(a) + self.kernel.diagonal(b) - 2 * np.diagonal(self.kernel(a, b))
            apart = (x - y for x, y in zip(self.coordinates(a), self.coordinates(b), strict=True))
            variances[block] = _variance(prior, *apart)
        return variances


def check_roots(kernel: Kernel, basis: Floats, prior_root: Floats, posterior_root: Floats) -> None:
    """Reject saved roots, of shape (rank, rank), that would not give finite variances of at least 0.

    The first must be the triangle of the kernel on the basis, as Cholesky with pivoting leaves it, and the second
    that of a matrix B whose eigenvalues are at least 1.
    """
    from scipy.linalg.lapack import dtrcon

    K = kernel(basis)
    require(np.isfinite(K).all(), "the kernel must be finite between the items")
    largest = float(np.diagonal(K).max(initial=0.0))
    apart = np.abs(prior_root @ prior_root.T - K).max(initial=0.0)
    require(apart <= 1e-6 * largest, "the root of the prior must be that of the kernel")
    for root, least in ((prior_root, 0.5 * np.sqrt(UNEXPLAINED * largest)), (posterior_root, 1 - 1e-6)):
        triangle = not np.triu(root, 1).any() and (np.diagonal(root) >= least).all()
        require(triangle, f"roots must be lower triangles with a diagonal of at least {least:.3g}")
    if len(posterior_root):
        size = np.abs(posterior_root).sum(axis=0).max()
        reciprocal, _ = dtrcon(posterior_root, norm="1", uplo="L")
        inverse = 1 / max(reciprocal * size, np.finfo(float).tiny)
        require(
            inverse <= 10 * np.sqrt(len(posterior_root)),
            "the root of the posterior must have eigenvalues above 1",
        )


def blocks(n_rows: int, n_items: int) -> Iterator[slice]:
    """Return pieces of ``n_rows`` rows whose kernel with ``n_items`` items fits in a little memory."""
    step = max(1, min(_MOST_ROWS, _MOST_CELLS // n_items))
    return (slice(start, start + step) for start in range(0, n_rows, step))


def _variance(diagonal: Floats, prior: Floats, posterior: Floats) -> Floats:
    rest = diagonal - np.einsum("ij,ij->j", prior, prior)
    return np.asarray(np.maximum(rest, 0) + np.einsum("ij,ij->j", posterior, posterior))


def _check_pivots(state: Mapping[str, Any]) -> None:
    pivots = state["pivots"]
    require(len(np.unique(pivots)) == len(pivots), "pivots must be different items")
    require((pivots < len(state["alpha"])).all(), "pivots must be items")


@dataclass(frozen=True, eq=False)
class Component:
    """The posterior with one set of hyperparameters, and its weight.

    Attributes
    ----------
    weight : float
    kernel : Kernel
    alpha : ndarray of shape (n_items,)
        K⁻¹ times the expected utilities of the items less their prior mean.
    pivots : int ndarray of shape (rank,)
        The items whose utilities determine those of all others.
    triangle, root : ndarray of shape (rank, rank)
        Lower triangles: of K on the pivots, and of B = I + LᵀWL.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.gp import PreferenceGP
    >>> model = PreferenceGP().fit_pairs(np.arange(4.0)[:, None], [(3, 0), (2, 1), (3, 1)])
    >>> round(sum(component.weight for component in model.components_), 6)
    1.0
    """

    __saved__: ClassVar = Schema(
        {
            "weight": Number(most=1, above=0),
            "kernel": Instance(Kernel),
            "alpha": Array((None,)),
            "pivots": Array(("rank",), "int64", least=0),
            "triangle": Array(("rank", "rank")),
            "root": Array(("rank", "rank")),
        },
        rules=(_check_pivots,),
    )

    weight: float
    kernel: Kernel
    alpha: Floats
    pivots: Ints
    triangle: Floats
    root: Floats

    @classmethod
    def of(cls, weight: float, kernel: Kernel, found: UtilityPosterior) -> Self:
        """Return the component of a posterior of the items' utilities."""
        factor = found.posterior.factor
        root = np.ascontiguousarray(found.posterior.root)
        return cls(weight, kernel, found.alpha, factor.pivots, factor.triangle, root)

    def check(self, items: Floats) -> None:
        """Reject a component that was loaded and does not belong to ``items`` (n_items, n_features)."""
        require(len(self.alpha) == len(items), f"alpha must have {len(items)} entries, got {len(self.alpha)}")
        check_roots(self.kernel, items[self.pivots], self.triangle, self.root)

    def shift(self, rows: Floats, items: Floats) -> Floats:
        """Return the expected utilities of ``rows`` (k, n_features) less their prior mean, shape (k,)."""
        shift = np.zeros(len(rows))
        for block in blocks(len(rows), len(items)):
            shift[block] += self.kernel(rows[block], items) @ self.alpha
        return shift

    def covariance(self, items: Floats) -> PosteriorCovariance:
        """Return the posterior covariance."""
        return PosteriorCovariance(self.kernel, items[self.pivots], self.triangle, self.root)


@dataclass(frozen=True, eq=False)
class Mixture:
    """The posterior of a utility as a mixture of Gaussian processes with different kernels.

    Attributes
    ----------
    components : sequence of Component
        With weights that sum to 1.
    items : ndarray of shape (n_items, n_features)
        The items that were compared.
    prior_mean : callable
        From rows (k, n_features) to the prior mean of their utilities (k,), which all components share.
    """

    components: Sequence[Component]
    items: Floats
    prior_mean: Callable[[Floats], Floats]

    @property
    def weights(self) -> Floats:
        """The weights, shape (n_components,)."""
        return np.array([component.weight for component in self.components])

    def most_probable(self) -> Mixture:
        """Return the component of the highest weight alone."""
        best = max(self.components, key=lambda component: component.weight)
        return replace(self, components=(replace(best, weight=1.0),))

    def mean(self, rows: Floats) -> Floats:
        """Return the expected utilities of ``rows`` (k, n_features), shape (k,)."""
        return np.asarray(self.prior_mean(rows) + self.weights @ self._shifts(rows))

    def mean_variance(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the expected utilities of ``rows`` (k, n_features) and their variances, shape (k,) each."""
        shifts, mean = self._around_mean(rows)
        variances = np.array([part.covariance(self.items).variance(rows) for part in self.components])
        return mean, mixture_variance(self.weights, shifts, variances)

    def mean_covariance(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the expected utilities of ``rows`` (k, n_features), (k,), and their covariance, (k, k)."""
        shifts, mean = self._around_mean(rows)
        covariances = (part.covariance(self.items).matrix(rows) for part in self.components)
        return mean, mixture_covariance(self.weights, shifts, shifts, covariances)

    def averaged(self, first: Floats, second: Floats, function: Callable[[Floats, Floats], Floats]) -> Floats:
        """Return the average over components of a function of the differences' mean and variance, shape (k,).

        Parameters
        ----------
        first, second : ndarray of shape (k, n_features)
        function : callable
            From means (k,) and variances (k,) to (k,).
        """
        prior = self.prior_mean(first) - self.prior_mean(second)
        average = np.zeros(len(first))
        for part in self.components:
            mean = prior + (part.shift(first, self.items) - part.shift(second, self.items))
            variance = part.covariance(self.items).difference_variance(first, second)
            average += part.weight * function(mean, variance)
        return average

    def sample(self, rows: Floats, n_draws: int, seed: int | None) -> Floats:
        """Draw utilities of ``rows`` (k, n_features) jointly, shape (n_draws, k), each draw from one component."""
        rng = np.random.default_rng(seed)
        draws = np.empty((n_draws, len(rows)))
        drawn = np.zeros(n_draws, dtype=np.int64)
        if len(self.components) > 1:
            drawn = rng.choice(len(self.components), n_draws, p=self.weights)
        for index, part in enumerate(self.components):
            of_part = np.flatnonzero(drawn == index)
            rest, left = part.covariance(self.items).parts(rows)
            root = np.vstack([Factor.of(rest).L.T, left])
            noise = rng.normal(size=(len(of_part), len(root)))
            draws[of_part] = part.shift(rows, self.items) + noise @ root
        return self.prior_mean(rows) + draws

    def _shifts(self, rows: Floats) -> Floats:
        return np.array([component.shift(rows, self.items) for component in self.components])

    def _around_mean(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the deviations of the components' means from the mean, (n_components, k), and the mean, (k,)."""
        shifts = self._shifts(rows)
        shift = self.weights @ shifts
        return shifts - shift, self.prior_mean(rows) + shift
