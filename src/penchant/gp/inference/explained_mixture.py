"""Live beliefs of Gaussian processes over up to 2,000 items, with explanations of their means."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints
from penchant.gp.inference.answers import Answers, PairCounts
from penchant.gp.inference.attribution import Explanation, complete
from penchant.gp.inference.ep import AndersonMixing, Sites, propagate
from penchant.gp.inference.gaussian import Factor
from penchant.gp.inference.laplace import Problem
from penchant.gp.inference.likelihood import Probit
from penchant.gp.inference.live_data import LiveData
from penchant.online.dense import SETTLED, OnlineMixture
from penchant.online.prior import Normal
from penchant.threads import one_thread

_NEAR = 3e-3
"""The change of a site, in standard deviations, at which the first sweeps end."""
_MANY_ITEMS, _ROUGH = 500, 1e-3
"""With more items than the first sweeps end at this change, since later answers revisit the sites anyway."""
_MOST_SWEEPS = 40
_FEW_COMPARED = 0.5
"""Up to this share of all rows, a sweep over the compared ones alone costs less."""
_OWN = 1e-6
"""The share of the variance that is each item's own, so that items with equal features differ, if hardly."""


class Parts(Protocol):
    """The parts of the prior of a Gaussian process over items."""

    def explain_mixture(self, loads: Sequence[Floats], a: int, b: int) -> Explanation:
        """Split what features and links contribute to the mean of ``a`` less that of ``b``; answers are left out.

        ``loads`` holds, for each component, the dual form of its mean times its weight: m₀ + K load, K being its prior
        covariance. The load of the bar is the last.
        """

    def own_variances(self, a: int, b: int) -> Floats:
        """Return the prior variances of the parts that belong to either of two items alone, shape (K, 2)."""

    def chosen(self, components: Sequence[int]) -> Self:
        """Return the parts of some of the components."""

    def state(self) -> dict[str, Any]:
        """Return what it consists of, as JSON values and arrays."""


