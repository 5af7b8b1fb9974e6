"""What the models of paired comparisons share: fitting, ties, features, posterior and saving.

`BradleyTerry` and `Thurstone` add a link each. They learn from totals of pairs (`inference.pairs`), maximise the log
posterior (`inference.newton`) or learn the scale of the prior (`inference.learned_scale`), and derive uncertainty from
its curvature (`inference.posterior`, `inference.clusters`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from penchant.belief import LiveBelief, Moments
from penchant.checks import Floats, Ints, check_number, numbers, one_of
from penchant.errors import Argument, InvalidInput, NotFitted, PenchantWarning, Text
from penchant.frames import as_features
from penchant.preferences import PairCounts, Preferences
from penchant.schema import Array, Either, Flag, Instance, Maybe, Number, OneOf, Texts, require
from penchant.threads import one_thread
from penchant.worth.adjusted import DECIMALS, LEARNED
from penchant.worth.adjusted import SMALL_PRIOR as SMALL_PRIOR
from penchant.worth.adjusting import check_covariates, checked_names
from penchant.worth.counted import OF_A_FIT, CountedWorth
from penchant.worth.inference.clusters import ClusterGradients, Clusters
from penchant.worth.inference.learned_scale import START, LearnedScale, learn_scale
from penchant.worth.inference.mixture import ComponentMoments, Mixture, Part
from penchant.worth.inference.newton import PairHessian, maximise
from penchant.worth.inference.pairs import NO_TOTALS, TIE, PairGraph, PairTotals
from penchant.worth.inference.posterior import (
    DENSE_ITEMS,
    Posterior,
    dense_posterior,
    normal_posterior,
    sampled_posterior,
)
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.separation import caveats_of, centred, has_maximum, real_items
from penchant.worth.worth_model import PosteriorWorth

ERRORS = ("auto", "model", "row", "source", "judge")


def check_pairs(state: Mapping[str, Any]) -> None:
    """Reject saved pairs that are repeated, not sorted, or do not have the lower index first."""
    first, second = state["pairs_"].astype(np.int64)
    require((first < second).all(), "pairs_ must have the lower index first")
    order = first * state["catalogue_"].count + second
    require((np.diff(order) > 0).all(), "pairs_ must be sorted, each there once")


def _check_learned(state: Mapping[str, Any]) -> None:
    catalogue, features, kept = state["catalogue_"], state["features_"], state["kept_"]
    n_items = catalogue.count
    require(features is None or len(features) == n_items - catalogue.bar, "features_ must have a row an item")
    require(features is None or state["prior_"] > 0, "prior_ must be above 0 where there are features")
    require(kept is None or kept.catalogue == catalogue, "kept_ must be about the items of catalogue_")
    tied = bool(state["totals_"][2].any())
    require(
        (state["tie_"] is not None) == tied, "tie_ must be there where something was tied, and only there"
    )
    if kept is not None:
        _check_kept(state, kept)


def _check_kept(state: Mapping[str, Any], kept: Preferences) -> None:
    """Reject kept rows that the totals do not contain, or that lack the column that clusters them."""
    counted = PairTotals(state["pairs_"], state["totals_"])
    inside = NO_TOTALS.plus(kept)
    total_codes, kept_codes = _codes(counted, kept.n_items), _codes(inside, kept.n_items)
    require(np.isin(kept_codes, total_codes).all(), "kept_ must hold pairs that pairs_ holds")
    places = np.searchsorted(total_codes, kept_codes)
    room = counted.weight[:, places] * (1 + 1e-9) - inside.weight
    require((room >= 0).all(), "kept_ must not weigh more than totals_")
    errors = state["errors"]
    if errors in ("judge", "source"):
        require(getattr(kept, errors) is not None, f"kept_ must have a {errors} where errors is {errors!r}")


def _check_adjusted(state: Mapping[str, Any]) -> None:
    """Reject coefficients of covariates without the rows that they were learned from."""
    names = ("covariates_", "side_", "coefficients_")
    present = [name in state for name in names]
    require(all(present) or not any(present), f"{' and '.join(names)} must be there together")
    if not all(present):
        return
    covariates, side, coefficients = (state[name] for name in names)
    require(len(coefficients) == len(covariates) + side > 0, "coefficients_ must be one for each covariate")
    require(state["kept_"] is not None, "kept_ must hold the rows of covariates_")
    check_covariates(state["kept_"], covariates, side)


def _codes(totals: PairTotals, n_items: int) -> Ints:
    first, second = totals.pairs.astype(np.int64)
    codes: Ints = first * n_items + second
    return codes


class PairedWorth(CountedWorth):
    """A model of paired comparisons; a subclass adds its link and its documentation."""

    __saved__: ClassVar = PosteriorWorth.__saved__.extended(
        {
            "prior": Either((OneOf((LEARNED,)), Number(0))),
            "errors": OneOf(ERRORS),
            "feature_prior": Number(above=0),
        },
        {
            "pairs_": Array((2, "n_pairs"), "int32", below="n_items"),
            "totals_": Array((3, "n_pairs"), least=0),
            "tie_": Maybe(Number(-700, 700)),
            "prior_": Number(0),
            "features_": Maybe(Array((None, None))),
            "kept_": Maybe(Instance(Preferences)),
        },
        {
            "covariates_": Texts(),
            "side_": Flag(),
            "coefficients_": Array(("n_effects",)),
        },
        rules=(check_pairs, _check_learned, _check_adjusted),
    )

    pairs_: NDArray[np.int32]
    totals_: Floats
    tie_: float | None
    prior_: float
    features_: Floats | None
    kept_: Preferences | None
    _scale: LearnedScale

    def __init__(
        self, prior: float | str = LEARNED, *, errors: str = "auto", feature_prior: float = 1.0
    ) -> None:
        self.prior = prior
        self.errors = errors
        self.feature_prior = feature_prior

    # -- learning ------------------------------------------------------------------------------------------

    def fit(
        self,
        preferences: Preferences | PairCounts,
        y: None = None,
        *,
        features: Any = None,
        covariates: Sequence[str] = (),
        side: bool = False,
    ) -> Self:
        """Fit to ``preferences`` alone. ``y`` is ignored; scikit-learn passes it.

        Parameters
        ----------
        preferences : Preferences or PairCounts
            `PairCounts`, from `penchant.count`, hold files that are larger than memory. Where they are on disk, scores
            are the mode of the log posterior, at the most probable scale of the prior where that is learned.
        features : DataFrame with the ids as index, or array of shape (n_items, n_features), optional
            Worth is then X β + residual: the scores of items with few answers are drawn to those of items with similar
            features. The bar that both-bad answers lose to has no features.
        covariates : sequence of str
            Names of covariates of the preferences, whose effects are learned beside the scores: two items then differ
            by their scores plus the effects of what else differs in that comparison, and scores are adjusted for it.
            ``effects_`` has the effects. All rows are kept, also in a saved file, since `update` fits them again.
        side : bool
            Whether to learn what standing on the left adds, as the effect "side".
        """
        if isinstance(preferences, PairCounts):
            self._check_settings(False)
            return self._fit_counts(preferences, features=features, covariates=covariates, side=side)
        self._check(preferences)
        self._check_settings(features is not None)
        for name in OF_A_FIT:
            vars(self).pop(name, None)
        if side or len(covariates):
            names = checked_names(covariates, side)
            check_covariates(preferences, names, side)
            self.covariates_, self.side_ = names, bool(side)
        self.features_ = None if features is None else _matched(features, preferences)
        return super().fit(preferences)

    def update(self, preferences: Preferences) -> Self:
        """Learn from more ``preferences``, without those learned already being given again.

        The answers are added to the totals and the scores are computed again, with the same result as fitting all at
        once. It does not warn of caveats, since answers that come one by one are connected only after a while; the
        ranking has them. A page of results must come whole where errors are clustered by source.
        """
        self._in_memory("update")
        if hasattr(self, "scores_"):
            self._check(preferences)
            if self._adjusts:
                check_covariates(preferences, self.covariates_, self.side_)
            new = self.catalogue_.union(preferences.catalogue)
            if self.features_ is not None and new.count - new.bar > len(self.features_):
                unknown = set(new.ids) - set(self.catalogue_.ids)
                raise InvalidInput(
                    f"items must be among the {len(self.features_):,} whose features are known, got "
                    f"{min(unknown)!r}: fit again with the features of all items"
                )
        return super().update(preferences)

    def can_live(self) -> bool:
        """Whether `live` takes these settings: a prior above 0, and errors that are "auto" or "model"."""
        return bool(self.prior) and self.errors in ("auto", "model")

    def live(self, preferences: Preferences, *, features: Any = None, links: Any = None) -> LiveBelief:
        """Return a belief that has learned ``preferences`` and learns further answers one at a time.

        The model itself stays as it is. With a learned prior the belief starts at the posterior that `fit` finds, and
        keeps the scales and the tie parameter that were found. With a given prior it is the posterior at that prior,
        its scores being means where those of `fit` are the mode.

        Parameters
        ----------
        preferences : Preferences
            In rows of two items. Items that were never compared have the prior. Up to 2,000 items the belief has all
            covariances (`penchant.online.OnlineMixture`); more of them have marginals, at one scale of the prior
            (`penchant.online.SparseBelief`).
        features, links
            Not taken: `penchant.gp.LinkedGP` learns from both.

        Examples
        --------
        >>> from penchant import Preferences
        >>> from penchant.worth import BradleyTerry
        >>> belief = BradleyTerry().live(Preferences.from_pairs([("tea", "water")], items=["tea", "water", "juice"]))
        >>> probability = belief.answer(2, 0, 0)  # juice is preferred to tea
        >>> belief.rank().items
        ('juice', 'tea', 'water')
        """
        from penchant.worth.starting import start_live

        self._check(preferences)
        self._check_settings(False)
        return start_live(self, preferences, features=features, links=links)

    def _check_settings(self, with_features: bool) -> None:
        if not isinstance(self.prior, str) or self.prior != LEARNED:
            remedy = f"it is the precision of a normal prior: 0.1 is weak, {LEARNED!r} learns it"
            check_number("prior", self.prior, least=0, remedy=remedy)
        remedy = "it is the precision of a normal prior: 0.1 is weak"
        check_number("feature_prior", self.feature_prior, above=0, remedy=remedy)
        one_of("errors", self.errors, ERRORS)
        if with_features and not self.prior:
            raise InvalidInput(
                "prior must be above 0 where features are given, got 0: without it features have no effect"
            )

    def _start(self, n_items: int) -> None:
        self._check_settings(False)
        self.pairs_, self.totals_ = NO_TOTALS.pairs, NO_TOTALS.weight
        self.kept_ = None
        if not hasattr(self, "features_"):
            self.features_ = None

    def _rearrange(self, moved: Ints, n_items: int) -> None:
        self.pairs_ = self._totals().renumbered(moved).pairs

    def _totals(self) -> PairTotals:
        return PairTotals(self.pairs_, self.totals_)

    def _learn(self, preferences: Preferences) -> None:
        totals = self._totals().plus(preferences)
        self.pairs_, self.totals_ = totals.pairs, totals.weight
        self._keep(preferences)
        vars(self).pop("_posterior", None)
        vars(self).pop("_scale", None)
        if self._adjusts:
            self._learn_rows()
            return
        self._fit_totals()

    def _fit_totals(self) -> None:
        totals = self._totals()
        if self.prior == LEARNED:
            learned = self._learned_scale()
            self.prior_, self.tie_ = learned.middle.prior.precision, learned.likelihood.tie
            mean = np.sum([part.weight * part.posterior.mean for part in learned.components], axis=0)
            self.scores_ = np.round(self._level(mean), DECIMALS) + 0.0
            return
        wanted = float(self.prior)
        exists = wanted > 0 or has_maximum(totals, self.catalogue_.count)
        self.prior_ = wanted if exists else SMALL_PRIOR
        with one_thread():
            mode = maximise(totals, self._link, self._prior(self.prior_))
        if not mode.converged:
            warn(
                f"scores are where the log likelihood still has gradient {mode.gradient:.1e}, not yet 1e-8: "
                "set a larger prior",
                PenchantWarning,
                stacklevel=5,
            )
        self.scores_ = self._level(mode.scores)
        self.tie_ = mode.tie

    def _learned_scale(self) -> LearnedScale:
        """Return the posterior of scores whose scale is learned, computed from the totals on first use."""
        if not hasattr(self, "_scale"):
            with one_thread():
                self._scale = learn_scale(self._totals(), self._link, self._prior, most=self._most_scales)
        return self._scale

    def _level(self, scores: Floats) -> Floats:
        """Return the scores relative to the mean of the real items."""
        linked = self.features_ is not None
        if not self.catalogue_.bar:
            return scores  # their sum is 0
        return centred(scores, self._totals(), self.catalogue_, together=linked)

    def _prior(self, precision: float) -> Prior:
        n_items = self.catalogue_.count
        bar = START if self.catalogue_.bar and self.prior == LEARNED else None
        decided = self.totals_[:TIE].any() if self._on_disk is None else any(self._on_disk.outcomes[:TIE])
        only_ties = 0.0 if decided else SMALL_PRIOR
        if self.features_ is None:
            return Prior(precision, n_items, tie_precision=only_ties, bar_precision=bar)
        centred = np.zeros((n_items, self.features_.shape[1]))  # the bar has average features
        centred[: len(self.features_)] = self.features_ - self.features_.mean(axis=0)
        return Prior(precision, n_items, centred, self.feature_prior, only_ties, bar)

    def _keep(self, preferences: Preferences) -> None:
        """Keep the rows whose comparisons are clustered, or all where there are covariates."""
        source, judge = preferences.source, preferences.judge
        clusters = {"judge": judge, "source": source}.get(self.errors, preferences)
        if clusters is None and len(preferences):
            raise InvalidInput.of(
                "errors",
                f"not be {self.errors} where no row has a {self.errors}",
                repr(self.errors),
                Text(f"name the {self.errors} of each row, or give ", Argument("errors", "auto")),
            )
        if self.kept_ is not None:
            self.kept_ = self.kept_.on(self.catalogue_)
        if self._adjusts:
            self._keep_all(preferences)
            return
        if self.errors != "judge":
            judge = None
        alone = preferences.statements.only_comparisons and source is None and judge is None
        if self.errors == "model" or alone:
            return
        rows = _items_of_rows(preferences) > 2
        if self.errors in ("auto", "source") and source is not None:
            rows[:] = True
        if judge is not None:
            rows |= judge >= 0
        used = {"judge": "judge", "row": "weight"}.get(self.errors, "source")
        more = preferences[rows].without(*{"judge", "source", "better_on_left", "period"} - {used})
        if self.kept_ is not None:
            more = self.kept_ + more
        self.kept_ = more if len(more) else None

    @property
    def only_ties_(self) -> bool:
        """Whether there are answers, and all of them are ties."""
        on_disk = self._fitted()._on_disk
        if on_disk is not None:
            return not any(on_disk.outcomes[:TIE])
        return bool(self._fitted().totals_[TIE].any() and not self.totals_[:TIE].any())

    # -- caveats -------------------------------------------------------------------------------------------

    def caveats(self) -> tuple[str, ...]:
        """Return the caveats: groups never compared, or the prior that replaced a missing maximum likelihood."""
        if self._fitted()._on_disk is not None:
            return self._streamed_caveats
        wanted = 0.0 if self.prior == 0 else self._fitted().prior_
        return caveats_of(self._totals(), self._fitted().catalogue_.ids, wanted, self.prior_)

    # -- posterior ----------------------------------------------------------------------------------------

    @property
    def errors_(self) -> str:
        """What intervals are computed from: "model", or the clusters "row", "source" or "judge"."""
        self._fitted()
        if self.errors != "auto":
            return str(self.errors)
        if self.kept_ is None or (self._adjusts and self.kept_.source is None):
            return "model"
        return "row" if self.kept_.source is None else "source"

    def _hessian(self) -> PairHessian:
        """Return the Hessian of the log posterior at the scores, or the posterior precision at the learned scale."""
        self._in_memory("the Hessian of all pairs")
        if self.prior == LEARNED:
            learned = self._learned_scale()
            return learned.middle.hessian(learned.likelihood)
        graph = PairGraph(self.pairs_, self.catalogue_.count)
        derivatives = self._link.derivatives(graph, self.scores_, self.totals_, self.tie_)
        return PairHessian(graph, derivatives, self._prior(self.prior_))

    def _make_posterior(self) -> Posterior:
        if self._on_disk is not None:
            return self._streamed_posterior()
        if self._adjusts:
            return self._adjusted_posterior()
        gradients = None
        if self.errors_ != "model":
            kept = Preferences.from_pairs([], items=self.catalogue_.ids) if self.kept_ is None else self.kept_
            gradients = ClusterGradients(
                kept, self.errors_, self._totals(), self._link, self.scores_, self.tie_
            )
        if self.prior != LEARNED:
            return self._normal(self._hessian(), gradients)
        learned = self._learned_scale()
        parts = [
            Part(
                component.weight,
                self._level(component.posterior.mean) - self.scores_,
                self._normal(component.posterior.hessian(learned.likelihood), gradients),
            )
            for component in learned.components
        ]
        posterior = Mixture(parts) if len(parts) > 1 else parts[0].posterior
        posterior.method = f"{learned.method}, scale of the prior learned; {posterior.method}"
        return posterior

    def _normal(self, hessian: PairHessian, gradients: ClusterGradients | None) -> Posterior:
        """Return the normal posterior with a Hessian, with sandwich errors where gradients of clusters are given."""
        n_items = self.catalogue_.count
        centre = self._totals().centre(self.catalogue_)
        clusters = None if gradients is None else Clusters(gradients, hessian)
        if n_items <= DENSE_ITEMS:
            meat = None if clusters is None else clusters.matrix()
            if hessian.prior.n_real < n_items:
                return normal_posterior(hessian.matrix(), meat, centre=centre)
            real = real_items(self.catalogue_) if self.catalogue_.bar else None
            prior = hessian.prior.precision
            return dense_posterior(hessian.matrix(), meat, prior=prior, centre=centre, real=real)
        noise = hessian.noise if clusters is None else clusters.noise
        return sampled_posterior(
            hessian.product,
            hessian.diagonal,
            noise,
            n_items,
            sandwich=clusters is not None,
            centre=centre,
        )

    def most_probable(self) -> Moments:
        """Return the moments at the most probable scale of the prior; the model itself where the scale is given.

        Questions are chosen by it: averaged over scales, the difference of two items that are far apart varies much
        although its sign is certain.
        """
        posterior = self.posterior()
        if not isinstance(posterior, Mixture):
            return self
        part = posterior.heaviest
        return ComponentMoments(self._real(self.scores_ + part.offset), part.posterior)

    # -- features ------------------------------------------------------------------------------------------

    @property
    def coef_(self) -> Floats:
        """The coefficient of each feature, shape (n_features,)."""
        self._with_features()
        with one_thread():
            return self._prior(self.prior_).coefficients(self.scores_)

    def predict(self, X: Any, *, return_std: bool = False) -> Any:
        """Return the worth predicted from features, also of items that the model has not seen, shape (n,).

        Parameters
        ----------
        X : DataFrame or array of shape (n, n_features)
        return_std : bool
            Also return the standard deviation, from those of β and of the residual.
        """
        mean = self._with_features().mean(axis=0)
        given = numbers("feature", X)
        if given.ndim != 2 or given.shape[1] != len(mean):
            raise InvalidInput(
                f"features must have shape (n, {len(mean)}), got {given.shape}: give the columns of fit"
            )
        centred = given - mean
        with one_thread():
            prior = self._prior(self.prior_)
            worth: Floats = centred @ prior.coefficients(self.scores_)
            if not return_std:
                return worth
            by_worth = centred @ prior.weights
            learned = np.maximum(((by_worth @ self.covariance()) * by_worth).sum(axis=1), 0.0)
            variance = 1 / prior.precision + prior.variance_given_worth(centred) + learned
        return worth, np.sqrt(variance)

    def _with_features(self) -> Floats:
        if self._fitted().features_ is None:
            raise NotFitted(
                f"{type(self).__name__} must be fitted with features for this, got none: "
                "call fit(preferences, features=X)"
            )
        return self.features_  # type: ignore[return-value]

    # -- probabilities -------------------------------------------------------------------------------------

    def _win_probability(self, first: Ints, second: Ints) -> Any:
        outcomes = self._outcome_probability(first, second)
        return outcomes[..., 0] / (outcomes[..., 0] + outcomes[..., 2])

    def _outcome_probability(self, first: Ints, second: Ints) -> Floats:
        difference = np.asarray(self.scores_[first] - self.scores_[second])
        return self._link.outcomes(difference, self.tie_)


def _items_of_rows(preferences: Preferences) -> Ints:
    """Return the number of items of each row, without the bar: a both-bad answer has two."""
    statements = preferences.statements
    if preferences.bar is None:
        return statements.sizes
    about = statements.rows[statements.members != preferences.bar]
    return np.bincount(about, minlength=len(statements))


def _matched(features: Any, preferences: Preferences) -> Floats:
    features = as_features(features)
    rows = preferences.match(features)
    values = numbers("feature", features)
    if values.ndim != 2:
        raise InvalidInput(
            f"features must have shape (n_items, n_features), got {values.shape}: give a table"
        )
    return values[rows[rows >= 0]]
