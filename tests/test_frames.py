"""Tables of polars and pyarrow go in wherever pandas' do, with the same result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.frames import as_column, as_features, as_frame
from penchant.gp import LinkedGP, PreferenceGP
from penchant.rankers import OrdinalRegression, RankSVM
from penchant.saving import to_bytes
from penchant.worth import BradleyTerry

GAMES = {
    "winner": ["tea", "milk", "tea", "beer"],
    "loser": ["milk", "beer", "beer", "tea"],
    "judge": ["ann", None, "bob", "ann"],
    "weight": [1.0, 2.0, 1.0, 3.0],
    "tie": [False, True, False, False],
}
FEATURES = {"price": [1.0, 2.0, 4.0], "hot": [1, 0, 0]}
IDS = ["tea", "milk", "beer"]
KINDS = [pl.DataFrame, pa.table]


@pytest.mark.parametrize("table", KINDS)
def test_preferences_are_those_of_pandas(table: Any) -> None:
    """Columns of text, numbers, flags and missing names give the same preferences."""
    names = {"better": "winner", "worse": "loser", "judge": "judge", "weight": "weight", "tie": "tie"}
    expected = Preferences.from_frame(pd.DataFrame(GAMES), **names)
    assert to_bytes(Preferences.from_frame(table(GAMES), **names)) == to_bytes(expected)
    pairs = {"a": GAMES["winner"], "b": GAMES["loser"]}
    assert Preferences.from_pairs(table(pairs)).items == ("beer", "milk", "tea")
    columns = table(GAMES)
    again = Preferences.from_answers(
        columns["winner"], columns["loser"], ["left"] * 4, judge=columns["judge"]
    )
    assert again.judges == ("ann", "bob")
    with pytest.raises(InvalidInput, match="column 'name' must be in the table, which has 'winner', 'loser'"):
        Preferences.from_frame(table(GAMES), better="name", worse="loser")
    found = Preferences.from_frame(table(GAMES))
    assert to_bytes(found) == to_bytes(Preferences.from_frame(pd.DataFrame(GAMES)))
    with pytest.raises(InvalidInput, match="columns must say who was preferred, got 'price', 'hot'"):
        Preferences.from_frame(table(FEATURES))


@pytest.mark.parametrize("table", KINDS)
def test_features_are_matched_by_their_column_of_ids(table: Any) -> None:
    """The only column of text holds the ids, as the index of a pandas frame does."""
    prefs = Preferences.from_pairs([("tea", "milk"), ("tea", "beer"), ("milk", "beer")])
    frame, other = pd.DataFrame(FEATURES, index=IDS), table({"id": IDS, **FEATURES})
    expected = PreferenceGP(optimizer=None).fit_pairs(frame, prefs)
    model = PreferenceGP(optimizer=None).fit_pairs(other, prefs)
    assert model.feature_names_in_ == ("price", "hot")
    np.testing.assert_allclose(model.predict(other), expected.predict(frame))
    worth = BradleyTerry(0.1).fit(prefs, features=other)
    np.testing.assert_allclose(worth.scores_, BradleyTerry(0.1).fit(prefs, features=frame).scores_)
    linked = LinkedGP().fit(other)
    assert linked.items_ == ("tea", "milk", "beer")


@pytest.mark.parametrize("table", KINDS)
def test_rankers_take_them(table: Any) -> None:
    """A ranker learns the same from a table of polars or pyarrow."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    grades = (X[:, 0] > 0).astype(int)
    other = table({"x": X[:, 0], "y": X[:, 1]})
    expected = RankSVM().fit(X, grades).predict(X)
    np.testing.assert_allclose(RankSVM().fit(other, grades).predict(other), expected)


def test_the_declared_order_of_categories_is_kept() -> None:
    """An Enum of polars and an ordered dictionary of pyarrow order labels as a pandas categorical does."""
    labels, order = ["low", "high", "mid", "high", "low", "mid"], ["low", "mid", "high", "top"]
    X = np.array([[0.0], [2], [1], [3], [0.5], [1.5]])
    numbers = pa.array([order.index(label) for label in labels])
    dictionary = pa.DictionaryArray.from_arrays(numbers, pa.array(order), ordered=True)
    for y in (pl.Series(labels, dtype=pl.Enum(order)), pa.chunked_array([dictionary])):
        assert list(as_column(y).cat.categories) == order
        assert OrdinalRegression().fit(X, y).classes_.tolist()[:3] == order[:3]
    unordered = as_column(pl.Series(labels, dtype=pl.Categorical))
    assert not isinstance(unordered.dtype, pd.CategoricalDtype)


def test_what_is_no_table_stays_as_it_is() -> None:
    """Arrays, lists and pandas' own come back themselves; a lazy frame says what to do."""
    frame = pd.DataFrame({"a": [1]})
    for value in (frame, [[1]], np.eye(2), None, "text"):
        assert as_frame(value) is value
        assert as_column(value) is value
    assert as_features(frame) is frame
    two = as_features(pl.DataFrame({"id": ["a"], "name": ["b"], "x": [1]}))
    assert list(two.columns) == ["id", "name", "x"]
    with pytest.raises(InvalidInput, match=r"must be in memory, got LazyFrame: call its method collect\(\)"):
        as_frame(pl.DataFrame({"a": [1]}).lazy())
