"""What utilities of features share: named columns, the data they were fitted to, and beliefs over rows of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.belief import Belief, NormalBelief, rows_of
from penchant.checks import Floats, Ints, same_length
from penchant.counts import Counts, are_whole, as_counts
from penchant.errors import InvalidInput, NotFitted
from penchant.frames import as_features
from penchant.gp.inference.answers import Answers, answers_about, answers_between
from penchant.gp.inference.columns import Columns
from penchant.model import Model
from penchant.preferences import Preferences
from penchant.schema import Array, Texts, require
from penchant.threads import one_thread


class FunctionPosterior(Protocol):
    """The posterior of a utility as a function of rows of features (k, n_features)."""

    def mean_variance(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the expected utilities of ``rows`` and their variances, shape (k,) each."""

    def mean_covariance(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the expected utilities of ``rows``, (k,), and their covariance, (k, k)."""

    def sample(self, rows: Floats, n_draws: int, seed: int | None) -> Floats:
        """Draw the utilities of ``rows`` jointly, shape (n_draws, k)."""

    def most_probable(self) -> FunctionPosterior:
        """Return the component of the highest weight where it is a mixture, else itself."""


@dataclass(frozen=True, eq=False)
class TrainingData:
    """The rows of features that a model was fitted to, and the answers about them.

    Attributes
    ----------
    columns : Columns
    rows : ndarray of shape (n_rows, n_features)
    ids : tuple of str
        Of the rows.
    answers : Answers
        About the rows.
    """

    columns: Columns
    rows: Floats
    ids: tuple[str, ...]
    answers: Answers

    @classmethod
    def of(cls, X: Any, pairs: Any, weight: ArrayLike | None, tie: ArrayLike | None = None) -> Self:
        """Return the arguments of ``fit_pairs``, checked."""
        columns = Columns.of(X)
        rows = columns.rows(X)
        return cls(columns, rows, row_ids(X, len(rows)), answers_about(X, len(rows), pairs, weight, tie))

    def counts(self, rows: Floats) -> Counts:
        """Return the number of answers about each of ``rows`` (k, n_features), rows matched by equality, (k,)."""
        answers, groups = self.answers, _Groups(self.rows)
        totals = np.bincount(groups.own[answers.pairs].ravel(), np.repeat(answers.weight, 2), groups.count)
        place = groups.of(rows)
        return as_counts(np.where(place < 0, 0.0, totals[place]), whole=are_whole(answers.weight))

    def extended(self, rows: Floats, ids: Sequence[str], more: Answers) -> Self:
        """Return the data with ``more`` answers, about ``rows``; those that are new stand behind the others."""
        groups = _Groups(self.rows)
        place = groups.of(rows)
        new = np.flatnonzero(place < 0)
        index = np.where(place < 0, 0, groups.first[place])
        index[new] = len(self.rows) + np.arange(len(new))
        answers = Answers(index[more.pairs], more.weight, more.tie)
        all_ids = (*self.ids, *(ids[row] for row in new.tolist()))
        unique = all_ids if len(set(all_ids)) == len(all_ids) else tuple(map(str, range(len(all_ids))))
        return type(self)(
            self.columns, np.vstack([self.rows, rows[new]]), unique, self.answers.followed_by(answers)
        )


class _Groups:
    """Groups of equal rows."""

    def __init__(self, rows: Floats) -> None:
        self._group: dict[bytes, int] = {}
        self.own: Ints = np.array([self._group.setdefault(key, len(self._group)) for key in _keys(rows)])
        self.count = len(self._group)
        self.first: Ints = np.unique(self.own, return_index=True)[1]

    def of(self, rows: Floats) -> Ints:
        """Return the group of each of other rows, shape (k,); -1 where there is none."""
        return np.array([self._group.get(key, -1) for key in _keys(rows)], dtype=np.int64)


def _keys(rows: Floats) -> list[bytes]:
    return [row.tobytes() for row in np.ascontiguousarray(rows) + 0.0]  # -0.0 becomes 0.0


def row_ids(X: Any, n_rows: int) -> tuple[str, ...]:
    """Return the index of a DataFrame where its entries are different, else the row numbers."""
    X = as_features(X)
    index = tuple(map(str, X.index)) if hasattr(X, "iloc") else ()
    return index if len(set(index)) == n_rows else tuple(map(str, range(n_rows)))


def check_training(state: Mapping[str, Any]) -> None:
    """Reject a saved model that holds a part of its training data only, or answers that compare a row with itself."""
    parts = ("_rows", "_row_ids", "_pairs", "_weight", "_tie")
    held = [name for name in parts if name in state]
    require(len(held) in (0, len(parts)), f"{', '.join(parts)} must be there together, got {held}")
    if held:
        require((np.diff(state["_pairs"]) != 0).all(), "_pairs must be two different rows")


class FeatureUtility(Model, ABC):
    """A utility of features that was learned from comparisons of rows."""

    n_features_in_: int

    _TRAINING: ClassVar = {
        "feature_names_in_": Texts("n_features_in_"),
        "_rows": Array(("n_rows", "n_features_in_")),
        "_row_ids": Texts("n_rows"),
        "_pairs": Array(("n_answers", 2), "int64", below="n_rows"),
        "_weight": Array(("n_answers",), above=0),
        "_tie": Array(("n_answers",), "bool"),
    }
    """The schema of the training data, which files of earlier versions do not hold."""

    @abstractmethod
    def _fit(self, data: TrainingData) -> Self:
        """Learn from checked data."""

    @property
    @abstractmethod
    def _posterior(self) -> FunctionPosterior:
        """The posterior, as a function of what `_inputs` returns."""

    @property
    @abstractmethod
    def _item_noise(self) -> float:
        """The sd of the rating noise on each of two compared items."""

    def _inputs(self, X: Any) -> Floats:
        """Return the rows of ``X``, checked, as `_posterior` takes them."""
        return self._columns.rows(X)

    def belief(self, X: Any = None, *, items: Sequence[str] | None = None) -> Belief:
        """Return the posterior over the utilities of rows, by which `penchant.ask` chooses questions.

        Its ``learn`` returns the belief of a model that is fitted to the old answers and the new ones, which are about
        the rows of ``X``.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features), optional
            None: the rows that the model was fitted to.
        items : sequence of str, optional
            Ids of the rows. None: the index of a DataFrame, or else row numbers.
        """
        data = self._data
        rows = data.rows if X is None else self._columns.rows(X)
        ids = (data.ids if X is None else row_ids(X, len(rows))) if items is None else tuple(map(str, items))
        same_length("items", ids, len(rows))
        if len(set(ids)) < len(ids):
            raise InvalidInput("items must be different, got one of them twice: give each row its own id")
        return FunctionBelief(self, rows, self._inputs(rows), ids, self._posterior)

    @property
    def _columns(self) -> Columns:
        if not hasattr(self, "n_features_in_"):
            raise NotFitted(f"{type(self).__name__} must be fitted first: call fit_pairs")
        return Columns(self.n_features_in_, getattr(self, "feature_names_in_", None))

    @property
    def _data(self) -> TrainingData:
        columns = self._columns
        if not hasattr(self, "_rows"):
            raise InvalidInput(
                f"{type(self).__name__} must hold the comparisons that it was fitted to, which files of earlier "
                "versions do not: fit it again"
            )
        state = vars(self)
        answers = Answers(state["_pairs"], state["_weight"], state["_tie"])
        return TrainingData(columns, state["_rows"], state["_row_ids"], answers)

    def _keep_data(self, data: TrainingData) -> None:
        """Forget what was learned before, and store the data."""
        for name in vars(self).keys() - self._settings().keys():
            delattr(self, name)
        self.n_features_in_ = data.columns.count
        if data.columns.names is not None:
            self.feature_names_in_ = data.columns.names
        self._rows, self._row_ids = data.rows, data.ids
        self._pairs, self._weight, self._tie = data.answers.pairs, data.answers.weight, data.answers.tie


class FunctionBelief(NormalBelief):
    """The posterior over the utilities of some rows of features; see `penchant.belief.Belief`.

    Where the posterior is a mixture over kernels, draws are from the mixture, and moments are those of the mixture.
    """

    def __init__(
        self,
        model: FeatureUtility,
        rows: Floats,
        inputs: Floats,
        items: tuple[str, ...],
        posterior: FunctionPosterior,
    ) -> None:
        self._model, self._features, self._inputs, self._posterior = model, rows, inputs, posterior
        self.items_ = items
        self.counts_ = model._data.counts(rows)
        self.noise_ = model._item_noise
        with one_thread():
            self.mean, self._variance = posterior.mean_variance(self._inputs)

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of the utilities of ``rows``; None is all items."""
        variance: Floats = self._variance[rows_of(rows, len(self.mean))]
        return variance

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the utilities of ``rows`` with those of ``columns``; None is all items."""
        left, right = rows_of(rows, len(self.mean)), rows_of(columns, len(self.mean))
        items = np.union1d(left, right)
        if len(items) == len(self.mean):
            return self._covariance[np.ix_(left, right)]
        with one_thread():
            block = self._posterior.mean_covariance(self._inputs[items])[1]
        return block[np.ix_(np.searchsorted(items, left), np.searchsorted(items, right))]

    @cached_property
    def _covariance(self) -> Floats:
        with one_thread():
            return self._posterior.mean_covariance(self._inputs)[1]

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the utilities of the items (of those at ``rows``) jointly, shape (n_draws, n)."""
        with one_thread():
            return self._posterior.sample(self._inputs[rows_of(rows, len(self.mean))], n_draws, seed)

    def most_probable(self) -> FunctionBelief:
        """Return the belief with the most probable kernel alone."""
        return self._of(self._model, self._posterior.most_probable())

    def learn(self, preferences: Preferences) -> FunctionBelief:
        """Return the belief of a model that is fitted to the old answers and to ``preferences`` between these items."""
        answers = answers_between(preferences, self.items_)
        if not len(answers):
            return self
        model = self._model
        data = model._data.extended(self._features, self.items_, answers)
        refitted = type(model)(**model.get_params())._fit(data)
        return self._of(refitted, refitted._posterior)

    def _of(self, model: FeatureUtility, posterior: FunctionPosterior) -> FunctionBelief:
        """Return the belief of another posterior over the same rows."""
        return FunctionBelief(model, self._features, self._inputs, self.items_, posterior)

    def __repr__(self) -> str:
        return f"{self._model!r} on {len(self.items_):,} rows"
