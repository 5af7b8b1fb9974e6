from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from penchant import Preferences
from penchant.errors import InvalidInput, NotFitted
from penchant.metrics import pair_accuracy
from penchant.rankers import RankSVM

X = np.array([[0.0], [1.0], [2.0]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"y": None}, "requires y to be passed"),
        ({"y": [[0, 1], [1, 2]]}, r"got shape \(2, 2\): .* RankSVM.fit_pairs\(X, pairs\)"),
        ({"y": [0, 1]}, "grade must have 3 entries, one a row, got 2"),
        ({"y": [0, 1, np.nan]}, "grade of row 2 must be a finite number, got nan"),
        ({"y": ["a", "b", "c"]}, "grade must be numbers"),
        ({"y": [1, 1, 1]}, "must have different grades .* got none in 1 queries of 3 samples"),
        ({"y": [0, 1, 2], "qid": [1, 2, 3]}, "got none in 3 queries"),
        ({"y": [0, 1, 2], "qid": [1, 2]}, "qid must have 3 entries"),
        ({"y": [0, 1, 2], "qid": [1, 1, None]}, "qid of row 2 must be a label"),
        ({"y": [0, 1, 2], "sample_weight": [1, -1, 1]}, "sample_weight of row 1 must be at least 0, got -1"),
        ({"y": [0, 1, 2], "sample_weight": [0, 0, 0]}, "got a weight of zero for all"),
        ({"y": [0, 1, 1], "sample_weight": [0, 1, 1]}, "weights above 0, got none"),
        ({"y": [0, 1, 2], "X": [[0.0], [np.nan], [1.0]]}, "contains NaN"),
        ({"y": [], "X": np.empty((0, 1))}, "minimum of 1 is required"),
    ],
)
def test_graded_rows_that_cannot_be_used_are_refused(arguments: dict[str, Any], words: str) -> None:
    """Each wrong argument of fit is refused in words that say what came."""
    with pytest.raises(InvalidInput, match=words):
        RankSVM().fit(**{"X": X, **arguments})


@pytest.mark.parametrize(
    ("pairs", "weight", "words"),
    [
        ([0, 1], None, r"two columns, got shape \(2,\)"),
        (np.empty((0, 2)), None, "at least one row"),
        ([(0, 3)], None, r"pair 0 must be two different rows from 0 to 2, got \(0, 3\)"),
        ([(0, 1), (1, 1)], None, r"pair 1 must be two different rows"),
        ([(0, 0.5)], None, "pair 0 must be two different rows"),
        ([(0, 1)], [0.0], "weight of row 0 must be above 0"),
        ([(0, 1)], [1.0, 1.0], "weight must have 1 entries"),
        (Preferences.from_pairs([(0, 1)]), [1.0], "must not be given beside Preferences"),
        (Preferences.from_pairs([(0, 1)], tie=[True]), None, "at least one pair, got none"),
        (Preferences.from_pairs([(0, 4)]), None, "a row for each of 5 items, got 3"),
        (Preferences.from_pairs([("a", "b")]), None, "must be a DataFrame"),
        (Preferences.from_answers([0, 1], [1, 2], ["left", "both_bad"]), None, "the bar of both-bad answers"),
        (Preferences.from_grades(np.arange(20_000)), None, "at most 50,000,000, got 199,990,000 implied"),
    ],
)
def test_pairs_that_cannot_be_used_are_refused(pairs: Any, weight: Any, words: str) -> None:
    """Each wrong argument of fit_pairs is refused in words that say what came."""
    with pytest.raises(InvalidInput, match=words):
        RankSVM().fit_pairs(X, pairs, weight=weight)


def test_asking_before_fitting_is_refused() -> None:
    """In Penchant's word and in scikit-learn's."""
    for word in (NotFitted, NotFittedError):
        with pytest.raises(word, match="RankSVM must be fitted first"):
            RankSVM().predict(X)


def test_the_score_is_the_accuracy_of_pairs_inside_queries() -> None:
    """A float, with ties earning nothing and no pair across queries."""
    rng = np.random.default_rng(0)
    features, y, qid = rng.normal(size=(30, 2)), rng.integers(3, size=30), np.arange(30) // 5
    model = RankSVM().fit(features, y, qid=qid)
    found = model.score(features, y, qid=qid)
    assert type(found) is float
    assert found == pair_accuracy(y, model.predict(features), qid=qid).accuracy
    with pytest.raises(InvalidInput, match="fit_pairs"):
        model.score(features, features)
