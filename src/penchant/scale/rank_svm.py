"""Fit the linear `RankSVM` on a cluster, by the solver that fits it on one machine.

The solver needs sums over pairs and products with the features. Here it works on weights in place of scores: the
"scores" of a point are the weights w themselves, and `PartitionedPairs` gives the sums over all partitions with
derivatives by w, which are those by the scores times the features. Each sum is one pass of the workers over their rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.rankers.solvers.newton import back, precise_back, precise_times, times
from penchant.rankers.solvers.pair_sums import PairSample, Shortfall, checked_total, implied_pairs
from penchant.scale.cluster import Cluster, add_each
from penchant.scale.graded import GradedPartitions, has_pairs, no_pairs, note_features
from penchant.scale.graded_files import GradedChunk

if TYPE_CHECKING:
    from penchant.rankers import RankSVM
    from penchant.rankers.solvers.pair_sums import PairSums


class PairedRows(NamedTuple):
    """Rows of a partition and the pairs that they imply; ``pairs`` is None where there are none."""

    X: Any
    pairs: PairSums | None


def paired_rows(chunk: GradedChunk) -> PairedRows:
    """Return the rows of a chunk with their pairs."""
    pairs = implied_pairs(chunk.grades, chunk.queries, chunk.weight) if has_pairs(chunk) else None
    return PairedRows(chunk.X, pairs)


def size_of(rows: PairedRows) -> tuple[float, int]:
    """Return the sum of the weights of the pairs, and the number of entries of X."""
    return 0.0 if rows.pairs is None else rows.pairs.total, int(rows.X.size)


def short_rows(rows: PairedRows, margin: float, coef: Floats) -> Shortfall | None:
    """Return the pairs of a partition that fall short of ``margin`` at the weights ``coef``; it stays on its worker."""
    return None if rows.pairs is None else rows.pairs.short_of(margin, precise_times(rows.X, coef))


def short_sums(rows: PairedRows, short: Shortfall | None) -> tuple[float, float, Floats]:
    """Return the sums of a shortfall, and the derivative of the second by the weights."""
    if short is None:
        return 0.0, 0.0, np.zeros(rows.X.shape[1])
    return short.linear, short.squared, precise_back(rows.X, short.gradient)


def curved(rows: PairedRows, short: Shortfall | None, direction: Floats) -> Floats:
    """Return the second derivative by the weights times ``direction``."""
    if short is None:
        return np.zeros(len(direction))
    return back(rows.X, short.curvature(times(rows.X, direction)))


def sampled(rows: PairedRows, short: Shortfall | None, without: Shortfall | None, most: int) -> Floats:
    """Return Σ weight · difference · differenceᵀ over a sample of the pairs that stands for all of them."""
    n_features = rows.X.shape[1]
    if short is None:
        return np.zeros((n_features, n_features))
    better, worse, weight = short.sample(most) if without is None else short.sample(most, without=without)
    differences = rows.X[better] - rows.X[worse]
    dense = differences if isinstance(differences, np.ndarray) else differences.toarray()
    scaled = np.sqrt(weight)[:, None] * dense.astype(np.float64)
    return np.asarray(scaled.T @ scaled)


class WeightSpace:
    """Stand in for X in the solver where scores are represented by the weights that give them: the identity.

    ``size`` is that of the features on all workers, by which the solver weighs what a preconditioner may cost.
    """

    def __init__(self, n_features: int, size: int) -> None:
        self.shape = n_features, n_features
        self.size = size
        self.dtype = np.dtype(np.float64)
        self.T = self

    def __matmul__(self, vector: Floats) -> Floats:
        return vector

    def __getitem__(self, rows: Floats) -> Floats:
        """Return rows of features, which a sample of pairs brings itself."""
        return rows


@dataclass(eq=False)
class PartitionedPairs:
    """The pairs of all partitions, as the solver's `PairSums` in the space of the weights."""

    cluster: Cluster
    rows: list[Any]
    total: float

    def short_of(self, margin: float, scores: Floats) -> PartitionedShortfall:
        """Return the pairs that fall short of ``margin`` at the weights ``scores``, shape (n_features,)."""
        short = self.cluster.each(short_rows, self.rows, shared=(margin, self.cluster.shared(scores)))
        sums = self.cluster.total(self.cluster.each(short_sums, self.rows, short), add_each)
        return PartitionedShortfall(self, short, *self.cluster.result(sums))


@dataclass(eq=False)
class PartitionedShortfall:
    """As `Shortfall`, with derivatives by the weights; what each partition found stays on its worker."""

    pairs: PartitionedPairs
    short: list[Any]
    linear: float
    squared: float
    gradient: Floats

    def curvature(self, direction: Floats) -> Floats:
        """Return the second derivative of ``squared / 2`` times ``direction``, shape (n_features,)."""
        cluster = self.pairs.cluster
        products = cluster.each(curved, self.pairs.rows, self.short, shared=(cluster.shared(direction),))
        found: Floats = cluster.result(cluster.total(products, np.add))
        return found

    def sample(self, most: int, *, without: Self | None = None) -> PairSample:
        """Return as many differences of rows as there are features, which have the sampled pairs' second moments."""
        cluster, count = self.pairs.cluster, len(self.short)
        far: list[Any] = [None] * count if without is None else without.short
        each = -(-most // count)
        moments = cluster.each(partial(sampled, most=each), self.pairs.rows, self.short, far)
        found: Floats = cluster.result(cluster.total(moments, np.add))
        values, vectors = np.linalg.eigh(found)
        rows = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
        return PairSample(rows, np.zeros_like(rows), np.ones(len(rows)))


def fit_rank_svm(model: RankSVM, partitions: GradedPartitions, cluster: Cluster) -> RankSVM:
    """Minimise the objective over the pairs of all partitions."""
    from penchant.rankers.solvers.linear_svm import minimise

    rows = cluster.each(paired_rows, partitions.chunks)
    total, size = cluster.result(cluster.total(cluster.each(size_of, rows), add_each))
    if not total:
        raise no_pairs(partitions.n_rows)
    pairs = PartitionedPairs(cluster, rows, checked_total(total))
    note_features(model, partitions)
    model.coef_ = model._solved(minimise, WeightSpace(partitions.n_features, size), pairs).coef
    return model


def check_rank_svm(model: RankSVM) -> None:
    """Reject settings of which the model would need all rows in one place."""
    model._check_settings()
    if model.kernel != "linear" or model.on != "objects":
        raise InvalidInput.of(
            "kernel",
            'be "linear" and on "objects" on a cluster, since other kernels need each pair of rows',
            f"kernel={model.kernel!r}, on={model.on!r}",
            "fit a sample on one machine, or take these",
        )
