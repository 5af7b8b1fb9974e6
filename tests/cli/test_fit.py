"""`penchant fit`: one command for each family of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_outputs import GAMES
from tests.cli.typed import run, written
from tests.formats.files import LETOR


@pytest.mark.parametrize(
    ("words", "family"),
    [
        (["--model", "ordinal"], "ranker"),
        ([], "ranker"),
        (["--model=linked-gp"], "linked"),
        (["--model", "monotone-gp"], "utility"),
    ],
)
def test_without_a_family_the_model_names_the_command(words: list[str], family: str, tmp_path: Path) -> None:
    """What earlier versions took does the same, with a note on the command to use."""
    text = LETOR if family == "ranker" else GAMES
    file = written(tmp_path / ("l.txt" if family == "ranker" else "g.csv"), text)
    saved = ["--save", tmp_path / "model", "--force"]
    earlier, now = run("fit", file, *words, *saved), run("fit", family, file, *words, *saved)
    assert earlier.err.splitlines()[0].startswith(f"Note: penchant fit {family} has the options")
    assert (earlier.status, earlier.out) == (now.status, now.out)
    assert earlier.err.splitlines()[1:] == now.err.splitlines()


@pytest.mark.parametrize(
    ("family", "option"),
    [
        ("ranker", "--items"),
        ("ranker", "--links"),
        ("ranker", "--increasing"),
        ("utility", "--links"),
        ("utility", "--grade"),
        ("utility", "--curve"),
        ("linked", "--grade"),
        ("linked", "--decreasing"),
    ],
)
def test_options_are_those_of_the_family(family: str, option: str) -> None:
    """An option that means nothing to a family is not in its help and is not taken."""
    assert option not in run("fit", family, "--help").out
    done = run("fit", family, "file", option, "x")
    assert done.status == 2
    assert "No such option" in done.err


def test_the_help_lists_the_families() -> None:
    """With a line each."""
    text = run("fit", "--help").out
    for family in ("ranker", "utility", "linked"):
        assert f"  {family} " in text


def test_a_misspelt_family_is_not_taken_for_a_file() -> None:
    """A word that is no file is an unknown command."""
    done = run("fit", "rnaker", "x.letor")
    assert done.status == 2
    assert "No such command 'rnaker'" in done.err
    assert "Note" not in done.err
