"""Repetitions of the case study in several ways."""

from __future__ import annotations

from penchant.papers.monotone.repetitions import accuracy, in_batches, table_measured, table_numbers
from penchant.papers.monotone.simulation import repeated
from penchant.papers.run import Run


def _told(seed: int, number: int, way: str) -> tuple[int, int, str]:
    return seed, number, way


def test_every_way_is_repeated_with_the_same_numbers() -> None:
    """Whatever the size of a batch, in the order of the ways and of the repetitions."""
    found, seconds = in_batches(Run(seed=7), _told, ["a", "b"], 12)
    assert found == [[(7, number, way) for number in range(12)] for way in "ab"]
    assert seconds >= 0


def test_the_table_has_the_paper_beside_each_way() -> None:
    """Numbers are means over the repetitions, in percent."""
    runs = [repeated(number, 0) for number in range(2)]
    numbers = table_numbers(runs)
    assert numbers["y, overall"].value == 100 * accuracy(runs)[:, 1, 2].mean()
    measured = table_measured({"ours": runs}, numbers, {"repetitions": 1.0})
    assert measured.data == "2 repetitions of 90 drawn comparisons of 25 items"
    assert len(measured.tables["percent of pairs put right"]) == 6
    assert set(measured.frame["name"]) == {"f_MAP", "y", "f_lin"}
