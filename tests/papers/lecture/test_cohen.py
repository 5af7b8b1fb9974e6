"""The lecture's graph, and random ones."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from penchant.papers.lecture.cohen import CLAIMS, PREFERENCE
from penchant.papers.result import Result
from tests.papers.running import result_of


@pytest.fixture(scope="module")
def quick() -> Result:
    return result_of("3.cohen", size="quick")


def test_the_lectures_steps_are_found(quick: Result) -> None:
    """Each claim holds, AGREE is 5.5, and no order of the 24 keeps more."""
    assert set(quick.verdicts.values()) == {"holds"}
    assert len(quick.verdicts) == len(CLAIMS)
    kept = [np.triu(PREFERENCE[np.ix_(order, order)], 1).sum() for order in permutations(range(4))]
    assert quick.numbers["AGREE"].value == max(kept) == 5.5


def test_there_is_a_picture_a_step(quick: Result) -> None:
    """Four, and the order; the table names who is taken."""
    assert list(quick.charts) == ["step 1", "step 2", "step 3", "step 4", "order"]
    assert quick.tables["steps"]["taken"].tolist() == ["b", "d", "c", "a"]
    assert quick.frame.groupby("step").size().tolist() == [4, 3, 2, 1]


def test_jobs_do_not_change_a_bit(quick: Result) -> None:
    """Random graphs depend on their number and the seed only."""
    two = result_of("3.cohen", size="quick", jobs=2)
    assert {name: number.value for name, number in quick.numbers.items()} == {
        name: number.value for name, number in two.numbers.items()
    }
    other = result_of("3.cohen", size="quick", seed=1)
    assert other.numbers["random graphs: greedy / best"] != quick.numbers["random graphs: greedy / best"]


def test_components_are_best_and_chance_is_worse_than_greedy(quick: Result) -> None:
    """Components of eight are searched exactly."""
    numbers = quick.numbers
    assert numbers["random graphs: components / best"].value == 1
    chance, greedy = (numbers[f"random graphs: {who} / best"].value for who in ("a random order", "greedy"))
    assert chance < greedy < 1
