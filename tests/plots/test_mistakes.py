"""Where a ranking errs: cells and places counted by hand."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.plots import ranking_errors_chart, save_chart


def drawn(chart: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """The cells of pairs, those of places, and the subtitle."""
    spec = chart.to_dict()
    pairs, places = (part["data"]["values"] for part in spec["hconcat"])
    return pairs, places, spec["title"]["subtitle"]


@given(st.integers(0, 10**6))
@settings(max_examples=4)
def test_cells_are_counts_of_pairs_one_by_one(seed: int) -> None:
    """For each two grades: pairs of one query, of them the inverted and, apart, the tied."""
    rng = np.random.default_rng(seed)
    grades, scores, qid = rng.integers(3, size=20), rng.integers(4, size=20), rng.integers(3, size=20)
    grades[:3], qid[:3] = (0, 1, 2), 0
    counted: dict[tuple[int, int], list[int]] = {}
    for i, j in combinations(range(20), 2):
        if qid[i] == qid[j] and grades[i] != grades[j]:
            b, w = (i, j) if grades[i] > grades[j] else (j, i)
            cell = counted.setdefault((grades[b], grades[w]), [0, 0, 0])
            cell[0] += 1
            cell[1] += scores[b] < scores[w]
            cell[2] += scores[b] == scores[w]
    pairs, _, subtitle = drawn(ranking_errors_chart(grades, scores, qid=qid))
    found = {(int(cell["better"]), int(cell["worse"])): cell for cell in pairs}
    assert found.keys() == counted.keys()
    for key, (total, wrong, tied) in counted.items():
        assert found[key]["pairs"] == total
        assert (found[key]["wrong"], found[key]["tied"]) == pytest.approx((wrong / total, tied / total))
    n_pairs, n_wrong, n_tied = np.sum(list(counted.values()), axis=0)
    assert f"of {n_pairs} pairs {100 * n_wrong / n_pairs:.1f} % are the wrong way round" in subtitle
    assert f"{100 * n_tied / n_pairs:.1f} % have equal scores" in subtitle


def test_places_hold_shares_of_grades() -> None:
    """Two queries of two: the best of one stands second; at best both would stand first."""
    _, places, _ = drawn(ranking_errors_chart([1, 0, 1, 0, 0], [2, 1, 1, 2, 0], qid=list("aabbb")))
    shares = {(cell["place"], cell["grade"]): (cell["share"], cell["best"]) for cell in places}
    assert shares[1, "1"] == (0.5, 1.0)
    assert shares[2, "1"] == (0.5, 0.0)
    assert shares[3, "0"] == (1.0, 0.0)


def test_tied_rows_count_in_part_at_each_of_their_places() -> None:
    """Equal scores show no order: rows sorted best first look no better than those sorted worst first."""
    for grades in ([1, 0, 0, 0], [0, 0, 0, 1]):
        _, places, _ = drawn(ranking_errors_chart(grades, [0, 0, 0, 0], depth=2))
        assert {(cell["place"], cell["share"]) for cell in places if cell["grade"] == "1"} == {
            (1, 0.25),
            (2, 0.25),
        }
        assert [cell["best"] for cell in places if cell["grade"] == "1"] == [1.0, 0.0]
    _, places, _ = drawn(ranking_errors_chart([1, 0], [0, 0], ties="order"))
    assert [cell["share"] for cell in places if cell["grade"] == "1"] == [1.0, 0.0]


def test_only_the_first_places_are_drawn() -> None:
    """As deep as asked."""
    _, places, _ = drawn(ranking_errors_chart(np.arange(30) % 2, np.arange(30), depth=4))
    assert {cell["place"] for cell in places} == {1, 2, 3, 4}


def test_grades_that_never_meet_have_no_cell() -> None:
    """Grades 1 and 2 stand in no common query."""
    pairs, _, _ = drawn(ranking_errors_chart([0, 1, 0, 2], [0, 1, 0, 1], qid=[1, 1, 2, 2]))
    assert {(cell["better"], cell["worse"]) for cell in pairs} == {("1", "0"), ("2", "0")}


def test_what_cannot_be_drawn_is_refused() -> None:
    """One grade, too many, no places, nothing to compare: each in words."""
    with pytest.raises(InvalidInput, match="2 to 8 kinds, got 1: give grades that differ"):
        ranking_errors_chart([1, 1], [0, 1])
    with pytest.raises(InvalidInput, match="got 9: round them"):
        ranking_errors_chart(range(9), range(9))
    with pytest.raises(InvalidInput, match="depth must be a whole number of at least 1, got 0"):
        ranking_errors_chart([0, 1], [0, 1], depth=0)
    with pytest.raises(InvalidInput, match="two rows of one query must have different grades"):
        ranking_errors_chart([0, 1], [0, 1], qid=[1, 2])


@pytest.mark.parametrize("n_grades", [2, 8])
def test_it_is_a_picture(n_grades: int, tmp_path: Path) -> None:
    """Two grades and eight are drawn."""
    rng = np.random.default_rng(0)
    grades = np.arange(80) % n_grades
    chart = ranking_errors_chart(grades, rng.normal(size=80), qid=np.arange(80) // 20)
    assert save_chart(chart, tmp_path / "errors.png").read_bytes().startswith(b"\x89PNG")
