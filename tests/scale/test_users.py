"""Each user's weights are those that the user's own learner has after the same presentations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from penchant.coactive import ConvexPerceptron, ItemMap, PreferencePerceptron, RankingMap
from penchant.errors import InvalidInput
from penchant.orders import prepend
from penchant.scale import learn_users
from penchant.scale.users import EventColumns, user_weights
from tests.scale.graded_data import client_peak

dd = pytest.importorskip("dask.dataframe")
FEATURES = ("a", "b", "c")
COLUMNS = EventColumns("user", "round", "position", "clicked", FEATURES)


def events(n_users=6, n_rounds=4, n_candidates=7, seed=0):
    """Presentations with none, one or several clicks, in any order of rows."""
    random = np.random.default_rng(seed)
    n = n_users * n_rounds * n_candidates
    table = pd.DataFrame(random.normal(size=(n, 3)), columns=list(FEATURES))
    table["user"] = np.repeat([f"user {k}" for k in range(n_users)], n_rounds * n_candidates)
    table["round"] = np.tile(np.repeat(random.permutation(n_rounds), n_candidates), n_users)
    table["position"] = np.tile(np.arange(1, n_candidates + 1), n_users * n_rounds)
    table["clicked"] = random.random(n) < 0.25
    return table.sample(frac=1, random_state=1, ignore_index=True)


def one_by_one(learner, table):
    """The weights of each user, presentation by presentation."""
    found = {}
    for user, own_rows in table.groupby("user"):
        own = learner.copy()
        for _, rows in own_rows.sort_values(["round", "position"]).groupby("round"):
            X, n = rows[list(FEATURES)].to_numpy(), len(rows)
            feedback = prepend(np.arange(n), np.flatnonzero(rows["clicked"]))
            if isinstance(own.feature_map, ItemMap):
                own.update(X, 0, int(feedback[0]))
            else:
                own.update(X, np.arange(n), feedback)
        found[user] = own.averaged_weights if own.averaged else own.weights
    return found


@pytest.mark.parametrize(
    "learner",
    [
        PreferencePerceptron(RankingMap(), 3),
        PreferencePerceptron(RankingMap(depth=3, log="base2"), 3, batch=3, averaged=True),
        PreferencePerceptron(ItemMap(), 3),
        ConvexPerceptron(RankingMap(), 3, radius=2.0),
    ],
)
def test_weights_are_those_of_single_learners(learner):
    """Of several learners and maps, from rows in any order."""
    table = events()
    found = user_weights(table, learner, COLUMNS).set_index("user")
    expected = one_by_one(learner, table)
    assert found.index.tolist() == sorted(expected)
    assert found["rounds"].tolist() == [4] * 6
    for user, weights in expected.items():
        assert_allclose(found.loc[user, list(FEATURES)].to_numpy(float), weights, rtol=1e-9, atol=1e-12)


def test_users_come_together_on_the_workers(client, tmp_path):
    """Rows of a user in all partitions, from Parquet files; every user is in the table once."""
    table = events(9).rename(columns={"user": "who"})
    for part in range(3):
        table[part::3].to_parquet(tmp_path / f"{part}.parquet")
    learner = PreferencePerceptron(RankingMap(), 3)
    found = learn_users(learner, str(tmp_path / "*.parquet"), user="who", client=client)
    computed = client.compute(found).result().set_index("who").sort_index()
    expected = user_weights(events(9), learner, COLUMNS).set_index("user")
    assert computed.index.tolist() == expected.index.tolist()
    assert_allclose(computed.to_numpy(float), expected.to_numpy(float), rtol=1e-9, atol=1e-12)


def test_partitions_of_whole_users_stay_where_they_are():
    """Without a client the table is lazy; an empty partition has no users."""
    table = events(2)
    halves = pd.concat([table[table["user"] == "user 0"], table[table["user"] == "user 1"]])
    lazy = learn_users(
        PreferencePerceptron(RankingMap(), 3),
        dd.from_pandas(halves.reset_index(drop=True), npartitions=1),
        whole_users=True,
    )
    assert list(lazy.columns) == ["user", "rounds", *FEATURES]
    assert len(lazy.compute(scheduler="synchronous")) == 2
    empty = user_weights(table[:0], PreferencePerceptron(RankingMap(), 3), COLUMNS)
    assert empty.shape == (0, 5)


def test_what_cannot_be_learned_from_is_named():
    """Missing columns, another number of features, no learner, and cells that are empty."""
    table = dd.from_pandas(events(2), npartitions=1)
    learner = PreferencePerceptron(RankingMap(), 3)
    for arguments, message in (
        ((learner, table, "time"), "events must have a column 'time'"),
        ((PreferencePerceptron(RankingMap(), 2), table, "round"), "events must have 2 features"),
        ((7, table, "round"), "learner must be a coactive learner"),
        ((learner, events(2), "round"), "events must be a dask DataFrame"),
    ):
        with pytest.raises(InvalidInput, match=message):
            learn_users(arguments[0], arguments[1], round=arguments[2])
    holes = events(2)
    holes.loc[5, "b"] = np.nan
    with pytest.raises(InvalidInput, match="partition: b of row 5 must be there"):
        user_weights(holes, learner, COLUMNS)
    holes.loc[5, "b"] = np.inf
    with pytest.raises(InvalidInput, match="features of row 5 must be finite"):
        user_weights(holes, learner, COLUMNS)


@pytest.mark.parametrize("name", ["round", "position", "clicked", "a"])
def test_text_is_rejected(name):
    """Places would be sorted as text, and any text would be a click."""
    table = events(2, 2, 3)
    table[name] = table[name].astype(str)
    with pytest.raises(InvalidInput, match=f"{name} must hold"):
        user_weights(table, PreferencePerceptron(RankingMap(), 3), COLUMNS)


def test_a_place_has_one_candidate():
    """Else the order in which candidates were shown is not known."""
    table = events(2, 2, 3).sort_values(["user", "round", "position"], ignore_index=True)
    table.loc[4, "position"] = table.loc[3, "position"]
    with pytest.raises(InvalidInput, match="position of row 4 must be that of one candidate of its round"):
        user_weights(table, PreferencePerceptron(RankingMap(), 3), COLUMNS)


def _many(seed):
    table = events(500, 4, 10, seed=seed)
    return table.assign(round=table["round"] + 4 * seed)


def test_the_client_holds_no_events(client):
    """80,000 candidates with their users exchanged, 4.5 MB as arrays, take the client less than 2 MB at any time."""
    from dask import delayed

    def work():
        parts = [delayed(_many)(seed) for seed in range(4)]
        table = dd.from_delayed(parts, meta=events()[:0])
        weights = learn_users(PreferencePerceptron(RankingMap(), 3), table, client=client)
        return client.compute(weights["rounds"].sum()).result()

    rounds, peak = client_peak(work)
    assert rounds == 500 * 16
    assert peak < 2
