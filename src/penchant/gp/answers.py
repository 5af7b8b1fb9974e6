"""Answers about rows. Pairs or Preferences in; rows, weights and ties out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, index_pairs, positive, same_length
from penchant.errors import InvalidInput
from penchant.gp.likelihood import Bools
from penchant.gp.pair_counts import PairCounts
from penchant.preferences import Preferences


class Answers(NamedTuple):
    """What was said about rows of features.

    ``pairs`` (m, 2) are rows, better first; ``weight`` (m,) is above 0; where ``tie`` (m,) the two are equal.
    """

    pairs: Ints
    weight: Floats
    tie: Bools

    def decided(self) -> Answers:
        """Return the answers that are no ties."""
        kept = ~self.tie
        if not kept.any():
            raise InvalidInput(
                "pairs must hold a preference, got ties only: add comparisons that are no ties"
            )
        return Answers(self.pairs[kept], self.weight[kept], self.tie[kept])


def answers_about(
    X: Any, n_rows: int, pairs: Any, weight: ArrayLike | None = None, tie: ArrayLike | None = None
) -> Answers:
    """Return the answers, checked.

    Parameters
    ----------
    X : array-like or DataFrame
        The features as they were given; Preferences of ids are matched by a frame's index.
    n_rows : int
        How many there are.
    pairs : array-like of int, shape (m, 2), or Preferences
    weight : array-like of shape (m,), optional
    tie : array-like of bool, shape (m,), optional
    """
    if isinstance(pairs, Preferences):
        return _of_preferences(X, pairs, weight, tie)
    rows = index_pairs(pairs, n_rows)
    weights = np.ones(len(rows)) if weight is None else positive("weight", weight, length=len(rows))
    return Answers(rows, weights, _ties(tie, len(rows)))


def compared_items(rows: Floats, answers: Answers) -> tuple[Floats, PairCounts]:
    """Return the different ones (n, n_features) of ``rows`` that were compared, and the answers about them."""
    used, place = np.unique(answers.pairs, return_inverse=True)
    items, same = np.unique(rows[used], axis=0, return_inverse=True)
    pairs = same.ravel()[place].reshape(-1, 2)
    counts = PairCounts.of(pairs, len(items), weight=answers.weight, tie=answers.tie)
    if not len(counts.count):
        raise InvalidInput(
            "pairs must compare rows with different features, got only rows that are the same: "
            "add features that tell them apart"
        )
    return items, counts


def _of_preferences(
    X: Any, preferences: Preferences, weight: ArrayLike | None, tie: ArrayLike | None
) -> Answers:
    for name, value in (("weight", weight), ("tie", tie)):
        if value is not None:
            raise InvalidInput(
                f"{name} must not be given beside Preferences, which hold their own: leave it out"
            )
    said = preferences.comparisons()
    if not len(said):
        raise InvalidInput("preferences must hold at least one comparison, got none: add some")
    rows = preferences.match(X)[np.column_stack([said.better, said.worse])]
    if (rows < 0).any():
        raise InvalidInput(
            "preferences must compare rows of X, got the bar of both-bad answers, which has no features: "
            "leave those answers out"
        )
    return Answers(rows, said.weight, said.tie)


def _ties(tie: ArrayLike | None, length: int) -> Bools:
    if tie is None:
        return np.zeros(length, dtype=bool)
    told = np.asarray(tie)
    if told.ndim != 1 or told.dtype != bool:
        raise InvalidInput(
            f"tie must be True or False for each pair, got an array of {told.dtype} with shape {told.shape}: "
            "give one a row"
        )
    same_length("tie", told, length)
    return told
