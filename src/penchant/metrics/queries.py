"""Group rows by their query."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, same_length, shown, vector
from penchant.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Queries:
    """Which query each row belongs to, and where the queries stand once the rows are sorted by it.

    Attributes
    ----------
    codes : ndarray of shape (n_rows,)
        The query of each row, 0 … n_queries − 1.
    starts : ndarray of shape (n_queries,)
        Where each query begins among the sorted rows.
    positions : ndarray of shape (n_rows,)
        For each of the sorted rows its position inside its query, 1 is first.
    """

    codes: Ints
    starts: Ints
    positions: Ints

    @classmethod
    def of(cls, qid: Iterable[Hashable] | None, n_rows: int) -> Queries:
        """Read ``qid``: one label a row, in any order; None puts all rows into one query."""
        codes = np.zeros(n_rows, dtype=np.int64) if qid is None else _codes(qid, n_rows)
        sizes = np.bincount(codes)
        starts = np.cumsum(sizes) - sizes
        return cls(codes, starts, np.arange(1, n_rows + 1) - np.repeat(starts, sizes))

    @property
    def sizes(self) -> Ints:
        """How many rows each query has, shape (n_queries,)."""
        return np.diff(self.starts, append=len(self.codes))

    def best_first(self, values: Floats) -> Ints:
        """Return the rows, query by query, by falling ``values``; equal ones by rising index."""
        by_value = np.argsort(-values, kind="stable")
        small = len(self.starts) <= 2**16  # NumPy sorts 16 bits by radix, in linear time
        codes = self.codes.astype(np.uint16) if small else self.codes
        return by_value[np.argsort(codes[by_value], kind="stable")]

    def sums(self, values: Floats) -> Floats:
        """Return the sum over each query of ``values``, which stand in sorted order."""
        return np.add.reduceat(values, self.starts)

    def nested(self, values: Floats) -> Floats:
        """Return numbers that compare like ``values`` inside a query and like the queries across them."""
        if len(self.starts) == 1:
            return values
        order = np.lexsort((values, self.codes))
        steps = (np.diff(values[order]) != 0) | (np.diff(self.codes[order]) != 0)
        nested = np.zeros(len(values))
        nested[order[1:]] = np.cumsum(steps)
        return nested


def graded_rows(grades: ArrayLike, scores: ArrayLike) -> tuple[Floats, Floats]:
    """Return grades and scores as finite vectors of one length above 0, or say what is wrong."""
    checked = vector("grade", grades)
    if not len(checked):
        raise InvalidInput("grades must have at least one row, got none: give the graded rows")
    return checked, vector("score", scores, length=len(checked))


def query_weights(queries: Queries, sample_weight: ArrayLike | None) -> Floats | None:
    """Return how much each query counts, the mean weight of its rows, shape (n_queries,); None: all the same."""
    if sample_weight is None:
        return None
    weight = row_weights(sample_weight, len(queries.codes))
    return np.bincount(queries.codes, weight, len(queries.starts)) / queries.sizes


def row_weights(sample_weight: ArrayLike, n_rows: int) -> Floats:
    """Return the weight of each row, at least 0 and not 0 for all, or say what is wrong."""
    weight = vector("sample_weight", sample_weight, length=n_rows)
    low = np.flatnonzero(weight < 0)
    if low.size:
        raise InvalidInput(
            f"sample_weight of row {low[0]} must be at least 0, got {weight[low[0]]:g}: correct the row"
        )
    if not weight.any():
        raise InvalidInput(
            "sample_weight must be above 0 for some rows, got a weight of zero for all: raise some"
        )
    return weight


def mean_over_queries(
    values: Floats,
    defined: NDArray[np.bool_],
    what: str,
    *,
    return_skipped: bool = False,
    weights: Floats | None = None,
) -> float | tuple[float, int]:
    """Return the mean of the ``defined`` entries, and how many were skipped when asked.

    Parameters
    ----------
    values, defined : ndarray of shape (n_queries,)
    what : str
        What a query must have for its value to be defined, for the message when none has it.
    return_skipped : bool
    weights : ndarray of shape (n_queries,), optional
        How much each query counts; one of weight 0 is skipped.
    """
    if weights is not None:
        defined = defined & (weights > 0)
    if not defined.any():
        raise InvalidInput(
            f"at least one query must have {what}, got {len(defined)} without: give grades that have some"
        )
    mean = float(np.average(values[defined], weights=None if weights is None else weights[defined]))
    return (mean, int(np.count_nonzero(~defined))) if return_skipped else mean


def _codes(qid: Iterable[Hashable], n_rows: int) -> Ints:
    if hasattr(qid, "dtype"):
        labels = np.asarray(qid)
        if labels.ndim != 1:
            raise InvalidInput(f"qid must be one-dimensional, got shape {labels.shape}: give one label a row")
        same_length("qid", labels, n_rows)
        if labels.dtype.kind in "iub":
            return np.unique(labels, return_inverse=True)[1]
        return _codes_of_labels(labels.tolist())
    # A list stays one: as an array, 1 and "1" would become the same label.
    try:
        listed = list(qid)
    except TypeError:
        raise InvalidInput(
            f"qid must be one label a row, got {shown(qid)}: give a list or an array"
        ) from None
    same_length("qid", listed, n_rows)
    return _codes_of_labels(listed)


def _codes_of_labels(labels: list[Hashable]) -> Ints:
    seen: dict[Hashable, int] = {}
    try:
        codes = np.fromiter((seen.setdefault(label, len(seen)) for label in labels), np.int64, len(labels))
    except TypeError:
        raise InvalidInput(
            f"qid must be hashable labels, got {shown(labels)}: give one number or string a row"
        ) from None
    for label, code in seen.items():
        if _is_missing(label):
            raise InvalidInput(
                f"qid of row {np.argmax(codes == code)} must be a label, got {label}: "
                "remove the row or name its query"
            )
    return codes


def _is_missing(label: Hashable) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA has no truth value
        return True
