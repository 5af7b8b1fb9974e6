"""What models of worth share: fitting, updating, ranking, intervals and saving.

A model inherits `WorthModel` and writes `_start`, `_rearrange`, `_learn`, `_variance` and `_win_probability`; one with
a joint posterior inherits `PosteriorWorth` and writes `_make_posterior` instead of `_variance`. Each is a
`penchant.belief.Belief` over its items.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeVar
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from penchant.belief import LOGISTIC_NOISE, IndependentBelief, rows_of
from penchant.checks import Floats, Ints, check_level
from penchant.counts import Counts
from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.model import Model
from penchant.preferences import Items, Preferences
from penchant.ranking import LOG_ODDS, Ranking
from penchant.schema import Array, Instance, Schema, counts
from penchant.threads import one_thread
from penchant.worth.inference.posterior import Posterior

T = TypeVar("T")


class WorthModel(Model, IndependentBelief):
    """A worth for each item, on a scale on which differences decide who is preferred.

    Attributes
    ----------
    catalogue_ : Items
        The items of the model and, last, the bar of both-bad answers where there was one.
    scores_ : array of shape (catalogue_.count,)
        The worth of each of these, larger is better; `mean` leaves the bar out.
    noise_ : float
        The sd of the rating noise on each of two compared items, in units of the scores.
    """

    __saved__: ClassVar = Schema(
        {},
        {
            "catalogue_": Instance(Items, {"n_items": "count"}),
            "scores_": Array(("n_items",)),
            "answers_": counts("n_items"),
        },
    )
    """What every model learns; each adds its settings and what else it learns."""

    catalogue_: Items
    scores_: Floats
    noise_ = LOGISTIC_NOISE
    _counts: Counts
    _names_in_files: ClassVar[dict[str, str]] = {"_counts": "answers_"}
    """What attributes are called in files of all versions, where they have other names now."""

    def fit(self, preferences: Preferences, y: None = None) -> Self:
        """Fit to ``preferences`` alone. ``y`` is ignored; scikit-learn passes it."""
        self._begin(preferences)
        for caveat in self.caveats():
            warn(caveat, PenchantWarning, stacklevel=2)
        return self

    def update(self, preferences: Preferences) -> Self:
        """Learn from more ``preferences``, without those learned already being given again.

        New items are added behind those that the model has. It does not warn of caveats, since answers that come one
        by one are connected only after a while; the ranking has them.
        """
        if not hasattr(self, "scores_"):
            return self._begin(preferences)
        self._check(preferences)
        catalogue = self.catalogue_.union(preferences.catalogue)
        moved = catalogue.encode(self.catalogue_.ids)
        self._rearrange(moved, catalogue.count)
        self._counts = spread(self._counts, moved, catalogue.count)
        self.catalogue_, more = catalogue, preferences.on(catalogue)
        self._counts = more.compared(self._counts)
        self._learn(more)
        return self

    def learn(self, preferences: Preferences) -> Self:
        """Learn from more ``preferences``, as `update` does."""
        return self.update(preferences)

    def _begin(self, preferences: Preferences) -> Self:
        """Learn the first answers."""
        self._check(preferences)
        self.catalogue_ = preferences.catalogue
        self._counts = np.zeros(preferences.n_items, dtype=np.int64)
        self._start(preferences.n_items)
        self._counts = preferences.compared(self._counts)
        self._learn(preferences)
        return self

    def caveats(self) -> tuple[str, ...]:
        """Return the caveats of the scores, for instance groups of items that were never compared."""
        return ()

    @property
    def items_(self) -> tuple[str, ...]:
        """The id of each item, the bar left out."""
        return self._real(self._fitted().catalogue_.ids)

    @property
    def mean(self) -> Floats:
        """The worth of each item, shape (n_items,)."""
        return self._real(self._fitted().scores_)

    @property
    def counts_(self) -> Counts:
        """The number of comparisons that each item took part in, shape (n_items,).

        A weight counts repetitions; the counts are floats where a weight is not whole.
        """
        return self._real(self._fitted()._counts)

    @property
    def answers_(self) -> Counts:
        """The counts of `counts_` under their old name, the bar's included."""
        warn("answers_ is called counts_ now, without the bar", DeprecationWarning, stacklevel=2)
        return self._fitted()._counts

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each worth (or of those of ``rows``), shape (n_items,)."""
        variance = self._real(self._fitted()._variance())
        return variance if rows is None else variance[np.asarray(rows)]

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw worths (of all items, or of ``rows``) from the posterior, shape (n_draws, n_items)."""
        return self._draw(n_draws, seed)[:, rows_of(rows, len(self.mean))]

    def interval(self, level: float = 0.95) -> Floats:
        """Return the interval of each worth at ``level``, shape (n_items, 2)."""
        return self._real(self._intervals(level))

    def difference_interval(self, a: Any, b: Any, level: float = 0.95) -> Floats:
        """Return the interval of the worth of ``a`` less that of ``b`` at ``level``.

        The two differ significantly where it does not contain 0.

        Parameters
        ----------
        a, b : id, or sequence of ids of shape (m,)
        level : float

        Returns
        -------
        array of shape (2,), or (m, 2)
        """
        first, second = np.broadcast_arrays(self._fitted()._indices(a), self._indices(b))
        variance = self._variance()
        width = _quantile(level) * np.where(first == second, 0.0, np.sqrt(variance[first] + variance[second]))
        middle = self.scores_[first] - self.scores_[second]
        return np.stack([middle - width, middle + width], axis=-1)

    def win_probability(self, a: Any, b: Any) -> Any:
        """Return the probability that ``a`` is preferred to ``b``, given that one of them is.

        Parameters
        ----------
        a, b : id, or sequence of ids of shape (m,)
        """
        first, second = self._fitted()._indices(a), self._indices(b)
        probability = self._win_probability(first, second)
        return probability if isinstance(probability, np.ndarray) and probability.ndim else float(probability)

    def outcome_probability(self, a: Any, b: Any) -> Floats:
        """Return the probabilities that ``a`` is preferred, that the two tie, and that ``b`` is preferred.

        Parameters
        ----------
        a, b : id, or sequence of ids of shape (m,)

        Returns
        -------
        array of shape (3,), or (m, 3)
            A model without ties, or one that never saw a tie, gives a tie the probability 0.
        """
        return self._outcome_probability(self._fitted()._indices(a), self._indices(b))

    def rank(self, *, level: float = 0.95, seed: int = 0) -> Ranking:
        """Return the items in order of worth, with intervals, rank ranges and ties at ``level``."""
        intervals, bar, bar_interval = self._intervals(level), None, None
        if self.catalogue_.bar:
            bar, bar_interval = float(self.scores_[-1]), (float(intervals[-1, 0]), float(intervals[-1, 1]))
        return Ranking.from_scores(
            self.items_,
            self.mean,
            intervals=self._real(intervals),
            sample=lambda n_draws, seed: self._draw(min(n_draws, self._most_draws()), seed),
            level=level,
            answers=self.counts_,
            model=repr(self),
            seed=seed,
            bar=bar,
            bar_interval=bar_interval,
            caveats=self.caveats(),
            scale=self.scale_of_scores,
        )

    @property
    def scale_of_scores(self) -> str:
        """The scale of the rankings: log odds, or "" where the model has a scale of its own."""
        return LOG_ODDS if self.noise_ == LOGISTIC_NOISE else ""

    def score(self, preferences: Preferences, y: None = None) -> float:
        """Return the mean log probability of who was preferred in ``preferences``; ties are left out.

        A weight counts repetitions.
        """
        comparisons = preferences.comparisons()
        decided = ~comparisons.tie
        if not decided.any():
            raise InvalidInput("score needs at least one comparison that was decided, got none: give some")
        index = self._fitted().catalogue_.encode(preferences.items)
        chance = self._win_probability(index[comparisons.better[decided]], index[comparisons.worse[decided]])
        return float(np.average(np.log(chance), weights=comparisons.weight[decided]))

    def __save_state__(self) -> dict[str, object]:
        """Return the settings and what was learned; everything derived is computed again."""
        names = {name: name for name in vars(self) if not name.startswith("_")} | self._names_in_files
        return {name: vars(self)[own] for own, name in names.items() if own in vars(self)}

    @classmethod
    def __load_state__(cls, state: Mapping[str, Any]) -> Self:
        model = cls(**{name: state[name] for name in cls._settings() if name in state})
        learned = {name: value for name, value in state.items() if name not in cls._settings()}
        own_names = {name: own for own, name in cls._names_in_files.items()}
        vars(model).update({own_names.get(name, name): value for name, value in learned.items()})
        return model

    def _variance(self) -> Floats:
        """Return the variance of each of ``scores_``, after a fit; a model writes it, or overrides `variance`."""
        if type(self).variance is WorthModel.variance:
            raise NotImplementedError(f"{type(self).__name__} must have a method _variance")
        return self.variance()

    @abstractmethod
    def _start(self, n_items: int) -> None:
        """Set the state of ``n_items`` items before any answer."""

    @abstractmethod
    def _rearrange(self, moved: Ints, n_items: int) -> None:
        """Make room for ``n_items`` items; those so far are now at ``moved``."""

    @abstractmethod
    def _learn(self, preferences: Preferences) -> None:
        """Learn answers about the items of ``catalogue_``."""

    @abstractmethod
    def _win_probability(self, first: Ints, second: Ints) -> Any:
        """Return P(first preferred to second), given that one of them is, for arrays of indices."""

    def _outcome_probability(self, first: Ints, second: Ints) -> Floats:
        won = np.asarray(self._win_probability(first, second))
        return np.stack([won, np.zeros_like(won), 1 - won], axis=-1)

    def _intervals(self, level: float) -> Floats:
        """Return the interval of each of ``scores_``, shape (catalogue_.count, 2)."""
        width = _quantile(level) * np.sqrt(self._fitted()._variance())
        return np.column_stack([self.scores_ - width, self.scores_ + width])

    def _draw(self, n_draws: int, seed: int) -> Floats:
        """Draw ``scores_`` from the posterior, shape (n_draws, catalogue_.count)."""
        noise = np.random.default_rng(seed).standard_normal((n_draws, len(self._fitted().scores_)))
        drawn: Floats = self.scores_ + noise * np.sqrt(self._variance())
        return drawn

    def _most_draws(self) -> int:
        """Return how many draws a ranking may ask for."""
        return 2000

    def _real(self, values: T) -> T:
        """Return the part of ``values``, one for each of ``catalogue_``, that belongs to items."""
        part: T = values[: self.catalogue_.count - self.catalogue_.bar]  # type: ignore[index]
        return part

    def _check(self, preferences: Preferences) -> None:
        if not isinstance(preferences, Preferences):
            raise InvalidInput(
                f"preferences must be a Preferences, got {type(preferences).__name__}: "
                f"build one with {_builder(preferences)} or penchant.read(path)"
            )

    def _fitted(self) -> Self:
        if not hasattr(self, "scores_"):
            name = type(self).__name__
            raise NotFitted(f"{name} must be fitted first, got no data yet: call fit(preferences)")
        return self

    def _indices(self, items: Any) -> Any:
        single = isinstance(items, str) or np.ndim(items) == 0
        return self.catalogue_.index(items) if single else self.catalogue_.encode(items)


