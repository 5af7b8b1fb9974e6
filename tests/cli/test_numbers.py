"""Numbers that are typed as options, of every command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from penchant.cli import app
from penchant.cli.numbers import NumberOption, WrongNumber
from tests.cli.test_outputs import GAMES
from tests.cli.typed import run, written

LOG = '{"candidates": [{"id": "a", "features": {"x": 1}}], "presented": ["a"], "clicked": ["a"]}\n'


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each command that can be typed, with its words."""
    if not hasattr(command, "commands"):
        yield words, command
        return
    for name, inner in command.commands.items():
        yield from commands(inner, (*words, name))


ALL = dict(commands(typer.main.get_command(app)))
NUMBERS = [(words, number) for words, command in ALL.items() for number in command.callback.numbers]


def required(words: tuple[str, ...]) -> list[str]:
    """Something for each argument that the command needs."""
    return ["nothing" for each in ALL[words].params if each.param_type_name == "argument" and each.required]


def test_options_that_are_numbers_are_found_in_all_commands() -> None:
    """By walking the commands, under the names under which they are typed."""
    assert len(NUMBERS) > 35
    assert {number.name for words, number in NUMBERS if words == ("serve",)} == {"--port", "--for"}
    for words, number in NUMBERS:
        assert number.name in [name for each in ALL[words].params for name in each.opts]


@pytest.mark.parametrize(
    ("words", "number"), NUMBERS, ids=lambda each: getattr(each, "name", None) or " ".join(each)
)
def test_what_is_no_number_or_out_of_range_is_reported_in_one_style(
    words: tuple[str, ...], number: NumberOption
) -> None:
    """Option, limit, what was typed, what to do; before anything is read."""
    typed = ["x", "nan", "", *(["1.5"] if number.whole else [])]
    typed += [] if number.least is None else [str(int(number.least) - 1)]
    typed += [] if number.most is None else [str(int(number.most) + 1)]
    for text in typed:
        done = run(*words, *required(words), f"{number.name}={text}")
        assert (done.status, done.out) == (2, "")
        assert done.err == f"penchant: {number.name} must be {number.limit}, got {text!r}: correct it\n"


OPEN = {
    ("rank", "--level"): ["rank", "GAMES"],
    ("predictions", "--level"): ["predictions", "STUDY"],
    ("evaluate", "--level"): ["evaluate", "SCORES", "TABLE", "--against", "SCORES"],
    ("judges list", "--level"): ["judges", "list", "STUDY"],
    **{
        (f"{name}", option): [name, *rest]
        for name, rest in (("new", ["NEW", "ITEMS"]), ("change", ["STUDY"]))
        for option in ("--top", "--repeats", "--least", "--most-ahead", "--answers-each")
    },
    ("new", "--depth"): ["new", "NEW", "--coactive"],
    ("change", "--depth"): ["change", "SEARCH"],
    ("learn", "--depth"): ["learn", "LOG", "--save", "OUT"],
    ("learn", "--forget"): ["learn", "LOG", "--save", "OUT"],
    ("tokens make", "--days"): ["tokens", "make", "STUDY", "judge", "ann"],
}
"""Options whose limits the library knows, with a command that gets as far as that."""


def test_limits_of_the_library_are_reported_in_the_same_style(
    study: Path, search: Path, table: Path, tmp_path: Path
) -> None:
    """Each option that is a number without a range of its own is here, and rejects a number below its limit."""
    assert OPEN.keys() == {
        (" ".join(words), number.name) for words, number in NUMBERS if number.least is None
    }
    files = {
        "GAMES": written(tmp_path / "games.csv", GAMES),
        "ITEMS": written(tmp_path / "items2.csv", "id\na\nb\n"),
        "LOG": written(tmp_path / "log.jsonl", LOG),
        "SCORES": written(tmp_path / "scores.txt", "1\n" * 120),
        "STUDY": study,
        "SEARCH": search,
        "TABLE": table,
        "NEW": tmp_path / "new.db",
        "OUT": tmp_path / "out.pen",
    }
    wrong = []
    for (_, option), words in OPEN.items():
        typed = [files.get(word, word) for word in words]
        done = run(*typed, f"{option}=-1")
        if done.status != 2 or not re.match(
            rf"penchant: {option} must .*, got ('?-1(\.0)?'?|another): .+\n$", done.err
        ):
            wrong.append((words, option, done))
    assert not wrong


def test_a_value_that_is_none_of_those_allowed_is_reported_in_the_same_style() -> None:
    """With those that are."""
    for option, names in (("--metric", "'ndcg', 'map', "), ("--ties", "'average', 'order'")):
        done = run("evaluate", "model", "file", option, "it's")
        assert done.status == 2
        assert done.err.startswith(f"penchant: {option} must be one of {names}")
        assert ", got " in done.err
        assert done.err.endswith(": see penchant evaluate -h\n")


def test_numbers_are_parsed() -> None:
    """Also those at the ends of the range, and defaults, which are no text."""
    port = NumberOption("--port", True, 0, 65535)
    assert [port.parse(text) for text in ("0", "65535", 8000)] == [0, 65535, 8000]
    assert NumberOption("--days", False).parse("1e3") == 1000.0
    with pytest.raises(WrongNumber, match=r"--port must be a whole number from 0 to 65535, got '65536'"):
        port.parse("65536")
