"""A learner of rankings or items whose features have names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, Self, cast

import numpy as np

from penchant.checks import Floats, Ints, shown
from penchant.coactive.columns import Columns, Context, is_matrix
from penchant.coactive.encoding import NamedMatrix
from penchant.coactive.explaining import ScoreDifference
from penchant.coactive.features import scores
from penchant.coactive.learner import Learner
from penchant.coactive.maps import ItemMap, RankingMap, descending, quick_order
from penchant.coactive.perturbed import PerturbedPerceptron, swap_clicked
from penchant.coactive.scaling import Scaling
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders.ranks import check_order
from penchant.schema import Instance, Maybe, Schema, Texts, require

Order = Sequence[int] | Ints


def _check_names(state: Mapping[str, Any]) -> None:
    strangers = {*state.get("numbers", ()), *state.get("categories", ())} - set(state["names"])
    require(
        not strangers, f"numbers and categories must be among the names, got {shown(sorted(strangers)[:1])}"
    )


class NamedLearner:
    """Rank and learn by features that are named.

    Columns are numbered in the order in which features are named or first learned from, so that they depend on what was
    learned from and on nothing else; learning in two parts, with the state saved between them, is the same as learning
    at once, to the last bit. The weights are those of the plain learner on the same numbers, to the last bit, whether
    they come as mappings, dense or sparse.

    In a learner that is ``additive`` (the perceptrons) a feature that is first seen in a round joins with weight 0.
    Others, whose steps depend on all features together, name theirs at the start and reject a feature that is new.

    Parameters
    ----------
    learner : Learner
        Of rankings (`RankingMap`) or items (`ItemMap`). Copied.
    names : sequence of str
        Its features, in the order of its columns; none where it is additive and has not begun, of whatever number of
        columns.
    scaling : Scaling or mapping of names to (centre, scale), optional
        Applied to every value before it is scored or learned from. None: values are taken as they are.
    numbers, categories : sequences of str
        Which of the names that contain ``=`` are numbers, and which indicators of a category, as `state` says; one that
        is in neither becomes what it is first used as.

    Examples
    --------
    >>> from penchant.coactive import PreferencePerceptron
    >>> named = NamedLearner(PreferencePerceptron(RankingMap(), 1))
    >>> films = [{"funny": 1.0}, {"long": True, "genre": "drama"}]
    >>> named.update(films, presented=[1, 0], answer=[0]).weights["funny"] > 0
    True
    >>> named.names
    ('funny', 'long', 'genre=drama')
    >>> named.present([{"long": 1.0}, {"funny": 1.0, "old": 1.0}]).tolist()
    [1, 0]
    """

    __saved__: ClassVar = Schema(
        {"learner": Instance(Learner), "names": Texts()},
        optional={"scaling": Maybe(Instance(Scaling)), "numbers": Texts(), "categories": Texts()},
        rules=(_check_names,),
    )

    def __init__(
        self,
        learner: Learner,
        names: Iterable[str] = (),
        *,
        scaling: Scaling | Mapping[str, tuple[float, float]] | None = None,
        numbers: Iterable[str] = (),
        categories: Iterable[str] = (),
    ) -> None:
        given = tuple(names)
        if not isinstance(learner, Learner) or not isinstance(learner.feature_map, RankingMap | ItemMap):
            raise InvalidInput.of(
                "learner",
                "be a learner of rankings or items",
                shown(learner),
                "give one with RankingMap() or ItemMap()",
            )
        if len(set(given)) < len(given) or not all(type(name) is str for name in given):
            raise InvalidInput(f"names must be different texts, got {shown(given)}: name each column once")
        fresh = learner.additive and not given and not _has_begun(learner)
        if len(given) != learner.n_features and not fresh:
            raise InvalidInput(
                f"names must be {learner.n_features}, one a feature of the learner's, got {len(given)}: "
                "name them all, or none of a perceptron that has not begun"
            )
        self._learner = _narrowest(learner) if fresh else learner.copy()
        chosen = scaling if isinstance(scaling, Scaling | None) else Scaling.given(scaling)
        self._columns = Columns(given, learner.additive, chosen, frozenset(numbers), frozenset(categories))

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The features in the order of their columns."""
        return self._columns.names

    @property
    def n_names(self) -> int:
        """The number of features, at once where `names` would list them."""
        return len(self._columns)

    @property
    def scaling(self) -> Scaling | None:
        """How values are scaled; None: not at all."""
        return self._columns.scaling

    @property
    def learner(self) -> Learner:
        """A copy of the learner, with a column for each name (and one where there is none yet)."""
        return self._learner.copy()

    @property
    def additive(self) -> bool:
        """Whether a feature that is new joins by itself."""
        return self._learner.additive

    @property
    def swaps_clicked(self) -> bool:
        """Whether clicks swap neighbours only instead of putting what was clicked first: see `feedback`."""
        return isinstance(self._learner, PerturbedPerceptron)

    @property
    def weights(self) -> dict[str, float]:
        """What the next order is made with: the weight of each (scaled) feature."""
        return dict(zip(self.names, self.vector.tolist(), strict=True))

    @property
    def vector(self) -> Floats:
        """The same weights in the order of the names, shape (n_names,); not to be written to."""
        return self._used[: len(self._columns)]

    @property
    def rounds(self) -> int:
        """The number of rounds learned from."""
        return self._learner.rounds

    # -- features to numbers ---------------------------------------------------------------------------------

    def unknown(self, features: Context, ids: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the names among ``features`` that have no column yet, in the order in which they are met.

        They are checked on the way; ``ids`` are what messages call the candidates.
        """
        if isinstance(features, NamedMatrix):
            return self._columns.unknown(features.names)
        if is_matrix(features):
            return ()
        return self._columns.unknown(self._columns.entries(features, ids).names)

    def join(self, names: Iterable[str]) -> Self:
        """Give each of these names that is new a column with weight 0; only for learners that are ``additive``."""
        columns = self._columns.joined(names)
        if columns is not self._columns:
            self._learner, self._columns = self._learner.widened(columns.width), columns
        return self

    def matrix(self, features: Context, ids: Sequence[str] | None = None) -> Any:
        """Return candidates as a matrix in the learner's columns, checked and scaled, for every other method.

        It stays usable while features join: the columns that it lacks count as 0.

        Parameters
        ----------
        features : sequence of n mappings, NamedMatrix, or such a matrix
            A feature without a column is left out where the learner is ``additive``, and rejected otherwise.
        ids : sequence of n texts, optional
            What messages call the candidates; their indices unless given.

        Returns
        -------
        float64 array or CSR matrix of shape (n, n_names)
            Sparse for mappings, unless the scaling has centres.
        """
        return self._columns.matrix(features, ids)

    def take_in(self, features: Context, ids: Sequence[str] | None = None) -> Any:
        """Let the features that are new join with weight 0, where they can, and return the `matrix` of candidates.

        Scores are not changed by that, so that one matrix serves to score candidates and then to learn from them.
        """
        columns, X = self._seen(features, ids)
        if columns.width != self._columns.width:
            self._learner = self._learner.widened(columns.width)
        self._columns = columns
        return X

    # -- presenting and learning -----------------------------------------------------------------------------

    def scores(self, features: Context, ids: Sequence[str] | None = None) -> Floats:
        """Return the score of each candidate, shape (n,); a feature without a column counts nothing."""
        return scores(self.matrix(features, ids), self._used)

    def present(self, features: Context, ids: Sequence[str] | None = None) -> Ints:
        """Return the candidates as the learner would show them, best first, shape (n,).

        A learner of items presents the first; the others follow by their scores.
        """
        X = self.matrix(features, ids)
        if isinstance(self._learner.feature_map, ItemMap):
            return descending(scores(X, self._used))
        order: Ints = self._learner.present(X)
        return order

    def update(
        self,
        features: Context,
        presented: Order,
        answer: Order,
        *,
        by_clicks: bool = False,
        ids: Sequence[str] | None = None,
    ) -> Self:
        """Learn from what was put first: `learn` the order that `feedback` makes of the answer.

        Parameters
        ----------
        features : sequence of n mappings, NamedMatrix, or a matrix of `matrix`
        presented : sequence of n ints
            The candidates as they were shown, best first.
        answer : sequence of ints
            The candidates that were clicked, or that a person put first; the rest follow as they stood.
        by_clicks : bool
            Whether they were clicked. A perturbed learner then swaps neighbours only.
        ids : sequence of n texts, optional
            What messages call the candidates; their indices unless given.
        """
        return self.learn(features, presented, self.feedback(presented, answer, by_clicks=by_clicks), ids)

    def learn(
        self, features: Context, presented: Order, improved: Order, ids: Sequence[str] | None = None
    ) -> Self:
        """Learn that the order ``improved`` is better than the order ``presented``; the same if nothing was changed.

        A learner of items learns that the first of one is better than the first of the other. A round that raises
        leaves everything as it was.
        """
        columns, X = self._seen(features, ids)
        learner = (
            self._learner if columns.width == self._columns.width else self._learner.widened(columns.width)
        )
        if isinstance(learner.feature_map, ItemMap):
            n = X.shape[0]
            learner.update(X, _first("presented", presented, n), _first("improved", improved, n))
        else:
            learner.update(X, presented, improved)
        self._learner, self._columns = learner, columns
        return self

    def difference(self, X: Any, presented: Ints, improved: Ints, rows: Ints | None = None) -> Floats:
        """Return the difference of joint features that `learn` makes of two orders, for `learn_difference`.

        Parameters
        ----------
        X : matrix of `matrix`
        presented, improved : ndarrays of shape (n,)
            Orders that were checked before.
        rows : ndarray of shape (n,), optional
            The rows of the candidates, where the matrix holds others too.
        """
        feature_map = cast("RankingMap | ItemMap", self._learner.feature_map)
        return feature_map.checked_difference(self._columns.matrix(X), improved, presented, rows)

    def differences(
        self, X: Any, starts: list[int], presented: list[list[int]], improved: list[list[int]]
    ) -> Floats:
        """Return `difference` of each of many rounds, shape (n_rounds, n_columns), to the last bit.

        Parameters
        ----------
        X : CSR matrix of `matrix`
            The candidates of all rounds, one round after another.
        starts : list of int
            The row of the first candidate of each round.
        presented, improved : lists of lists of int
            Orders of the candidates of each round, which were checked before.
        """
        feature_map = cast("RankingMap | ItemMap", self._learner.feature_map)
        return feature_map.checked_differences(self._columns.matrix(X), improved, presented, starts)

    def learn_difference(self, difference: Floats) -> Self:
        """Learn from what `difference` returned; it may be given to several learners with the same names."""
        self._learner.learn_difference(difference)
        return self

    def feedback(self, presented: Order, answer: Order, *, by_clicks: bool = False) -> Ints:
        """Return the order that an answer asks the learner to learn, shape (n,): `prepend`, or `swap_clicked`."""
        order = quick_order("presented", presented, len(presented))
        first = list(dict.fromkeys(answer.tolist() if isinstance(answer, np.ndarray) else answer))
        if not all(isinstance(item, int | np.integer) and 0 <= item < order.size for item in first):
            raise UnknownItem(
                f"answer must name presented items, got {shown(list(answer))}: add them to the items"
            )
        if by_clicks and self.swaps_clicked:
            return swap_clicked(order, first)
        rest = np.ones(order.size, dtype=bool)  # the same as prepend, which takes any items
        rest[first] = False
        return np.concatenate((np.array(first, dtype=np.int64), order[rest[order]]))

    def why(self, features: Context, a: int, b: int) -> ScoreDifference:
        """Return what each feature contributes to the score of candidate ``a`` less that of candidate ``b``."""
        return ScoreDifference.between(self.matrix(features), self._used, self.names, a, b)

    # -- state -----------------------------------------------------------------------------------------------

    def copy(self) -> Self:
        """Return a learner with the same state, which then goes its own way."""
        other = copy(self)  # the other parts are replaced and never written to
        other._learner = self._learner.copy()
        return other

    @property
    def row_length(self) -> int:
        """The length of `state_row`."""
        return self._learner.row_length

    def state_row(self) -> Floats:
        """Return the state of the weights as numbers, shape (row_length,): `Learner.state_row`.

        Names and settings are not in it. As names join, rows grow on the right: an older one is the beginning.
        """
        return self._learner.state_row()

    def load_row(self, row: Floats) -> Self:
        """Take over the state of the weights that `state_row` returned under the same names or the first of them."""
        self._learner.load_row(row)
        return self

    def __repr__(self) -> str:
        rounds = f"{self.rounds} round{'s' * (self.rounds != 1)}"
        return f"NamedLearner({type(self._learner).__name__} of {len(self._columns)} features, {rounds})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from penchant.plots.notebook import learner_view

        return learner_view(self)

    def __save_state__(self) -> dict[str, Any]:
        return {
            "learner": self.learner,
            "names": self.names,
            "scaling": self.scaling,
            "numbers": tuple(sorted(self._columns.numbers)),
            "categories": tuple(sorted(self._columns.categories)),
        }

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        if not isinstance(state["names"], tuple):
            raise InvalidInput("names must be a tuple of texts: save it anew")
        return cls(**state)

    def _seen(self, features: Context, ids: Sequence[str] | None) -> tuple[Columns, Any]:
        """Return the columns with the features that are new, and the candidates in them."""
        columns = self._columns
        if is_matrix(features):
            return columns, columns.matrix(features)
        if isinstance(features, NamedMatrix):
            columns = columns.joined(features.names) if columns.grows else columns
            return columns, columns.matrix(features, ids)
        found = columns.entries(features, ids)
        if columns.grows and not columns.holds(found.different):
            columns = columns.joined(found.names)
        return columns.recorded(found), columns.of_entries(found, ids)

    @property
    def _used(self) -> Floats:
        return self._learner.averaged_weights if self._learner.averaged else self._learner.weights


def _first(name: str, order: Any, n: int) -> int:
    """Return the item that an order of all candidates presents."""
    return int(check_order(name, order, length=n)[0])


def _has_begun(learner: Learner) -> bool:
    return any(value.any() for value in vars(learner).values() if isinstance(value, np.ndarray))


def _narrowest(learner: Learner) -> Learner:
    """Return a copy of a learner that has not begun with one column, the fewest there can be."""
    other = learner.copy()
    for name, value in vars(other).items():
        if isinstance(value, np.ndarray):
            setattr(other, name, np.zeros(1))
    other.n_features = 1
    return other
