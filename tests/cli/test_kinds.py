"""A command that does not serve a kind of study names the one that does."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from penchant.cli.kinds import wrong_kind
from penchant.errors import WrongKind
from tests.cli.typed import run


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        (["rank"], "present FILE"),
        (["ask"], "present FILE"),
        (["compare"], "present FILE"),
        (["tell", "FILE", "q", "left"], "feedback FILE PRESENTATION --clicked ID"),
        (["predictions"], "check FILE"),
        (["race"], "learn LOG --learner NAME --save OUT"),
        (["judges"], "users FILE"),
        (["judges", "set-aside", "FILE", "ann"], "undo FILE --user NAME"),
        (["suggest"], "export FILE LOG.jsonl --what presentations"),
        (["fit", "linked"], "export FILE LOG.jsonl --what presentations"),
        (["convert", "FILE", "out.csv"], "export FILE LOG.jsonl --what presentations"),
    ],
)
def test_commands_of_studies_that_compare(search: Path, typed: list[str], instead: str) -> None:
    """One line, with what to type for a study that presents orders."""
    words = typed if "FILE" in typed else [*typed, "FILE"]
    done = run(*(search if word == "FILE" else word for word in words))
    assert (done.status, done.out) == (2, "")
    assert "must be a study that compares items for this command, got one that presents orders" in done.err
    assert done.err.endswith(f": use penchant {instead.replace('FILE', shlex.quote(str(search)))}\n")


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        (["present"], "ask FILE"),
        (["feedback", "FILE", "p", "--clicked", "a"], "tell FILE QUESTION left"),
        (["weights"], "rank FILE"),
        (["forget", "FILE", "ann"], "judges set-aside FILE JUDGE"),
    ],
)
def test_commands_of_studies_that_present(study: Path, typed: list[str], instead: str) -> None:
    """The other way round."""
    words = typed if "FILE" in typed else [*typed, "FILE"]
    done = run(*(study if word == "FILE" else word for word in words))
    assert done.status == 2
    assert done.err.endswith(f": use penchant {instead.replace('FILE', shlex.quote(str(study)))}\n")


@pytest.mark.parametrize("words", [["undo", "--judge", "ann"], ["new", "--coactive", "--goal", "top"]])
def test_options_of_the_other_kind_are_rejected(search: Path, study: Path, words: list[str]) -> None:
    """An option that a kind of study does not have is named, and nothing is changed."""
    file = search if words[0] == "undo" else search.with_name("new.db")
    done = run(words[0], file, *words[1:])
    assert done.status == 2
    assert "must be left out for a study that presents orders" in done.err
    assert run("undo", study, "--user", "ann").err.startswith("penchant: --user must be left out for a study")
    assert run("why", study, "tea", "milk", "--user", "ann").status == 2
    assert "must be given with --coactive" in run("new", search.with_name("new.db"), "--per-user").err
    assert not search.with_name("new.db").exists()


def test_a_command_without_an_entry_has_a_remedy() -> None:
    """Whatever is typed."""
    error = WrongKind.of("a file.db", "be a study of the kind compare", "coactive", "open it with Study.open")
    assert wrong_kind(error, "a command of later").endswith("use penchant present 'a file.db'")


def test_shared_commands_serve_both_kinds(search: Path, study: Path) -> None:
    """Settings, items, backup, restore and check."""
    for file, kind in ((search, "coactive"), (study, "compare")):
        assert json.loads(run("settings", file, "--json").out)["kind"] == kind
        copy, back = file.with_name(f"copy {kind}.db"), file.with_name(f"back {kind}.db")
        assert run("backup", file, copy).status == 0
        done = run("restore", copy, back)
        assert done.last.startswith(
            "Next: penchant present" if kind == "coactive" else "Next: penchant serve"
        )
        assert run("items", back, "--json").out == run("items", file, "--json").out
        assert run("check", back).status == 0
