"""Theorems 5, 6 and 8 where they bite."""

from __future__ import annotations

from tests.papers.running import result_of


def test_stated_and_corrected_bounds_stand_side_by_side() -> None:
    """No regret crosses a corrected bound; the stated ones, which are lower or equal here, are numbers of their own."""
    result = result_of("2.theorems/synthetic-web", size="quick")
    for theorem in ("Theorem 5", "Theorem 6", "Theorem 8"):
        for kind in ("strict", "expected"):
            assert result.verdicts[f"2.{theorem.lower().replace(' ', '-')}-{kind}, corrected"] == "holds"
            name = f"{theorem}, {kind}, {{}}: regret / bound"
            assert result.numbers[name.format("corrected")].value > 0
            assert result.numbers[name.format("stated")].value > 0
    assert set(result.charts) == {"Theorem 5", "Theorem 6", "Theorem 8"}
