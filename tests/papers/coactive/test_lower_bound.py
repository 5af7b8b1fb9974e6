"""Lemma 3, played."""

from __future__ import annotations

import numpy as np
import pytest

from tests.papers.running import result_of


def test_every_learner_loses_what_theorem_1_allows() -> None:
    """2/√T at every horizon, whoever plays."""
    result = result_of("2.lemma3", size="quick")
    assert result.frame["name"].nunique() == 4
    np.testing.assert_allclose(result.frame["regret"], 2 / np.sqrt(result.frame["t"]))
    assert set(result.verdicts.values()) == {"holds"}


def test_progress_is_told() -> None:
    """Game by game."""
    steps: list[tuple[int, int]] = []
    result_of("2.lemma3", size="quick", progress=lambda *at: steps.append(at))
    assert steps == [(game, 12) for game in range(1, 13)]


def test_theorem_6_is_met_within_a_factor_of_four() -> None:
    """2/√T beside 6/√T and 4/T as corrected, 5/√T and 2/T as stated; the largest part is at the longest horizon."""
    result = result_of("2.theorem6", size="quick")
    assert result.numbers["regret / bound, corrected"].value == pytest.approx(2 / (6 + 4 / 10))
    assert result.numbers["regret / bound, stated"].value == pytest.approx(2 / (5 + 2 / 10))
    assert set(result.verdicts.values()) == {"holds"}
