"""Models of paired comparisons whose scores are adjusted for covariates of each comparison."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar
from warnings import warn

import numpy as np

from penchant.checks import Floats
from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.preferences import Preferences
from penchant.progress import Parts, part
from penchant.threads import one_thread
from penchant.worth.adjusting import (
    SIDE,
    RowFit,
    check_covariates,
    check_separation,
    cluster_labels,
    covariate_values,
    row_likelihood,
)
from penchant.worth.effects import Effects
from penchant.worth.inference.learned_scale import MOST_SCALES, START
from penchant.worth.inference.mixture import Mixture, Part
from penchant.worth.inference.newton import Link, maximise
from penchant.worth.inference.pairs import PairTotals
from penchant.worth.inference.posterior import Posterior
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.row_newton import maximise_rows
from penchant.worth.inference.row_posterior import JointPosterior, joint_posterior
from penchant.worth.inference.row_scale import learn_row_scale
from penchant.worth.inference.separation import has_maximum
from penchant.worth.worth_model import PosteriorWorth

SMALL_PRIOR = 1e-3
"""The precision that is used instead of 0 where no maximum likelihood exists; for ties, where everything was tied."""

DECIMALS = 10
"""Of scores: items that the answers do not distinguish are equal, not in the order of their rounding errors."""

LEARNED = "learned"
"""The prior whose scale is learned from the answers."""


class AdjustedWorth(PosteriorWorth):
    """What a model of paired comparisons needs to learn effects of covariates; `PairedWorth` has the rest."""

    _link: ClassVar[Link]
    prior: float | str
    errors: str
    tie_: float | None
    prior_: float
    kept_: Preferences | None
    covariates_: tuple[str, ...]
    side_: bool
    coefficients_: Floats
    _row_fit: RowFit
    _joint: list[JointPosterior]
    _most_scales = MOST_SCALES

    @property
    @abstractmethod
    def errors_(self) -> str:
        """What intervals are computed from."""

    @abstractmethod
    def _totals(self) -> PairTotals:
        """Return the totals of all answers."""

    @abstractmethod
    def _prior(self, precision: float) -> Prior:
        """Return the prior of scores with a precision."""

    @abstractmethod
    def _level(self, scores: Floats) -> Floats:
        """Return the scores relative to the mean of the real items."""

    @property
    def _adjusts(self) -> bool:
        """Whether effects of covariates are learned."""
        return "covariates_" in vars(self)

    def _learn_rows(self) -> None:
        """Set the scores and the coefficients from the kept rows."""
        for name in ("_row_fit", "_joint"):
            vars(self).pop(name, None)
        fit = self._rows_fitted()
        middle = fit.middle
        self.prior_, self.tie_ = middle.prior.precision, fit.likelihood.tie_of(fit.border)
        scores = np.average([mode.point.scores for mode in fit.modes], axis=0, weights=fit.weights)
        self.scores_ = np.round(self._level(scores), DECIMALS) + 0.0
        k = fit.likelihood.n_covariates
        self.coefficients_ = fit.border[:k] / fit.likelihood.rows.scale
        if not middle.converged:
            warn(
                f"scores are where the log likelihood still has gradient {middle.gradient:.1e}: set a larger prior",
                PenchantWarning,
                stacklevel=6,
            )

    def _rows_fitted(self) -> RowFit:
        """Return the fit of the kept rows, computed on first use."""
        if not hasattr(self, "_row_fit"):
            with one_thread():
                self._row_fit = self._fit_rows()
        return self._row_fit

    def _fit_rows(self) -> RowFit:
        assert self.kept_ is not None  # noqa: S101 - for the type checker
        likelihood = row_likelihood(self.kept_, self.covariates_, self.side_, self._link)
        totals, learns = self._totals(), self.prior == LEARNED
        precision = START if learns else float(self.prior)
        if not precision and not has_maximum(totals, self.catalogue_.count):
            precision = SMALL_PRIOR
        prior = self._prior(precision)
        with part(0, 2):
            plain = maximise(totals, self._link, Prior(precision or SMALL_PRIOR, self.catalogue_.count))
        border = np.zeros(likelihood.size)
        if plain.tie is not None:
            border[-1] = plain.tie
        start = likelihood.at(plain.scores, border)
        with part(1, 2):
            if learns:
                components = learn_row_scale(likelihood, self._prior, start, most=self._most_scales)
                weights, modes = zip(*((found.weight, found.mode) for found in components), strict=True)
            else:
                weights, modes = (1.0,), (maximise_rows(likelihood, prior, start),)
        fit = RowFit(likelihood, weights, modes)
        check_separation(likelihood, fit.middle, self._effect_names)
        return fit

    @property
    def _effect_names(self) -> tuple[str, ...]:
        return (*self.covariates_, SIDE) if self.side_ else self.covariates_

    def _joint_posteriors(self) -> list[JointPosterior]:
        """Return the joint posterior of scores and border at each scale of the prior, computed on first use."""
        if not hasattr(self, "_joint"):
            fit, kept = self._rows_fitted(), self.kept_
            assert kept is not None  # noqa: S101 - for the type checker
            clusters, times = cluster_labels(kept, self.errors_, fit.likelihood.rows.row)
            centre = self._totals().centre(self.catalogue_)
            scales = Parts(len(fit.modes))
            with one_thread():
                self._joint = []
                for mode in fit.modes:
                    with scales.next():
                        self._joint.append(
                            joint_posterior(
                                fit.likelihood, mode, centre, clusters, times, bar=self.catalogue_.bar
                            )
                        )
        return self._joint

    @property
    def effects_(self) -> Effects:
        """The effects of the covariates, where `fit` was given some, with errors and tests."""
        if not self._fitted()._adjusts:
            raise NotFitted(
                f"{type(self).__name__} must be fitted with covariates for this, got none: "
                "call fit(preferences, covariates=names) or fit(preferences, side=True)"
            )
        fit = self._rows_fitted()
        k, scale = fit.likelihood.n_covariates, fit.likelihood.rows.scale
        covariance = np.zeros((k, k))
        for weight, mode, joint in zip(fit.weights, fit.modes, self._joint_posteriors(), strict=True):
            away = mode.point.border[:k] - fit.border[:k]
            covariance += weight * (joint.border[:k, :k] + np.outer(away, away))
        return Effects.of(self._effect_names, self.coefficients_, covariance / np.outer(scale, scale), scale)

    def _adjusted_posterior(self) -> Posterior:
        fit = self._rows_fitted()
        found = zip(fit.weights, fit.modes, self._joint_posteriors(), strict=True)
        parts = [
            Part(weight, self._level(mode.point.scores) - self.scores_, joint.scores)
            for weight, mode, joint in found
        ]
        return Mixture(parts) if len(parts) > 1 else parts[0].posterior

    def score(self, preferences: Preferences, y: None = None) -> float:
        """Return the mean log probability of who was preferred in ``preferences``; ties are left out.

        A weight counts repetitions. A model with covariates needs those of ``preferences``.
        """
        if not self._fitted()._adjusts:
            return super().score(preferences)
        self._check(preferences)
        check_covariates(preferences, self.covariates_, self.side_)
        added = covariate_values(preferences, self.covariates_, self.side_) @ self.coefficients_
        comparisons = preferences.comparisons()
        decided = ~comparisons.tie
        if not decided.any():
            raise InvalidInput("score needs at least one comparison that was decided, got none: give some")
        index = self.catalogue_.encode(preferences.items)
        better, worse = index[comparisons.better[decided]], index[comparisons.worse[decided]]
        difference = self.scores_[better] - self.scores_[worse] + added[comparisons.row[decided]]
        outcomes = self._link.outcomes(difference, self.tie_)
        chance = outcomes[:, 0] / (outcomes[:, 0] + outcomes[:, 2])
        return float(np.average(np.log(chance), weights=comparisons.weight[decided]))

    def _keep_all(self, preferences: Preferences) -> None:
        """Keep every row with the columns that its fit needs."""
        names = preferences.covariate_names
        chosen = preferences.covariates
        if chosen is not None:
            chosen = chosen[:, [names.index(name) for name in self.covariates_]]
        unused = {"period", *({"judge"} if self.errors != "judge" else ())}
        more = preferences.without(*unused)
        has_some = chosen is not None and bool(self.covariates_)
        more = replace(
            more,
            covariates=chosen if has_some else None,
            covariate_names=self.covariates_ if has_some else (),
        )
        self.kept_ = more if self.kept_ is None else self.kept_ + more
