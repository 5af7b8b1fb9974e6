"""Average Gaussian processes over hyperparameters: weighted beliefs in; means, covariances and draws out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import solve_triangular

from penchant.checks import Floats, Ints
from penchant.gp.inference.evidence import Belief
from penchant.gp.inference.gaussian import UNEXPLAINED, Factor
from penchant.gp.kernels import Kernel
from penchant.schema import Array, Instance, Number, Schema, require


def _check_pivots(state: Mapping[str, Any]) -> None:
    pivots = state["pivots"]
    require(len(np.unique(pivots)) == len(pivots), "pivots must be different items")
    require((pivots < len(state["alpha"])).all(), "pivots must be items")


@dataclass(frozen=True, eq=False)
class Component:
    """The belief with one set of hyperparameters, and its weight.

    Attributes
    ----------
    weight : float
    kernel : Kernel
    alpha : ndarray of shape (n_items,)
        K⁻¹ times what the items' utilities are above the prior mean.
    pivots : int ndarray of shape (rank,)
        The items whose utilities determine those of all others.
    triangle, root : ndarray of shape (rank, rank)
        Lower triangles: of K on the pivots, and of B = I + LᵀWL.
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
    def of(cls, weight: float, kernel: Kernel, belief: Belief) -> Self:
        """Return the component of a belief."""
        factor = belief.posterior.factor
        root = np.ascontiguousarray(belief.posterior.root)
        return cls(weight, kernel, belief.alpha, factor.pivots, factor.triangle, root)

    def check(self, items: Floats) -> None:
        """Reject a component that was loaded and does not belong to ``items`` (n_items, n_features)."""
        require(len(self.alpha) == len(items), f"alpha must have {len(items)} entries, got {len(self.alpha)}")
        check_roots(self.kernel, items[self.pivots], self.triangle, self.root)

    def shift(self, rows: Floats, items: Floats) -> Floats:
        """Return how far the expected utilities of ``rows`` (k, n_features) are above the prior mean, shape (k,)."""
        found = np.zeros(len(rows))
        for block in blocks(len(rows), len(items)):
            found[block] += self.kernel(rows[block], items) @ self.alpha
        return found

    def spread(self, items: Floats) -> Spread:
        """Return the posterior covariance."""
        return Spread(self.kernel, items[self.pivots], self.triangle, self.root)


