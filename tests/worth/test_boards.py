"""Boards side by side: scales, tables and corrected p-values."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.worth import rank_by
from penchant.worth.boards import holm
from tests.worth.test_board_fits import WORTH, votes


def test_boards_go_on_another_scale() -> None:
    """On Elo's, differences are multiplied; beside probabilities they stay log odds."""
    boards = rank_by(votes(WORTH, 600, 7), ["a", "b"] * 300)
    elo = boards.on_scale("elo", anchor=("0", 1200))
    assert elo.overall.scores[elo.overall.items.index("0")] == pytest.approx(1200)
    up = 1200 - boards.on_scale("elo").overall.scores[elo.overall.items.index("0")]
    for plain, moved in zip(boards.on_scale("elo").rankings, elo.rankings, strict=True):
        np.testing.assert_allclose(moved.scores, plain.scores + up)
        assert moved.lower is not None
        assert plain.lower is not None
        np.testing.assert_allclose(moved.lower, plain.lower + up)
    np.testing.assert_allclose(elo.shifts.difference, 400 / np.log(10) * boards.shifts.difference)
    chance = boards.on_scale("probability")
    np.testing.assert_allclose(chance.shifts.difference, boards.shifts.difference)


def test_p_values_are_corrected_as_holm_describes() -> None:
    """The k-th smallest of n is multiplied by n − k + 1, never falls below one before it, and is at most 1."""
    p = np.array([0.04, 0.01, 0.03, 0.9])
    np.testing.assert_allclose(holm(p), [0.09, 0.04, 0.09, 0.9])
    assert holm(np.zeros(0)).size == 0
