"""LinkedGP: a Gaussian process over features and links of items that learns one answer at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant import schema
from penchant.belief import LiveBelief
from penchant.checks import Floats, Ints, same_length
from penchant.errors import InvalidInput
from penchant.gp.inference.answers import Answers, answers_between
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.item_prior import ItemPrior, Settings, item_names, saved_inducing
from penchant.gp.linked.posterior import Scales, full_posterior, mixture_of
from penchant.gp.linked.posterior_utility import PosteriorUtility
from penchant.gp.linked.priors import InducingPrior, PriorError
from penchant.preferences import Preferences
from penchant.threads import one_thread

if TYPE_CHECKING:
    from penchant.gp.linked.posterior import MixtureBelief, Progress
    from penchant.gp.linked.priors import Prior
    from penchant.gp.linked.tuning import Tuned

_REFOLDED = 10_000
_ROOM = 16
_SETTINGS = {
    "scale": schema.Number(above=0),
    "lengthscale": schema.Number(above=0),
    "beta": schema.Number(above=0),
    "iota": schema.Number(above=0),
    "mix": schema.Either((schema.ListOf(schema.Number(), 2), schema.TupleOf(schema.Number(), 2))),
    "nugget": schema.Number(0),
    "threshold": schema.Number(0),
    "most_columns": schema.Number(1),
    "inducing": schema.Maybe(schema.Number(1)),
}


class LinkedGP(PosteriorUtility):
    """A Gaussian process over features and links that learns one answer at a time (paper 5).

    The utility of an item is ω₁ f(features) + ω₂ g(links), both with a Gaussian process for a prior, so that
    an answer about two items also carries information about similar and linked ones. The likelihood is
    P(a beats b) = Φ(ξ_a − ξ_b).

    `update` is the incremental step of expectation propagation: it changes the posterior along one direction and
    does not revisit earlier answers, so that their order matters a little. `refresh` computes the posterior of all
    answers anew.

    `tune` learns the hyperparameters. From then on the belief is a mixture over the scale of the whole prior: one
    normal belief for each of ``factors_``, whose prior covariance is that of the settings times the factor squared,
    weighted by the posterior probability of the factor. All that the model reports is that of the mixture.
    `update` changes each of the beliefs and their weights, `refresh` computes them anew, and the factors stay until
    the next `tune` or `fit`.

    Parameters
    ----------
    scale, lengthscale : float
        κ and 1/ρ of the squared exponential on the features (eq. 2).
    beta, iota : float
        Of the regularised Laplacian of the links, [β(Δ + I/ι²)]⁻¹ (eq. 3).
    mix : pair of float
        ω₁ and ω₂ (eq. 6).
    nugget : float
        The variance of an independent part of each item's utility.
    threshold : float
        Two utilities that are perceived within ±threshold of each other tie; ties need a threshold above 0.
    most_columns : int
        The largest rank of the covariance update; beyond it the smallest directions are dropped, which makes variances
        larger, never smaller (`lost_` is the most by which). Below so many items nothing is dropped.
    inducing : int, optional
        Approximate the prior by at most so many inducing items, chosen greedily by the variance that they explain. The
        variances of the prior stay exact; `prior_error` gives the error of the covariances. None is the exact prior.

    Attributes
    ----------
    n_items_ : int
    comparisons_ : Answers
        All answers, in order.
    lost_ : float
    log_evidence_ : float
        Of the answers at the last `refresh`.
    inducing_ : int array of shape (m,), or None
        The inducing items.
    factors_ : tuple of float
        Of the standard deviations of the prior; (1.0,) before `tune`.
    factor_weights_ : array of shape (k,)
        The probability of each factor.

    Examples
    --------
    Two pairs of linked items, 0 with 1 and 2 with 3: an answer about one of each changes all four.

    >>> links = np.zeros((4, 4))
    >>> links[0, 1] = links[1, 0] = links[2, 3] = links[3, 2] = 1.0
    >>> model = LinkedGP().fit(links=links).update(1, 2)
    >>> model.mean.round(2)
    array([ 0.17,  0.35, -0.35, -0.17])
    >>> round(model.win_probability(0, 3), 2)
    0.59
    """

    order_matters = True

    __saved__: ClassVar = schema.Schema(
        dict.fromkeys(_SETTINGS, schema.Plain()),  # those of the last fit are checked as ``settings``
        {
            "n_items": schema.Whole(1, size=True),
            "features": schema.Maybe(schema.Array(("n_items", None))),
            "links": schema.Maybe(schema.Sparse(("n_items", "n_items"), least=0)),
            "covariance": schema.Maybe(schema.Array(("n_items", "n_items"))),
            "arrived": schema.TupleOf(schema.Whole(1)),
            "qid": schema.Maybe(schema.Column("n_items")),
            "items": schema.Texts("n_items"),
            "pairs": schema.Array(("n_answers", 2), "int64", below="n_items"),
            "weight": schema.Array(("n_answers",), above=0),
            "tie": schema.Array(("n_answers",), "bool"),
            "refreshed": schema.Whole(0),
            "settings": schema.Row(tuple(_SETTINGS.values())),
            "columns": schema.Maybe(schema.Texts()),
            "inducing_items": schema.Maybe(schema.Array((None,), "int64", below="n_items")),
        },
        {
            "factors": schema.Array(("n_factors",), above=0),
            "factor_log_prior": schema.Array(("n_factors",)),
        },
    )

    def __init__(
        self,
        *,
        scale: float = 1.0,
        lengthscale: float = 1.0,
        beta: float = 1.0,
        iota: float = 1.0,
        mix: tuple[float, float] = (1.0, 1.0),
        nugget: float = 0.0,
        threshold: float = 0.0,
        most_columns: int = 1000,
        inducing: int | None = None,
    ) -> None:
        self.scale, self.lengthscale, self.nugget, self.threshold = scale, lengthscale, nugget, threshold
        self.beta, self.iota, self.mix = beta, iota, mix
        self.most_columns, self.inducing = most_columns, inducing

    def fit(
        self,
        features: Any = None,
        links: Any = None,
        *,
        covariance: ArrayLike | None = None,
        n_items: int | None = None,
        items: Sequence[str] | None = None,
        qid: ArrayLike | None = None,
    ) -> Self:
        """Set the prior of the items and discard all answers.

        Parameters
        ----------
        features : array-like or DataFrame of shape (n_items, n_features), optional
            One row an item; the index of a frame names the items.
        links : sparse or dense array of shape (n_items, n_items), optional
            Weights of an undirected graph.
        covariance : array-like of shape (n_items, n_items), optional
            The prior itself, in the place of both.
        n_items : int, optional
            Without anything else: independent items, K = scale² · I.
        items : sequence of str, optional
            Their ids, where no frame gives them.
        qid : array-like of shape (n_items,), optional
            The query group of each item; answers and rankings are within one.
        """
        given = self._given(features, links, covariance, n_items, items, qid)
        with one_thread():
            inducing = given.item_prior.inducing(given.settings)
            prior = given.item_prior.prior(given.settings, inducing)
            self._set_items(given, inducing)
            self._learn_all(prior, Scales(), Answers.none(), 0)
        return self

    def _given(
        self, features: Any, links: Any, covariance: Any, n_items: int | None, items: Any, qid: Any
    ) -> _Given:
        """Check the arguments of `fit`."""
        settings = Settings.checked(self.get_params())
        item_prior = ItemPrior.of(features, links, covariance, n_items)
        groups = None if qid is None else np.asarray(qid)
        for name, values in (("qid", groups), ("items", items)):
            if values is not None:
                same_length(name, values, item_prior.n_items)
        return _Given(settings, item_prior, groups, item_names(features, item_prior.n_items, named=items))

    def _set_items(self, given: _Given, inducing: Ints | None) -> None:
        self.settings_, self.item_prior_, self.qid_, self.items_ = given
        self.inducing_, self.n_items_ = inducing, given.item_prior.n_items

    def update(
        self, better: ArrayLike, worse: ArrayLike, *, weight: ArrayLike | None = None, tie: ArrayLike = False
    ) -> Self:
        """Learn that ``better`` is preferred to ``worse``, one answer after the other (eq. 22–24).

        Parameters
        ----------
        better, worse : int, or int array-like of shape (m,)
            Rows of the items.
        weight : float or array-like of shape (m,), optional
            Above 0; the likelihood is raised to it.
        tie : bool or array-like of shape (m,), default False
            Where the answer is a tie.
        """
        answers = self._fitted()._checked_answers(better, worse, weight, tie)
        with one_thread():
            for place in range(len(answers)):
                answer = answers[place : place + 1]
                self._learn_one(answer)
                self.comparisons_ = self.comparisons_.followed_by(answer)
        return self

    def learn(self, preferences: Preferences) -> Self:
        """Learn all comparisons of ``preferences`` by `update`, in their order; ids are matched to ``items_``.

        Ties need a ``threshold`` above 0, and the bar of both-bad answers is not an item.

        Examples
        --------
        >>> from penchant import Preferences
        >>> model = LinkedGP().fit(n_items=3, items=["tea", "milk", "water"])
        >>> model.learn(Preferences.from_pairs([("tea", "milk"), ("milk", "water")])).rank().items
        ('tea', 'milk', 'water')
        """
        answers = answers_between(preferences, self._fitted().items_)
        if len(answers):
            self.update(*answers.pairs.T, weight=answers.weight, tie=answers.tie)
        return self

    def _learn_one(self, answer: Answers) -> None:
        most = self.settings_.most_columns
        self._belief.learn(answer, self._likelihood())
        for component in self._belief.components:
            if component.rank > most + max(most // 4, _ROOM):
                component.compress(most)

    def refresh(self) -> Self:
        """Compute the posterior of all answers so far anew, by full expectation propagation."""
        with one_thread():
            self._fitted()._learn_all(self._prior, self.scales_, self.comparisons_, len(self.comparisons_))
        return self

    @property
    def factors_(self) -> tuple[float, ...]:
        """The factors of the prior's standard deviations that the belief is a mixture over; (1.0,) before `tune`."""
        return self._fitted().scales_.factors

    @property
    def factor_weights_(self) -> Floats:
        """The probability of each of ``factors_``, shape (k,)."""
        return self._fitted()._belief.weights

    def _learn_all(
        self,
        prior: Prior,
        scales: Scales,
        answers: Answers,
        refreshed: int,
        progress: Progress | None = None,
    ) -> None:
        """Learn ``answers`` on ``prior``: the first ``refreshed`` of them by full EP, the others one by one."""
        belief, log_evidence = full_posterior(
            prior, scales, answers[:refreshed], self._likelihood(), progress
        )
        self._prior, self.scales_, self._belief = prior, scales, belief
        for component in belief.components:
            if component.rank > self.settings_.most_columns:
                component.compress(self.settings_.most_columns)
        for place in range(refreshed, len(answers)):
            self._learn_one(answers[place : place + 1])
        self.comparisons_, self.refreshed_, self.log_evidence_ = answers, refreshed, log_evidence

    def add_items(
        self,
        features: Any = None,
        links: Any = None,
        *,
        n_items: int | None = None,
        qid: ArrayLike | None = None,
        refold: bool | None = None,
    ) -> Self:
        """Add new items behind the others; what was learned is kept.

        With features the result is exact. Links change the prior of the earlier items too: ``refold`` learns all
        answers anew on the enlarged graph, as a fit from scratch would. Without it the belief about the earlier items
        is kept and new ones are linked to it, which is cheap and close. Inducing items are chosen anew where answers
        are learned anew, and kept otherwise.

        Parameters
        ----------
        features : array-like or DataFrame of shape (n_new, n_features), optional
        links : sparse or dense array of shape (n_items + n_new, n_items + n_new), optional
            Of all items, earlier and new.
        n_items : int, optional
            The number of all items then, where nothing else is given.
        qid : array-like of shape (n_new,), optional
        refold : bool, optional
            Default: up to 10,000 items in all.
        """
        more = self._fitted().item_prior_.with_new(features, links, n_items)
        fold = more.n_items <= _REFOLDED if refold is None else refold
        with one_thread():
            item_prior = self.item_prior_.joined(more, refold=fold)
        count = item_prior.n_items - self.n_items_
        groups = self._joined_qid(qid, count)
        names = item_names(features, count, self.items_)
        anew = item_prior.links is not None and fold
        with one_thread():
            inducing = item_prior.inducing(self.settings_) if anew else self.inducing_
            prior = item_prior.prior(self.settings_, inducing)
            if anew:
                self._learn_all(prior, self.scales_, self.comparisons_, self.refreshed_)
            else:
                self._prior, self._belief = prior, self._moved_to(prior)
        self._set_items(_Given(self.settings_, item_prior, groups, names), inducing)
        return self

    def _moved_to(self, prior: Prior) -> MixtureBelief:
        """Return the same belief on a prior that agrees on the items that were compared."""
        belief = self._belief
        duals = [component.dual() for component in belief.components]
        logs = (belief.log_weights - self.scales_.log_prior).tolist()
        return mixture_of(prior, self.scales_, duals, logs)[0]

    def tune(self, *, restarts: int = 0, seed: int = 0, progress: Progress | None = None) -> Self:
        """Learn κ, ρ, β and ι (those that the prior has) from the answers so far, and refresh.

        The settings become those of the highest posterior density: evidence times a prior of each hyperparameter.
        In units of the noise of an answer, the standard deviation of the utilities has a half-t distribution with 3
        degrees of freedom and scale 1, for the features and for the links; the lengthscale is lognormal
        around the typical distance of two items, and ι around 1/√(mean degree). The belief is then a mixture over the
        scale of the whole prior, see ``factors_``, so that the uncertainty of the scale is part of all error bars.

        The evidence is that of the exact prior; inducing items are chosen anew.

        Parameters
        ----------
        restarts : int
            The number of further starts, drawn around the settings.
        seed : int
        progress : callable, optional
            Called with the name of a step, the number of its parts that are done, and the number of all at most.

        Warns
        -----
        PenchantWarning
            Where a hyperparameter reaches a bound of the search.

        Examples
        --------
        >>> model = LinkedGP().fit(n_items=3).update([0, 0, 1], [1, 2, 2]).tune()
        >>> round(model.scale, 1), len(model.factors_)
        (1.1, 7)
        """
        with one_thread():
            self._fitted()._tune(self.comparisons_, restarts, seed, progress)
        return self

    def _tune(self, answers: Answers, restarts: int, seed: int, progress: Progress | None) -> None:
        from penchant.gp.linked.tuning import tuned

        found = tuned(self.item_prior_, answers, self.settings_, self._likelihood(), restarts, seed, progress)
        self._learn_tuned(found, answers, progress)

    def _learn_tuned(self, found: Tuned, answers: Answers, progress: Progress | None) -> None:
        """Take over settings that were tuned, and learn the answers anew."""
        item_prior, (settings, scales, _) = self.item_prior_, found
        inducing = item_prior.inducing(settings)
        prior = item_prior.prior(settings, inducing)
        self.set_params(**settings._asdict())
        self.settings_, self.inducing_ = settings, inducing
        self._learn_all(prior, scales, answers, len(answers), progress)

    def live(self, preferences: Preferences, *, features: Any = None, links: Any = None) -> LiveBelief:
        """Return a belief over the items of ``preferences`` that learns further answers one at a time.

        From 8 answers on the hyperparameters are learned from the answers between the 200 items that were compared
        first: scale, lengthscale, beta, iota and the nugget, which `tune` leaves as it is. Before that they are those
        of the model, times a factor of the scale that has the half-t distribution of `tune`. The model itself stays as
        it is, and the result depends on its settings and on the arguments alone.

        Up to 2,000 items the belief has a dense covariance and is a mixture over settings that stand for the posterior
        of the hyperparameters, of up to 7 components for 300 items and 3 for more. Above 2,000, features go through
        ``inducing`` items (200 by default), the settings are the most probable ones with the variances that are
        expected, and variances are estimated (see `penchant.gp.linked.field_belief.FieldBelief`).

        Parameters
        ----------
        preferences : Preferences
            Their items may include some that were never compared. Both-bad answers compare with a bar, which is
            independent of the items. Where the threshold is 0 and there are ties, it is the most probable one; without
            ties, equal items tie with the probability ½/(10 + the number of answers).
        features : DataFrame with the ids as its index, or array of shape (n_items, n_features), optional
        links : sparse or dense array of shape (n_items, n_items), optional
            In the order of ``preferences.items``.

        Examples
        --------
        >>> from penchant import Preferences
        >>> links = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
        >>> belief = LinkedGP().live(Preferences.from_pairs([(0, 2)], items=range(3)), links=links)
        >>> _ = belief.answer(0, 2, 0)
        >>> belief.mean.round(1).tolist()
        [0.6, 0.3, -0.9]
        """
        from penchant.gp.linked.live import start_live

        return start_live(self, preferences, features=features, links=links)

    def prior_error(self) -> PriorError:
        """Return the error of the prior that is due to ``inducing``, 0 without it.

        All pairs of items are compared with the exact prior, which takes some seconds from 10,000 items on.
        """
        inducing = self._fitted().inducing_
        if inducing is None:
            return PriorError(0.0, 0.0, 0.0)
        with one_thread():
            exact = self.item_prior_.smooth(self.settings_)
            return InducingPrior(exact, inducing).error(exact)

    def __save_state__(self) -> dict[str, object]:
        """Return the settings, the prior information and the answers, from which the belief is computed."""
        state: dict[str, object] = self.get_params()
        if hasattr(self, "item_prior_"):
            item_prior, answers = self.item_prior_, self.comparisons_
            state |= vars(answers) | {
                name: getattr(item_prior, name)
                for name in ("n_items", "features", "links", "covariance", "columns")
            }
            state |= {
                "arrived": item_prior.earlier_counts,
                "qid": self.qid_,
                "items": self.items_,
                "refreshed": self.refreshed_,
                "settings": tuple(self.settings_),
                "inducing_items": self.inducing_,
            }
            if self.scales_ != Scales():
                state["factors"] = np.array(self.scales_.factors)
                state["factor_log_prior"] = np.array(self.scales_.log_prior)
        return state

    @classmethod
    def __load_state__(cls, state: Mapping[str, Any]) -> Self:
        model = cls(**{name: state[name] for name in cls._settings()})
        if "n_items" not in state:
            return model
        item_prior = ItemPrior.of(state["features"], state["links"], state["covariance"], state["n_items"])
        earlier, refreshed, items = state["arrived"], state["refreshed"], state["items"]
        ends = (0, *earlier, item_prior.n_items)
        if list(ends) != sorted(set(ends)) or not 0 <= refreshed <= len(state["pairs"]):
            raise InvalidInput("what was learned does not fit together: save the model anew")
        same_length("items", items, item_prior.n_items)
        same_length("qid", items if state["qid"] is None else state["qid"], item_prior.n_items)
        settings = Settings.checked(dict(zip(Settings._fields, state["settings"], strict=True)))
        if state["columns"] is not None:
            schema.require(item_prior.features is not None, "columns must name features: save the model anew")
            same_length("columns", state["columns"], item_prior.features.shape[1])  # type: ignore[union-attr]
        item_prior = replace(item_prior, earlier_counts=tuple(earlier), columns=state["columns"])
        inducing = saved_inducing(state["inducing_items"], settings, item_prior.n_items)
        scales = Scales.from_state(state)
        with one_thread():
            model._set_items(_Given(settings, item_prior, state["qid"], tuple(map(str, items))), inducing)
            answers = Answers.none()
            if len(state["pairs"]):
                better, worse = np.asarray(state["pairs"]).T
                answers = model._checked_answers(better, worse, state["weight"], state["tie"])
            model._learn_all(item_prior.prior(settings, inducing), scales, answers, refreshed)
        sound = np.isfinite(model._belief.mean).all()
        schema.require(sound, "what was learned does not stay finite: save the model anew")
        return model

    def _likelihood(self) -> Probit:
        return Probit(1.0, self.settings_.threshold)

    def _joined_qid(self, qid: ArrayLike | None, count: int) -> Any:
        if (qid is None) != (self.qid_ is None):
            raise InvalidInput(
                "new items need a qid where the others have one, and only there: give the same"
            )
        if qid is None:
            return None
        more = np.asarray(qid)
        same_length("qid", more, count)
        return np.concatenate([self.qid_, more])


