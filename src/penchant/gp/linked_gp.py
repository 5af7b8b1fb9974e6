"""Utilities of items that are linked. Features, links and answers in; a belief about every item out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, positive, same_length, shown
from penchant.errors import InvalidInput
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.posterior import Scales, learned_together, mixture_of
from penchant.gp.linked.posterior_utility import PosteriorUtility
from penchant.gp.linked.priors import InducingPrior, PriorError
from penchant.schema import (
    Array,
    Column,
    Either,
    ListOf,
    Maybe,
    Number,
    Plain,
    Row,
    Schema,
    Sparse,
    Texts,
    TupleOf,
    Whole,
    require,
)
from penchant.threads import one_thread

if TYPE_CHECKING:
    from penchant.gp.linked.posterior import MixtureBelief, Progress
    from penchant.gp.linked.priors import Prior

_REFOLDED = 10_000
_ROOM = 16
_SETTINGS = {
    "scale": Number(above=0),
    "lengthscale": Number(above=0),
    "beta": Number(above=0),
    "iota": Number(above=0),
    "mix": Either((ListOf(Number(), 2), TupleOf(Number(), 2))),
    "nugget": Number(0),
    "threshold": Number(0),
    "most_columns": Number(1),
    "inducing": Maybe(Number(1)),
}


class LinkedGP(PosteriorUtility):
    """A Gaussian process over features and links that learns one answer at a time (paper 5).

    The utility of an item is ω₁ f(features) + ω₂ g(links), both with a Gaussian process for a prior, so that
    an answer about two items also tells about those that are like them or linked to them. An answer says that
    the better one leads: P(a beats b) = Φ(ξ_a − ξ_b).

    `update` is the incremental step of expectation propagation: it moves the belief along one direction and
    never looks back, so that the order of the answers matters a little. `refresh` works all answers so far out
    anew.

    `tune` learns the hyperparameters. From then on the belief is a mixture over the scale of the whole prior: one
    normal belief for each of ``factors_``, whose prior covariance is that of the settings times the factor squared,
    weighted by how probable the answers make the factor. All that the model reports is that of the mixture.
    `update` moves each of the beliefs and their weights, `refresh` works them out anew, and the factors stay until
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
        The variance of what each item has for itself.
    threshold : float
        Two utilities that are perceived within ±threshold of each other are called equal; ties need one above 0.
    most_columns : int
        How many directions of what was learned are kept; the rest is forgotten, which makes variances larger,
        never smaller (`lost_` says by how much at most). Below so many items nothing is ever lost.
    inducing : int, optional
        Take items to tell of one another only through at most so many of them, chosen one after the other where
        most is left to explain. The variances of the prior stay exact; `prior_error` says what happens to the
        covariances. None is the exact prior.

    Attributes
    ----------
    n_items_ : int
    answers_ : Answers
        All that was said, in order.
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
    Two pairs of linked items: who beats ``b`` is likely to beat ``a`` as well.

    >>> links = np.zeros((4, 4))
    >>> links[0, 1] = links[1, 0] = links[2, 3] = links[3, 2] = 1.0
    >>> model = LinkedGP().fit(links=links).update(1, 2)
    >>> model.mean.round(2)
    array([ 0.17,  0.35, -0.35, -0.17])
    >>> round(model.win_probability(0, 3), 2)
    0.59
    """

    order_matters = True

    __saved__: ClassVar = Schema(
        dict.fromkeys(_SETTINGS, Plain()),  # those in use since the fit are checked as ``settings``
        {
            "n_items": Whole(1, size=True),
            "features": Maybe(Array(("n_items", None))),
            "links": Maybe(Sparse(("n_items", "n_items"), least=0)),
            "covariance": Maybe(Array(("n_items", "n_items"))),
            "arrived": TupleOf(Whole(1)),
            "qid": Maybe(Column("n_items")),
            "items": Texts("n_items"),
            "pairs": Array(("n_answers", 2), "int64", below="n_items"),
            "weight": Array(("n_answers",), above=0),
            "tie": Array(("n_answers",), "bool"),
            "refreshed": Whole(0),
            "settings": Row(tuple(_SETTINGS.values())),
            "columns": Maybe(Texts()),
            "inducing_items": Maybe(Array((None,), "int64", below="n_items")),
        },
        {
            "factors": Array(("n_factors",), above=0),
            "factor_log_prior": Array(("n_factors",)),
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
        self.scale = scale
        self.lengthscale = lengthscale
        self.beta = beta
        self.iota = iota
        self.mix = mix
        self.nugget = nugget
        self.threshold = threshold
        self.most_columns = most_columns
        self.inducing = inducing

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
        """Set the prior of the items; what was learned before is forgotten.

        Parameters
        ----------
        features : array-like or DataFrame of shape (n_items, n_features), optional
            One row an item; the index of a frame names the items.
        links : sparse or dense array of shape (n_items, n_items), optional
            Weights of an undirected graph.
        covariance : array-like of shape (n_items, n_items), optional
            The prior itself, in the place of both.
        n_items : int, optional
            Without anything else: items that know nothing of one another, K = scale² · I.
        items : sequence of str, optional
            Their names, where no frame gives them.
        qid : array-like of shape (n_items,), optional
            The query group of each item; answers and rankings are within one.
        """
        given = self._given(features, links, covariance, n_items, items, qid)
        with one_thread():
            inducing = given.item_prior.inducing(given.settings)
            prior = given.item_prior.prior(given.settings, inducing)
            self._know(*given, inducing)
            self._refold(prior, Scales(), Answers.none(), 0)
        return self

    def _fit_all(
        self, known: Mapping[str, Any], said: Mapping[str, Any], *, tune: bool, progress: Progress | None
    ) -> Self:
        """Do what `fit`, `update` and then `tune` or `refresh` do, without a step for each answer.

        Parameters
        ----------
        known, said : mappings
            Arguments of `fit` and of `update`.
        tune : bool
        progress : callable, optional
        """
        from penchant.gp.linked.tuning import check_tunable

        given = self._given(**{"covariance": None, "qid": None, **known})
        if tune:
            check_tunable(given.item_prior, given.settings.mix)
        self._know(*given, None)
        answers = self._checked(**said)
        with one_thread():
            if tune:
                self._tune(answers, 0, 0, progress)
                return self
            self.inducing_ = given.item_prior.inducing(given.settings)
            prior = given.item_prior.prior(given.settings, self.inducing_)
            self._refold(prior, Scales(), answers, len(answers), progress)
        return self

    def _given(
        self,
        features: Any,
        links: Any,
        covariance: ArrayLike | None,
        n_items: int | None,
        items: Sequence[str] | None,
        qid: ArrayLike | None,
    ) -> _Given:
        """Check the arguments of `fit`."""
        settings = Settings.checked(self.get_params())
        item_prior = ItemPrior.of(features, links, covariance, n_items)
        groups = None if qid is None else np.asarray(qid)
        if groups is not None:
            same_length("qid", groups, item_prior.n_items)
        if items is not None:
            same_length("items", items, item_prior.n_items)
        return _Given(settings, item_prior, groups, _names(features, item_prior.n_items, named=items))

    def _know(
        self,
        settings: Settings,
        item_prior: ItemPrior,
        qid: Any,
        items: tuple[str, ...],
        inducing: Ints | None,
    ) -> None:
        self.settings_, self.inducing_ = settings, inducing
        self.item_prior_, self.qid_, self.items_ = item_prior, qid, items
        self.n_items_ = item_prior.n_items

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
            Where the two are equal instead.
        """
        answers = self._fitted()._checked(better, worse, weight, tie)
        with one_thread():
            for place in range(len(answers)):
                answer = answers[place : place + 1]
                self._take(answer)
                self.answers_ = self.answers_.followed_by(answer)
        return self

    def _take(self, answer: Answers) -> None:
        likelihood, most = self._likelihood(), self.settings_.most_columns
        logs = [component.learn(answer, likelihood) for component in self._belief.components]
        self._belief.reweigh(logs)
        for component in self._belief.components:
            if component.n_directions > most + max(most // 4, _ROOM):
                component.compress(most)

    def refresh(self) -> Self:
        """Work out anew what all answers so far say together, by full expectation propagation."""
        with one_thread():
            self._fitted()._refold(self._prior, self.scales_, self.answers_, len(self.answers_))
        return self

    @property
    def factors_(self) -> tuple[float, ...]:
        """The factors of the prior's standard deviations that the belief is a mixture over; (1.0,) before `tune`."""
        return self._fitted().scales_.factors

    @property
    def factor_weights_(self) -> Floats:
        """The probability of each of ``factors_``, shape (k,)."""
        return self._fitted()._belief.weights

    def _refold(
        self,
        prior: Prior,
        scales: Scales,
        answers: Answers,
        refreshed: int,
        progress: Progress | None = None,
    ) -> None:
        """Learn ``answers`` on ``prior``: the first ``refreshed`` of them together, the others one by one."""
        belief, log_evidence = learned_together(
            prior, scales, answers[:refreshed], self._likelihood(), progress
        )
        self._prior, self.scales_, self._belief = prior, scales, belief
        for component in belief.components:
            if component.n_directions > self.settings_.most_columns:
                component.compress(self.settings_.most_columns)
        for place in range(refreshed, len(answers)):
            self._take(answers[place : place + 1])
        self.answers_, self.refreshed_, self.log_evidence_ = answers, refreshed, log_evidence

    def add_items(
        self,
        features: Any = None,
        links: Any = None,
        *,
        n_items: int | None = None,
        qid: ArrayLike | None = None,
        refold: bool | None = None,
    ) -> Self:
        """Take in items that were not there before, behind those that were; what was learned stays.

        Features fit new items in exactly. Links change what the graph says of the old items too: ``refold``
        learns all answers anew on the enlarged graph, which is what a fit from scratch would give. Without it
        the old items keep what is believed of them and new ones are linked to that, which is cheap and close.
        Inducing items are chosen anew where answers are learned anew, and stay otherwise.

        Parameters
        ----------
        features : array-like or DataFrame of shape (n_new, n_features), optional
        links : sparse or dense array of shape (n_items + n_new, n_items + n_new), optional
            Of all items, old and new.
        n_items : int, optional
            How many items there are then, where nothing else is known.
        qid : array-like of shape (n_new,), optional
        refold : bool, optional
            Default: up to 10,000 items in all.
        """
        more = _arriving(self._fitted().item_prior_, features, links, n_items)
        fold = more.n_items <= _REFOLDED if refold is None else refold
        with one_thread():
            item_prior = self.item_prior_.joined(more, refold=fold)
        count = item_prior.n_items - self.n_items_
        groups = self._joined_qid(qid, count)
        names = _names(features, count, self.items_)
        anew = item_prior.links is not None and fold
        with one_thread():
            inducing = item_prior.inducing(self.settings_) if anew else self.inducing_
            prior = item_prior.prior(self.settings_, inducing)
            if anew:
                self._refold(prior, self.scales_, self.answers_, self.refreshed_)
            else:
                self._prior, self._belief = prior, self._moved_to(prior)
        self.inducing_ = inducing
        self.item_prior_, self.qid_, self.items_, self.n_items_ = (
            item_prior,
            groups,
            names,
            item_prior.n_items,
        )
        return self

    def _moved_to(self, prior: Prior) -> MixtureBelief:
        """Return the same belief on a prior that agrees on the items that were asked about."""
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
        scale of the whole prior, see ``factors_``: a scale that is not known makes nothing surer than it is.

        The evidence is that of the exact prior; inducing items are chosen anew.

        Parameters
        ----------
        restarts : int
            How many more starts, drawn around the settings, to climb from.
        seed : int
        progress : callable, optional
            Is called with what is being done, how many steps of it are done, and how many there are at most.

        Warns
        -----
        PenchantWarning
            Where a hyperparameter reaches the bound of what is searched.

        Examples
        --------
        >>> model = LinkedGP().fit(n_items=3).update([0, 0, 1], [1, 2, 2]).tune()
        >>> round(model.scale, 1), len(model.factors_)
        (1.1, 7)
        """
        with one_thread():
            self._fitted()._tune(self.answers_, restarts, seed, progress)
        return self

    def _tune(self, answers: Answers, restarts: int, seed: int, progress: Progress | None) -> None:
        from penchant.gp.linked.tuning import tuned

        known = self.item_prior_
        settings, scales = tuned(known, answers, self.settings_, self._likelihood(), restarts, seed, progress)
        inducing = known.inducing(settings)
        prior = known.prior(settings, inducing)
        self.set_params(**settings._asdict())
        self.settings_, self.inducing_ = settings, inducing
        self._refold(prior, scales, answers, len(answers), progress)

    def prior_error(self) -> PriorError:
        """Return what the prior leaves out because of ``inducing``: nothing without it.

        It compares all pairs of items with the exact prior, some seconds of work from 10,000 items on.
        """
        inducing = self._fitted().inducing_
        if inducing is None:
            return PriorError(0.0, 0.0, 0.0)
        with one_thread():
            exact = self.item_prior_.smooth(self.settings_)
            return InducingPrior(exact, inducing).error(exact)

    def __save_state__(self) -> dict[str, object]:
        """Return the settings, what is known of the items, and the answers; the belief follows from them."""
        state: dict[str, object] = self.get_params()
        if hasattr(self, "item_prior_"):
            known, said = self.item_prior_, self.answers_
            state |= {
                "n_items": known.n_items,
                "features": known.features,
                "links": known.links,
                "covariance": known.covariance,
                "arrived": known.arrived,
                "qid": self.qid_,
                "items": self.items_,
                "pairs": said.pairs,
                "weight": said.weight,
                "tie": said.tie,
                "refreshed": self.refreshed_,
                "settings": tuple(self.settings_),
                "columns": known.columns,
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
        known = ItemPrior.of(state["features"], state["links"], state["covariance"], state["n_items"])
        arrived, refreshed, items = state["arrived"], state["refreshed"], state["items"]
        ends = (0, *arrived, known.n_items)
        if list(ends) != sorted(set(ends)) or not 0 <= refreshed <= len(state["pairs"]):
            raise InvalidInput("what was learned does not fit together: save the model anew")
        same_length("items", items, known.n_items)
        same_length("qid", items if state["qid"] is None else state["qid"], known.n_items)
        settings = Settings.checked(dict(zip(Settings._fields, state["settings"], strict=True)))
        if state["columns"] is not None:
            require(known.features is not None, "columns must name features: save the model anew")
            same_length("columns", state["columns"], known.features.shape[1])  # type: ignore[union-attr]
        known = replace(known, arrived=tuple(arrived), columns=state["columns"])
        chosen = _inducing(state["inducing_items"], settings, known.n_items)
        scales = _scales(state)
        with one_thread():
            model._know(settings, known, state["qid"], tuple(map(str, items)), chosen)
            answers = Answers.none()
            if len(state["pairs"]):
                better, worse = np.asarray(state["pairs"]).T
                answers = model._checked(better, worse, state["weight"], state["tie"])
            model._refold(known.prior(settings, chosen), scales, answers, refreshed)
        sound = np.isfinite(model._belief.mean).all()
        require(sound, "what was learned does not stay finite: save the model anew")
        return model

    def _likelihood(self) -> Probit:
        return Probit(1.0, self.settings_.threshold)

    def _checked(self, better: Any, worse: Any, weight: Any, tie: Any) -> Answers:
        first, second = np.atleast_1d(self._rows(better)), np.atleast_1d(self._rows(worse))
        tied, weights = (
            np.atleast_1d(np.asarray(tie)),
            np.atleast_1d(np.asarray(1.0 if weight is None else weight)),
        )
        if tied.dtype.kind != "b":
            raise InvalidInput(f"tie must be True or False, got {shown(tie)}: say where the two are equal")
        try:
            first, second, tied, weights = np.broadcast_arrays(first, second, tied, weights)
        except ValueError:
            first = first[:0].reshape(0, 0)
        if first.ndim != 1:
            raise InvalidInput(
                "better, worse, weight and tie must be one value each or equally many, got shapes "
                f"{np.shape(better)}, {np.shape(worse)}, {np.shape(weight)} and {np.shape(tie)}: give one an answer"
            )
        weights = positive("weight", weights)
        same = np.flatnonzero(first == second)
        if same.size:
            raise InvalidInput(
                f"answer {same[0]} compares item {first[same[0]]} with itself: give two different items"
            )
        if tied.any() and not self.settings_.threshold > 0:
            raise InvalidInput(
                "a tie needs a threshold above 0, got threshold=0: give LinkedGP(threshold=…), or leave ties out"
            )
        if self.qid_ is not None:
            apart = np.flatnonzero(self.qid_[first] != self.qid_[second])
            if apart.size:
                i, j = first[apart[0]], second[apart[0]]
                raise InvalidInput(
                    f"answer {apart[0]} compares item {i} of query {self.qid_[i]} with item {j} of query "
                    f"{self.qid_[j]}: compare within a query"
                )
        return Answers(np.column_stack([first, second]), weights, tied.copy())

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
    """What a process is fitted to."""

    settings: Settings
    item_prior: ItemPrior
    qid: Any
    items: tuple[str, ...]


def _scales(state: Mapping[str, Any]) -> Scales:
    """Return the scales of a file, or say that they are none."""
    fits = ("factors" in state) == ("factor_log_prior" in state)
    require(fits, "factors and factor_log_prior must be there together: save the model anew")
    if "factors" not in state:
        return Scales()
    log_prior = np.asarray(state["factor_log_prior"], dtype=np.float64)
    require(
        len(log_prior) > 0 and abs(np.exp(log_prior).sum() - 1) < 1e-6, "factor_log_prior must add up to 1"
    )
    return Scales(tuple(np.asarray(state["factors"]).tolist()), tuple(log_prior.tolist()))


def _inducing(items: Any, settings: Settings, n_items: int) -> Ints | None:
    """Return the inducing items of a file, or say that they are none."""
    if (items is None) != (settings.inducing is None):
        raise InvalidInput("inducing items and settings do not fit together: save the model anew")
    if items is None:
        return None
    chosen = np.asarray(items)
    if chosen.dtype.kind not in "iu" or chosen.ndim != 1 or len(np.unique(chosen)) < max(len(chosen), 1):
        raise InvalidInput(f"inducing items must be different rows, got {shown(items)}: save the model anew")
    if chosen.min() < 0 or chosen.max() >= n_items:
        raise InvalidInput(f"inducing items must lie among the {n_items} items: save the model anew")
    return chosen.astype(np.int64)


def _names(
    features: Any, count: int, known: tuple[str, ...] = (), *, named: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Return the names of ``count`` items after those ``known``: as given, the index of a frame, or their rows."""
    framed = getattr(features, "index", None) if hasattr(features, "columns") else None
    index = framed if named is None else named
    names = (*known, *map(str, range(len(known), len(known) + count) if index is None else index))
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InvalidInput(f"item {twice!r} stands twice among the items: give each item one row")
    return names


def _arriving(known: ItemPrior, features: Any, links: Any, n_items: int | None) -> ItemPrior:
    """Check what new items come with; links are of all items, features of the new ones."""
    if features is None:
        more = ItemPrior.of(None, links, None, n_items)
    else:
        told = ItemPrior.of(features, None, None, None)
        more = replace(told, n_items=known.n_items + told.n_items)
        if links is not None:
            graph = ItemPrior.of(None, links, None, more.n_items)
            more = replace(more, links=graph.links)
    if more.n_items <= known.n_items:
        raise InvalidInput(
            f"there must be more than the {known.n_items} items so far, got {more.n_items} in all: "
            "give the features of the new items, and the links of all"
        )
    return more
