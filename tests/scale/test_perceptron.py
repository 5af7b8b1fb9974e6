"""Mini-batches on a cluster are those of Algorithm 2 on one machine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant.coactive import ItemMap, PreferencePerceptron, RankingMap
from penchant.errors import InvalidInput
from penchant.scale import fit
from penchant.scale.perceptron import corrected, taken_turns
from tests.scale.graded_data import client_peak, graded, many

dask = pytest.importorskip("dask")


def one_machine(learner, queries):
    """Algorithm 2, round by round."""
    for X, grades in queries:
        presented = learner.present(X)
        learner.update(X, presented, corrected(presented, grades))
    return learner


@pytest.mark.parametrize("settings", [{"batch": 7}, {"batch": 4, "forget": 0.05}])
def test_the_weights_are_those_of_one_machine(client, settings):
    """Partitions of 3, 12 and 5 queries take turns; the last batch is not full, and waits."""
    X, grades, qid, _ = graded(20, 6, 3)
    bounds = [(0, 3), (3, 15), (15, 20)]
    parts = [dask.delayed((X[6 * a : 6 * b], grades[6 * a : 6 * b], qid[6 * a : 6 * b])) for a, b in bounds]
    found = fit(PreferencePerceptron(RankingMap(), 3, **settings), parts, client=client)
    order = [a + turn for turn in range(12) for a, b in bounds if a + turn < b]
    queries = [(X[qid == query], grades[qid == query]) for query in order]
    local = one_machine(PreferencePerceptron(RankingMap(), 3, **settings), queries)
    assert found.rounds == local.rounds == 20
    assert_allclose(found.weights, local.weights, rtol=1e-9)
    assert_allclose(found.averaged_weights, local.averaged_weights, rtol=1e-9)
    assert_allclose(found.state_row(), local.state_row(), rtol=1e-9, atol=1e-12)


def test_partitions_take_turns():
    """Counts grow by one partition with each round, and end at all."""
    counts = np.array([3, 0, 5, 1])
    steps = np.array([taken_turns(counts, done) for done in range(10)])
    assert (np.diff(steps, axis=0).sum(axis=1) == 1).all()
    assert steps[-1].tolist() == counts.tolist()
    assert steps[4].tolist() == [2, 0, 1, 1]


def test_other_objects_and_features_are_rejected(client):
    """The map before anything runs, the number of features after reading."""
    with pytest.raises(InvalidInput, match="feature_map must be a RankingMap"):
        fit(PreferencePerceptron(ItemMap(), 2), [dask.delayed(1)])
    with pytest.raises(InvalidInput, match="averaged must be False"):
        fit(PreferencePerceptron(RankingMap(), 2, averaged=True), [dask.delayed(1)])
    X, grades, qid, _ = graded(2, 3, 2)
    with pytest.raises(InvalidInput, match="rows must have the 5 features"):
        fit(PreferencePerceptron(RankingMap(), 5), [dask.delayed((X, grades, qid))], client=client)


def test_the_client_holds_corrections_only(client):
    """60,000 rows of 40 features, 19 MB as arrays, take the client less than 3 MB at any time."""
    parts = [dask.delayed(many)(seed) for seed in range(4)]
    learner = PreferencePerceptron(RankingMap(), 40, batch=600)
    found, peak = client_peak(lambda: fit(learner, parts, client=client))
    assert found.rounds == 2400
    assert peak < 3
