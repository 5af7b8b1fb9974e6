"""Expectation propagation for paired comparisons: a normal posterior of the scores for one prior.

Each compared pair has a site exp(−½ τ d² + ν d) in place of its likelihood, where d is the
difference of the two scores. A sweep takes each pair's site out of the posterior, puts its likelihood in, and sets the
site so that mean and variance of d agree (Minka 2001). The likelihood is log-concave in d, so that τ is not negative.

The sweep needs the variance of d for each pair. For few items it comes from the inverse of the precision; for more from
messages between items, as if the graph of pairs were a tree; with features from draws, as in `posterior`, which are
made anew only every other sweep, with the same random numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.linalg import conjugate_gradients
from penchant.progress import converging
from penchant.worth.inference.newton import Derivatives, Link, PairHessian
from penchant.worth.inference.pairs import PairGraph, parts
from penchant.worth.inference.prior import Prior

EXACT_ITEMS, EXACT_WITH_FEATURES = 200, 500
"""Up to so many items the dense covariance is computed in each sweep."""
_MOST_SWEEPS = 60
_UNDAMPED_SWEEPS = 20
_FEWEST_DRAWS, _MOST_DRAWS, _DRAWN_PAIRS = 8, 64, 1_000_000
_SOLVED = 1e-2
_MEAN_SOLVED = 1e-6
_PART = 1 << 11
_HEAVIEST = 1e14
_MOST_MESSAGES, _MESSAGES_SETTLED = 100, 1e-9
_LEAST_SHRINK = 0.05
"""A sweep shrinks a variance to no less than this share: far from the fixed point, one point of quadrature may have all
the mass."""
_POINTS = ((0.35, 7), (1.0, 11), (2.5, 21), (np.inf, 31))
"""The largest standard deviation of d, in units of the link's logit, at which so many points of quadrature are used."""


@dataclass(frozen=True, eq=False)
class PairLikelihood:
    """The likelihood of the answers about each pair, as a function of the difference of its scores.

    Attributes
    ----------
    graph : PairGraph
    weight : array of shape (3, n_pairs)
        Of `PairTotals`.
    link : Link
    tie : float or None
        The tie parameter; None where nothing was tied.
    """

    graph: PairGraph
    weight: Floats
    link: Link
    tie: float | None


@dataclass(frozen=True, eq=False)
class Propagation:
    """The normal posterior of the scores for one prior.

    Attributes
    ----------
    prior : Prior
    tau, nu : arrays of shape (n_pairs,)
        The sites.
    mean : array of shape (n_items,)
    evidence : float or None
        The logarithm of the probability of the answers; None where the determinant is not computed.
    gradient : float
        Its derivative by the logarithm of the scale, which is the standard deviation 1 / √precision of the prior.
    determined : float
        How many of the scores the answers determine rather than the prior, Σ (1 − precision · variance).
    pair_sd : array of shape (n_pairs,)
        The standard deviation of the difference of the scores of each pair.
    """

    prior: Prior
    tau: Floats
    nu: Floats
    mean: Floats
    evidence: float | None
    gradient: float
    determined: float
    pair_sd: Floats

    def hessian(self, likelihood: PairLikelihood) -> PairHessian:
        """Return the posterior precision, the tie parameter having been taken out as in `PairHessian`."""
        derivatives = Derivatives(self.nu, self.tau)
        if likelihood.tie is not None:
            at_mean = likelihood.link.derivatives(
                likelihood.graph, self.mean, likelihood.weight, likelihood.tie
            )
            cross = np.zeros_like(self.tau) if at_mean.cross is None else at_mean.cross
            # A site that curves less than the likelihood has a smaller cross derivative with the tie parameter.
            share = np.sqrt(np.minimum(self.tau / np.maximum(at_mean.curvature, np.finfo(float).tiny), 1.0))
            derivatives = at_mean._replace(curvature=self.tau, cross=cross * share)
        return PairHessian(likelihood.graph, derivatives, self.prior)


