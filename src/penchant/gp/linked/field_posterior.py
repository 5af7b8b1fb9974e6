"""The posterior of many items given all answers at once, by expectation propagation with estimated variances.

The posterior covariance is P + EEᵀ: P = (Q⁻¹ + D)⁻¹ with the sites added, which is never written out, and E of shape
(n, m), the part of the features. Each column of E takes a sparse solve. The variances of single items and of pairs that
are linked or were compared are estimated from draws of the local part (Rao-Blackwellised: given its neighbours the
variance of an item is exact, and only the variance of its conditional mean is estimated). All draws have fixed seeds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.ep import Sites
from penchant.gp.inference.likelihood import Bools, Probit
from penchant.gp.linked.field_prior import FieldPrior
from penchant.gp.linked.linked_parts import Pairs
from penchant.linalg import conjugate_gradients

_NEWTON_STEPS = 12
_NEWTON_CHANGE = 1e-3
_AT_MODE = 1e-5
_SWEEPS = 3
_DRAWS, _LAST_DRAWS = 64, 256
_SOLVED_TOGETHER = 64
_EDGES_TOGETHER = 1024
_EXACT, _ROUGH, _DRAWN = 1e-7, 1e-4, 1e-4
"""Tolerances of solves: for moments, for those between sweeps, and for draws, whose own error is some percent."""
_LEAST_LEFT = 1e-6
"""The share of a variance that is at least left when a site is taken out of the posterior."""


@dataclass(frozen=True, eq=False)
class FieldSites:
    """One site for each different answer: the rows, better first, whether they tie, and how often it was given.

    ``tau`` and ``nu`` are those of one copy, as in `penchant.gp.inference.ep`; all have shape (t,).
    """

    first: Ints
    second: Ints
    tie: Bools
    count: Floats
    tau: Floats
    nu: Floats

    @classmethod
    def of(cls, answers: Answers) -> Self:
        """Count equal answers, in the order in which each was first given; all sites are 0."""
        pairs = np.where(answers.tie[:, None], np.sort(answers.pairs, axis=1), answers.pairs)
        keys = np.column_stack([pairs, answers.tie])
        unique, start, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(start)
        count = np.bincount(place.ravel(), answers.weight, len(unique)).astype(np.float64)[order]
        first, second, tie = unique[order].T.reshape(3, -1)
        zeros = np.zeros(len(unique))
        return cls(first.astype(np.int64), second.astype(np.int64), tie.astype(bool), count, zeros, zeros)

    @property
    def copies(self) -> Floats:
        """How many equal sites each answer is, shape (t,)."""
        return np.maximum(self.count, 1)

    @property
    def power(self) -> Floats:
        """The power of the likelihood that each copy stands for, shape (t,)."""
        return np.minimum(self.count, 1)

    def pairs(self) -> Pairs:
        """Return the precisions of the differences."""
        return Pairs(self.first, self.second, self.copies * self.tau)

    def differences(self, utility: Floats) -> Floats:
        """Return by how much the first of each pair leads, shape (t,)."""
        return utility[self.first] - utility[self.second]


@dataclass(frozen=True, eq=False)
class FieldMoments:
    """Mean and covariance of all rows.

    Attributes
    ----------
    shared : array of shape (n, m)
        E.
    mean, variance : array of shape (n,)
    edge_first, edge_second : int array of shape (e,)
        The pairs whose rows are linked or were compared, the lower row first, each once.
    edge_variance : array of shape (e,)
        Of the difference of their utilities.
    """

    shared: Floats
    mean: Floats
    variance: Floats
    edge_first: Ints
    edge_second: Ints
    edge_variance: Floats


def posterior_sites(prior: FieldPrior, answers: Answers, likelihood: Probit) -> FieldSites:
    """Return the sites of expectation propagation, from those of the posterior mode by some sweeps."""
    sites = FieldSites.of(answers)
    if not len(sites.count):
        return sites
    sites = _at_mode(prior, sites, likelihood)
    for _ in range(_SWEEPS):
        sites = _swept(prior, sites, likelihood)
    return sites


def _swept(prior: FieldPrior, sites: FieldSites, likelihood: Probit) -> FieldSites:
    """Return the sites that match the cavities of the posterior with ``sites``."""
    moments = moments_of(prior, sites, draws=_DRAWS, tolerance=_ROUGH, linked=False)
    variance = moments.edge_variance[_edges_of(moments, sites, prior.n_rows)]
    left = np.maximum(1 - sites.tau * variance, _LEAST_LEFT)
    cavity_variance = variance / left
    cavity_mean = (sites.differences(moments.mean) - sites.nu * variance) / left
    tilted = likelihood.tilted(cavity_mean, cavity_variance, sites.tie, sites.power)
    updated = Sites.matching(cavity_mean, cavity_variance, tilted)
    return replace(sites, tau=np.maximum(updated.tau, 0.0), nu=updated.nu)


def _edges_of(moments: FieldMoments, sites: FieldSites, n_rows: int) -> Ints:
    codes = moments.edge_first * n_rows + moments.edge_second
    low, high = np.minimum(sites.first, sites.second), np.maximum(sites.first, sites.second)
    return np.searchsorted(codes, low * n_rows + high)


def moments_of(
    prior: FieldPrior,
    sites: FieldSites,
    *,
    draws: int = _LAST_DRAWS,
    tolerance: float = _EXACT,
    linked: bool = True,
) -> FieldMoments:
    """Return mean and covariance given ``sites``; the edges are compared pairs alone where not ``linked``."""
    pairs = sites.pairs()
    shared = _shared(prior, pairs, tolerance)
    load = pairs.spread(sites.copies * sites.nu, prior.n_rows)
    mean = prior.local_times(pairs, load[None])[0] + shared @ (load @ shared)
    first, second = _edges(prior, pairs, linked=linked)
    variance, covariance = _local_moments(prior, pairs, first, second, draws)
    difference = np.maximum(
        variance[first] + variance[second] - 2 * covariance, _LEAST_LEFT * variance[first]
    )
    squares = np.einsum("ij,ij->i", shared, shared)
    for start in range(0, len(first), _EDGES_TOGETHER):
        part = slice(start, start + _EDGES_TOGETHER)
        apart = shared[first[part]] - shared[second[part]]
        difference[part] += np.einsum("ij,ij->i", apart, apart)
    return FieldMoments(shared, mean, variance + squares, first, second, difference)


def _shared(prior: FieldPrior, pairs: Pairs, tolerance: float) -> Floats:
    """Return E = (F − P L F) C^(½) with C⁻¹ = I + Fᵀ L (F − P L F)."""
    factor = prior.factor
    if not factor.shape[1] or not len(pairs.tau):
        return factor.copy()
    pulled = pairs.times(factor)  # L F
    given = factor.copy()
    for start in range(0, factor.shape[1], _SOLVED_TOGETHER):
        part = slice(start, start + _SOLVED_TOGETHER)
        given[:, part] -= prior.local_times(pairs, pulled[:, part].T, tolerance).T
    precision = np.eye(factor.shape[1]) + pulled.T @ given
    triangle = np.linalg.cholesky((precision + precision.T) / 2)
    from scipy.linalg import solve_triangular

    return np.ascontiguousarray(solve_triangular(triangle, given.T, lower=True).T)


def _edges(prior: FieldPrior, pairs: Pairs, *, linked: bool) -> tuple[Ints, Ints]:
    """Return the pairs of rows that were compared or, where ``linked``, are linked, sorted."""
    first, second = prior.links() if linked else (pairs.first[:0], pairs.second[:0])
    low = np.concatenate([first, np.minimum(pairs.first, pairs.second)])
    high = np.concatenate([second, np.maximum(pairs.first, pairs.second)])
    codes = np.unique(low * prior.n_rows + high)
    rows, columns = np.divmod(codes, prior.n_rows)
    return rows, columns


def _local_moments(
    prior: FieldPrior, pairs: Pairs, first: Ints, second: Ints, draws: int
) -> tuple[Floats, Floats]:
    """Return the diagonal of P, (n,), and P between the rows of each edge, (e,), from draws of the local part.

    Given all other rows, (g_i, z_i) have the precision [[q + l, lr], [lr, 1 + lr²]], with q and l the diagonals of Q
    and L and r = √D_i, and so ξ_i has the variance c/(1 + lc), c = 1/q + D_i.
    """
    from scipy import sparse

    n, root = prior.n_rows, np.sqrt(prior.own)
    weight = np.bincount(pairs.first, pairs.tau, n) + np.bincount(pairs.second, pairs.tau, n)
    link_variance = 1 / prior.link_diagonal
    alone = link_variance + prior.own
    conditional = alone / (1 + weight * alone)
    variance, covariance = np.zeros(n), np.zeros(len(first))
    if not len(first):
        return conditional, covariance
    rng = np.random.default_rng(0)
    compared: Any = sparse.csr_array((pairs.tau, (pairs.first, pairs.second)), shape=(n, n))
    compared = compared + compared.T
    graph: Any = sparse.csr_array((prior.values, prior.columns, prior.starts), shape=(n, n))
    for start in range(0, draws, _SOLVED_TOGETHER):
        count = min(_SOLVED_TOGETHER, draws - start)
        drawn = _drawn(prior, pairs, count, rng)
        link, utility = drawn[:, 0], drawn[:, 0] + root * drawn[:, 1]
        pulled = (compared @ utility.T).T  # l_i: what the sites of an item pull it to
        towards = pulled * conditional
        if len(prior.values):
            others = link / link_variance - (graph @ link.T).T  # −Σ Q_ij g_j over other rows
            towards += others * link_variance / (1 + weight * alone)
        variance += (towards**2).sum(axis=0)
        covariance += (towards[:, first] * utility[:, second]).sum(axis=0) / 2
        covariance += (towards[:, second] * utility[:, first]).sum(axis=0) / 2
    return conditional + variance / draws, covariance / draws


def _drawn(prior: FieldPrior, pairs: Pairs, count: int, rng: np.random.Generator) -> Floats:
    """Draw (g, z) from their posterior with mean 0, shape (count, 2, n): solve with noise that has its precision."""
    n, root = prior.n_rows, np.sqrt(prior.own)
    first, second = prior.links()
    right = np.zeros((count, 2, n))
    rows = np.repeat(np.arange(n), np.diff(prior.starts))
    link = -prior.values[rows < prior.columns]
    links, size = Pairs(first, second, link), np.sqrt(link)
    left = np.sqrt(np.bincount(rows, prior.values, n))  # √β/ι
    for draw in range(count):
        pulled = pairs.spread(np.sqrt(pairs.tau) * rng.standard_normal(len(pairs.tau)), n)
        right[draw, 1] = rng.standard_normal(n) + root * pulled
        if len(prior.values):
            across = links.spread(size * rng.standard_normal(len(link)), n)
            right[draw, 0] = left * rng.standard_normal(n) + across + pulled
    return prior.solve(pairs, right, _DRAWN)


def _at_mode(prior: FieldPrior, sites: FieldSites, likelihood: Probit) -> FieldSites:
    """Return the sites of Laplace's approximation at the posterior mode, by Newton's method."""
    n, width, root = prior.n_rows, prior.factor.shape[1], np.sqrt(prior.own)
    linked = bool(len(prior.values))
    state = np.zeros(width + (2 if linked else 1) * n)
    difference = np.zeros(len(sites.count))
    reach = np.concatenate([np.ones(width), prior.link_diagonal if linked else np.empty(0), np.ones(n)])

    def utility(vector: Floats) -> Floats:
        values = prior.factor @ vector[:width] + root * vector[-n:]
        return np.asarray(values + vector[width : width + n] if linked else values)

    def back(load: Floats) -> Floats:
        link = load if linked else np.empty(0)
        return np.concatenate([load @ prior.factor, link, root * load])

    from scipy import sparse

    graph: Any = sparse.csr_array((prior.values, prior.columns, prior.starts), shape=(n, n))
    for _ in range(_NEWTON_STEPS):
        at = likelihood.derivatives(difference, sites.tie)
        curvature, gradient = sites.count * at.curvature, sites.count * at.gradient
        pairs = Pairs(sites.first, sites.second, curvature)
        weight = np.bincount(pairs.first, curvature, n) + np.bincount(pairs.second, curvature, n)
        shares = [weight @ prior.factor**2, weight if linked else np.empty(0), prior.own * weight]

        def product(vector: Floats, pairs: Pairs = pairs) -> Floats:
            image = back(_pulled(pairs, utility(vector), n))
            image[:width] += vector[:width]
            image[-n:] += vector[-n:]
            if linked:
                image[width : width + n] += graph @ vector[width : width + n]
            return image

        load = pairs.spread(gradient + curvature * difference, n)
        state = conjugate_gradients(
            product, reach + np.concatenate(shares), back(load), tolerance=_AT_MODE, start=state
        )
        moved = sites.differences(utility(state))
        change, difference = float(np.abs(moved - difference).max()), moved
        if change < _NEWTON_CHANGE:
            break
    at = likelihood.derivatives(difference, sites.tie)
    tau = sites.power * at.curvature
    return replace(sites, tau=tau, nu=sites.power * at.gradient + tau * difference)


def _pulled(pairs: Pairs, utility: Floats, n_rows: int) -> Floats:
    return pairs.spread(pairs.tau * (utility[pairs.first] - utility[pairs.second]), n_rows)
