"""All answers at once, by expectation propagation. A prior and the answers so far in; the belief of full EP out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.inference.answers import Answers, PairCounts
from penchant.gp.inference.ep import EPPosterior, Sites, propagate
from penchant.gp.inference.gaussian import Factor
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.basis import QuickBasis, StoredBasis
from penchant.gp.linked.low_rank import Dual, LowRankBelief
from penchant.gp.linked.priors import Prior

_ROWS = 32
_NEAR = 1e-5
"""The change of a site, in standard deviations, at which EP ends for a component of a mixture."""


def learned_together(
    prior: Prior, scales: Scales, answers: Answers, likelihood: Probit, progress: Progress | None = None
) -> tuple[MixtureBelief, float]:
    """Return what expectation propagation on all ``answers`` believes at each scale, and the log evidence.

    EP works on the items that were asked about. With R = (K + W⁻¹)⁻¹ there, the covariance of all items is
    K₀ − K₀[:, items] R K₀[items, :], and R = CCᵀ gives the columns of the dual.
    """
    items, counts = touched(answers)
    rows = None if prior.quick or not len(items) else _rows(prior, items, progress)
    block = prior.block(items, items) if rows is None else rows[:, items]
    duals, logs = [], []
    sites: Sites | None = None
    for place, factor in enumerate(scales.factors):
        if progress is not None:
            progress("learning", place, len(scales))
        if not len(items):
            duals.append(Dual.nothing())
            logs.append(0.0)
            continue
        squared = factor**2
        if len(scales) == 1:
            belief = ep(block if squared == 1 else squared * block, counts, likelihood)
        else:  # far from the mode EP takes long, and there a component weighs little
            belief = ep(squared * block, counts, likelihood, sites, tolerance=_NEAR)
        duals.append(_dual(items, belief))
        logs.append(belief.log_evidence)
        sites = belief.sites
    return mixture_of(prior, scales, duals, logs, rows)


def mixture_of(
    prior: Prior, scales: Scales, duals: list[Dual], logs: list[float], rows: Floats | None = None
) -> tuple[MixtureBelief, float]:
    """Return the mixture of beliefs that have these duals and log evidences, and its own log evidence.

    Parameters
    ----------
    prior : Prior
    scales : Scales
    duals : list of Dual
        One for each scale, all of them about the same items.
    logs : list of float
    rows : array of shape (a, n), optional
        K₀[items, :].
    """
    weighed = np.asarray(scales.log_prior) + logs
    highest = weighed.max()
    log_evidence = float(highest + np.log(np.exp(weighed - highest).sum()))
    if scales.factors == (1.0,):
        return MixtureBelief([LowRankBelief(prior, duals[0], rows)], weighed), log_evidence
    items = duals[0].items
    units = np.eye(len(items))
    shared = QuickBasis(prior, items, units) if prior.quick else StoredBasis(prior, items, units, rows)
    parts = [
        LowRankBelief.scaled(prior, dual, factor**2, shared)
        for dual, factor in zip(duals, scales.factors, strict=True)
    ]
    return MixtureBelief(parts, weighed), log_evidence


def touched(answers: Answers) -> tuple[Ints, PairCounts]:
    """Return the items that were asked about, and the answers counted on these."""
    items, places = np.unique(answers.pairs, return_inverse=True)
    return items, PairCounts.of(
        places.reshape(-1, 2).astype(np.int64), len(items), weight=answers.weight, tie=answers.tie
    )


def ep(
    covariance: Floats,
    counts: PairCounts,
    likelihood: Probit,
    start: Sites | None = None,
    *,
    tolerance: float | None = None,
) -> EPPosterior:
    """Return what EP believes with a prior ``covariance`` and mean 0.

    With a ``tolerance`` of its own it does not warn when it ends before it is reached.
    """
    mean, factor = np.zeros(len(covariance)), Factor.of(covariance)
    if tolerance is None:
        return propagate(factor, counts, likelihood, mean, start=start)
    return propagate(factor, counts, likelihood, mean, start=start, tolerance=tolerance, quiet=True)


def _rows(prior: Prior, items: Ints, progress: Progress | None) -> Floats:
    """Return K₀[items, :], some rows at a time."""
    rows = np.empty((len(items), prior.n_items))
    for start in range(0, len(items), _ROWS):
        if progress is not None:
            progress("working out the prior", start, len(items))
        rows[start : start + _ROWS] = prior.block(items[start : start + _ROWS])
    return rows


def _dual(items: Ints, belief: EPPosterior) -> Dual:
    strength, directions = np.linalg.eigh(belief.posterior.explained())
    said = strength > 1e-14 * strength[-1]
    return Dual(items, belief.alpha, directions[:, said] * np.sqrt(strength[said]))


_SETTLED = 1e-13
_BISECTIONS = 100


@dataclass(frozen=True)
class Scales:
    """The factors by which a prior is scaled in each component of a mixture, and their prior probabilities.

    Attributes
    ----------
    factors : tuple of float
        Of standard deviations: component c has the prior covariance factor² K₀.
    log_prior : tuple of float
        The logarithms of the prior probabilities, which add up to 1.
    """

    factors: tuple[float, ...] = (1.0,)
    log_prior: tuple[float, ...] = (0.0,)

    def __len__(self) -> int:
        return len(self.factors)


class MixtureBelief:
    """A mixture of normal beliefs about the utilities of n items; with one component, a normal belief.

    Parameters
    ----------
    components : sequence of LowRankBelief
    log_weights : array of shape (k,)
        Of the components, up to a constant.
    """

    def __init__(self, components: Sequence[LowRankBelief], log_weights: Floats) -> None:
        self.components = tuple(components)
        self.log_weights = np.asarray(log_weights, dtype=np.float64)
        self._mean: Floats | None = None

    @property
    def weights(self) -> Floats:
        """The probability of each component, shape (k,)."""
        weights = np.exp(self.log_weights - self.log_weights.max())
        return np.asarray(weights / weights.sum())

    @property
    def mean(self) -> Floats:
        """The expected utility of each item, shape (n,)."""
        if len(self.components) == 1:
            return self.components[0].mean
        if self._mean is None:
            self._mean = self.weights @ self._means()
        return self._mean

    @property
    def lost(self) -> float:
        """The most that any variance of a component is too large because directions were left out."""
        return max(component.lost for component in self.components)

    def reweigh(self, log_likelihoods: Sequence[float]) -> None:
        """Multiply the weights by how likely each component held an answer; call it after they learned the answer."""
        if len(self.components) > 1:
            self.log_weights = self.log_weights + np.asarray(log_likelihoods)
            self._mean = None

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the variances at ``rows`` (None: all, or None where those of a large graph are not known)."""
        variances = self.variances(rows)
        if variances is None or len(variances) == 1:
            return None if variances is None else variances[0]
        return self._total(variances, rows)

    def variances(self, rows: Ints | None = None) -> Floats | None:
        """Return the variances of each component, shape (k, len(rows))."""
        found = [component.variance(rows) for component in self.components]
        known = [variance for variance in found if variance is not None]
        return np.stack(known) if len(known) == len(found) else None

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which all variances lie."""
        bounds = [component.variance_bounds() for component in self.components]
        if len(bounds) == 1:
            return bounds[0]
        lower, upper = (np.stack(bound) for bound in zip(*bounds, strict=True))
        return self._total(lower, None), self._total(upper, None)

    def covariance(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return the covariances of the utilities of ``rows`` and ``columns``; None is all items."""
        if len(self.components) == 1:
            return self.components[0].covariance(rows, columns)
        total = np.zeros((len(rows), len(self.mean) if columns is None else len(columns)))
        for weight, component in zip(self.weights, self.components, strict=True):
            apart = component.mean - self.mean
            total += weight * component.covariance(rows, columns)
            total += weight * np.outer(apart[rows], apart if columns is None else apart[columns])
        return total

    def differences(self, first: Ints, second: Ints) -> tuple[Floats, Floats]:
        """Return mean and variance of utility differences in each component, shape (k, …) each."""
        left, right = first.ravel(), second.ravel()
        parts = self.components
        means = [component.mean[left] - component.mean[right] for component in parts]
        variances = [component.difference_variance(left, right) for component in parts]
        shape = (len(parts), *first.shape)
        return np.stack(means).reshape(shape), np.stack(variances).reshape(shape)

    def sample(self, n_draws: int, seed: int, rows: Ints, *, joint: bool = True) -> Floats:
        """Draw the utilities of ``rows``, shape (n_draws, len(rows)); not ``joint``: each item independently.

        The draws are shared out among the components by weight (systematic sampling), in random order.
        """
        rng = np.random.default_rng(seed)
        counts = _shared_out(self.weights, n_draws, rng)
        parts = []
        for component, count in zip(self.components, counts, strict=True):
            if not count:
                continue
            if joint:
                root = root_of(component.covariance(rows, rows))
                noise = rng.standard_normal((count, root.shape[1])) @ root.T
            else:
                # Where a variance takes a solve for each item, its upper bound stands for it.
                noise = rng.standard_normal((count, len(rows))) * np.sqrt(
                    component.variance_bounds()[1][rows]
                )
            parts.append(component.mean[rows] + noise)
        drawn: Floats = np.concatenate(parts) if parts else np.empty((0, len(rows)))
        return drawn if len(parts) < 2 else drawn[rng.permutation(n_draws)]

    def _means(self) -> Floats:
        return np.stack([component.mean for component in self.components])

    def _total(self, variances: Floats, rows: Ints | None) -> Floats:
        """Return the variances of the mixture from those of its components, (k, n) to (n,)."""
        apart = self._means() - self.mean
        within_and_between = variances + (apart if rows is None else apart[:, rows]) ** 2
        total: Floats = self.weights @ within_and_between
        return total