def sites_at(likelihood: PairLikelihood, scores: Floats) -> tuple[Floats, Floats]:
    """Return the sites τ and ν that agree with the likelihood in its gradient and curvature at ``scores`` (Laplace)."""
    derivatives = likelihood.link.derivatives(likelihood.graph, scores, likelihood.weight, likelihood.tie)
    difference = scores[likelihood.graph.first] - scores[likelihood.graph.second]
    return derivatives.curvature.copy(), derivatives.gradient + derivatives.curvature * difference


def propagate(
    likelihood: PairLikelihood, prior: Prior, tau: Floats, nu: Floats, gaussian: Gaussian, *, tolerance: float
) -> Propagation:
    """Return the fixed point of expectation propagation from the sites ``tau`` and ``nu``.

    Parameters
    ----------
    likelihood : PairLikelihood
    prior : Prior
        With a precision above 0.
    tau, nu : arrays of shape (n_pairs,)
    gaussian : Gaussian
        Computes the posterior given the sites.
    tolerance : float
        Stop when no pair's mean moves by more than this share of its standard deviation, nor its variance by more
        than this share.
    """
    graph = likelihood.graph
    least = 1 / prior.pair_variance(graph.first, graph.second)
    cavity, first = least, 0.0
    for sweep in range(_MOST_SWEEPS):
        mean = gaussian.mean(graph, prior, tau, nu)
        if sweep % gaussian.every == 0:
            latest = gaussian.variances(graph, prior, tau, nu)
            # Without its own answers the precision of a difference is at least that of the prior.
            cavity = np.maximum(1 / latest.variance - tau, least)
        variance = 1 / (cavity + tau)
        difference = mean[graph.first] - mean[graph.second]
        tilted = _tilted(likelihood, difference, variance, cavity, tau * difference - nu)
        moved = max(
            float(np.abs(tilted.mean).max(initial=0)), float(np.abs(tilted.variance - 1).max(initial=0))
        )
        first = moved if sweep == 0 else first
        converging(moved, first, tolerance)
        if moved <= tolerance:
            break
        step = 1.0 if sweep < _UNDAMPED_SWEEPS else 0.5
        matched = variance * tilted.variance
        shift = difference / variance - nu
        tau = tau + step * (np.maximum(1 / matched - cavity, 0.0) - tau)
        nu = nu + step * ((difference + np.sqrt(variance) * tilted.mean) / matched - shift - nu)
    else:
        mean, latest = gaussian.mean(graph, prior, tau, nu), gaussian.variances(graph, prior, tau, nu)
        difference, variance = mean[graph.first] - mean[graph.second], latest.variance
    evidence = None
    if latest.log_determinant is not None:
        mass = tilted.log_mass + (tau * difference / 2 - nu) * difference
        evidence = (
            float(mass.sum()) + (prior.log_determinant - latest.log_determinant + float(nu @ difference)) / 2
        )
    pull = prior.product(mean)[: prior.n_real]
    return Propagation(
        prior=prior,
        tau=tau,
        nu=nu,
        mean=mean,
        evidence=evidence,
        gradient=latest.trace + float(pull @ pull) / prior.precision - prior.trace / prior.precision,
        determined=prior.trace / prior.precision - latest.trace,
        pair_sd=np.sqrt(variance),
    )


class Tilted(NamedTuple):
    """The distribution of each pair's difference with the likelihood in the place of its site.

    Logarithm of its mass, mean and variance, shape (n_pairs,) each, in units of the normal posterior of the sites.
    """

    log_mass: Floats
    mean: Floats
    variance: Floats


def _tilted(
    likelihood: PairLikelihood, difference: Floats, variance: Floats, cavity: Floats, gradient: Floats
) -> Tilted:
    """Integrate likelihood × exp(gradient · δ − ½ cavity · δ²) over δ = d − difference, by Gauss–Hermite quadrature."""
    result = np.empty((3, len(difference)))
    sd = np.sqrt(variance)
    limits = likelihood.link.logit * np.array([most for most, _ in _POINTS[:-1]])
    kinds = np.searchsorted(limits, sd)
    for kind in np.unique(kinds):
        x, log_weight = hermite(_POINTS[kind][1])
        pairs = np.flatnonzero(kinds == kind)
        for start in range(0, len(pairs), _PART):
            part = pairs[start : start + _PART]
            away = sd[part, None] * x
            log_density = likelihood.link.log_likelihood(
                difference[part, None] + away, likelihood.weight[:, part, None], likelihood.tie
            )
            log_density += (gradient[part, None] - cavity[part, None] / 2 * away) * away
            log_density += log_weight
            highest = log_density.max(axis=1)
            density = np.exp(log_density - highest[:, None])
            mass = density.sum(axis=1)
            mean = density @ x / mass
            spread = np.maximum(density @ (x * x) / mass - mean**2, _LEAST_SHRINK)
            result[:, part] = highest + np.log(mass), mean, spread
    return Tilted(*result)


