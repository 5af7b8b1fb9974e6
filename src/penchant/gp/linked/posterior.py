"""The posterior of linked items: a mixture of normal beliefs over scales of the prior, by expectation propagation.

Component c has the prior covariance factor_c² K₀. Its weight is proportional to the prior probability of its factor
times the evidence of all answers under it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.inference.answers import Answers, PairCounts
from penchant.gp.inference.ep import EPPosterior, Sites, propagate
from penchant.gp.inference.gaussian import Factor
from penchant.gp.inference.laplace import Problem
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.basis import ImplicitBasis, StoredBasis
from penchant.gp.linked.low_rank import Dual, LowRankBelief
from penchant.gp.linked.priors import Prior
from penchant.linalg import draw_normal, root_of
from penchant.mixture import draw_shares, mixture_covariance, mixture_variance
from penchant.schema import require

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, the number of its parts that are done, and the number of all at most."""

_ROWS = 32
_NEAR = 1e-5
"""The change of a site, in standard deviations, at which EP ends for a component of a mixture."""


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

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Scales:
        """Return the scales of a saved model, checked."""
        fits = ("factors" in state) == ("factor_log_prior" in state)
        require(fits, "factors and factor_log_prior must be there together: save the model anew")
        if "factors" not in state:
            return cls()
        log_prior = np.asarray(state["factor_log_prior"], dtype=np.float64)
        total = np.exp(log_prior).sum()
        require(len(log_prior) > 0 and abs(total - 1) < 1e-6, "factor_log_prior must add up to 1")
        return cls(tuple(np.asarray(state["factors"]).tolist()), tuple(log_prior.tolist()))


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
        """The most by which a variance of a component is too large because basis vectors were left out."""
        return max(component.lost for component in self.components)

    def learn(self, answer: Answers, likelihood: Probit) -> None:
        """Update each component and the weights by one answer."""
        logs = [component.learn(answer, likelihood) for component in self.components]
        if len(self.components) > 1:
            self.log_weights = self.log_weights + np.asarray(logs)
            self._mean = None

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the variances at ``rows``; None is all items, for which a large graph returns None."""
        found = [component.variance(rows) for component in self.components]
        variances = [variance for variance in found if variance is not None]
        return self._total(np.stack(variances), rows) if len(variances) == len(found) else None

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which all variances lie."""
        bounds = [component.variance_bounds() for component in self.components]
        lower, upper = (self._total(np.stack(bound), None) for bound in zip(*bounds, strict=True))
        return lower, upper

    def covariance(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return the covariances of the utilities of ``rows`` and ``columns``; None is all items."""
        if len(self.components) == 1:
            return self.components[0].covariance(rows, columns)
        deviations = self._means() - self.mean
        right = deviations if columns is None else deviations[:, columns]
        covariances = (component.covariance(rows, columns) for component in self.components)
        return mixture_covariance(self.weights, deviations[:, rows], right, covariances)

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

        The draws are shared among the components by weight, in random order.
        """
        rng = np.random.default_rng(seed)
        offset = rng.random() if len(self.components) > 1 else 0.0
        parts = []
        for component, count in zip(self.components, draw_shares(self.weights, n_draws, offset), strict=True):
            if not count:
                continue
            if joint:
                noise = draw_normal(component.covariance(rows, rows), count, rng)
            else:  # where a variance takes a solve for each item, its upper bound is used
                noise = rng.standard_normal((count, len(rows)))
                noise *= np.sqrt(component.variance_bounds()[1][rows])
            parts.append(component.mean[rows] + noise)
        drawn: Floats = np.concatenate(parts) if parts else np.empty((0, len(rows)))
        return drawn if len(parts) < 2 else drawn[rng.permutation(n_draws)]

    def _means(self) -> Floats:
        return np.stack([component.mean for component in self.components])

    def _total(self, variances: Floats, rows: Ints | None) -> Floats:
        """Return the variances of the mixture from those of its components, (k, n) to (n,)."""
        if len(variances) == 1:
            single: Floats = variances[0]
            return single
        deviations = self._means() - self.mean
        return mixture_variance(self.weights, deviations if rows is None else deviations[:, rows], variances)


def full_posterior(
    prior: Prior, scales: Scales, answers: Answers, likelihood: Probit, progress: Progress | None = None
) -> tuple[MixtureBelief, float]:
    """Return the posterior of expectation propagation on all ``answers`` at each scale, and the log evidence.

    EP works on the items that were compared. With R = (K + W⁻¹)⁻¹ there, the covariance of all items is
    K₀ − K₀[:, items] R K₀[items, :], and R = CCᵀ gives the columns of the dual.
    """
    items, counts = compared(answers)
    rows = None if prior.fast_product or not len(items) else _rows(prior, items, progress)
    block = prior.block(items, items) if rows is None else rows[:, items]
    duals, logs = [], []
    sites: Sites | None = None
    for place, factor in enumerate(scales.factors):
        if progress is not None:
            progress("learning", place, len(scales))
        if not len(items):
            duals.append(Dual.empty())
            logs.append(0.0)
            continue
        squared = factor**2
        if len(scales) == 1:
            posterior = propagated(block if squared == 1 else squared * block, counts, likelihood)
        else:  # far from the mode EP takes long, and there a component has little weight
            posterior = propagated(squared * block, counts, likelihood, sites, tolerance=_NEAR, quiet=True)
        duals.append(Dual(items, posterior.alpha, root_of(posterior.posterior.explained())))
        logs.append(posterior.log_evidence)
        sites = posterior.sites
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
    log_weights = np.asarray(scales.log_prior) + logs
    highest = log_weights.max()
    log_evidence = float(highest + np.log(np.exp(log_weights - highest).sum()))
    if scales.factors == (1.0,):
        return MixtureBelief([LowRankBelief(prior, duals[0], rows)], log_weights), log_evidence
    items = duals[0].items
    units = np.eye(len(items))
    shared = (
        ImplicitBasis(prior, items, units) if prior.fast_product else StoredBasis(prior, items, units, rows)
    )
    parts = [
        LowRankBelief.scaled(prior, dual, factor**2, shared)
        for dual, factor in zip(duals, scales.factors, strict=True)
    ]
    return MixtureBelief(parts, log_weights), log_evidence


def compared(answers: Answers) -> tuple[Ints, PairCounts]:
    """Return the items that were compared, and the answers counted on these."""
    items, places = np.unique(answers.pairs, return_inverse=True)
    return items, PairCounts.of(
        places.reshape(-1, 2).astype(np.int64), len(items), weight=answers.weight, tie=answers.tie
    )


def propagated(
    covariance: Floats, counts: PairCounts, likelihood: Probit, start: Sites | None = None, **options: Any
) -> EPPosterior:
    """Return the posterior of EP with a prior ``covariance`` and mean 0; ``options`` are those of `propagate`."""
    problem = Problem(Factor.of(covariance), counts, likelihood, np.zeros(len(covariance)))
    return propagate(problem, start=start, **options)


def _rows(prior: Prior, items: Ints, progress: Progress | None) -> Floats:
    """Return K₀[items, :], some rows at a time."""
    rows = np.empty((len(items), prior.n_items))
    for start in range(0, len(items), _ROWS):
        if progress is not None:
            progress("working out the prior", start, len(items))
        rows[start : start + _ROWS] = prior.block(items[start : start + _ROWS])
    return rows
