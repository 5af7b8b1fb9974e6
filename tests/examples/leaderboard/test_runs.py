"""Other runs of the leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from examples.leaderboard.page import figures_of_docs
from examples.leaderboard.runs import again


def test_each_seed_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in a folder of its own, and what the table needs is kept."""
    folders: list[Path] = []

    def play(folder: Path, *, seed: int, most: int, cautious: bool) -> dict[str, Any]:
        folders.append(folder)
        return {**figures_of_docs(), "answers": seed * most}

    monkeypatch.setattr("examples.leaderboard.runs.play", play)
    rows = again([3, 5], most=2)
    assert [(row["cautious"], row["seed"]) for row in rows] == [(False, 3), (False, 5), (True, 3), (True, 5)]
    assert [row["answers"] for row in rows] == [6, 10, 6, 10]
    assert {row["pairs"] for row in rows} == {28}
    assert len(set(folders)) == 4
