"""LETOR files: features, grades, queries and ids."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import Limits, read_file
from tests.formats import strategies
from tests.formats.files import LETOR, again, refused
from tests.formats.strategies import file, rows_of


def test_letor_gives_features_grades_queries_and_ids(tmp_path: Path) -> None:
    """Features count from 1, comments carry the documents, and grades become preferences inside a query."""
    reading = read_file(file(tmp_path, "S1.txt", LETOR), strict=True)
    assert reading.features is not None
    assert reading.features.toarray().tolist() == [[0.5, 0, 0.25], [0, -0.001, 0], [1, 0, 0]]
    assert reading.grades is not None
    assert reading.grades.tolist() == [2, 0, 1]
    assert reading.qid is not None
    assert reading.qid.tolist() == [7, 7, 8]
    assert reading.ids == ("GX-1", "GX-2", "GX-3")
    assert reading.preferences == Preferences.from_grades([2, 0, 1], [7, 7, 8], items=reading.ids)


def test_letor_items_can_be_the_rows_of_the_features(tmp_path: Path) -> None:
    """With ids=False, or where lines name no document, items are rows, which an array of features matches."""
    path = file(tmp_path, "S1.txt", LETOR)
    reading = read_file(path, ids=False)
    assert reading.preferences == Preferences.from_grades([2, 0, 1], [7, 7, 8])
    assert reading.preferences.match(reading.features).tolist() == [0, 1, 2]
    bare = read_file(file(tmp_path, "bare.txt", "1 qid:1 1:1\n0 qid:1 1:2\n"))
    assert (bare.ids, bare.preferences) == (None, Preferences.from_grades([1, 0]))


def test_letor_documents_of_several_queries_are_different_items(tmp_path: Path) -> None:
    """A document that two queries found is an item in each; one found twice by one query has no name."""
    reading = read_file(file(tmp_path, "S.txt", "1 qid:1 1:1 # docid = x\n0 qid:2 1:1 # docid = x\n"))
    assert reading.preferences.items == ("1/x", "2/x")
    reading = read_file(file(tmp_path, "S.txt", "1 qid:1 1:1 # docid = x\n0 qid:1 1:1 # docid = x\n"))
    assert reading.preferences.items == ("0", "1")
    assert reading.notes == (
        "documents stand in one query several times: their items are called by row number",
    )


@pytest.mark.parametrize("comment", ['"x', '"x\\y"', '""', '"\\ud800"'])
def test_odd_comments_of_letor_do_no_harm(comment: str, tmp_path: Path) -> None:
    """A comment that is no proper id is taken as it stands, or the line has none."""
    reading = read_file(file(tmp_path, "S.txt", f"1 qid:1 1:1 #docid = {comment}\n"))
    assert reading.ids in ((comment,), None)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 1:0.5", "a line must have a query like qid:7, got '1 1:0.5'"),
        ("x qid:1 1:0.5", "a line must be like '2 qid:7 1:0.5 3:0.25', got 'x qid:1 1:0.5'"),
        ("1 qid:1 1:0.5 2:oops", "a line must be like '2 qid:7 1:0.5 3:0.25', got '2:oops'"),
        ("nan qid:1 1:0.5", "a line must be like '2 qid:7 1:0.5 3:0.25', got 'nan qid:1 1:0.5'"),
        ("1 qid:1 1:nan", "a line must be like '2 qid:7 1:0.5 3:0.25', got '1:nan'"),
        ("1 qid:1 0:1", "features must count from 1, got 0"),
        ("1 qid:1 2:1 2:1", "feature 2 must stand once in a line, got it twice"),
    ],
)
def test_a_bad_line_of_letor_is_rejected(line: str, reason: str, tmp_path: Path) -> None:
    """Each bad line is named, the others are read."""
    reading = read_file(file(tmp_path, "S1.txt", f"# a comment\n{LETOR}{line} # docid = z\n"))
    assert refused(reading) == [(5, reason)]
    assert reading.n_rows == 4
    assert len(reading.ids or ()) == 3


def test_queries_may_be_text_and_features_in_any_order(tmp_path: Path) -> None:
    """Labels stay as they are written, and a row's features are sorted."""
    reading = read_file(
        file(tmp_path, "x.txt", "1 qid:tea 3:1 1:2\n0 qid:tea 2:1\n1 qid:7 1:1\n"), strict=True
    )
    assert (reading.format, reading.qid.tolist()) == ("letor", ["tea", "tea", "7"])  # type: ignore[union-attr]
    assert reading.features.toarray().tolist() == [[2, 0, 1], [0, 1, 0], [1, 0, 0]]  # type: ignore[union-attr]
    assert reading.preferences.pairs().tolist() == [[0, 1]]


def test_features_are_numbered_no_higher_than_the_file_is_large(tmp_path: Path) -> None:
    """A feature number far beyond the values that a file holds is rejected; a dense file may number more."""
    sparse = file(tmp_path, "sparse.letor", "1 qid:1 999999999:1\n0 qid:1 1:1\n")
    with pytest.raises(
        InvalidInput, match=r"highest feature of .* must be at most 100,000, got 999,999,999: give"
    ):
        read_file(sparse)
    rows = "".join(f"{i % 2} qid:1 {' '.join(f'{j}:1' for j in range(1, 13))}\n" for i in range(4))
    dense = file(tmp_path, "dense.letor", rows)
    assert read_file(dense, limits=Limits(columns=1, density=1)).features.shape == (4, 12)  # type: ignore[union-attr]
    with pytest.raises(InvalidInput, match="must be at most 11, got 12"):
        read_file(
            dense.with_name(file(tmp_path, "x.letor", "1 qid:1 12:1\n").name),
            limits=Limits(columns=11, density=1),
        )


@pytest.mark.parametrize("row", ["1e400 qid:1 1:1", "1 qid:1 1:1e400", "1 qid:1 1:-1e999 2:0"])
def test_numbers_of_letor_are_finite(row: str, tmp_path: Path) -> None:
    """A grade or feature beyond every number is one rejected row."""
    reading = read_file(
        file(tmp_path, "x.letor", f"1 qid:1 1:1 #docid = a\n{row} #docid = b\n0 qid:1 1:2 #docid = c\n")
    )
    assert [(refusal.line, "finite" in refusal.reason) for refusal in reading.refusals] == [(2, True)]
    assert reading.grades is not None
    assert (reading.grades.tolist(), reading.ids) == ([1, 0], ("a", "c"))


@pytest.mark.parametrize("comments", [(True, False, True), (False, True, False), (False, False, True)])
def test_comments_may_stand_on_some_lines_of_letor(comments: tuple[bool, ...], tmp_path: Path) -> None:
    """Rows with and without comments, in any order, stay rows of their own."""
    lines = [
        f"{i} qid:1 1:{i}" + (" #docid = x" if commented else "") for i, commented in enumerate(comments)
    ]
    reading = read_file(file(tmp_path, "x.letor", "\n".join(lines)), strict=True)
    assert reading.grades is not None
    assert reading.grades.tolist() == [0, 1, 2]


@settings(max_examples=25)
@given(strategies.grades())
def test_grades_survive_as_letor(preferences: Preferences) -> None:
    """Each query's documents come back on their levels, with their ids."""
    with again(preferences, "votes.letor") as (reading, _, _):
        assert Counter(rows_of(reading.preferences)) == Counter(rows_of(preferences))
        assert set(reading.ids or ()) == set(preferences.items)
