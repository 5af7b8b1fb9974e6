"""Fit `RankBoost` on a cluster: each round adds up the workers' histograms, and every worker applies the best stump.

Each partition keeps a distribution over its own pairs, and counts by its share in the loss of all. The client sends the
stump and its α with the tasks of the next round, so that a lost partition can be boosted again without the others.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.progress import step_done
from penchant.rankers.rank_boost import balanced
from penchant.rankers.ranker import GradedRows
from penchant.rankers.solvers.pair_distribution import GradedDistribution
from penchant.rankers.solvers.stumps import (
    BinnedFeatures,
    Split,
    Stump,
    best_of_sums,
    feature_columns,
    feature_sums,
)
from penchant.scale.cluster import Cluster, add_each
from penchant.scale.graded import GradedPartitions, has_pairs, no_pairs, note_features
from penchant.scale.graded_files import GradedChunk
from penchant.scale.thresholds import shared_thresholds

if TYPE_CHECKING:
    from penchant.rankers import RankBoost


class PairedChunk(NamedTuple):
    """The rows of a partition, and the distribution over its pairs; None where there are no pairs."""

    X: Any
    pairs: GradedDistribution | None

    @property
    def rows(self) -> Ints:
        """The rows that are in some pair."""
        return np.empty(0, dtype=np.int64) if self.pairs is None else self.pairs.rows


def paired_chunk(chunk: GradedChunk, balance: float) -> PairedChunk:
    """Return the rows of a chunk with the distribution over their pairs."""
    if not has_pairs(chunk):
        return PairedChunk(chunk.X, None)
    rows = GradedRows(chunk.X, chunk.grades, chunk.queries, chunk.weight)
    weight = balanced(rows, balance)
    return PairedChunk(chunk.X, GradedDistribution(rows.grades, rows.queries.codes, weight))


def paired_size(chunk: PairedChunk) -> tuple[float, int]:
    """Return |P| of a partition, and the number of its rows that are in some pair."""
    return (0.0, 0) if chunk.pairs is None else (chunk.pairs.size, len(chunk.pairs.rows))


def sorted_columns(chunk: PairedChunk) -> list[Floats]:
    """Return each feature of the rows in pairs, sorted."""
    return [np.sort(column) for _, column in feature_columns(chunk.X, chunk.rows)]


class BoostedRows(NamedTuple):
    """The binned rows of a partition, with the distribution over its pairs at the start."""

    features: BinnedFeatures
    pairs: GradedDistribution | None


def binned_rows(chunk: PairedChunk, thresholds: tuple[Floats, ...]) -> BoostedRows:
    """Bin the rows of a partition that are in some pair."""
    return BoostedRows(BinnedFeatures.at(chunk.X, chunk.rows, thresholds), chunk.pairs)


@dataclass(frozen=True, eq=False)
class RoundState:
    """The scores of a partition's rows after some rounds, and the log of the sum of its pairs' weights."""

    scores: Floats
    pairs: GradedDistribution | None
    log_loss: float


def first_state(rows: BoostedRows) -> RoundState:
    """Return the state before the first round."""
    if rows.pairs is None:
        return RoundState(np.zeros(0), None, -np.inf)
    return RoundState(np.zeros(len(rows.pairs.rows)), rows.pairs, float(np.log(rows.pairs.size)))


def next_state(rows: BoostedRows, state: RoundState, split: Split, alpha: float) -> RoundState:
    """Return the state after a round."""
    if state.pairs is None:
        return state
    scores, pairs = state.scores + alpha * split.ranks(rows.features), copy(state.pairs)
    z = pairs.reweigh(scores)
    return RoundState(scores, pairs, state.log_loss + float(np.log(z)))


class PairMean(NamedTuple):
    """A mean over pairs, with the log of the sum of their weights: two of them add up to that of both."""

    log_loss: float
    value: Any

    def __add__(self, other: PairMean) -> PairMean:  # type: ignore[override]
        """Return the mean over the pairs of both."""
        if other.log_loss == -np.inf:
            return self
        if self.log_loss == -np.inf:
            return other
        both = float(np.logaddexp(self.log_loss, other.log_loss))
        value = np.exp(self.log_loss - both) * self.value + np.exp(other.log_loss - both) * other.value
        return PairMean(both, value)


def histogram(rows: BoostedRows, state: RoundState) -> PairMean:
    """Return the sum of the pull in each bin of each feature, shape (n_features, n_bins)."""
    sums = None if state.pairs is None else feature_sums(rows.features, state.pairs.pull)
    return PairMean(state.log_loss, sums)


def best_of(total: PairMean, n_thresholds: Ints) -> Split | None:
    """Return the best stump of all partitions."""
    return best_of_sums(total.value, n_thresholds)


def wrong_of(rows: BoostedRows, state: RoundState, split: Split | None) -> PairMean:
    """Return ε⁻ of a stump."""
    if state.pairs is None or split is None:
        return PairMean(state.log_loss, 0.0)
    return PairMean(state.log_loss, state.pairs.wrong(split.ranks(rows.features)))


def misranked(state: RoundState) -> float:
    """Return the weight of the pairs that the scores do not rank strictly right."""
    return 0.0 if state.pairs is None else state.pairs.risk(state.scores) * state.pairs.size


def fit_rank_boost(model: RankBoost, partitions: GradedPartitions, cluster: Cluster) -> RankBoost:
    """Boost over the pairs of all partitions, one exchange with the workers a round."""
    chunks = cluster.each(paired_chunk, partitions.chunks, shared=(model.balance,))
    size, n_rows = cluster.result(cluster.total(cluster.each(paired_size, chunks), add_each))
    if not n_rows:
        raise no_pairs(partitions.n_rows)
    columns = cluster.each(sorted_columns, chunks)
    thresholds = shared_thresholds(cluster, columns, n_rows, int(model.n_bins or 0))
    del columns
    n_thresholds = np.array([len(each) for each in thresholds])
    rows = cluster.each(binned_rows, chunks, shared=(thresholds,))
    del chunks
    states = cluster.each(first_state, rows)
    stumps: list[Stump] = []
    z: list[float] = []
    edges: list[float] = []
    log_loss = float(np.log(size))
    while True:
        total = cluster.total(cluster.each(histogram, rows, states), PairMean.__add__)
        best = cluster.client.submit(best_of, total, n_thresholds, pure=False)
        wrong = cluster.total(cluster.each(wrong_of, rows, states, shared=(best,)), PairMean.__add__)
        split, (found, missed) = cluster.results([best, wrong])
        if stumps:
            z.append(float(np.exp(found - log_loss)))
            step_done(len(stumps), model.n_estimators)
        log_loss = found
        if split is None or len(stumps) == model.n_estimators:
            break
        split = Split(*split)
        alpha = model._alpha(split.lead, float(missed), size)
        states = cluster.each(next_state, rows, states, shared=(split, alpha))
        stumps.append((split.feature, float(thresholds[split.feature][split.cut]), split.sign, alpha))
        edges.append(split.lead / 2)
    behind = cluster.result(cluster.total(cluster.each(misranked, states), np.add))
    note_features(model, partitions)
    model._keep_rounds(stumps, z, edges)
    model.risk_, model.validation_risks_ = float(behind / size), None
    return model


def check_rank_boost(model: RankBoost) -> None:
    """Reject settings of which the model would need all rows in one place."""
    model._check_settings()
    if model.n_bins is None:
        raise InvalidInput.of("n_bins", "be a number on a cluster", "None", "256 is usual")
    if model.n_iter_no_change is not None:
        raise InvalidInput.of(
            "n_iter_no_change",
            "be None on a cluster",
            model.n_iter_no_change,
            "evaluate the rounds of staged_predict on other rows instead",
        )
