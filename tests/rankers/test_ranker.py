"""Input checks of every ranker, and the warning about graded rows without queries."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from penchant import Preferences
from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.metrics import pair_accuracy
from penchant.rankers import (
    LabelRanker,
    NearestLabelRanker,
    OrdinalRegression,
    PairwiseRanker,
    RankBoost,
    RankSVM,
    ranker,
)

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
    """Each wrong argument of fit is rejected with a message that names what was received."""
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
    """Each wrong argument of fit_pairs is rejected with a message that names what was received."""
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


WORDS = r"qid must name the query of each row, got none .*: pass qid=qid.* one list, pass qid=np.zeros"


@pytest.fixture(autouse=True)
def nothing_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranker, "_warned", set())


def rows(n: int = 1_200) -> tuple[Any, Any, Any]:
    """Queries of ten rows, graded 0 to 2 by their first feature."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(n // 10), 10)
    X = rng.normal(size=(n, 2))
    grades = np.digitize(X[:, 0] + rng.normal(0, 0.3, n), [0.0, 1.0])
    return X, grades, qid


@pytest.mark.parametrize(
    "model",
    [RankSVM(), RankBoost(2), PairwiseRanker(max_pairs=10**6)],
    ids=lambda model: type(model).__name__,
)
def test_every_ranker_warns_of_many_graded_rows_without_queries(model: Any) -> None:
    """The warning names the fix and the way to say that there is one list, and both are silent."""
    X, _, qid = rows()
    grades = np.arange(len(qid)) % 100 == 0  # a few relevant rows, so that few pairs are written out
    with pytest.warns(PenchantWarning, match=WORDS) as caught:
        model.fit(X, grades)
    assert [warning.filename for warning in caught] == [__file__]
    model.fit(X, grades, qid=qid)
    model.fit(X, grades, qid=np.zeros(len(grades)))


def test_a_score_warns_too() -> None:
    """Rows of all queries are compared in it just as well."""
    X, grades, qid = rows()
    model = RankSVM().fit(X, grades, qid=qid)
    with pytest.warns(PenchantWarning, match=WORDS):
        model.score(X, grades)
    model.score(X, grades, qid=qid)


@pytest.mark.parametrize(
    ("n_rows", "grades"),
    [
        (1_000, np.arange(1_000) % 3),
        (1_200, np.arange(1_200) % 21),
        (1_200, np.linspace(0, 1, 1_200)),
    ],
    ids=["1,000 rows", "21 grades", "numbers"],
)
def test_one_list_of_usual_length_or_of_fine_grades_is_silent(n_rows: int, grades: Any) -> None:
    """What a person grades by hand, and targets such as sales, need no queries."""
    RankSVM().fit(rows(n_rows)[0], grades)


def test_a_search_without_queries_warns_once_for_all_its_fits() -> None:
    """Groups for the folds are no queries for the ranker: one warning, at the line of the search."""
    X, grades, qid = rows(1_800)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), RankSVM()), {"ranksvm__C": [0.1, 1.0]}, cv=GroupKFold(3)
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X, grades, groups=qid)
    assert [(warning.category, warning.filename) for warning in caught] == [(PenchantWarning, __file__)]


def test_another_line_warns_again() -> None:
    """A warning that was given for one fit does not silence the next."""
    X, grades, _ = rows()
    for expected in (2, 0):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            RankSVM().fit(X, grades)
            RankSVM().fit(X, grades)
        assert len(caught) == expected


def test_a_warning_that_is_an_error_is_one_every_time() -> None:
    """What was raised has not been shown, so it is raised again."""
    X, grades, _ = rows()
    for _ in range(2):
        with pytest.raises(PenchantWarning):
            RankSVM().fit(X, grades)


