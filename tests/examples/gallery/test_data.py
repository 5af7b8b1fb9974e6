"""The data of the gallery."""

from __future__ import annotations

import pytest

from examples.gallery.data import MADE_UP, graded, matches, votes
from tests.conftest import DATA


@pytest.mark.needs("data:pairwise-llmfao")
def test_votes_are_those_that_were_published() -> None:
    """All 59 models are there where so many are asked for, and the most compared ones otherwise."""
    assert votes(DATA, 59).preferences.n_answers == 8931
    few = votes(DATA, 5)
    assert few.preferences.n_items == 5
    assert few.source != MADE_UP


def test_without_data_sets_something_is_made_up() -> None:
    """As many items as asked for, the same each time."""
    for sample in (votes(None, 30), matches(None, 30)):
        assert sample.source == MADE_UP
        assert sample.preferences.n_items == 30
    assert votes(None, 9).preferences == votes(None, 9).preferences
    assert set(graded(None).y.tolist()) == {0.0, 1.0, 2.0}
