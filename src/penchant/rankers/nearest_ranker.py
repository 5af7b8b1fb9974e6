"""Rank labels by the consensus of the nearest rows' rankings.

The rankings of the nearest rows are taken for draws from one Mallows model, whose centre, the ranking with the
fewest contradictions to them, is the prediction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from penchant.checks import Floats, Ints, whole
from penchant.errors import InvalidInput
from penchant.orders import component_order, ranks_from_order
from penchant.rankers.label_ranks import LabelRankerMixin, checked_label_ranks
from penchant.rankers.ranker import known_features, training_features
from penchant.schema import Array, Schema, Texts, Whole, require

_BLOCK_CELLS = 8_000_000


def _check_ranks(state: Mapping[str, Any]) -> None:
    n_rows, n_labels = state["ranks_"].shape
    require(n_rows and n_labels > 1, f"ranks_ must rank two labels or more, got shape {(n_rows, n_labels)}")


class NearestLabelRanker(LabelRankerMixin, BaseEstimator):  # type: ignore[misc]
    """Predict the consensus of the nearest rows' rankings.

    The consensus is the ranking that contradicts the fewest pairs of labels in the neighbours' rankings
    (Kemeny's), which is the maximum likelihood centre of a Mallows model. It is found exactly, unless more
    than 16 labels form one cycle of majorities. Labels that a neighbour ties or does not rank say nothing; of
    rankings that the neighbours contradict equally seldom, the one that all rows contradict least is taken.

    Distances are Euclidean: scale the features first, for instance with ``StandardScaler`` in a pipeline.

    Parameters
    ----------
    n_neighbors : int, default 5
        How many rows are asked; all of them where there are fewer.

    Attributes
    ----------
    X_ : array of shape (n, n_features)
        The rows that may be asked.
    ranks_ : int array of shape (n, n_labels)
        Their rankings.

    References
    ----------
    Cheng, Hühn and Hüllermeier, Decision tree and instance-based learning for label ranking, ICML 2009.

    Examples
    --------
    >>> X = [[0.0], [0.2], [0.4], [1.6], [1.8], [2.0]]
    >>> ranks = [[1, 2, 3], [1, 2, 0], [1, 2, 3], [3, 2, 1], [0, 2, 1], [3, 2, 1]]
    >>> NearestLabelRanker(n_neighbors=3).fit(X, ranks).predict([[0.1], [1.9]])
    array([[1, 2, 3],
           [3, 2, 1]])
    """

    __saved__: ClassVar = Schema(
        {"n_neighbors": Whole(1)},
        {
            "n_features_in_": Whole(1, size=True),
            "X_": Array(("n_rows", "n_features_in_"), "float64 float32"),
            "ranks_": Array(("n_rows", None), "int64", least=0),
        },
        {"feature_names_in_": Texts("n_features_in_", array=True)},
        rules=(_check_ranks,),
    )

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, ranks: ArrayLike) -> Self:
        """Remember the rows and their rankings.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        ranks : array-like of shape (n, n_labels)
            The rank of each label, 1 is best; equal ranks are a tie, 0 is a label that is not ranked.
        """
        whole("n_neighbors", self.n_neighbors, 1, remedy="5 is usual")
        self.X_: Floats = np.array(training_features(self, X), order="C")
        self.ranks_: Ints = checked_label_ranks(ranks, len(self.X_))
        if not _votes(self.ranks_, *_pairs(self.ranks_.shape[1])).any():
            raise InvalidInput(
                "ranks must put one label before another in some row, got none: "
                "give rows that rank at least two labels"
            )
        return self

    def predict(self, X: Any) -> Ints:
        """Return the rank of each label, shape (n, n_labels); what is undecided goes to the lower column."""
        features = known_features(self, X)
        n_labels = self.ranks_.shape[1]
        n_asked = min(int(self.n_neighbors), len(self.X_))
        from sklearn.neighbors import NearestNeighbors

        search = NearestNeighbors(n_neighbors=n_asked).fit(self.X_)
        neighbours = search.kneighbors(features, return_distance=False)
        first, second = _pairs(n_labels)
        votes = _votes(self.ranks_, first, second)
        overall = votes.sum(axis=0, dtype=np.int64)
        # One vote of a neighbour outweighs all that the other rows together say.
        worth = 1 + int(np.abs(overall).sum())
        predicted = np.empty((len(features), n_labels), dtype=np.int64)
        height = max(1, _BLOCK_CELLS // (n_asked * len(first)))
        for start in range(0, len(features), height):
            block = slice(start, start + height)
            majority = worth * votes[neighbours[block]].sum(axis=1, dtype=np.int64) + overall
            predicted[block] = _consensus(majority, first, second, n_labels)
        return predicted


def _pairs(n_labels: int) -> tuple[Ints, Ints]:
    """Return the first and the second label of each pair of labels."""
    first, second = np.triu_indices(n_labels, 1)
    return first, second


def _votes(ranks: Ints, first: Ints, second: Ints) -> NDArray[np.int8]:
    """Return 1 where a row puts the first label of a pair before the second, −1 where after, else 0."""
    a, b = ranks[:, first], ranks[:, second]
    return np.where((a > 0) & (b > 0), np.sign(b - a), 0).astype(np.int8)


def _consensus(majority: Ints, first: Ints, second: Ints, n_labels: int) -> Ints:
    """Return the ranks of the labels that contradict the fewest votes, shape (n, n_labels).

    Where every majority is strict and each label wins against another number of labels, there is no cycle,
    and the number of wins gives the order; the others are searched one by one.
    """
    net = np.zeros((len(majority), n_labels, n_labels), dtype=np.int64)
    net[:, first, second] = majority
    net[:, second, first] = -majority
    ranks: Ints = n_labels - (net > 0).sum(axis=2, dtype=np.int64)
    open_rows = (np.sort(ranks, axis=1) != np.arange(1, n_labels + 1)).any(axis=1)
    for row in np.flatnonzero(open_rows):
        ranks[row] = ranks_from_order(component_order(net[row]))
    return ranks