@cache
def hermite(count: int) -> tuple[Floats, Floats]:
    """Return points x and the logarithms of weights w such that Σ w f(x) is ∫ f(x) dx / √(2π)."""
    from numpy.polynomial.hermite_e import hermegauss

    x, weight = hermegauss(count)
    return x, np.log(weight / np.sqrt(2 * np.pi)) + x * x / 2


class Variances(NamedTuple):
    """Posterior variances of the scores, given the sites.

    ``variance`` is of the difference of each pair. ``trace`` is tr(Q C Q) / p for the covariance C and the prior's
    precision matrix Q with residual precision p, the bar left out; without features that is p tr(C).
    ``log_determinant`` is that of the posterior precision, None where it is not computed.
    """

    variance: Floats
    trace: float
    log_determinant: float | None


class Gaussian(ABC):
    """Computes the normal posterior given the sites; an object keeps its last solution as the start of the next.

    Attributes
    ----------
    every : int
        Variances are computed in every sweep whose number is a multiple of this.
    """

    every = 1

    @abstractmethod
    def mean(self, graph: PairGraph, prior: Prior, tau: Floats, nu: Floats) -> Floats:
        """Return the mean of the scores."""

    @abstractmethod
    def variances(self, graph: PairGraph, prior: Prior, tau: Floats, nu: Floats) -> Variances:
        """Return the variances; call it after `mean`, with the same arguments."""


class Exact(Gaussian):
    """The posterior from a Cholesky factor and the inverse of its dense precision."""

    _factor: Floats

    def mean(self, graph: PairGraph, prior: Prior, tau: Floats, nu: Floats) -> Floats:
        """Return the mean of the scores."""
        from scipy.linalg import lapack

        first, second, n_items = graph.first, graph.second, graph.n_items
        matrix = prior.matrix()
        matrix[second, first] -= tau  # the lower half, each pair once
        matrix[np.diag_indices(n_items)] += np.bincount(first, tau, n_items) + np.bincount(
            second, tau, n_items
        )
        self._factor, failed = lapack.dpotrf(matrix, lower=1, overwrite_a=1)
        if failed or tau.max(initial=0) > _HEAVIEST * prior.precision:
            raise InvalidInput(
                "weights must not outweigh the prior by more than double precision holds, got some that do: "
                "divide all weights by a constant, or give prior=0"
            )
        net = np.bincount(first, nu, n_items) - np.bincount(second, nu, n_items)
        mean, _ = lapack.dpotrs(self._factor, net, lower=1)
        return np.asarray(mean)

    def variances(self, graph: PairGraph, prior: Prior, tau: Floats, nu: Floats) -> Variances:
        """Return the variances."""
        from scipy.linalg import lapack

        log_determinant = 2 * float(np.log(np.diag(self._factor)).sum())
        covariance, _ = lapack.dpotri(self._factor, lower=1, overwrite_c=1)  # its lower half
        own = np.diag(covariance).copy()
        first, second = graph.first, graph.second
        variance = own[first] + own[second] - 2 * covariance[second, first]
        least = np.finfo(float).eps * (own[first] + own[second])
        trace = prior.precision * float(own[: prior.n_real].sum())
        if prior.features.shape[1]:
            symmetric = np.tril(covariance) + np.tril(covariance, -1).T
            products = np.diag(prior.product(prior.product(symmetric).T))
            trace = float(products[: prior.n_real].sum()) / prior.precision
        return Variances(np.maximum(variance, least), trace, log_determinant)


