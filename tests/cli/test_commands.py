"""The command line: each command as a user types it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penchant import __version__
from penchant.cli import app, main
from penchant.errors import InvalidInput


def test_the_demo_ranks_and_draws(tmp_path: Path) -> None:
    """`penchant demo` prints a ranking of twelve things and says where the picture is."""
    done = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "new" / "folder")])
    assert done.exit_code == 0, done.output
    assert "A letter from a friend" in done.output
    picture = tmp_path / "new" / "folder" / "ranking.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "ranking.png" in done.output


def test_it_says_its_version() -> None:
    """`penchant --version` is the version of the package."""
    assert CliRunner().invoke(app, ["--version"]).output == f"penchant {__version__}\n"


def test_it_runs_without_a_terminal() -> None:
    """With no terminal and no input it ends by itself."""
    done = subprocess.run(
        [sys.executable, "-m", "penchant", "--version"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0


def test_a_refusal_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What Penchant refuses is said in one line on the error output, with status 2 and no traceback."""

    def refuse() -> None:
        raise InvalidInput("weight of row 14 must be above 0, got -1: remove the row")

    monkeypatch.setattr("penchant.cli.app", refuse)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == "penchant: weight of row 14 must be above 0, got -1: remove the row\n"
