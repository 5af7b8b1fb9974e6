"""The web-search setting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from penchant.coactive import RankingMap
from penchant.errors import InvalidInput
from penchant.simulate import WebSearch
from penchant.simulate.web import least_squares
from tests.simulate.tables import web


def test_rows_are_scaled_grouped_and_shuffled() -> None:
    """Each feature runs from 0 to 1, a query keeps its documents with their grades, in an order by the seed."""
    random = np.random.default_rng(0)
    X, grades, qid = random.normal(5, 3, (60, 3)), random.integers(0, 5, 60), random.integers(0, 7, 60)
    X[:, 2] = 4.0
    setting = WebSearch.from_rows(X, grades, qid, seed=1)
    assert setting.features[:, :2].min(axis=0).tolist() == [0, 0]
    assert setting.features[:, :2].max(axis=0).tolist() == [1, 1]
    assert not setting.features[:, 2].any()
    scaled = (X - X.min(axis=0)) / np.array([*np.ptp(X[:, :2], axis=0), 1.0])
    moved = 0
    for query, name in enumerate(np.unique(qid)):
        told = setting.documents(query)
        rows = np.column_stack([scaled, grades])[qid == name]
        found = np.column_stack([told.features, told.grades])
        assert sorted(map(tuple, rows)) == sorted(map(tuple, found))
        moved += not np.array_equal(rows, found)
    assert moved >= 5
    again, other = (WebSearch.from_rows(csr_array(X), grades, qid, seed=seed) for seed in (1, 2))
    assert np.array_equal(again.features, setting.features)
    assert not np.array_equal(other.features, setting.features)


def test_the_truth_is_the_least_squares_fit_of_all_data() -> None:
    """w* is that of a direct solver, also where features repeat one another, and utilities are w*ᵀx."""
    random = np.random.default_rng(0)
    X, grades = random.random((200, 5)), random.integers(0, 5, 200).astype(float)
    X[:, 4] = X[:, 3]
    expected = np.linalg.lstsq(X, grades, rcond=None)[0]
    np.testing.assert_allclose(least_squares(X, grades), expected, atol=1e-8)
    setting = WebSearch(X, [0, 120, 200], grades)
    np.testing.assert_allclose(setting.utilities, X @ expected, atol=1e-8)


def test_the_best_of_each_query_is_that_of_its_documents() -> None:
    """Best utilities and DCGs of all queries at once are those that each query tells by itself."""
    setting = web(50, 4, feature_map=RankingMap(3, log="base2"))
    queries = [setting.documents(query) for query in range(50)]
    np.testing.assert_allclose(setting.best_utilities, [query.best_utility for query in queries], atol=1e-12)
    np.testing.assert_allclose(setting.best_dcgs, [query.best_dcg for query in queries], atol=1e-12)


def test_letor_files_are_read_as_one_set(tmp_path: Path) -> None:
    """Two files with the same query numbers are different queries, and the wider one sets the features."""
    (tmp_path / "a.txt").write_text("2 qid:1 1:0.5 2:1\n0 qid:1 1:1.5\n1 qid:2 1:2.5\n")
    (tmp_path / "b.txt").write_text("0 qid:1 3:1\n")
    setting = WebSearch.read([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert (setting.n_queries, setting.n_features) == (3, 3)
    assert setting.starts.tolist() == [0, 2, 3, 4]
    assert WebSearch.read(tmp_path / "a.txt").n_queries == 2


GOOD = {"features": np.ones((3, 2)), "starts": [0, 2, 3], "grades": [0, 1, 2]}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"features": np.ones(3)}, "float matrix"),
        ({"features": np.ones((3, 2), dtype=int)}, "float matrix"),
        ({"features": np.full((3, 2), np.nan)}, "row 0, column 0"),
        ({"starts": [0, 2]}, "starts must rise"),
        ({"starts": [0, 2, 2, 3]}, "starts must rise"),
        ({"grades": [0, 1]}, "3 entries"),
        ({"grades": [0, 1, -1]}, "at least 0"),
        ({"weights": [1.0]}, "2 entries"),
    ],
)
def test_sets_that_make_no_sense_are_refused(bad: dict[str, object], message: str) -> None:
    """Each says what is wrong and where."""
    with pytest.raises(InvalidInput, match=message):
        WebSearch(**(GOOD | bad))
