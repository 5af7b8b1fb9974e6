"""Count the pairs that scores order as grades or stated pairs do."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, index_pairs, positive, vector
from penchant.errors import InvalidInput
from penchant.metrics.queries import Queries, graded_rows, row_weights
from penchant.orders import pair_counts
from penchant.schema import Number, Schema, require


def _check_pairs(state: Mapping[str, float]) -> None:
    require(sum(state.values()) > 0, "correct, tied and wrong must be of at least one pair")


@dataclass(frozen=True)
class PairAccuracy:
    """How many pairs are scored the right way round; ``float()`` of it is ``accuracy``.

    Attributes
    ----------
    correct, tied, wrong : float
        The number of pairs, or the sum of their weights, in which the better row has the higher score, the
        same score, the lower score.

    Examples
    --------
    >>> found = pair_accuracy([2, 1, 0], [0.9, 0.5, 0.5])
    >>> found, round(float(found), 2)
    (PairAccuracy(correct=2, tied=1, wrong=0), 0.67)
    """

    __saved__: ClassVar = Schema(
        {name: Number(0) for name in ("correct", "tied", "wrong")}, rules=(_check_pairs,)
    )

    correct: float
    tied: float
    wrong: float

    @property
    def n_pairs(self) -> float:
        """All pairs that were judged: correct + tied + wrong."""
        return self.correct + self.tied + self.wrong

    @property
    def accuracy(self) -> float:
        """The share of pairs scored strictly the right way round; a tied pair earns nothing."""
        return self.correct / self.n_pairs

    @property
    def concordance(self) -> float:
        """The same share with half a point for a tied pair; with two grades, the area under the ROC curve."""
        return (self.correct + self.tied / 2) / self.n_pairs

    def __float__(self) -> float:
        return self.accuracy


def pair_accuracy(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    sample_weight: ArrayLike | None = None,
) -> PairAccuracy:
    """Count the pairs of one query with different grades by whether the scores order them the same way.

    The counts run over the pairs of all queries together, in O(n log n) and without making the pairs.

    Parameters
    ----------
    grades : array-like of shape (n_rows,)
        Larger is better.
    scores : array-like of shape (n_rows,)
        Larger is better.
    qid : array-like of shape (n_rows,), optional
        The query of each row: integers, strings or other hashable labels, in any order. None: one query.
    sample_weight : array-like of shape (n_rows,), optional
        At least 0. A pair counts as much as the product of its two rows, as in the ``fit`` of the rankers.

    Returns
    -------
    PairAccuracy

    Examples
    --------
    >>> found = pair_accuracy([2, 1, 0, 0], [0.9, 0.5, 0.5, 0.7])
    >>> found
    PairAccuracy(correct=3, tied=1, wrong=1)
    >>> found.accuracy, found.concordance
    (0.6, 0.7)
    """
    grades, scores = graded_rows(grades, scores)
    queries = Queries.of(qid, len(grades))
    if sample_weight is not None:
        found = _weighted(queries, grades, scores, row_weights(sample_weight, len(grades)))
        return _checked(found, queries, len(grades))
    # Nested in their queries, any two rows of different queries are concordant: one count serves all.
    counts = pair_counts(queries.nested(grades), queries.nested(scores))
    n_inside = int(np.sum(queries.sizes * (queries.sizes - 1) // 2))
    n_across = len(grades) * (len(grades) - 1) // 2 - n_inside
    found = PairAccuracy(counts.concordant - n_across, counts.tied_y, counts.discordant)
    return _checked(found, queries, len(grades))


def _checked(found: PairAccuracy, queries: Queries, n_rows: int) -> PairAccuracy:
    if not found.n_pairs:
        raise InvalidInput(
            f"two rows of one query must have different grades, got none in {len(queries.starts)} "
            f"queries of {n_rows} rows: give grades that differ"
        )
    return found


def _weighted(queries: Queries, grades: Floats, scores: Floats, weight: Floats) -> PairAccuracy:
    """Count pairs by the product of the weights of their rows, in O(n log n log(n_grades)).

    Two numbered grades differ first in one bit: of the rows that agree in the bits above it, those with a 0 there
    are worse than those with a 1. One pass over the rows, sorted by score, counts the pairs of one bit.
    """
    levels = np.unique(grades, return_inverse=True)[1]
    places = np.unique(scores, return_inverse=True)[1]
    correct = tied = total = 0.0
    for bit in range(int(levels.max()).bit_length()):
        block = queries.codes * (int(levels.max()) + 1) + (levels >> (bit + 1))
        order = np.lexsort((places, block))
        is_better = ((levels >> bit) & 1).astype(bool)[order]
        worse = np.concatenate([[0.0], np.cumsum(np.where(is_better, 0.0, weight[order]))])
        new_block = np.diff(block[order], prepend=-1) != 0
        new_place = new_block | (np.diff(places[order], prepend=-1) != 0)
        (block_start, block_end), (place_start, place_end) = (
            (np.repeat(at[:-1], np.diff(at))[is_better], np.repeat(at[1:], np.diff(at))[is_better])
            for at in (np.append(np.flatnonzero(new), len(order)) for new in (new_block, new_place))
        )
        better = weight[order][is_better]
        correct += float(better @ (worse[place_start] - worse[block_start]))
        tied += float(better @ (worse[place_end] - worse[place_start]))
        total += float(better @ (worse[block_end] - worse[block_start]))
    return PairAccuracy(correct, tied, max(total - correct - tied, 0.0))


def pair_accuracy_of_pairs(
    pairs: ArrayLike, scores: ArrayLike, *, weight: ArrayLike | None = None
) -> PairAccuracy:
    """Count stated pairs by whether the better row has the higher score.

    Parameters
    ----------
    pairs : array-like of int, shape (n_pairs, 2)
        Rows of ``scores``, the better one first.
    scores : array-like of shape (n_rows,)
        Larger is better.
    weight : array-like of shape (n_pairs,), optional
        How much each pair counts, above 0; None counts each once.

    Returns
    -------
    PairAccuracy

    Examples
    --------
    >>> pair_accuracy_of_pairs([[0, 1], [0, 2], [2, 1]], [3.0, 1.0, 2.0])
    PairAccuracy(correct=3, tied=0, wrong=0)
    """
    scores = vector("score", scores)
    rows = index_pairs(pairs, len(scores))
    weights = None if weight is None else positive("weight", weight, length=len(rows))
    better, worse = scores[rows[:, 0]], scores[rows[:, 1]]
    return PairAccuracy(
        _total(better > worse, weights), _total(better == worse, weights), _total(better < worse, weights)
    )


def _total(chosen: NDArray[np.bool_], weights: Floats | None) -> float:
    return int(np.count_nonzero(chosen)) if weights is None else float(weights[chosen].sum())
