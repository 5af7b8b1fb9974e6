"""The command line as a whole: starting, help, pipes, hostile names and bugs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from itertools import pairwise
from pathlib import Path

import pytest

from penchant import __version__
from penchant.cli import main
from tests.architecture.test_start_up import loaded_by
from tests.cli.typed import run, written

PENCHANT = [sys.executable, "-m", "penchant"]


def test_it_says_its_version() -> None:
    """`penchant --version` is the version of the package."""
    assert run("--version").out == f"penchant {__version__}\n"


@pytest.mark.parametrize(
    "command",
    [
        *("rank", "check", "convert", "demo", "new", "compare", "ask", "tell", "undo", "why", "race"),
        *("consensus", "items", "judges", "settings", "change", "export", "import"),
        *("learn", "present", "feedback", "weights", "users", "forget", "erase"),
    ],
)
def test_each_command_has_a_line_of_help(command: str) -> None:
    """The list of commands tells each one in a line that is not cut off."""
    line = next(line for line in run("--help").out.splitlines() if line.split()[:1] == [command])
    assert len(line.split()) > 3
    assert not line.endswith("...")


def test_it_runs_without_a_terminal() -> None:
    """With no terminal and no input it ends by itself."""
    done = subprocess.run([*PENCHANT, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert done.returncode == 0


def test_an_error_is_the_same_from_a_shell(tmp_path: Path) -> None:
    """A real process says the same as the tests' runner."""
    nothing = tmp_path / "nothing.csv"
    done = subprocess.run([*PENCHANT, "rank", nothing], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"penchant: {nothing} must be a file")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("output", [[], ["--csv", "-"]])
def test_a_reader_that_has_enough_is_no_error(output: list[str], tmp_path: Path) -> None:
    """`penchant rank FILE | head -1` prints the line and no traceback."""
    names = [f"{i} {'of many ' * 20}" for i in range(601)]  # more than a pipe holds
    rows = "".join(f"{better},{worse}\n" for better, worse in pairwise(names))
    file = written(tmp_path / "games.csv", f"winner,loser\n{rows}")
    with subprocess.Popen(
        [*PENCHANT, "rank", file, "--model", "win-rate", "--top", "3000", *output],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(timeout=60)


def test_reading_and_ranking_loads_nothing_heavy(tmp_path: Path) -> None:
    """From a CSV to a table without Numba, scikit-learn, pandas or Altair, so that the first call is quick."""
    file = written(tmp_path / "games.csv", "winner,loser\n" + "a,b\nb,c\nc,a\n" * 300)
    typed = [
        ["rank", file],
        ["rank", file, "--json"],
        ["consensus", file],
        ["check", file],
        ["convert", file, tmp_path / "g.jsonl"],
    ]
    words = [[str(word) for word in command] for command in typed]
    code = (
        "from penchant.cli import app\n"
        f"for words in {words!r}:\n"
        "    try: app(words)\n"
        "    except SystemExit as end: assert not end.code"
    )
    assert loaded_by(code) == set()


HOSTILE = "\x1b[2Jx\x07\x85\x9b31m\u202ey\u2066z\u2028"


def is_safe(text: str) -> bool:
    """Whether a terminal would show each character of ``text`` and obey none but line ends."""
    return not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)


def test_names_cannot_command_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Items, judges, columns and file names with control characters are escaped in tables, messages and JSON."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    rows = [
        {"winner": HOSTILE, "loser": "b", "judge": HOSTILE},
        {"winner": "b", "loser": "c"},
        {"winner": 1.5},
    ]
    file = written(tmp_path / f"{HOSTILE[:-1]}.jsonl", "\n".join(map(json.dumps, [*rows, {HOSTILE: 1}])))
    log = written(
        tmp_path / "log.jsonl",
        json.dumps(
            {
                "id": HOSTILE,
                "candidates": [
                    {"id": HOSTILE, "features": {HOSTILE: 1}},
                    {"id": "b", "features": {HOSTILE: 2}},
                ],
                "presented": ["b"],
                "clicked": [HOSTILE],
            }
        ),
    )
    model, table = (
        tmp_path / "m",
        written(tmp_path / "t.csv", f'item,x,"{HOSTILE}"\n"{HOSTILE}",1,w\nb,2,v\nc,3,u\n'),
    )
    for words in (
        ["rank", file, "--model", "win-rate"],
        ["rank", file, "--model", "win-rate", "--json"],
        ["consensus", file],
        ["consensus", file, "--json"],
        ["check", file],
        ["check", file, "--json"],
        ["check", file, "--strict"],
        ["check", tmp_path / HOSTILE],
        ["convert", file, tmp_path / "o.csv"],
        ["suggest", file, "--items", table],
        ["suggest", file, "--json"],
        ["fit", "linked", file, "--set", "scale=1"],
        ["learn", log, "--save", model],
        ["learn", log, "--save", model, "--json"],
        ["present", model, log],
        ["present", model, log, "--json"],
        ["new", tmp_path / "s.db", written(tmp_path / "items.txt", f"{HOSTILE[:3]}\nb\n")],
        ["new", tmp_path / "c.db", "--coactive", "--per-user"],
        ["learn", log, "--into", tmp_path / "c.db"],
        ["present", tmp_path / "c.db", log, "--interleave", "baseline"],
        ["present", tmp_path / "c.db", log, "--json", "--user", "ann"],
        ["feedback", tmp_path / "c.db", HOSTILE, "--clicked", HOSTILE],
        ["weights", tmp_path / "c.db"],
        ["weights", tmp_path / "c.db", "--json"],
        ["why", tmp_path / "c.db", HOSTILE, "b"],
        ["check", tmp_path / "c.db"],
        ["forget", tmp_path / "c.db", HOSTILE],
        ["ask", tmp_path / "s.db"],
        ["rank", tmp_path / "s.db"],
    ):
        done = run(*words)
        assert is_safe(done.out + done.err), words
    assert json.loads(run("present", model, log, "--json").out)["id"] == HOSTILE
    assert r"\x1b[2Jx\x07\x85\x9b31m\u202ey\u2066z\u2028" in run("rank", file, "--model", "win-rate").out


def test_an_unexpected_error_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What no command foresaw is reported as a bug with status 70; a variable shows where it happened."""

    def broken(*_: object, **__: object) -> None:
        raise KeyError("oh\x1b")

    monkeypatch.setattr("penchant.formats.read_file", broken)
    monkeypatch.setattr(
        "sys.argv", ["penchant", "check", str(written(tmp_path / "g.csv", "winner,loser\na,b\n"))]
    )
    with pytest.raises(SystemExit) as end, warnings.catch_warnings():
        main()
    assert end.value.code == 70
    err = capsys.readouterr().err
    assert err.startswith("penchant: KeyError: 'oh\\x1b': this is a bug in Penchant, please report it")
    assert err.count("\n") == 1
    monkeypatch.setenv("PENCHANT_TRACEBACK", "1")
    with pytest.raises(KeyError), warnings.catch_warnings():
        main()
