"""What is each thing worth, from comparisons alone? Preferences in; scores and how sure they are out.

A model of worth inherits `WorthModel` and writes `_learn` (take in some answers), `variance` and
`_win_probability`; fitting, updating, ranking and refusing come from here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, check_level
from penchant.counts import Counts
from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.model import Model
from penchant.preferences import Items, Preferences
from penchant.ranking import Ranking
from penchant.schema import Array, Instance, Schema, counts


class WorthModel(Model, ABC):
    """A worth for each item, on a scale on which differences decide who is preferred.

    Attributes
    ----------
    catalogue_ : Items
        The items that the model knows.
    scores_ : array of shape (n_items,)
        The worth of each item, larger is better.
    answers_ : int array of shape (n_items,)
        In how many comparisons each item took part, weights counting repetitions; floats where a weight is not whole.
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
    answers_: Counts

    def fit(self, preferences: Preferences, y: None = None) -> Self:
        """Learn from ``preferences`` and nothing else. ``y`` is there for scikit-learn and not used."""
        self._check(preferences)
        self.catalogue_ = preferences.catalogue
        self.answers_ = np.zeros(preferences.n_items, dtype=np.int64)
        self._start(preferences.n_items)
        self._take_in(preferences)
        for caveat in self.caveats():
            warn(caveat, PenchantWarning, stacklevel=2)
        return self

    def update(self, preferences: Preferences) -> Self:
        """Learn from more ``preferences``, without those learned already being given again.

        Items that are new are added behind those that the model knows. No caveat is warned of, since answers
        that come one by one are connected only after a while; the ranking tells of it.
        """
        if not hasattr(self, "scores_"):
            return self.fit(preferences)
        self._check(preferences)
        catalogue = self.catalogue_.union(preferences.catalogue)
        moved = catalogue.encode(self.catalogue_.ids)
        self._rearrange(moved, catalogue.count)
        self.answers_ = spread(self.answers_, moved, catalogue.count)
        self.catalogue_ = catalogue
        return self._take_in(preferences.on(catalogue))

    def _take_in(self, preferences: Preferences) -> Self:
        self.answers_ = preferences.compared(self.answers_)
        self._learn(preferences)
        return self

    def caveats(self) -> tuple[str, ...]:
        """Return what must be known before the scores are believed, for instance groups never compared."""
        return ()

    @property
    def items_(self) -> tuple[str, ...]:
        """The id of each item, in the order of ``scores_``."""
        return self._fitted().catalogue_.ids

    @property
    def mean(self) -> Floats:
        """The worth of each item, shape (n_items,)."""
        return self._fitted().scores_

    @abstractmethod
    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each worth (or of those of ``rows``), shape (n_items,)."""

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw worths (of all items, or of ``rows``) from the posterior, shape (n_draws, n_items)."""
        noise = np.random.default_rng(seed).standard_normal((n_draws, len(self.mean)))
        drawn = self.mean + noise * np.sqrt(self.variance())
        return drawn if rows is None else drawn[:, np.asarray(rows)]

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the worths of ``rows`` with those of ``columns``; here: independent."""
        everything = np.arange(len(self.mean))
        left = everything if rows is None else everything[np.atleast_1d(np.asarray(rows))]
        right = everything if columns is None else everything[np.atleast_1d(np.asarray(columns))]
        return np.where(left[:, None] == right, self.variance()[left][:, None], 0.0)

    def interval(self, level: float = 0.95) -> Floats:
        """Return what each worth lies between with probability ``level``, shape (n_items, 2)."""
        width = _quantile(level) * np.sqrt(self._fitted().variance())
        return np.column_stack([self.mean - width, self.mean + width])

    def difference_interval(self, a: Any, b: Any, level: float = 0.95) -> Floats:
        """Return what the worth of ``a`` less that of ``b`` lies between with probability ``level``.

        0 outside of it tells the two apart.

        Parameters
        ----------
        a, b : id, or sequence of ids of shape (m,)
        level : float

        Returns
        -------
        array of shape (2,), or (m, 2)
        """
        first, second = np.broadcast_arrays(self._fitted()._indices(a), self._indices(b))
        variance = self.variance()
        width = _quantile(level) * np.where(first == second, 0.0, np.sqrt(variance[first] + variance[second]))
        middle = self.mean[first] - self.mean[second]
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
        self._fitted()
        bar, intervals = self.catalogue_.bar, self.interval(level)
        real = slice(0, len(self.scores_) - bar)
        return Ranking.from_scores(
            self.items_[real],
            self.scores_[real],
            intervals=intervals[real],
            sample=lambda n_draws, seed: self.sample(min(n_draws, self._most_draws()), seed),
            level=level,
            answers=self.answers_[real],
            model=repr(self),
            seed=seed,
            bar=float(self.scores_[-1]) if bar else None,
            bar_interval=(float(intervals[-1, 0]), float(intervals[-1, 1])) if bar else None,
            caveats=self.caveats(),
        )

    def score(self, preferences: Preferences, y: None = None) -> float:
        """Return the mean log probability of who was preferred in ``preferences``; ties are left out.

        A weight counts repetitions.
        """
        said = preferences.comparisons()
        decided = ~said.tie
        if not decided.any():
            raise InvalidInput("score needs at least one comparison that was decided, got none: give some")
        index = self._fitted().catalogue_.encode(preferences.items)
        chance = self._win_probability(index[said.better[decided]], index[said.worse[decided]])
        return float(np.average(np.log(chance), weights=said.weight[decided]))

    def __save_state__(self) -> dict[str, object]:
        """Return the settings and what was learned; what follows from them is worked out anew."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    @classmethod
    def __load_state__(cls, state: Mapping[str, Any]) -> Self:
        model = cls(**{name: state[name] for name in cls._settings()})
        vars(model).update({name: value for name, value in state.items() if name not in cls._settings()})
        return model

    @abstractmethod
    def _start(self, n_items: int) -> None:
        """Set what is believed about ``n_items`` items before any answer."""

    @abstractmethod
    def _rearrange(self, moved: Ints, n_items: int) -> None:
        """Make room for ``n_items`` items, of which those known so far are now at ``moved``."""

    @abstractmethod
    def _learn(self, preferences: Preferences) -> None:
        """Take in answers about the items of ``catalogue_``."""

    @abstractmethod
    def _win_probability(self, first: Ints, second: Ints) -> Any:
        """Return P(first preferred to second), given that one of them is, for arrays of indices."""

    def _outcome_probability(self, first: Ints, second: Ints) -> Floats:
        won = np.asarray(self._win_probability(first, second))
        return np.stack([won, np.zeros_like(won), 1 - won], axis=-1)

    def _most_draws(self) -> int:
        """Return how many draws a ranking may ask for."""
        return 2000

    def _check(self, preferences: Preferences) -> None:
        if not isinstance(preferences, Preferences):
            raise InvalidInput(
                f"preferences must be a Preferences, got {type(preferences).__name__}: "
                "build one with Preferences.from_pairs(pairs) or penchant.read(path)"
            )

    def _fitted(self) -> Self:
        if not hasattr(self, "scores_"):
            name = type(self).__name__
            raise NotFitted(
                f"{name} must be fitted before it is asked, got no data yet: call fit(preferences)"
            )
        return self

    def _indices(self, items: Any) -> Any:
        single = isinstance(items, str) or np.ndim(items) == 0
        return self.catalogue_.index(items) if single else self.catalogue_.encode(items)


def tail_of(level: float) -> float:
    """Return the probability below an interval of ``level``, which must be between 0 and 1."""
    return (1 - check_level(level)) / 2


def _quantile(level: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(1 - tail_of(level))


def spread(values: Any, moved: Ints, size: int) -> Any:
    """Return a vector of length ``size`` with ``values`` at the places ``moved`` and 0 elsewhere."""
    wider = np.zeros(size, dtype=values.dtype)
    wider[moved] = values
    return wider
