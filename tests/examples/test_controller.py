"""A monotone utility for a controller."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.controller import main


def test_a_good_controller_is_chosen_by_a_utility_with_a_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The chosen one is among the best tenth, and the utility falls in all three features."""
    assert main(["--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    rank = int(printed.split("rank ")[1].split()[0])
    assert rank <= 90
    assert printed.count("the utility falls by at least") == 3
    assert (tmp_path / "utility.png").read_bytes().startswith(b"\x89PNG")
