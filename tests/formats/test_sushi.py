"""Order files of item numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import read_file
from tests.formats import strategies
from tests.formats.files import again, refused
from tests.formats.strategies import file


def test_order_files(tmp_path: Path) -> None:
    """Item numbers from 0 are the items, also those that nobody ranked."""
    reading = read_file(file(tmp_path, "s.order", "4 1\n0 3 2 0 1\n0 2 1 2\n"), strict=True)
    assert reading.preferences == Preferences.from_rankings([[2, 0, 1], [1, 2]], items=range(4))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0 3 2 0", "the second number must be that of the items after it, got '0 3 2 0'"),
        ("0 0", "the second number must be that of the items after it, got '0 0'"),
        ("0 2 2 x", "a line must hold whole numbers of up to nine digits, got '0 2 2 x'"),
        ("0 2 2 4", "items must be below 4, got 4"),
        ("0 2 2 2", "an order must name each item once"),
    ],
)
def test_a_bad_order_is_rejected(line: str, reason: str, tmp_path: Path) -> None:
    """Each bad line is named, the others are read."""
    assert refused(read_file(file(tmp_path, "s.order", f"4 1\n0 2 1 2\n{line}\n"))) == [(3, reason)]


def test_an_order_file_needs_its_first_line(tmp_path: Path) -> None:
    """Without the number of items the file is rejected."""
    with pytest.raises(InvalidInput, match="the first line must be the number of items and a 1"):
        read_file(file(tmp_path, "s.order", "0 2 1 2\n"))


def test_items_are_numbered_no_higher_than_the_file_is_large(tmp_path: Path) -> None:
    """An order file of two items out of 999,999,999 is rejected before memory is taken for all of them."""
    path = file(tmp_path, "x.order", "999999999 1\n0 2 1 2\n")
    with pytest.raises(InvalidInput, match=r"number of items of .* must be at most 100,000, got 999,999,999"):
        read_file(path)


@settings(max_examples=25)
@given(st.integers(2, 9).flatmap(lambda n: strategies.rankings(ties=False, kinds=st.just(list(range(n))))))
def test_orders_of_numbers_survive_as_sushi(preferences: Preferences) -> None:
    """Strict orders of item numbers come back exactly, but for weights, judges and periods."""
    with again(preferences, "votes.order") as (reading, written, _):
        bare = preferences.without("weight", "judge", "period")
        assert reading.preferences == bare
        assert bool(written.lost) == (bare != preferences)
