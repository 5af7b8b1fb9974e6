"""The sets of the lecture's tasks."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.papers.lecture.sets import (
    CATEGORY_SETS,
    LABEL_SETS,
    QUERY_SETS,
    GradedQueries,
    Rows,
    category_rows,
    fold,
    label_rows,
    query_parts,
    sushi_rows,
)
from tests.conftest import DATA


def test_stand_ins_have_the_shape_of_the_sets() -> None:
    """Rows, features, and labels or categories."""
    for name, shape in LABEL_SETS.items():
        rows = label_rows(names=(name,), seed=0, data=None)[name]
        assert (*rows.X.shape, rows.target.shape[1]) == shape
        assert (np.sort(rows.target, axis=1) == np.arange(1, shape[2] + 1)).all()
    for name, (n, width, categories) in CATEGORY_SETS.items():
        rows = category_rows(names=(name,), seed=0, data=None)[name]
        assert (rows.X.shape, len(np.unique(rows.target))) == ((n, width), categories)
    assert sushi_rows(seed=0, data=None).target.shape == (5_000, 10)


@pytest.mark.needs("data:ordinal", "data:label-ranking", "data:sushi")
def test_real_rows_are_read() -> None:
    """The shapes are those that are written down; the first guest's order is that of the file."""
    for name, rows in label_rows(names=("iris", "glass", "wisconsin"), seed=0, data=DATA).items():
        assert (*rows.X.shape, rows.target.shape[1]) == LABEL_SETS[name]
    names = ("esl", "contact-lenses", "gagolews/glass", "gagolews/affairs")
    for name, rows in category_rows(names=names, seed=0, data=DATA).items():
        assert (*rows.X.shape, rows.target.max() + 1) == CATEGORY_SETS[name]
        assert np.isfinite(rows.X).all()
    guests = sushi_rows(seed=0, data=DATA)
    assert guests.X.shape == (5_000, 26)
    with tarfile.open(DATA / "sushi" / "sushi.tar.xz") as packed:
        file = packed.extractfile("sushi/sushi3a.5000.10.order")
        assert file is not None
        order = [int(kind) for kind in file.read().splitlines()[1].split()[2:]]
    assert np.argsort(guests.target[0]).tolist() == order


@pytest.mark.needs("data:mslr-sample")
def test_the_samples_own_split_is_the_first_fold() -> None:
    """Five parts of 18 queries: three of what teaches, then validation and test."""
    parts = query_parts("mslr-sample", seed=0, data=DATA)
    assert [int(part.qid[-1]) + 1 for part in parts] == [18] * 5
    assert [sum(len(part.grades) for part in parts[:3]), *(len(part.grades) for part in parts[3:])] == [
        5_555,
        1_734,
        1_900,
    ]


def test_parts_of_a_stand_in_hold_each_query_once() -> None:
    """As many queries and features as the set has; a query is never torn apart."""
    parts = query_parts("letor2-ohsumed", seed=0, data=None)
    queries, _, features = QUERY_SETS["letor2-ohsumed"]
    assert sum(int(part.qid[-1]) + 1 for part in parts) == queries
    assert {part.X.shape[1] for part in parts} == {features}
    joined = GradedQueries.joined(parts)
    assert (np.diff(joined.qid) >= 0).all()
    assert joined.qid[-1] + 1 == queries


def test_the_first_queries_are_kept_whole() -> None:
    """As many as fit, and at least one."""
    given = GradedQueries(np.arange(6.0)[:, None], np.zeros(6), np.array([0, 0, 0, 1, 1, 2]))
    assert [len(given.first(most).grades) for most in (None, 5, 4, 1)] == [6, 5, 3, 3]


def test_folds_share_out_all_rows() -> None:
    """Each row judges once, and never where it teaches."""
    folds = [fold(11, number, 3, seed=0) for number in range(3)]
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(11))
    assert all(not set(train) & set(test) and len(train) + len(test) == 11 for train, test in folds)


def test_at_most_so_many_rows_are_drawn() -> None:
    """Rows stay with their targets."""
    rows = Rows(np.arange(9.0)[:, None], np.arange(9))
    few = rows.drawn(4, seed=0)
    assert len(few.X) == 4
    assert (few.X[:, 0] == few.target).all()
    assert rows.drawn(9, seed=0) is rows.drawn(None, seed=0) is rows


def test_a_folder_without_the_set_is_rejected(tmp_path: Path) -> None:
    """And says what must be there."""
    with pytest.raises(InvalidInput, match="data must be a folder that holds sushi"):
        sushi_rows(seed=0, data=tmp_path)