@dataclass(frozen=True, eq=False)
class Mixture:
    """Gaussian processes on the same items whose weights sum to 1.

    Utilities are counted from the prior mean, which all components share. With weights w, means m and covariances C
    the mean is m̄ = Σ w m and the covariance Σ w (C + (m − m̄)(m − m̄)ᵀ).

    Attributes
    ----------
    components : sequence of Component
    items : ndarray of shape (n_items, n_features)
    """

    components: Sequence[Component]
    items: Floats

    @property
    def weights(self) -> Floats:
        """The weights, shape (n_components,)."""
        return np.array([component.weight for component in self.components])

    def mean(self, rows: Floats) -> Floats:
        """Return the expected utilities of ``rows`` (k, n_features), shape (k,)."""
        return np.asarray(self.weights @ self._shifts(rows))

    def mean_variance(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the expected utilities of ``rows`` (k, n_features) and their variances, shape (k,) each."""
        shifts = self._shifts(rows)
        mean = self.weights @ shifts
        spreads = np.array([each.spread(self.items).variance(rows) for each in self.components])
        return mean, self.weights @ (spreads + (shifts - mean) ** 2)

    def mean_covariance(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the expected utilities of ``rows`` (k, n_features), (k,), and their covariance, (k, k)."""
        shifts = self._shifts(rows)
        mean = self.weights @ shifts
        covariance = np.zeros((len(rows), len(rows)))
        for component, shift in zip(self.components, shifts, strict=True):
            rest, left = component.spread(self.items).covariance_parts(rows)
            away = shift - mean
            covariance += component.weight * (rest + left.T @ left + np.outer(away, away))
        return mean, covariance

    def averaged(
        self, first: Floats, second: Floats, prior: Floats, chance: Callable[[Floats, Floats], Floats]
    ) -> Floats:
        """Return the average of a function of the differences' mean and variance, shape (k,).

        Parameters
        ----------
        first, second : ndarray of shape (k, n_features)
        prior : ndarray of shape (k,)
            The prior means of the differences.
        chance : callable
            From means (k,) and variances (k,) to what is averaged, (k,).
        """
        found = np.zeros(len(first))
        for component in self.components:
            lead = prior + (component.shift(first, self.items) - component.shift(second, self.items))
            variance = component.spread(self.items).difference_variance(first, second)
            found += component.weight * chance(lead, variance)
        return found

    def sample(self, rows: Floats, n: int, rng: np.random.Generator) -> Floats:
        """Draw utilities of ``rows`` (k, n_features) jointly, shape (n, k): each draw is from one component."""
        drawn = np.empty((n, len(rows)))
        single = len(self.components) == 1
        place = np.zeros(n, dtype=np.int64) if single else rng.choice(len(self.components), n, p=self.weights)
        for index, component in enumerate(self.components):
            mine = np.flatnonzero(place == index)
            rest, left = component.spread(self.items).covariance_parts(rows)
            root = np.vstack([Factor.of(rest).L.T, left])
            noise = rng.normal(size=(len(mine), len(root)))
            drawn[mine] = component.shift(rows, self.items) + noise @ root
        return drawn

    def _shifts(self, rows: Floats) -> Floats:
        return np.array([component.shift(rows, self.items) for component in self.components])


_MOST_ROWS = 512
_MOST_CELLS = 1 << 23


@dataclass(frozen=True, eq=False)
class Spread:
    """The posterior covariance of a Gaussian process whose answers touch some items only.

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
        """Return what the basis tells of rows X (k, n_features) a priori, and what the answers leave of it.

        l with k(x) = L l, and root⁻¹ l, (rank, k) each: the variance is k(x, x) − lᵀl + ‖root⁻¹ l‖².
        """
        known = solve_triangular(self.prior_root, self.kernel(self.basis, X), lower=True, check_finite=False)
        left = solve_triangular(self.posterior_root, known, lower=True, check_finite=False)
        return np.asarray(known), np.asarray(left)

    def covariance_parts(self, X: Floats) -> tuple[Floats, Floats]:
        """Return the part of the covariance that no answer touches, (k, k), and a root of the rest, (rank, k)."""
        known, left = self.coordinates(X)
        return self.kernel(X) - known.T @ known, left

    def variance(self, X: Floats) -> Floats:
        """Return the posterior variance at rows X (k, n_features), shape (k,)."""
        found = np.empty(len(X))
        for block in blocks(len(X), len(self.basis)):
            found[block] = _left(self.kernel.diagonal(X[block]), *self.coordinates(X[block]))
        return found

    def difference_variance(self, A: Floats, B: Floats) -> Floats:
        """Return the posterior variance of f(a) − f(b) for rows a, b of A and B (k, n_features), shape (k,)."""
        found = np.empty(len(A))
        for block in blocks(len(A), len(self.basis)):
            a, b = A[block], B[block]
            prior = self.kernel.diagonal(a) + self.kernel.diagonal(b) - 2 * np.diagonal(self.kernel(a, b))
            apart = (one - other for one, other in zip(self.coordinates(a), self.coordinates(b), strict=True))
            found[block] = _left(prior, *apart)
        return found


def check_roots(kernel: Kernel, basis: Floats, prior_root: Floats, posterior_root: Floats) -> None:
    """Refuse saved roots, of shape (rank, rank), that would not give finite variances of at least 0.

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


def _left(prior: Floats, known: Floats, left: Floats) -> Floats:
    rest = prior - np.einsum("ij,ij->j", known, known)
    return np.asarray(np.maximum(rest, 0) + np.einsum("ij,ij->j", left, left))
