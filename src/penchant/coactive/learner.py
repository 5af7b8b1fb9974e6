"""The base class of all coactive learners (Algorithm 3)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy, deepcopy
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np

from penchant.checks import Floats, shown, vector, whole
from penchant.coactive.features import finite
from penchant.coactive.maps import FeatureMap, ItemMap, RankingMap, difference_of
from penchant.coactive.sequences import SequenceMap
from penchant.errors import InvalidInput
from penchant.schema import Array, Flag, Instance, Number, Schema, Whole, require
from penchant.threads import one_thread

FINITE = float(np.finfo(np.float64).max)
"""Weights may grow until the next step would not leave them finite."""


def _check_state(state: Mapping[str, Any]) -> None:
    """Raise where a saved learner has no mean of its weights, or another number of them than its map."""
    require(not state["_rounds"] or state["_mass"] >= 1, "_mass must be at least 1 after the first round")
    kind, n_features = state["feature_map"], state["n_features"]
    if isinstance(kind, SequenceMap):
        emitting = n_features - kind.n_labels**2
        fits = emitting > 0 and emitting % kind.n_labels == 0
        require(fits, f"n_features must fit {kind.n_labels} labels, got {n_features}")


class Learner(ABC):
    """Present the best object by wᵀφ(x, y), be shown a better one, move w towards it.

    A kind of learner writes `_learn`. A round in which nothing changed counts as well. An update that
    raises leaves the learner as it was, to the last bit.

    Attributes
    ----------
    additive : bool
        Whether each weight moves by its own feature alone, so that a feature can join with weight 0 at any time as if
        it had always been there. Class attribute.

    Examples
    --------
    >>> from penchant.coactive import ItemMap, PreferencePerceptron
    >>> learner = PreferencePerceptron(ItemMap(), n_features=2)
    >>> isinstance(learner, Learner), learner.weights
    (True, array([0., 0.]))
    """

    additive: ClassVar[bool] = False
    __saved__: ClassVar = Schema(
        {
            "feature_map": Instance((RankingMap, ItemMap, SequenceMap)),
            "n_features": Whole(1, size=True),
            "averaged": Flag(),
            "_rounds": Whole(0),
            "_weights": Array(("n_features",), largest=FINITE),
            "_total": Array(("n_features",), largest=FINITE),
            "_mass": Number(0),
        },
        rules=(_check_state,),
    )

    def __init__(self, feature_map: FeatureMap, n_features: int, *, averaged: bool = False) -> None:
        for name in ("joint", "argmax"):
            if not callable(getattr(feature_map, name, None)):
                raise InvalidInput(
                    f"feature_map must have the method {name}, got {shown(feature_map)}: give RankingMap(), "
                    "ItemMap() or an object with joint and argmax"
                )
        self.feature_map = feature_map
        self.n_features = whole("n_features", n_features, 1)
        self.averaged = bool(averaged)
        self._rounds = 0
        self._weights = np.zeros(self.n_features)
        self._total = np.zeros(self.n_features)
        self._mass = 0.0

    @property
    def weights(self) -> Floats:
        """The weights w of the next round, shape (n_features,); read-only."""
        return _read_only(self._weights)

    @property
    def averaged_weights(self) -> Floats:
        """The mean of the weights after each round so far, shape (n_features,); the start before the first."""
        return self._total / self._mass if self._rounds else self._weights.copy()

    @property
    def rounds(self) -> int:
        """The number of rounds learned from, t."""
        return self._rounds

    def present(self, context: Any) -> Any:
        """Return the object with the largest wᵀφ(x, y); ``averaged`` learners take the mean of the weights."""
        with one_thread(self.n_features):
            return self.feature_map.argmax(self.averaged_weights if self.averaged else self._weights, context)

    @np.errstate(over="ignore", invalid="ignore")  # what does not stay finite raises InvalidInput
    def update(self, context: Any, presented: Any, feedback: Any) -> Self:
        """Learn that ``feedback`` is better than ``presented``.

        Parameters
        ----------
        context : whatever the feature map takes
        presented, feedback : objects of the feature map
            What was shown, usually by `present`, and what the person made of it; the same if nothing was
            changed.
        """
        return self._take(difference_of(self.feature_map, context, feedback, presented))

    @np.errstate(over="ignore", invalid="ignore")
    def learn_difference(self, difference: Floats) -> Self:
        """Learn from φ(x, feedback) − φ(x, presented), shape (n_features,): what `update` does with objects."""
        return self._take(difference)

    def _take(self, difference: Floats) -> Self:
        if difference.shape != (self.n_features,):
            raise InvalidInput(
                f"the objects must have {self.n_features} joint features, got shape {difference.shape}: "
                "give the features that the weights stand for"
            )
        with one_thread(self.n_features):
            self._learn(difference)
        return self

    def copy(self) -> Self:
        """Return a learner with the same state, which then goes its own way."""
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(other, name, value.copy())
        if not isinstance(self.feature_map, RankingMap | ItemMap):  # those cannot change
            other.feature_map = deepcopy(self.feature_map)
        return other

    @property
    def row_length(self) -> int:
        """The length of `state_row`: 2 + n_features times the numbers that are kept for each feature."""
        return 2 + int(sum(getattr(self, name).size for name in self._arrays))

    def state_row(self) -> Floats:
        """Return the state as numbers, shape (row_length,), from which `load_row` makes it again to the last bit.

        Settings are not in it. The first two are the round and the weight of the mean; then follow the numbers of the
        first feature, of the second and so on, so that the row of an ``additive`` learner with fewer features is the
        beginning of that with more, with zeros behind.
        """
        row = np.empty(self.row_length)
        row[:2] = self._rounds, self._mass
        table, first = row[2:].reshape(self.n_features, -1), 0
        for name in self._arrays:
            columns = getattr(self, name).reshape(-1, self.n_features).T
            table[:, first : first + columns.shape[1]] = columns
            first += columns.shape[1]
        return row

    def load_row(self, row: Floats) -> Self:
        """Take over the state that `state_row` of a learner with the same settings returned.

        Parameters
        ----------
        row : ndarray of shape (row_length,)
            Copied. An ``additive`` learner takes the row of one with fewer features too; the others' numbers become 0.
        """
        width = (self.row_length - 2) // self.n_features
        given = vector("row", row)
        missing = self.row_length - given.size
        if given.size < 2 or missing < 0 or missing % width or (missing and not self.additive):
            raise InvalidInput.of(
                "row",
                f"have {self.row_length} entries",
                given.size,
                "give what state_row of the learner returned",
            )
        whole("rounds of the row", int(given[0]) if given[0] == int(given[0]) else given[0], 0)
        table, first = np.zeros((self.n_features, width)), 0
        table[: (given.size - 2) // width] = given[2:].reshape(-1, width)
        for name in self._arrays:
            shape = getattr(self, name).shape
            last = first + getattr(self, name).size // self.n_features
            setattr(self, name, table[:, first:last].T.copy().reshape(shape))
            first = last
        self._rounds, self._mass = int(given[0]), float(given[1])
        return self

    def widened(self, n_features: int) -> Self:
        """Return a copy of an ``additive`` learner with more features, whose weights are 0."""
        if not self.additive:
            raise InvalidInput.of(
                "learner",
                "be one that features can join",
                type(self).__name__,
                "make it with all its features",
            )
        whole("n_features", n_features, self.n_features)
        other = self.copy()
        for name, value in vars(other).items():
            if isinstance(value, np.ndarray):
                wider = np.zeros(n_features)
                wider[: value.size] = value
                setattr(other, name, wider)
        other.n_features = n_features
        return other

    @property
    def _arrays(self) -> tuple[str, ...]:
        """The arrays that make up the state, of which each has the same number of entries for every feature."""
        return ("_weights", "_total")

    def seeded(self, seed: int) -> Self:
        """Return a copy whose random numbers are those of its own seed, if it has one, and of ``seed`` together."""
        whole("seed", seed, 0)
        return self.copy()

    @abstractmethod
    def _learn(self, difference: Floats) -> None:
        """Learn from φ(x, ȳ) − φ(x, y), which may hold anything; change nothing before the last error."""

    def _keep(self, weights: Floats, remembered: float = 1.0) -> None:
        total = self._total + weights if remembered == 1.0 else remembered * self._total + weights
        if not finite(total):  # which it is not where the weights are not
            raise not_finite()
        self._weights, self._total = weights, total
        self._mass = remembered * self._mass + 1.0
        self._rounds += 1

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        parameters = signature(cls).parameters
        for name in cls.__saved__.optional.keys() - state.keys():  # a setting of later versions
            state = state | {name: parameters[name].default}
        names = [name for name in parameters if name in state]
        learner = cls(**{name: state[name] for name in names})
        fresh = vars(learner)
        if state.keys() != fresh.keys() or state["_rounds"] < 0:
            raise InvalidInput("its parts must be those of this kind of learner: save it anew")
        for name in fresh.keys() - set(names):
            setattr(learner, name, _like(name, state[name], fresh[name]))
        return learner

    def __repr__(self) -> str:
        rounds = f"{self.rounds} round{'s' * (self.rounds != 1)}"
        return f"{type(self).__name__}({self.feature_map!r}, {self.n_features}), {rounds}"


def not_finite() -> InvalidInput:
    """Return the error of a step that would not leave finite weights."""
    return InvalidInput(
        "a step must leave finite weights, got one that does not: scale the features down, and see that the "
        "feature map gives finite numbers"
    )


def start(weights: Any, n_features: int) -> Floats:
    """Return the weights to start from: zeros, an array, or the ``coef_`` of a fitted linear ranker."""
    if weights is None:
        return np.zeros(n_features)
    given = np.asarray(getattr(weights, "coef_", weights))
    if given.ndim == 2 and given.shape[0] == 1:
        given = given[0]
    return vector("weights", given, length=n_features).copy()


def child_seed(seed: int, other: int) -> int:
    """Return a seed that two seeds decide together."""
    entropy = [whole("seed", seed, 0), whole("seed", other, 0)]
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])


def is_number(value: Any) -> bool:
    """Say whether ``value`` is one real number."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _read_only(array: Floats) -> Floats:
    view = array.view()
    view.flags.writeable = False
    return view


def _like(name: str, value: Any, example: Any) -> Any:
    """Return ``value`` if it has the form of ``example``; compiled code trusts arrays."""
    same = type(value) is type(example)
    if same and isinstance(example, np.ndarray):
        same = value.shape == example.shape and value.dtype == example.dtype
    same = same and bool(np.isfinite(value).all())
    if not same:
        raise InvalidInput(f"{name} must be like {shown(example)}, got {shown(value)}: save it anew")
    return value
