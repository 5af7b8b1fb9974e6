"""Find the thresholds of boosting in features that are spread over partitions: those that one machine would find.

Where a feature has no more distinct values than bins, all midpoints are thresholds. Else bins end at order statistics,
which are found exactly: a bracket around each is halved by counts from all workers, until it holds a few values, which
are fetched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.rankers.solvers.stumps import midpoints
from penchant.scale.cluster import Cluster

FEW = 8
"""Values in a bracket that are fetched rather than searched."""
_LARGEST = np.finfo(np.float64).max


class FewValues(NamedTuple):
    """The distinct values of each feature; None where they are more than ``most``."""

    values: list[Floats | None]
    most: int

    @classmethod
    def of(cls, columns: list[Floats], most: int) -> FewValues:
        """Return the distinct values of sorted columns."""
        different = (
            column[np.append(True, column[1:] > column[:-1])] if len(column) else column for column in columns
        )
        return cls([values if len(values) <= most else None for values in different], most)

    def __add__(self, other: FewValues) -> FewValues:  # type: ignore[override]
        """Return the values of both."""
        both: list[Floats | None] = []
        for first, second in zip(self.values, other.values, strict=True):
            joined = None if first is None or second is None else np.union1d(first, second)
            both.append(joined if joined is not None and len(joined) <= self.most else None)
        return FewValues(both, self.most)


class Extremes(NamedTuple):
    """The least and the largest of some values."""

    least: Floats
    largest: Floats

    def __add__(self, other: Extremes) -> Extremes:  # type: ignore[override]
        """Return the extremes of both."""
        return Extremes(np.minimum(self.least, other.least), np.maximum(self.largest, other.largest))


def neighbours(columns: list[Floats], features: list[int], values: Floats) -> Extremes:
    """Return for each value of each feature the least larger and the largest smaller one of a partition."""
    above, below = np.full(values.shape, np.inf), np.full(values.shape, -np.inf)
    for k, feature in enumerate(features):
        column = columns[feature]
        low = np.searchsorted(column, values[k], side="left")
        high = np.searchsorted(column, values[k], side="right")
        has_low, has_high = low > 0, high < len(column)
        below[k, has_low] = column[low[has_low] - 1]
        above[k, has_high] = column[high[has_high]]
    return Extremes(above, below)


def quantiles(columns: list[Floats], features: list[int], shares: Floats) -> Extremes:
    """Return the order statistics of a partition at shares of its rows, near those of all rows."""
    rows = [columns[feature] for feature in features]
    if not len(rows[0]):
        nowhere = np.full((len(rows), len(shares)), np.inf)
        return Extremes(nowhere, -nowhere)
    places = (shares * len(rows[0])).astype(np.int64).clip(0, len(rows[0]) - 1)
    found = np.array([column[places] for column in rows])
    return Extremes(found, found)


def counts_up_to(columns: list[Floats], features: list[int], pivots: Floats) -> Ints:
    """Return how many values of each feature are at most each of its pivots, shape (n_features, n_pivots)."""
    rows = zip(features, pivots, strict=True)
    return np.array([np.searchsorted(columns[feature], row, side="right") for feature, row in rows])


class Bracketed(NamedTuple):
    """The `FEW` least values in each bracket, rising, with infinity behind; shape (n_features, n_brackets, FEW)."""

    values: Floats

    @classmethod
    def of(cls, columns: list[Floats], features: list[int], low: Floats, high: Floats) -> Bracketed:
        """Return the values of a partition from ``low`` to ``high``, shape (n_features, n_brackets) each."""
        found = np.full((*low.shape, FEW), np.inf)
        for k, feature in enumerate(features):
            column = columns[feature]
            if not len(column):
                continue
            first = np.searchsorted(column, low[k], side="left")
            last = np.searchsorted(column, high[k], side="right")
            places = first[:, None] + np.arange(FEW)
            inside = places < last[:, None]
            found[k][inside] = column[places[inside]]
        return cls(found)

    def __add__(self, other: Bracketed) -> Bracketed:  # type: ignore[override]
        """Return the least of both."""
        return Bracketed(np.sort(np.concatenate([self.values, other.values], axis=-1), axis=-1)[..., :FEW])


def as_keys(values: Floats) -> NDArray[np.int64]:
    """Return whole numbers in the order of the values, consecutive for neighbouring doubles."""
    bits = np.ascontiguousarray(values + 0.0).view(np.int64)  # −0 becomes 0
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def as_values(keys: NDArray[np.int64]) -> Floats:
    """Return the doubles of `as_keys`."""
    return np.where(keys < 0, np.int64(-(2**63)) - keys, keys).view(np.float64)


def order_statistics(
    cluster: Cluster, columns: list[Any], features: list[int], places: Ints, n_rows: int
) -> Floats:
    """Return the values at ``places`` (from 0) among the sorted values of each feature, shape (n_features, n_places).

    Parameters
    ----------
    columns : list of futures
        The sorted columns of each partition.
    n_rows : int
        In all partitions.
    """
    shape = len(features), len(places)
    low, high = as_keys(np.full(shape, -_LARGEST)), as_keys(np.full(shape, _LARGEST))
    before, up_to = np.zeros(shape, dtype=np.int64), np.full(shape, n_rows)
    local = cluster.each(quantiles, columns, shared=(features, (places + 0.5) / n_rows))
    least, largest = cluster.result(cluster.total(local, Extremes.__add__))
    first_pivots = [as_keys(largest), as_keys(least) - 1]
    while ((up_to - before > FEW) & (low < high)).any():
        middle = first_pivots.pop() if first_pivots else (low >> 1) + (high >> 1) + (low & high & 1)
        pivots = cluster.shared(as_values(middle))
        counted = cluster.each(counts_up_to, columns, shared=(features, pivots))
        found = cluster.result(cluster.total(counted, np.add))
        enough = found > places
        lower, higher = enough & (middle < high), ~enough & (middle >= low)
        high, up_to = np.where(lower, middle, high), np.where(lower, found, up_to)
        low, before = np.where(higher, middle + 1, low), np.where(higher, found, before)
    ends = cluster.shared(as_values(low)), cluster.shared(as_values(high))
    inside = cluster.each(Bracketed.of, columns, shared=(features, *ends))
    (values,) = cluster.result(cluster.total(inside, Bracketed.__add__))
    offset = np.where(low < high, places - before, 0)[..., None]
    return np.take_along_axis(values, offset, axis=-1)[..., 0]


def shared_thresholds(cluster: Cluster, columns: list[Any], n_rows: int, n_bins: int) -> tuple[Floats, ...]:
    """Return the thresholds of each feature that one machine would find among the rows of all partitions.

    Parameters
    ----------
    columns : list of futures
        The sorted columns of each partition.
    n_rows : int
        In all partitions.
    """
    few = cluster.total(cluster.each(FewValues.of, columns, shared=(n_bins,)), FewValues.__add__)
    known = FewValues(*cluster.result(few)).values
    thresholds = [None if values is None else midpoints(values[:-1], values[1:]) for values in known]
    many = [feature for feature, values in enumerate(known) if values is None]
    if many:
        wanted = np.arange(1, n_bins) * (n_rows / n_bins) - 1
        places = np.unique(np.ceil(wanted).astype(np.int64).clip(0, n_rows - 1))
        values = order_statistics(cluster, columns, many, places, n_rows)
        near = cluster.each(neighbours, columns, shared=(many, cluster.shared(values)))
        above, below = cluster.result(cluster.total(near, Extremes.__add__))
        for k, feature in enumerate(many):
            top = np.isinf(above[k])  # the highest bin has at least one value: cut below it
            low, high = np.where(top, below[k], values[k]), np.where(top, values[k], above[k])
            kept = np.unique(low, return_index=True)[1]
            thresholds[feature] = midpoints(low[kept], high[kept])
    return tuple(each for each in thresholds if each is not None)