class ExplainedMixture(OnlineMixture):
    """An `OnlineMixture` with a Gaussian process for a prior, whose means can be split by features and links."""

    _parts: Parts

    @classmethod
    def started(
        cls,
        data: LiveData,
        covariance: Floats,
        parts: Parts,
        *,
        noise: float,
        tie: float | None,
        mean: Floats | None = None,
        factors: Floats | tuple[float, ...] = (1.0,),
        weights: Floats | tuple[float, ...] = (1.0,),
        bar_variance: ArrayLike,
        model: str,
        learned: bool = True,
        tolerance: float = SETTLED,
    ) -> Self:
        """Return the belief with this prior over the items after all answers.

        Parameters
        ----------
        data : LiveData
        covariance, mean, factors, weights, noise, tie, bar_variance, model
            As in `OnlineMixture.from_prior`.
        parts : Parts
            Of the prior.
        learned : bool
            Whether ``weights`` are those after the answers, and not before them.
        tolerance : float
            As in `OnlineMixture.settle`.
        """
        own = _OWN * np.diagonal(covariance, axis1=-2, axis2=-1).mean(axis=-1)
        belief = cls.from_prior(
            data.items,
            covariance + np.multiply.outer(own, np.eye(data.n_items)),
            noise=noise,
            mean=mean,
            tie=tie,
            factors=factors,
            weights=weights,
            bar_variance=bar_variance,
            model=model,
        )
        belief._parts = parts
        pairs, totals = data.totals()
        with one_thread():
            sites = belief._first_sites(data.answers, pairs)
        belief.begin(pairs, totals, counts=data.counts, sites=sites, tolerance=tolerance)
        return belief if learned or not len(pairs) else belief.weigh()

    def _first_sites(self, answers: Answers, pairs: Ints) -> Floats:
        """Return the sites of expectation propagation with one site for each different answer, shape (K, m, 2).

        The sites of a pair are added up. They are at or near those that `begin` ends with, and a sweep costs less,
        since it is about the compared rows alone. Where these are many it does not, and all sites are 0.
        """
        n_components, n_rows = self._prior.shape
        sites = np.zeros((n_components, len(pairs), 2))
        rows, places = np.unique(answers.pairs, return_inverse=True)
        if not 0 < len(rows) <= _FEW_COMPARED * n_rows:
            return sites
        counts = PairCounts.of(
            places.reshape(-1, 2).astype(np.int64), len(rows), weight=answers.weight, tie=answers.tie
        )
        tie = 0.0 if self.tie_ is None else self.tie_
        likelihood = Probit(float(np.sqrt(2) * self.noise_), tie * self.noise_)
        ends = rows[np.column_stack([counts.better, counts.worse])]
        low, high = np.sort(ends, axis=1).T
        place = np.searchsorted(pairs[:, 0] * n_rows + pairs[:, 1], low * n_rows + high)
        sign = np.where(ends[:, 0] == low, 1.0, -1.0)
        copies = np.maximum(counts.count, 1)
        found: Sites | None = None
        for k in range(n_components):
            covariance = self._prior.covariance(k)[np.ix_(rows, rows)]
            problem = Problem(Factor.of(covariance), counts, likelihood, self._prior.mean[rows])
            found = propagate(problem, start=found, tolerance=_NEAR, quiet=True).sites
            for column, values in enumerate((copies * found.tau, sign * copies * found.nu)):
                sites[k, :, column] = np.bincount(place, values, len(pairs))
        return sites

    def _settled(self, k: int, tolerance: float) -> Normal:
        """Sweep over the sites of one component, with acceleration, and return its posterior."""
        n_pairs = self._n_pairs
        pairs, totals, sites = self._pairs[:n_pairs], self._totals[:n_pairs], self._sites[k, :n_pairs]
        if k and not sites[:, :2].any():
            sites[:, :2] = self._sites[k - 1, :n_pairs, :2]  # those of a similar prior are near
        moved, mixing = np.empty_like(sites), AndersonMixing()
        enough = max(tolerance, _ROUGH) if self._n_items > _MANY_ITEMS else tolerance
        for _ in range(_MOST_SWEEPS):
            posterior = self._prior.posterior(k, pairs, sites[:, 0], sites[:, 1])
            if not n_pairs:
                return posterior
            change = self._kernels.renew(
                *self._arguments[:2], pairs, totals, sites, posterior.mean, posterior.covariance, 1.0, moved
            )
            if change <= enough:
                sites[:, 2:] = moved[:, 2:]
                return posterior
            mixed = mixing.next(sites[:, :2].ravel(), moved[:, :2].ravel(), change).reshape(-1, 2)
            sites[:, 2:] = moved[:, 2:]
            sites[:, :2] = mixed if (mixed[:, 0] >= 0).all() else moved[:, :2]
        return self._prior.posterior(k, pairs, sites[:, 0], sites[:, 1])

    def _choose_components(self, kept: Sequence[int]) -> None:
        super()._choose_components(kept)
        self._parts = self._parts.chosen(kept)

    def explain(self, a: int, b: int) -> Explanation:
        """Split the mean of ``a`` less that of ``b`` into weights that add up to it.

        They are the parts of named features, of linked items, and of the answers, for what these say about either of
        the two beside features and links (`PairSites.own_contributions`). The row of the bar of both-bad answers is −1.
        """
        total, loads, own = np.zeros(self._n_pairs), [], np.zeros(self._n_items + self._bar)
        variances = self._parts.own_variances(a, b)
        with one_thread():
            for k, weight in enumerate(self.weights_):
                sites = self._pair_sites(k)
                loads.append(sites.spread(weight * sites.gradient, len(own)))
                own[[a, b]] = variances[k] * (1.0, -1.0)
                total += weight * sites.own_contributions(
                    own, self._delayed(k).times, partial(self._prior.times, k)
                )
        found = self._parts.explain_mixture(loads, a, b)
        mean = self.mean
        return complete(found._replace(answers=self._named_pairs(total)), float(mean[a] - mean[b]), (a, b))

    def state(self) -> dict[str, Any]:
        """Return everything the belief consists of, as JSON values and arrays."""
        return super().state() | {"parts": self._parts.state()}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the belief whose `state` this is: it continues to the same bits."""
        belief = super().from_state(state)
        belief._parts = cls._parts_of(state["parts"])
        return belief

    @staticmethod
    @abstractmethod
    def _parts_of(state: Mapping[str, Any]) -> Parts: ...
