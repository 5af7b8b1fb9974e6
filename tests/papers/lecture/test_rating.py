"""Rating, with seeds and quick sizes."""

from __future__ import annotations

import pytest

from penchant.papers.lecture.rating import CLAIMS, MIDDLE, OFF, ONE
from tests.conftest import DATA
from tests.papers.running import result_of


def test_stand_ins_are_rated_and_named_as_such() -> None:
    """Categories that are cuts of a linear score are found; each claim has its numbers."""
    result = result_of("3.ratings", size="quick")
    assert result.data.startswith("a made-up stand-in for ordinal: 4 sets, at most 200 rows of each, 2 folds")
    assert len(result.verdicts) == len(CLAIMS)
    assert result.numbers[f"{MIDDLE} − {ONE}, {OFF}"].value < 0
    assert len(result.frame) == 4 * 2 * 6


@pytest.mark.needs("data:ordinal")
def test_real_categories_are_predicted() -> None:
    """By fewer off than the middle category for all."""
    result = result_of("3.ratings", size="quick", data=DATA)
    assert result.data.startswith("ordinal: 4 sets")
    assert result.numbers[f"{MIDDLE} − {ONE}, {OFF}"].value < 0
    assert set(result.tables) == {"categories off (MAE)", "right (accuracy)"}
