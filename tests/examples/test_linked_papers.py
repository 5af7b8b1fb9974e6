"""Linked papers."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.linked_papers import learned, main, papers


def test_links_tell_about_papers_that_nobody_asked_about() -> None:
    """After thirty questions about sixty papers the order is better with the links than without."""
    worth, links = papers(seed=0)
    assert learned(worth, links, 30, 0)[-1] > learned(worth, None, 30, 0)[-1]


def test_the_command_draws_both_curves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, and a picture."""
    assert main(["--runs", "1", "--questions", "5", "--out", str(tmp_path)]) == 0
    assert "without links" in capsys.readouterr().out
    assert (tmp_path / "learned.png").read_bytes().startswith(b"\x89PNG")
