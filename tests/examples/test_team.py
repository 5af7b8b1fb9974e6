"""Asking a team."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.team import CARELESS, PROPOSALS, TEAM, main


def test_the_careless_colleague_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The study ends by itself or at the limit, all are ranked, and who answers at random is the least reliable."""
    assert main(["--most", "80", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in (*PROPOSALS, *TEAM))
    assert min(TEAM, key=lambda name: printed.rindex(f"\n{name} ")) == CARELESS
    assert (tmp_path / "ranking.png").read_bytes().startswith(b"\x89PNG")
    assert main(["--out", str(tmp_path)]) == 2
