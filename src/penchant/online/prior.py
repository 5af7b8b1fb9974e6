"""Normal priors of scores with a dense covariance: the posterior for given sites, and what one answer contributes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.lapack import cholesky, inverse_of_factor, log_determinant
from penchant.linalg import root_of

Pairs = NDArray[np.int32]
_BLOCK = 128
_LEAST_CONDITION = 1e-11
"""The least reciprocal condition number of a covariance that is inverted."""


class Normal(NamedTuple):
    """A normal posterior.

    Attributes
    ----------
    mean : array of shape (N,)
    covariance : array of shape (N, N)
        Symmetric, rows contiguous.
    narrowed : float
        The logarithm of the determinant of the prior covariance over that of the posterior covariance.
    """

    mean: Floats
    covariance: Floats
    narrowed: float


class DensePrior(ABC):
    """The priors of K components over N rows: the items and, last, the bar where there is one."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """K and N."""

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """The mean of all components, shape (N,)."""

    @property
    @abstractmethod
    def for_kernels(self) -> tuple[Floats, Floats]:
        """The diagonals (K, 1, N) or covariances, one (1, N, N) or one each (K, N, N), and their factors (K,)."""

    @abstractmethod
    def covariance(self, k: int) -> Floats:
        """Return the prior covariance of component k, shape (N, N)."""

    @abstractmethod
    def times(self, k: int, values: Floats) -> Floats:
        """Return the prior covariance of component k times a vector."""

    @abstractmethod
    def posterior(self, k: int, pairs: Pairs, tau: Floats, nu: Floats) -> Normal:
        """Return the posterior of component k, given the sites of pairs (n_pairs, 2)."""

    @abstractmethod
    def with_items(self, count: int, *, bar: bool) -> DensePrior | None:
        """Return the prior with more items, before the bar; None where it is not known."""

    @abstractmethod
    def chosen(self, components: Sequence[int]) -> DensePrior:
        """Return the prior of some of the components."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return the arrays that it consists of."""

    def pair_precision(self, k: int, pairs: Pairs) -> Floats:
        """Return the precision of the difference of each pair, shape (n_pairs,)."""
        first, second = pairs.T
        covariance = self.covariance(k)
        own = covariance.diagonal()
        precision: Floats = 1 / (own[first] + own[second] - 2 * covariance[first, second])
        return precision


@dataclass(frozen=True, eq=False)
class IndependentPrior(DensePrior):
    """Independent scores around 0.

    Attributes
    ----------
    variances : array of shape (K, N)
    """

    variances: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """K and N."""
        return self.variances.shape[0], self.variances.shape[1]

    @property
    def mean(self) -> Floats:
        """Zeros, shape (N,)."""
        return np.zeros(self.shape[1])

    @property
    def for_kernels(self) -> tuple[Floats, Floats]:
        """The diagonals (K, 1, N) and factors of 1."""
        return np.ascontiguousarray(self.variances[:, None, :]), np.ones(len(self.variances))

    def covariance(self, k: int) -> Floats:
        """Return a diagonal matrix."""
        return np.diag(self.variances[k])

    def times(self, k: int, values: Floats) -> Floats:
        """Return the prior covariance of component k times a vector."""
        product: Floats = self.variances[k] * values
        return product

    def pair_precision(self, k: int, pairs: Pairs) -> Floats:
        """Return the precision of the difference of each pair, shape (n_pairs,)."""
        precision: Floats = 1 / self.variances[k][pairs].sum(axis=1)
        return precision

    def posterior(self, k: int, pairs: Pairs, tau: Floats, nu: Floats) -> Normal:
        """Return the posterior of component k, from the Cholesky factor of its precision."""
        from scipy.linalg import lapack

        precision = _laplacian(pairs, tau, self.shape[1])
        precision[np.diag_indices_from(precision)] += 1 / self.variances[k]
        factor, failed = lapack.dpotrf(precision, lower=1, overwrite_a=1)
        if failed:
            raise _too_heavy()
        narrowed = 2 * float(np.log(np.diag(factor)).sum()) + float(np.log(self.variances[k]).sum())
        mean, _ = lapack.dpotrs(factor, _net(pairs, nu, self.shape[1]), lower=1)
        inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
        return Normal(mean, _symmetric(inverse), narrowed)

    def with_items(self, count: int, *, bar: bool) -> IndependentPrior:
        """Return the prior with more items of the same variance as the others."""
        end = self.shape[1] - bar
        more = np.repeat(self.variances[:, :1], count, axis=1)
        return IndependentPrior(np.hstack([self.variances[:, :end], more, self.variances[:, end:]]))

    def chosen(self, components: Sequence[int]) -> IndependentPrior:
        """Return the prior of some of the components."""
        return IndependentPrior(self.variances[list(components)])

    def state(self) -> dict[str, Any]:
        """Return the variances."""
        return {"variances": self.variances}