class Iterative(Gaussian):
    """The mean by conjugate gradients, each solution starting from that of the call before."""

    def __init__(self) -> None:
        self._mean: Floats | None = None

    def mean(self, graph: PairGraph, prior: Prior, tau: Floats, nu: Floats) -> Floats:
        """Return the mean of the scores."""
        hessian = PairHessian(graph, Derivatives(nu, tau), prior)
        self._mean = conjugate_gradients(
            hessian.product, hessian.diagonal, graph.net(nu), tolerance=_MEAN_SOLVED, start=self._mean
        )
        return self._mean


class Bethe(Iterative):
    """Variances by belief propagation, as if the graph of pairs were a tree.

    The message from item l to item i has the precision c = τ J / (τ + J), where J is the precision of l without i. It
    is exact on trees, and nearly so on sparse graphs, whose loops are long (Bethe's approximation). It requires a prior
    without features.
    """

    def __init__(self) -> None:
        super().__init__()
        self._forth: Floats | None = None
        self._back: Floats | None = None

    def variances(self, graph: PairGraph, prior: Prior, tau: Floats, nu: Floats) -> Variances:
        """Return the variances."""
        first, second, n_items = graph.first, graph.second, graph.n_items
        # Messages from the first item of each pair to the second, and back.
        forth = np.zeros(len(tau)) if self._forth is None else self._forth
        back = np.zeros(len(tau)) if self._back is None else self._back
        for _ in range(_MOST_MESSAGES):
            # The precision of each item, and of the two items of each pair without the message of the other one.
            total = prior.own + np.bincount(second, forth, n_items) + np.bincount(first, back, n_items)
            alone_first, alone_second = total[first] - back, total[second] - forth
            before = forth, back
            forth, back = tau * alone_first / (tau + alone_first), tau * alone_second / (tau + alone_second)
            moved = max(np.abs(forth - before[0]).max(initial=0), np.abs(back - before[1]).max(initial=0))
            if moved <= _MESSAGES_SETTLED * float(total.max()):
                break
        self._forth, self._back = forth, back
        apart = 1 / alone_first + 1 / alone_second
        trace = prior.precision * float((1 / total[: prior.n_real]).sum())
        shares = alone_first / total[first] * (alone_second / total[second])
        log_determinant = float(np.log(total).sum() + (np.log1p(tau * apart) + np.log(shares)).sum())
        return Variances(apart / (1 + tau * apart), trace, log_determinant)


class Drawn(Iterative):
    """Variances from draws: that of a difference given all other scores is exact, and the rest is estimated.

    Given all others, the scores of a pair have the 2 × 2 block B of the precision; the variance of their conditional
    mean is estimated from draws (Rao–Blackwell). Solutions start from those of the call before.
    """

    every = 2

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self._seed = seed
        self._draws: Floats | None = None

    def variances(self, graph: PairGraph, prior: Prior, tau: Floats, nu: Floats) -> Variances:
        """Return the variances."""
        hessian = PairHessian(graph, Derivatives(nu, tau), prior)
        n_draws = int(np.clip(_DRAWN_PAIRS // max(len(graph), 1), _FEWEST_DRAWS, _MOST_DRAWS))
        noise = np.column_stack(
            [hessian.noise(np.random.default_rng((self._seed, draw))) for draw in range(n_draws)]
        )
        product, diagonal = hessian.product, hessian.diagonal
        self._draws = draws = conjugate_gradients(
            product, diagonal, noise, tolerance=_SOLVED, start=self._draws
        )
        others = diagonal[:, None] * draws - product(draws)
        variance = np.empty(len(graph))
        for part in parts(len(graph)):
            first, second, link = graph.first[part], graph.second[part], tau[part, None]
            own_first, own_second = diagonal[first, None], diagonal[second, None]
            block = own_first * own_second - link**2
            expected = (others[first] - link * draws[second]) * ((own_second - link) / block)
            expected -= (others[second] - link * draws[first]) * ((own_first - link) / block)
            given_others = (own_first + own_second - 2 * link) / block
            variance[part] = given_others[:, 0] + (expected**2).mean(axis=1)
        products = prior.product(draws)[: prior.n_real]
        return Variances(variance, float((products**2).sum()) / n_draws / prior.precision, None)