def mixture_quantile(weights: Floats, means: Floats, sds: Floats, level: float) -> Floats:
    """Return where the distribution function of a mixture of normals reaches ``level``, by bisection.

    Parameters
    ----------
    weights : array of shape (k,)
    means, sds : arrays of shape (k, …)
    level : float

    Examples
    --------
    >>> weights, means, sds = np.array([0.5, 0.5]), np.array([[-1.0], [1.0]]), np.array([[0.1], [0.1]])
    >>> mixture_quantile(weights, means, sds, 0.25).round(3)
    array([-1.])
    """
    from scipy.special import ndtr, ndtri

    ends = means + float(ndtri(level)) * sds
    if len(weights) == 1:
        return np.asarray(ends[0])
    low, high = ends.min(axis=0), ends.max(axis=0)  # each component has reached the level at its own quantile
    safe = np.maximum(sds, np.finfo(np.float64).tiny)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        below = np.tensordot(weights, ndtr((middle - means) / safe), axes=1) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
        if ((high - low) <= _SETTLED * (1 + np.abs(high))).all():
            break
    return np.asarray((low + high) / 2)


def root_of(covariance: Floats) -> Floats:
    """Return a root of a covariance, which may be singular: Cholesky's where there is one."""
    rounding = 1e-10 * covariance.diagonal().mean() + np.finfo(np.float64).tiny
    try:
        return np.asarray(np.linalg.cholesky(covariance + rounding * np.eye(len(covariance))))
    except np.linalg.LinAlgError:
        strength, directions = np.linalg.eigh(covariance)
        root: Floats = directions * np.sqrt(np.maximum(strength, 0.0))
        return root


def _shared_out(weights: Floats, n_draws: int, rng: np.random.Generator) -> list[int]:
    if len(weights) == 1:
        return [n_draws]
    places = (rng.random() + np.arange(n_draws)) / max(n_draws, 1)
    found = np.searchsorted(np.cumsum(weights)[:-1], places, side="right")
    return [int(count) for count in np.bincount(found, minlength=len(weights))]


Progress = Callable[[str, int, int], None]
"""Is called with what is being done, how many steps of it are done, and how many there are at most."""
