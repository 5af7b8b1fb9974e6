"""Lemma 3, played."""

from __future__ import annotations

import numpy as np

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
