"""Wrong words on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.typed import run


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["frobnicate"], "penchant: No such command 'frobnicate': see penchant -h"),
        (["rank"], "penchant: Missing argument 'FILE': see penchant rank -h"),
        (["rank", "votes.csv", "--frobnicate"], "penchant: No such option: --frobnicate"),
        (["fit", "ranker", "a.csv", "--frobnicate"], "penchant: No such option: --frobnicate"),
        (
            ["rank", "votes.csv", "--top", "x"],
            "penchant: --top must be a whole number of at least 1, got 'x': correct it",
        ),
        (
            ["rank", "nowhere.csv"],
            "penchant: nowhere.csv must be a file, got nothing there: correct the path",
        ),
    ],
)
def test_every_error_is_one_line(words: list[str], line: str, tmp_path: Path) -> None:
    """Of the parser as of the commands: who speaks, what is wrong, and what to do; status 2."""
    done = run(*words)
    assert done.status == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert done.err.startswith(line)
    assert "see penchant" in done.err or ": correct " in done.err


def test_help_is_shown_where_nothing_is_typed() -> None:
    """All of it, not one line."""
    assert "Usage: " in run().out + run().err
    assert len((run("fit").out + run("fit").err).splitlines()) > 5


def test_only_an_option_that_is_near_is_suggested() -> None:
    """A letter swapped is; one that begins alike is not."""
    assert "--plot" in run("rank", "votes.csv", "--plto", "x.png").err
    assert run("check", "votes.csv", "--plot", "x.png").err == (
        "penchant: No such option: --plot: see penchant check -h\n"
    )
