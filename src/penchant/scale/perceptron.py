"""Teach a batch perceptron on a cluster: the distributed mini-batches of Algorithm 2 (Shivaswamy and Joachims, 2015).

A round is a query: its documents are presented by the weights of the last batch, and the feedback puts them in the
order of their grades. Workers add up φ(x, feedback) − φ(x, presented) over their rounds of a batch, and the client
updates. Partitions take turns: round by round the next query of each, as long as it has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.coactive.maps import FeatureMap, RankingMap, difference_of
from penchant.errors import InvalidInput
from penchant.progress import step_done
from penchant.scale.cluster import Cluster
from penchant.scale.graded import GradedPartitions
from penchant.scale.graded_files import GradedChunk

if TYPE_CHECKING:
    from penchant.coactive import PreferencePerceptron


class Rounds(NamedTuple):
    """The queries of a partition, one after the other; query k has the rows from ``starts[k]`` to ``starts[k + 1]``."""

    X: Any
    grades: Floats
    starts: Ints


def rounds_of(chunk: GradedChunk) -> Rounds:
    """Return the queries of a chunk: labels that are numbers in their order, texts as they are met first."""
    queries = chunk.queries
    order = np.argsort(queries.codes, kind="stable")
    return Rounds(chunk.X[order], chunk.grades[order], np.append(queries.starts, len(order)))


def n_rounds(rounds: Rounds) -> int:
    """Return the number of queries of a partition."""
    return len(rounds.starts) - 1


def batch_sum(rounds: Rounds, first: int, last: int, weights: Floats, feature_map: FeatureMap) -> Floats:
    """Return Σ φ(x, feedback) − φ(x, presented) over the queries from ``first`` to before ``last``."""
    total = np.zeros(len(weights))
    for start, stop in zip(rounds.starts[first:last], rounds.starts[first + 1 : last + 1], strict=True):
        context = rounds.X[start:stop]
        presented = feature_map.argmax(weights, context)
        feedback = corrected(presented, rounds.grades[start:stop])
        total += difference_of(feature_map, context, feedback, presented)
    return total


def corrected(presented: Ints, grades: Floats) -> Ints:
    """Return the presented documents by falling grade; equal ones stay as they were presented.

    Examples
    --------
    >>> corrected(np.array([2, 0, 1]), np.array([1.0, 3.0, 1.0]))
    array([1, 2, 0])
    """
    order: Ints = presented[np.argsort(-grades[presented], kind="stable")]
    return order


def taken_turns(counts: Ints, done: int) -> Ints:
    """Return how many rounds each partition has played when ``done`` are played in all, shape (n_partitions,).

    Examples
    --------
    >>> taken_turns(np.array([3, 1, 2]), 5)
    array([2, 1, 2])
    """
    low, high = 0, int(counts.max())
    while low < high:  # the number of turns that all partitions have had
        middle = (low + high + 1) // 2
        low, high = (middle, high) if np.minimum(counts, middle).sum() <= done else (low, middle - 1)
    taken = np.minimum(counts, low)
    more = np.flatnonzero(counts > low)[: done - int(taken.sum())]
    taken[more] += 1
    return taken


def fit_perceptron(
    learner: PreferencePerceptron, partitions: GradedPartitions, cluster: Cluster
) -> PreferencePerceptron:
    """Teach ``learner`` each query once, ``learner.batch`` rounds at a time."""
    if partitions.n_features != learner.n_features:
        raise InvalidInput.of(
            "rows",
            f"have the {learner.n_features:,} features of the learner",
            f"{partitions.n_features:,}",
            "make the learner with as many",
        )
    rounds = cluster.each(rounds_of, partitions.chunks)
    counts = np.array(cluster.results(cluster.each(n_rounds, rounds)))
    total, done = int(counts.sum()), 0
    before = taken_turns(counts, 0)
    while done < total:
        size = min(learner.batch - learner.rounds % learner.batch, total - done)
        after = taken_turns(counts, done + size)
        busy = np.flatnonzero(after > before).tolist()
        weights = cluster.shared(np.array(learner.weights))
        sums = cluster.each(
            batch_sum,
            [rounds[part] for part in busy],
            before[busy].tolist(),
            after[busy].tolist(),
            shared=(weights, learner.feature_map),
        )
        difference = cluster.result(cluster.total(sums, np.add))
        for _ in range(size - 1):  # rounds whose differences wait until the batch is full
            learner.learn_difference(np.zeros(learner.n_features))
        learner.learn_difference(difference)
        done, before = done + size, after
        step_done(done, total)
    return learner


def check_perceptron(learner: PreferencePerceptron) -> None:
    """Reject a learner whose objects are no rankings, or that presents by a mean which changes inside a batch."""
    if learner.averaged:
        raise InvalidInput.of(
            "averaged",
            "be False on a cluster, since the mean changes with each round of a batch",
            "True",
            "take averaged_weights after the fit",
        )
    if not isinstance(learner.feature_map, RankingMap):
        raise InvalidInput.of(
            "feature_map",
            "be a RankingMap on a cluster",
            repr(learner.feature_map),
            "rank the rows of a query",
        )
