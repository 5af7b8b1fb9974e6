"""Preferences as rows, pairs and totals from which live beliefs start."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.live_data import LiveData, check_item_count, item_features, learned_part

ANSWERS = Preferences.from_answers(
    ["a", "b", "b", "a", "c"],
    ["b", "a", "c", "b", "a"],
    ["left", "left", "both_bad", "tie", "right"],
    items="abcd",
)


def test_the_bar_is_behind_the_items() -> None:
    """Both-bad answers compare the bar, of row n_items, with both items; counts are of answers, not of comparisons."""
    data = LiveData.of(ANSWERS)
    assert data.items == ("a", "b", "c", "d")
    assert data.counts.tolist() == [4, 4, 2, 0]
    pairs, totals = data.totals()
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 4], [2, 4]]
    assert totals.tolist() == [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert len(data.between) == 4


def test_learning_is_from_the_first_answers() -> None:
    """They end with the answer that brings one item too many, whatever comes after it."""
    rng = np.random.default_rng(0)
    pairs = np.array([rng.choice(30, 2, replace=False) for _ in range(100)])
    answers = Answers(pairs, np.ones(100), np.zeros(100, dtype=bool))
    for most in range(2, 31):
        count = len(learned_part(answers, most))
        assert learned_part(answers, most).pairs.tolist() == pairs[:count].tolist()
        assert len(np.unique(pairs[:count])) <= most
        assert count == 100 or len(np.unique(pairs[: count + 1])) > most
        assert len(learned_part(answers[: count + 1], most)) == count or count == 100
    assert len(learned_part(answers, 30)) == 100


def test_features_are_matched_by_id() -> None:
    """A frame may have its rows in another order, and more of them; an array has a row for each item."""
    frame = pd.DataFrame({"size": [4.0, 3, 2, 1, 9]}, index=list("dcbax"))
    rows, names = item_features(frame, ANSWERS)
    assert rows.ravel().tolist() == [1, 2, 3, 4]
    assert names == ("size",)
    numbered = Preferences.from_pairs([(0, 1)], items=range(3))
    assert item_features(np.eye(3), numbered)[1] == ("feature 0", "feature 1", "feature 2")
    with pytest.raises(InvalidInput, match="3 rows"):
        item_features(np.eye(4), numbered)
    with pytest.raises(InvalidInput):
        item_features(frame[:2], ANSWERS)


def test_too_many_items_are_an_error() -> None:
    """The message says the limit, the number and what takes more."""
    with pytest.raises(InvalidInput, match=r"at most 10 .* got 11.*LinkedGP"):
        check_item_count("PreferenceGP", 11, 10)
    check_item_count("PreferenceGP", 10, 10)
