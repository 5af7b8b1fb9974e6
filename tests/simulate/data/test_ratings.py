"""Ratings: read from files and checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.simulate import Ratings


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("u.data", "5\t20\t3\t881250949\n7\t20\t4\t1\n5\t9\t1\t2\n"),
        ("ratings.dat", "5::20::3::978300760\n7::20::4::1\n5::9::1::1\n"),
        ("ratings.csv", "user_id,movie_id,rating\n5,20,3\n7,20,4\n5,9,1\n"),
    ],
)
def test_the_three_forms_of_movielens_are_read(name: str, text: str, tmp_path: Path) -> None:
    """Users and items are numbered in the order of their ids."""
    (tmp_path / name).write_text(text)
    given = Ratings.read(tmp_path / name)
    assert given.user.tolist() == [0, 1, 0]
    assert given.item.tolist() == [1, 1, 0]
    assert given.rating.tolist() == [3, 4, 1]
    assert (given.n_users, given.n_items, len(given)) == (2, 2, 3)


def test_ratings_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    """None at all, two of one pair, a missing one, and a file of something else."""
    with pytest.raises(InvalidInput, match="at least 1"):
        Ratings.of([], [], [])
    with pytest.raises(InvalidInput, match="ann and 3 2 times"):
        Ratings.of(["ann", "ann"], [3, 3], [1, 2])
    with pytest.raises(InvalidInput, match="finite"):
        Ratings.of([1], [1], [np.nan])
    (tmp_path / "other.csv").write_text("title\nHeat\n")
    with pytest.raises(InvalidInput, match="must have a user, an item and a rating"):
        Ratings.read(tmp_path / "other.csv")
