"""Rows and cells of CSV files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given

from penchant.errors import InvalidInput
from penchant.formats import Limits, read_file
from penchant.formats.parsing.csv_rows import needs_apostrophe, protected, unprotected
from penchant.study import read_items
from tests.formats import strategies
from tests.formats.files import ABC, only_reason
from tests.formats.strategies import file, rows_of


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("votes.csv", "winner,loser\na,b\na,{}\n"),
        ("votes.csv", 'winner,loser\na,b\na,"{}"\n'),
        ("votes.jsonl", '{{"winner": "a", "loser": "b"}}\n{{"winner": "a", "loser": "{}"}}\n'),
        ("votes.jsonl", '{{"winner": "a", "loser": "b"}}\n{{"winner": "a", "loser": "b", "judge": "{}"}}\n'),
        ("votes.jsonl", '{{"order": ["a", "b"]}}\n{{"order": ["a", "{}"]}}\n'),
        ("votes.jsonl", '{{"order": ["a", "b"]}}\n{{"order": ["a", "b"], "judge": "{}"}}\n'),
        ("ratings.dat", "1::2::3\n1::{}::4\n"),
    ],
)
def test_fields_are_no_longer_than_the_limit(name: str, row: str, tmp_path: Path) -> None:
    """A cell or id beyond the limit is one rejected row, in every format; within a raised one it is read."""
    path = file(tmp_path, name, row.format("x" * 200_000))
    assert "must be at most 131,072" in only_reason(path)
    assert "limits=Limits(field=" in only_reason(path)
    before = csv.field_size_limit()
    assert not read_file(path, limits=Limits(field=200_000)).refusals
    assert csv.field_size_limit() == before


def test_an_unclosed_quote_is_an_error_in_every_table(tmp_path: Path) -> None:
    """Ratings, titles beside them and items with a quote that is never closed are rejected with a message."""
    with pytest.raises(InvalidInput, match="first line must be one of a table"):
        read_file(file(tmp_path, "ratings.csv", 'user,item,"rating\n1,2,3\n'), format="movielens")
    with pytest.raises(InvalidInput, match="a quote must be closed again"):
        read_file(file(tmp_path, "ratings.csv", 'user,item,rating\n1,2,3\n1,"3,4\n'))
    ratings = file(tmp_path, "u.data", "1\t2\t3\n1\t3\t4\n")
    file(tmp_path, "movies.csv", 'movieId,title\n2,"Heat\n')
    with pytest.raises(InvalidInput, match=r"movies\.csv must hold titles"):
        read_file(ratings, titles=True)
    with pytest.raises(InvalidInput, match="cells cannot be separated"):
        read_items(file(tmp_path, "items.csv", 'title,text\ntea,hot\n"coffee,hot\n'))


@pytest.mark.parametrize("name", ["votes.csv", "ratings.csv"])
def test_columns_are_no_more_than_the_limit(name: str, tmp_path: Path) -> None:
    """A header with too many columns is rejected, and the message lists none of them."""
    head = "winner,loser," if name == "votes.csv" else "user,item,rating,"
    path = file(tmp_path, name, head + "," * 200_000 + "\n1,2,3\n")
    with pytest.raises(InvalidInput, match=r"columns of .* must be at most 100,000, got 200,00") as error:
        read_file(path, format="pairs" if name == "votes.csv" else "movielens")
    assert len(str(error.value)) < 300


def test_a_quote_that_is_never_closed_rejects_the_file(tmp_path: Path) -> None:
    """Nothing is half-read: a quote that swallows the rest is named by the line where it opens."""
    path = file(tmp_path, "votes.csv", 'winner,loser\na,b\n"a,b\na,c\n')
    with pytest.raises(InvalidInput, match=r"votes.csv:3: a quote must be closed again"):
        read_file(path)


def test_a_cell_that_is_too_long_is_rejected(tmp_path: Path) -> None:
    """A cell beyond the limit of the csv module is one rejected row, not a failure."""
    reading = read_file(file(tmp_path, "votes.csv", f"winner,loser\na,b\na,{'x' * 200_000}\nb,c\n"))
    assert [refusal.line for refusal in reading.refusals] == [3]
    assert rows_of(reading.preferences) == ABC


@given(strategies.ids)
def test_no_cell_runs_in_a_spreadsheet_and_each_comes_back(text: str) -> None:
    """A cell never starts like a formula unless it is a number, and loses exactly its own apostrophe."""
    cell = protected(text)
    assert unprotected(cell) == text
    if cell[0] in "=+-@\t\r":
        float(cell)
    assert needs_apostrophe(text) == (cell != text)