@dataclass(frozen=True, eq=False)
class CorrelatedPrior(DensePrior):
    """Scores with any covariance, times a factor for each component.

    Attributes
    ----------
    matrix : array of shape (N, N)
    factors : array of shape (K,)
    centre : array of shape (N,)
        The mean of the scores.
    """

    matrix: Floats
    factors: Floats
    centre: Floats

    @property
    def mean(self) -> Floats:
        """The mean of all components, shape (N,)."""
        return self.centre

    @property
    def shape(self) -> tuple[int, int]:
        """K and N."""
        return len(self.factors), len(self.matrix)

    @property
    def for_kernels(self) -> tuple[Floats, Floats]:
        """The covariance (1, N, N) and its factors."""
        return self.matrix[None], self.factors

    def covariance(self, k: int) -> Floats:
        """Return the prior covariance of component k, shape (N, N)."""
        scaled: Floats = self.factors[k] * self.matrix
        return scaled

    def times(self, k: int, values: Floats) -> Floats:
        """Return the prior covariance of component k times a vector."""
        product: Floats = self.factors[k] * (self.matrix @ values)
        return product

    def posterior(self, k: int, pairs: Pairs, tau: Floats, nu: Floats) -> Normal:
        """Return the posterior of component k, of a prior which may be singular."""
        if not (tau.any() or nu.any()):
            return Normal(self.mean.copy(), self.covariance(k), 0.0)
        return self._form.scaled(self.factors[k]).given_sites(self.mean, pairs, tau, nu)

    @cached_property
    def _form(self) -> _Precision | _Root:
        return _form_of(self.matrix)

    def with_items(self, count: int, *, bar: bool) -> None:
        """Return None: how new items are correlated with the others is not known here."""

    def chosen(self, components: Sequence[int]) -> CorrelatedPrior:
        """Return the prior of some of the components."""
        return CorrelatedPrior(self.matrix, self.factors[list(components)], self.centre)

    def state(self) -> dict[str, Any]:
        """Return the arrays that it consists of."""
        return {"matrix": self.matrix, "factors": self.factors, "centre": self.centre}


@dataclass(frozen=True, eq=False)
class MixedPrior(DensePrior):
    """Scores with one mean and, in each component, a covariance of its own.

    Attributes
    ----------
    matrices : array of shape (K, N, N)
    centre : array of shape (N,)
        The mean of the scores.
    """

    matrices: Floats
    centre: Floats

    @property
    def mean(self) -> Floats:
        """The mean of all components, shape (N,)."""
        return self.centre

    @property
    def shape(self) -> tuple[int, int]:
        """K and N."""
        return self.matrices.shape[0], self.matrices.shape[1]

    @property
    def for_kernels(self) -> tuple[Floats, Floats]:
        """The covariances (K, N, N) and factors of 1."""
        return self.matrices, np.ones(len(self.matrices))

    def covariance(self, k: int) -> Floats:
        """Return the prior covariance of component k, shape (N, N)."""
        copied: Floats = self.matrices[k].copy()
        return copied

    def times(self, k: int, values: Floats) -> Floats:
        """Return the prior covariance of component k times a vector."""
        product: Floats = self.matrices[k] @ values
        return product

    def posterior(self, k: int, pairs: Pairs, tau: Floats, nu: Floats) -> Normal:
        """Return the posterior of component k, of a prior which may be singular."""
        if not (tau.any() or nu.any()):
            return Normal(self.mean.copy(), self.covariance(k), 0.0)
        return self._forms[k].given_sites(self.mean, pairs, tau, nu)

    @cached_property
    def _forms(self) -> list[_Precision | _Root]:
        return [_form_of(matrix) for matrix in self.matrices]

    def with_items(self, count: int, *, bar: bool) -> None:
        """Return None: how new items are correlated with the others is not known here."""

    def chosen(self, components: Sequence[int]) -> MixedPrior:
        """Return the prior of some of the components, with the inverses that were computed."""
        prior = MixedPrior(self.matrices[list(components)], self.centre)
        forms = vars(self).get("_forms")
        if forms is not None:
            vars(prior)["_forms"] = [forms[k] for k in components]
        return prior

    def state(self) -> dict[str, Any]:
        """Return the arrays that it consists of."""
        return {"matrices": self.matrices, "centre": self.centre}


class _Root(NamedTuple):
    """A covariance R Rᵀ, which may be singular."""

    root: Floats

    def scaled(self, factor: float) -> _Root:
        """Return ``factor`` times the covariance."""
        return _Root(np.sqrt(factor) * self.root)

    def given_sites(self, mean: Floats, pairs: Pairs, tau: Floats, nu: Floats) -> Normal:
        """Return the posterior; with the precision S of the sites the covariance is R (1 + Rᵀ S R)⁻¹ Rᵀ."""
        from scipy.linalg import lapack

        root = self.root
        sites = _sparse_laplacian(pairs, tau, len(root))
        inner = root.T @ (sites @ root)
        inner[np.diag_indices_from(inner)] += 1
        factor, failed = lapack.dpotrf(inner, lower=1, clean=1)
        if failed:
            raise _too_heavy()
        half, _ = lapack.dtrtrs(factor, root.T, lower=1)
        covariance = half.T @ half
        pull = _net(pairs, nu, len(root)) - sites @ mean
        moved = mean + half.T @ (half @ pull)
        return Normal(moved, _symmetric(covariance), 2 * float(np.log(np.diag(factor)).sum()))