class _Given(NamedTuple):
    """The arguments of `LinkedGP.fit`, checked."""

    settings: Settings
    item_prior: ItemPrior
    qid: Any
    items: tuple[str, ...]


def learned_from(
    preferences: Preferences,
    *,
    features: Any = None,
    links: Any = None,
    model: LinkedGP | None = None,
    progress: Progress | None = None,
) -> LinkedGP:
    """Return a process that learned all answers by full expectation propagation, without a step for each answer.

    What cannot be learned is rejected before anything is computed.

    Parameters
    ----------
    preferences : Preferences
    features, links
        Of the items, in their order, as `LinkedGP.fit` takes them.
    model : LinkedGP, optional
        A model whose settings are kept. None: `LinkedGP.tune` learns the prior, and where there are ties, the
        threshold is the most probable one.
    progress : callable, optional
        As `LinkedGP.tune` takes it.

    Examples
    --------
    >>> from penchant import Preferences
    >>> model = learned_from(Preferences.from_pairs([("tea", "water"), ("tea", "milk"), ("milk", "tea")]))
    >>> model.rank().items
    ('tea', 'milk', 'water')
    """
    from penchant.gp.linked.tied_tuning import first_threshold, tuned_with_threshold
    from penchant.gp.linked.tuning import check_tunable

    answers = answers_between(preferences, preferences.items)
    tune, tied = model is None and len(answers) > 0, bool(answers.tie.any())
    fitted = LinkedGP(threshold=first_threshold(answers) if tied else 0.0) if model is None else model
    given = fitted._given(features, links, None, preferences.n_items, preferences.items, None)
    settings, item_prior = given.settings, given.item_prior
    if tune:
        check_tunable(item_prior, settings.mix)
    fitted._set_items(given, None)
    if len(answers):
        better, worse = answers.pairs.T
        answers = fitted._checked_answers(better, worse, answers.weight, answers.tie)
    with one_thread():
        if tune and tied:
            fitted._learn_tuned(
                tuned_with_threshold(item_prior, answers, settings, progress), answers, progress
            )
        elif tune:
            fitted._tune(answers, 0, 0, progress)
        else:
            fitted.inducing_ = item_prior.inducing(settings)
            prior = item_prior.prior(settings, fitted.inducing_)
            fitted._learn_all(prior, Scales(), answers, len(answers), progress)
    return fitted
