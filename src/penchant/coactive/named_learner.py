"""A learner of rankings whose features have names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from penchant.checks import Floats, Ints, shown
from penchant.coactive.features import scores
from penchant.coactive.learner import is_number
from penchant.coactive.maps import RankingMap
from penchant.coactive.perceptron import PreferencePerceptron
from penchant.coactive.perturbed import PerturbedPerceptron, swap_clicked
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders import prepend
from penchant.orders.ranks import check_order
from penchant.schema import Instance, Schema, Texts

Features = Mapping[str, float]


class NamedLearner:
    """Rank and learn by features that are named, each new one beginning with weight 0.

    Columns are numbered in the order in which features are first met, so that they depend on what was
    learned from and on nothing else; learning in two parts, with the state saved between them, is the same
    as learning at once, to the last bit.

    Parameters
    ----------
    learner : PreferencePerceptron or PerturbedPerceptron
        Of rankings.
    names : sequence of str
        Its features, in the order of its columns; none where it has not begun, of whatever number of columns.

    Examples
    --------
    >>> named = NamedLearner(PreferencePerceptron(RankingMap(), 1))
    >>> films = [{"funny": 1.0}, {"long": 2.0}]
    >>> named.update(films, presented=[1, 0], answer=[0]).weights["funny"] > 0
    True
    >>> named.present([{"long": 1.0}, {"funny": 1.0, "old": 1.0}]).tolist()
    [1, 0]
    """

    __saved__: ClassVar = Schema({"learner": Instance(PreferencePerceptron), "names": Texts()})

    def __init__(self, learner: PreferencePerceptron, names: Iterable[str] = ()) -> None:
        given = tuple(names)
        rankings = isinstance(learner, PreferencePerceptron) and isinstance(learner.feature_map, RankingMap)
        if not rankings:
            raise InvalidInput(f"learner must be a perceptron of rankings, got {shown(learner)}: give one")
        if len(set(given)) < len(given) or not all(type(name) is str for name in given):
            raise InvalidInput(f"names must be different texts, got {shown(given)}: name each column once")
        if len(given) != learner.n_features and (given or _has_begun(learner)):
            raise InvalidInput(
                f"names must be {learner.n_features}, one a feature of the learner's, got {len(given)}: "
                "name them all, or none of a learner that has not begun"
            )
        self._learner = learner.copy()
        self._columns = {name: column for column, name in enumerate(given)}

    @property
    def names(self) -> tuple[str, ...]:
        """The features in the order of their columns."""
        return tuple(self._columns)

    @property
    def learner(self) -> PreferencePerceptron:
        """A copy of the learner, with a column for each name and no other."""
        return _resized(self._learner, max(1, len(self._columns)))

    @property
    def weights(self) -> dict[str, float]:
        """What the next ranking is made with: the weight of each feature."""
        return dict(zip(self._columns, self._used.tolist(), strict=False))

    @property
    def rounds(self) -> int:
        """The number of rounds learned from."""
        return self._learner.rounds

    def unknown(self, features: Iterable[Features]) -> tuple[str, ...]:
        """Return the names among ``features`` that have no weight yet, in the order in which they are met."""
        met = dict.fromkeys(name for values in features for name in values)
        return tuple(name for name in met if name not in self._columns)

    def scores(self, features: Sequence[Features]) -> Floats:
        """Return the score of each item, shape (n,); a feature that is not known counts nothing."""
        return scores(_context(features, self._columns, self._learner.n_features), self._used)

    def present(self, features: Sequence[Features]) -> Any:
        """Return the items as the learner would show them, best first, shape (n,)."""
        return self._learner.present(_context(features, self._columns, self._learner.n_features))

    def update(
        self,
        features: Sequence[Features],
        presented: Sequence[int],
        answer: Sequence[int],
        *,
        by_clicks: bool = False,
    ) -> Self:
        """Learn from what was put first.

        Parameters
        ----------
        features : sequence of n dicts
            Of each item, name → value.
        presented : sequence of n ints
            The items as they were shown, best first.
        answer : sequence of ints
            The items that were clicked, or that a person put first; the rest follow as they stood.
        by_clicks : bool
            Whether they were clicked. A perturbed learner then swaps neighbours only.
        """
        columns = self._columns | {
            name: i for i, name in enumerate(self.unknown(features), len(self._columns))
        }
        learner = self._with_room(len(columns))
        context = _context(features, columns, learner.n_features)
        order = self.feedback(presented, answer, by_clicks=by_clicks)
        learner.update(context, check_order("presented", presented), order)
        self._learner, self._columns = learner, columns
        return self

    def feedback(self, presented: Sequence[int], answer: Sequence[int], *, by_clicks: bool = False) -> Ints:
        """Return the order that an answer asks the learner to learn, shape (n,)."""
        order = check_order("presented", presented)
        if not set(answer) <= set(order.tolist()):
            raise UnknownItem(
                f"answer must name presented items, got {shown(list(answer))}: add them to the items"
            )
        if by_clicks and isinstance(self._learner, PerturbedPerceptron):
            return swap_clicked(order, answer)
        return prepend(order, list(answer))

    def copy(self) -> Self:
        """Return a learner with the same state, which then goes its own way."""
        return deepcopy(self)

    @property
    def _used(self) -> Floats:
        return self._learner.averaged_weights if self._learner.averaged else self._learner.weights

    def _with_room(self, n_names: int) -> PreferencePerceptron:
        n_features = self._learner.n_features
        if n_names <= n_features:
            return self._learner
        return _resized(
            self._learner, max(n_names, 2 * n_features)
        )  # or each new name would copy all weights

    def __repr__(self) -> str:
        return f"NamedLearner({type(self._learner).__name__} of {len(self._columns)} features, {self.rounds} rounds)"

    def __save_state__(self) -> dict[str, Any]:
        return {"learner": self.learner, "names": self.names}

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        if not isinstance(state["names"], tuple):
            raise InvalidInput("names must be a tuple of texts: save it anew")
        return cls(**state)


def _context(features: Sequence[Features], columns: Mapping[str, int], width: int) -> csr_array:
    """Return the items as rows whose entries stand in the order of the columns.

    Their products are then summed in that order, however many columns there are.
    """
    rows = [
        sorted((columns[name], number) for name, number in _numbers(values) if number and name in columns)
        for values in features
    ]
    flat = [entry for row in rows for entry in row]
    ends = np.cumsum([0, *map(len, rows)])
    places = np.fromiter((column for column, _ in flat), np.int64, len(flat))
    values = np.fromiter((number for _, number in flat), np.float64, len(flat))
    return csr_array((values, places, ends), shape=(len(rows), width))


def _numbers(values: Features) -> Iterator[tuple[str, float]]:
    for name, value in values.items():
        try:
            number = float(value) if is_number(value) else np.nan
        except OverflowError:
            number = np.inf
        if not (isinstance(name, str) and isfinite(number)):
            raise InvalidInput(
                f"a feature must be a name and a finite number, got {shown(name)}: {shown(value)}: "
                "correct it or leave it out"
            )
        yield name, number


def _has_begun(learner: PreferencePerceptron) -> bool:
    return any(value.any() for value in vars(learner).values() if isinstance(value, np.ndarray))


def _resized(learner: PreferencePerceptron, n_features: int) -> PreferencePerceptron:
    """Return a copy with so many columns; what is added is 0, and what is taken away has no name."""
    state = dict(vars(learner))
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            resized = np.zeros(n_features)
            kept = min(n_features, len(value))
            resized[:kept] = value[:kept]
            state[name] = resized
    return type(learner).__load_state__(state | {"n_features": n_features})