class _Precision(NamedTuple):
    """A covariance by its inverse, by columns, and the logarithm of its determinant."""

    inverse: Floats
    log_determinant: float

    def scaled(self, factor: float) -> _Precision:
        """Return ``factor`` times the covariance."""
        if factor == 1:
            return self
        return _Precision(self.inverse / factor, self.log_determinant + len(self.inverse) * np.log(factor))

    def given_sites(self, mean: Floats, pairs: Pairs, tau: Floats, nu: Floats) -> Normal:
        """Return the posterior, whose precision is that of the prior and of the sites: a third of the root's work."""
        first, second = pairs.T
        n_rows = len(self.inverse)
        precision = self.inverse.copy(order="F")
        precision[second, first] -= tau  # the lower half; each pair is there once
        own = np.bincount(first, tau, n_rows) + np.bincount(second, tau, n_rows)
        precision[np.diag_indices(n_rows)] += own
        if not cholesky(precision):
            raise _too_heavy()
        narrowed = self.log_determinant + log_determinant(precision)
        inverse_of_factor(precision)
        covariance = _symmetric(precision)
        pull = _net(pairs, nu - tau * (mean[first] - mean[second]), n_rows)
        return Normal(mean + covariance @ pull, covariance, narrowed)


def _form_of(matrix: Floats) -> _Precision | _Root:
    """Return the form of a covariance in which posteriors take least work: its inverse, unless it is near singular."""
    from scipy.linalg import lapack

    norm = float(np.abs(matrix).sum(axis=0).max(initial=0.0))
    factor = matrix.copy(order="F")
    if not cholesky(factor) or not lapack.dpocon(factor, norm, uplo="L")[0] > _LEAST_CONDITION:
        return _Root(root_of(matrix))
    determinant = log_determinant(factor)
    inverse_of_factor(factor)
    return _Precision(factor, determinant)


def prior_of_state(state: Mapping[str, Any]) -> DensePrior:
    """Return the prior whose `DensePrior.state` this is."""
    arrays = {name: np.array(values, dtype=np.float64) for name, values in state.items()}
    if "variances" in arrays:
        return IndependentPrior(**arrays)
    return MixedPrior(**arrays) if "matrices" in arrays else CorrelatedPrior(**arrays)


def _laplacian(pairs: Pairs, tau: Floats, n_rows: int) -> Floats:
    """Return the lower half of the precision Aᵀ T A of sites."""
    first, second = pairs.T
    matrix = np.zeros((n_rows, n_rows), order="F")
    matrix[second, first] = -tau  # each pair is there once
    matrix[np.diag_indices(n_rows)] = np.bincount(first, tau, n_rows) + np.bincount(second, tau, n_rows)
    return matrix


def _sparse_laplacian(pairs: Pairs, tau: Floats, n_rows: int) -> Any:
    """Return the precision Aᵀ T A of sites as a sparse matrix."""
    from scipy.sparse import csr_array

    first, second = pairs.T
    rows = np.concatenate([first, second, first, second])
    columns = np.concatenate([first, second, second, first])
    values = np.concatenate([tau, tau, -tau, -tau])
    return csr_array((values, (rows, columns)), shape=(n_rows, n_rows))


def _net(pairs: Pairs, nu: Floats, n_rows: int) -> Floats:
    first, second = pairs.T
    net = np.bincount(first, nu, n_rows) - np.bincount(second, nu, n_rows)
    return net.astype(np.float64, copy=False)


def _symmetric(matrix: Floats) -> Floats:
    """Return the lower half and its mirror image, rows contiguous; the matrix is overwritten."""
    by_columns = matrix.flags.f_contiguous
    symmetric: Floats = matrix.T if by_columns else np.ascontiguousarray(matrix)
    for start in range(0, len(symmetric), _BLOCK):
        end = start + _BLOCK
        block = symmetric[start:end, start:end]
        half = np.triu(block, 1) if by_columns else np.tril(block, -1)
        block[:] = half + half.T + np.diag(np.diag(block))
        above, below = symmetric[start:end, end:], symmetric[end:, start:end]
        if by_columns:
            below[:] = above.T
        else:
            above[:] = below.T
    return symmetric


def _too_heavy() -> InvalidInput:
    return InvalidInput(
        "weights must not outweigh the prior by more than double precision holds, got some that do: "
        "divide all weights by a constant"
    )