class PosteriorWorth(WorthModel):
    """A worth for each item, with a joint posterior around it.

    The posterior is made when it is first asked for and is no part of what is saved, since it follows from the rest.
    """

    _posterior: Posterior

    @abstractmethod
    def _make_posterior(self) -> Posterior:
        """Return the posterior of the deviations from ``scores_``."""

    def posterior(self) -> Posterior:
        """Return the posterior of the deviations from ``scores_``; made on first use."""
        if not hasattr(self._fitted(), "_posterior"):
            with one_thread():
                self._posterior = self._make_posterior()
        return self._posterior

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the worths of ``rows`` with those of ``columns``; None is all items."""
        n_items = len(self.mean)
        with one_thread():
            return self.posterior().covariance(rows_of(rows, n_items), rows_of(columns, n_items))

    def _variance(self) -> Floats:
        return self.posterior().variance()

    def _draw(self, n_draws: int, seed: int) -> Floats:
        with one_thread():
            return self._fitted().scores_ + self.posterior().sample(n_draws, seed)

    def _intervals(self, level: float) -> Floats:
        tail = (1 - check_level(level)) / 2
        with one_thread():
            below = [self.posterior().quantile(share) for share in (tail, 1 - tail)]
        return self._fitted().scores_[:, None] + np.column_stack(below)

    def difference_interval(self, a: Any, b: Any, level: float = 0.95) -> Floats:
        """Return the interval of `WorthModel.difference_interval`, from the joint posterior of the two.

        It is narrower than their two intervals suggest where their errors are positively correlated.
        """
        tail = (1 - check_level(level)) / 2
        first, second = np.broadcast_arrays(self._fitted()._indices(a), self._indices(b))
        with one_thread():
            below = [self.posterior().difference_quantile(first, second, share) for share in (tail, 1 - tail)]
        return np.stack([self.scores_[first] - self.scores_[second] + part for part in below], axis=-1)

    def _most_draws(self) -> int:
        return self.posterior().most_draws


def _builder(given: Any) -> str:
    """Return the call that makes preferences of what was given instead of them."""
    return "Preferences.from_frame(frame)" if hasattr(given, "columns") else "Preferences.from_pairs(pairs)"


def _quantile(level: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + check_level(level)) / 2)


def spread(values: Any, moved: Ints, size: int) -> Any:
    """Return a vector of length ``size`` with ``values`` at the places ``moved`` and 0 elsewhere."""
    wider = np.zeros(size, dtype=values.dtype)
    wider[moved] = values
    return wider
