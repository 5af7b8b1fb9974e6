"""A leaderboard with style control."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.style_control import MODELS, TASTE, boards, main, votes


def test_the_verbose_model_falls_at_equal_length() -> None:
    """Its place is the true one, and the interval of the effect holds what was put in."""
    plain, adjusted, effects = boards(votes(3_000, seed=1))
    verbose = MODELS[5]
    assert adjusted.items.index(verbose) > plain.items.index(verbose)
    low, high = effects.interval(0.95)[0]
    assert low < TASTE < high


def test_the_command_prints_both_boards_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two boards, the effect and a picture."""
    assert main(["--votes", "500", "--out", str(tmp_path)]) == 0
    assert "At equal length" in capsys.readouterr().out
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
