"""MovieLens files: ratings, with titles beside them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import read_file
from tests.formats import strategies
from tests.formats.files import again, only_about_items, refused
from tests.formats.strategies import file, rows_of


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("u.data", "1\t10\t5\t88\n1\t9\t3\t88\n2\t10\t1\t88\n"),
        ("ratings.dat", "1::10::5::88\n1::9::3::88\n2::10::1::88\n"),
        ("ratings.csv", "userId,movieId,rating,timestamp\n1,10,5,88\n1,9,3,88\n2,10,1,88\n"),
        ("ratings.csv", "rating;item;user\r\n5;10;1\r\n3;9;1\r\n1;10;2\r\n"),
    ],
)
def test_ratings(name: str, text: str, tmp_path: Path) -> None:
    """All three files of MovieLens, and any table of users, items and ratings, give one row a user."""
    reading = read_file(file(tmp_path, name, text), strict=True)
    assert reading.format == "movielens"
    assert reading.n_rows == 3
    assert reading.preferences == Preferences.from_ratings([1, 1, 2], [10, 9, 10], [5, 3, 1])


def test_titles_come_from_beside(tmp_path: Path) -> None:
    """With titles=True items are called by their titles; one that two movies share gets its number."""
    path = file(tmp_path, "ratings.dat", "1::10::5::88\n1::9::3::88\n1::8::4::88\n1::7::2::88\n")
    with pytest.raises(InvalidInput, match=r"titles must stand in one of movies.dat, u.item, movies.csv"):
        read_file(path, titles=True)
    file(tmp_path, "movies.dat", "10::Amélie (2001)::x\n9::Heat\n8::Heat\n".encode("latin-1"))
    assert read_file(path, titles=True).preferences.to_orders() == [
        ["Amélie (2001)", "Heat (8)", "Heat (9)", "(7)"]
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1,10,2,88", "user '1' rates '10' a second time"),
        (",10,2,88", "the user is empty"),
        ("1, ,2,88", "the item is empty"),
        ("1,' ,2,88", "the item is empty"),
        ("1,11,many,88", "the rating must be a number, got 'many'"),
        ("1,11,nan,88", "the rating must be a number, got 'nan'"),
        ("1,11,2", "3 cells where the first line has 4"),
    ],
)
def test_a_bad_rating_is_rejected(row: str, reason: str, tmp_path: Path) -> None:
    """Each bad line is named, the others are read."""
    reading = read_file(
        file(tmp_path, "r.csv", f"userId,movieId,rating,timestamp\n1,10,5,88\n{row}\n1,9,3,88\n")
    )
    assert refused(reading) == [(3, reason)]
    assert (reading.n_rows, reading.preferences.n_pairs) == (3, 1)


def test_ratings_without_their_columns_are_rejected(tmp_path: Path) -> None:
    """The message says which column is absent."""
    with pytest.raises(
        InvalidInput, match="got no rating in 'user', 'item': call them user, item and rating"
    ):
        read_file(file(tmp_path, "r.csv", "user,item\n1,2\n"), format="movielens")


def test_titles_and_names_that_look_like_numbered_ones_stay_apart(tmp_path: Path) -> None:
    """A name that another gets by its number is no reason to mix the two up."""
    file(tmp_path, "movies.dat", "1::X (2)\n2::X\n3::X\n")
    reading = read_file(file(tmp_path, "r.dat", "7::1::3\n7::2::4\n7::3::5\n"), titles=True)
    assert reading.preferences.to_orders() == [["X (3)", "X (2) (2)", "X (2) (1)"]]
    text = "# FILE NAME: x\n# ALTERNATIVE NAME 1: X (2)\n# ALTERNATIVE NAME 2: X\n# ALTERNATIVE NAME 3: X\n1: 3,2,1\n"
    assert len(set(read_file(file(tmp_path, "x.soc", text)).preferences.items)) == 3


@settings(max_examples=25)
@given(strategies.ratings())
def test_ratings_survive_as_movielens(preferences: Preferences) -> None:
    """Each user's items come back on their levels."""
    with again(preferences, "ratings.csv", "movielens") as (reading, written, _):
        assert Counter(rows_of(reading.preferences)) == Counter(rows_of(preferences))
        assert only_about_items(written.lost)
