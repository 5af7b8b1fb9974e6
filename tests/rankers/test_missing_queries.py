"""Many graded rows without queries: who is warned, how often, and who is not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from penchant.errors import PenchantWarning
from penchant.rankers import PairwiseRanker, RankBoost, RankSVM, missing_queries

WORDS = r"qid must name the query of each row, got none .*: pass qid=qid.* one list, pass qid=np.zeros"


@pytest.fixture(autouse=True)
def nothing_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_queries, "_warned", set())


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