def test_a_search_with_routed_queries_is_silent() -> None:
    """The way that the docs show: groups for the folds, qid for the ranker."""
    X, grades, qid = rows()
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), RankSVM())
        search = GridSearchCV(pipeline, {"ranksvm__C": [0.1, 1.0]}, cv=GroupKFold(3), error_score="raise")
        search.fit(X, grades, groups=qid, qid=qid)
    by_hand = RankSVM(C=search.best_params_["ranksvm__C"]).fit(
        StandardScaler().fit_transform(X), grades, qid=qid
    )
    np.testing.assert_array_equal(search.best_estimator_[-1].coef_, by_hand.coef_)


@pytest.mark.parametrize(
    "model",
    [OrdinalRegression(), LabelRanker(), NearestLabelRanker(), RankSVM()],
    ids=lambda model: type(model).__name__,
)
def test_words_among_the_features_are_named_with_their_column(model: Any) -> None:
    """A frame's column is called by its name, an array's by its number, and the remedy encodes it."""
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0], "Infl": pd.Categorical(["Low", "High", "Low"])})
    y = [[1, 2], [2, 1], [1, 2]] if "Label" in type(model).__name__ else [0, 1, 0]
    with pytest.raises(
        InvalidInput, match=r"features in column 'Infl' must be numbers, got words such as 'Low'"
    ):
        model.fit(frame, y)
    with pytest.raises(InvalidInput, match=r"features in column 1 must be numbers, .*get_dummies"):
        model.fit(frame.to_numpy(dtype=object), y)
    model.fit(pd.get_dummies(frame, drop_first=True, dtype=float), y)


@pytest.mark.parametrize("model", [RankSVM(), RankBoost(3), PairwiseRanker()])
def test_queries_may_be_given_by_their_sizes(model) -> None:
    """Sizes give what the same queries as labels give; both, or sizes that do not fit, are an error."""
    rng = np.random.default_rng(0)
    X, grades, qid = (
        rng.normal(size=(9, 3)),
        np.array([0, 1, 2, 1, 0, 2, 0, 1, 0]),
        [0, 0, 0, 1, 1, 2, 2, 2, 2],
    )
    by_label = clone(model).fit(X, grades, qid=qid)
    by_size = clone(model).fit(X, grades, group=[3, 2, 4])
    assert by_size.predict(X).tolist() == by_label.predict(X).tolist()
    assert by_size.score(X, grades, group=[3, 2, 4]) == by_label.score(X, grades, qid=qid)
    with pytest.raises(InvalidInput, match="group and qid both name the queries"):
        clone(model).fit(X, grades, qid=qid, group=[3, 2, 4])
    with pytest.raises(InvalidInput, match="group must add up to 9 rows, got 5"):
        clone(model).fit(X, grades, group=[3, 2])
    with pytest.raises(InvalidInput, match=r"group must add up to 9 rows, got 18,446,744,073,709,551,625"):
        clone(model).fit(X, grades, group=[2**62, 2**62, 2**62, 2**62 + 9])
    with pytest.raises(InvalidInput, match="group must be the number of rows of each query"):
        clone(model).fit(X, grades, group=[0.5, 8.5])


@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_weights_whose_products_are_no_numbers_are_rejected(weight: float) -> None:
    """They are not taken for pairs that count nothing."""
    with pytest.raises(InvalidInput, match="weights of all pairs must add up to a finite number above 0"):
        RankSVM().fit([[0.0], [1.0], [2.0]], [0, 1, 2], sample_weight=[weight] * 3)
    with pytest.raises(InvalidInput, match="weights of all pairs must add up to a finite number above 0"):
        RankSVM().fit_pairs([[0.0], [1.0]], [[0, 1], [1, 0]], weight=[1.7e308, 1.7e308])


def test_the_score_takes_weights() -> None:
    """A row of weight 0 is in no pair that counts."""
    model = RankSVM().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    assert model.score([[0.0], [1.0], [2.0]], [0, 2, 1]) == pytest.approx(2 / 3)
    assert model.score([[0.0], [1.0], [2.0]], [0, 2, 1], sample_weight=[1, 1, 0]) == 1.0
