"""What commands write: never what they read, and never half of it."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penchant.cli.outputs import PRINTED, check_new, check_outputs, print_rows
from penchant.errors import InvalidInput
from tests.cli.typed import run, written
from tests.formats.files import LETOR, LOG

GAMES = "winner,loser\na,b\nb,c\nc,a\na,c\n"
ITEMS = "item,price\na,1\nb,2\nc,3\n"
LINKS = "from,to\na,b\nb,c\n"


def itself(path: Path) -> Path:
    return path


def relative(path: Path) -> Path:
    return Path(os.path.relpath(path))


def symbolic(path: Path) -> Path:
    link = path.with_name(f"symbolic-{path.name}")
    link.symlink_to(path)
    return link


def hard(path: Path) -> Path:
    link = path.with_name(f"hard-{path.name}")
    os.link(path, link)
    return link


NAMINGS = [itself, relative, symbolic, hard]
COMMANDS = [
    ("games", ["rank", "games", "--csv", "OUT"]),
    ("games", ["convert", "games", "OUT", "--force"]),
    ("games", ["suggest", "games", "--csv", "OUT"]),
    ("items", ["suggest", "games", "--items", "items", "--csv", "OUT"]),
    ("links", ["suggest", "games", "--links", "links", "--csv", "OUT"]),
    ("games", ["fit", "linked", "games", "--save", "OUT"]),
    ("links", ["fit", "linked", "games", "--links", "links", "--save", "OUT"]),
    ("items", ["fit", "utility", "games", "--items", "items", "--save", "OUT"]),
    ("letor", ["fit", "ranker", "letor", "--save", "OUT"]),
    ("model", ["predict", "model", "letor", "--out", "OUT"]),
    ("letor", ["predict", "model", "letor", "--out", "OUT"]),
    ("picture", ["evaluate", "model", "picture", "--plot", "OUT"]),
    ("log", ["learn", "log", "--save", "OUT"]),
    ("learner", ["learn", "log", "--model", "learner", "--save", "OUT"]),
    ("titles", ["rank", "ratings", "--titles", "--csv", "OUT"]),
]


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """Return inputs of every kind by name; rejections come before any of them is read."""
    texts = {
        "games": "games.csv",
        "items": "items.csv",
        "links": "links.csv",
        "letor": "l.txt",
        "log": "log.jsonl",
    }
    others = {"model": "m.penchant", "learner": "n.penchant", "picture": "p.svg", "ratings": "r.dat"}
    contents = {"games": GAMES, "items": ITEMS, "links": LINKS, "letor": LETOR, "log": LOG}
    places = {
        name: written(tmp_path / file, contents.get(name, "kept")) for name, file in (texts | others).items()
    }
    return places | {"titles": written(tmp_path / "movies.dat", "kept")}


@pytest.mark.parametrize("naming", NAMINGS)
@pytest.mark.parametrize(
    ("read", "words"), COMMANDS, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_no_output_is_an_input(
    read: str, words: list[str], naming: Callable[[Path], Path], places: dict[str, Path]
) -> None:
    """By its own name, a relative one, a symbolic or a hard link: rejected before the work, and left as it was."""
    before = {name: path.read_bytes() for name, path in places.items()}
    out = naming(places[read])
    done = run(*(out if word == "OUT" else places.get(word, word) for word in words))
    assert (done.status, done.out) == (2, "")
    assert "must be a file of its own" in done.err
    assert "which is also read" in done.err
    assert done.err.count("\n") == 1
    assert {name: path.read_bytes() for name, path in places.items()} == before


def test_the_files_beside_a_study_are_inputs_too(tmp_path: Path) -> None:
    """What SQLite keeps beside a study is never written over."""
    with pytest.raises(InvalidInput, match="must be a file of its own"):
        check_outputs([tmp_path / "study.db"], [tmp_path / "study.db-wal"])


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    """Two names of one file are rejected, whether it is there or not."""
    first = tmp_path / "x.csv"
    with pytest.raises(InvalidInput, match="which is also written"):
        check_outputs([], [first, tmp_path / "." / "x.csv"])
    first.touch()
    with pytest.raises(InvalidInput, match="which is also written"):
        check_outputs([], [first, hard(first)])


def test_the_report_is_none_of_the_results(tmp_path: Path) -> None:
    """`papers report` does not write over what it reads."""
    result = tmp_path / "default" / "1.fig1" / "found.json"
    result.parent.mkdir(parents=True)
    result.write_text("kept")
    done = run("papers", "report", result, "--out", tmp_path)
    assert (done.status, result.read_text()) == (2, "kept")
    assert "must be a file of its own" in done.err


def test_what_is_replaced_keeps_its_mode_and_its_links(tmp_path: Path) -> None:
    """A private table stays private, a linked picture goes to the place that the link names."""
    games, table, picture = written(tmp_path / "g.csv", GAMES), tmp_path / "t.csv", tmp_path / "p.svg"
    written(table, "old").chmod(0o600)
    link = tmp_path / "link.svg"
    link.symlink_to(picture)
    assert run("rank", games, "--model", "win-rate", "--csv", table, "--plot", link).status == 0
    assert stat.S_IMODE(table.stat().st_mode) == 0o600
    assert table.read_text().startswith("rank,item")
    assert link.is_symlink()
    assert "<svg" in picture.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.csv", "link.svg", "p.svg", "t.csv"]


@pytest.mark.parametrize("option", ["--csv", "--plot"])
def test_a_full_disk_leaves_the_old_file(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error while writing is one line, and what was there stays."""

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("penchant.saving.replacing.os.fsync", full)
    out = written(tmp_path / "out.svg", "old")
    done = run("rank", written(tmp_path / "g.csv", GAMES), "--model", "win-rate", option, out)
    assert done.status == 2
    assert done.err == "penchant: No space left on device\n"
    assert out.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_rows_for_another_program_are_exact_and_for_a_terminal_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--csv -` gives ids as they are to a pipe, and escaped to a terminal."""
    file = written(tmp_path / "g.jsonl", json.dumps({"winner": "x\x1b[2J", "loser": "b"}))
    assert "x\x1b[2J" in run("rank", file, "--model", "win-rate", "--csv", "-").out
    print_rows("x\x1b[2J\ny\n")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_rows("x\x1b[2J\ny\n")
    assert capsys.readouterr().out == "x\x1b[2J\ny\nx\\x1b[2J\ny\n"


def test_a_saved_model_is_not_overwritten_unless_forced(tmp_path: Path) -> None:
    """--save names what is there and what to do, before anything is computed; --force overwrites it."""
    documents = written(tmp_path / "d.letor", "1 qid:1 1:1.0\n0 qid:1 1:0.0\n" * 5)
    saved = written(tmp_path / "model", "something else")
    done = run("fit", "ranker", documents, "--save", saved)
    assert done.status == 2
    assert f"{saved} must not exist yet, got a file: give --force to overwrite it" in done.err
    assert saved.read_text() == "something else"
    assert run("fit", "ranker", documents, "--save", saved, "--force").status == 0
    assert saved.read_bytes()[:2] == b"PK"


def test_models_are_not_printed() -> None:
    """A dash is no file to save a model in, by whatever name it would be found again."""
    with pytest.raises(InvalidInput, match="what is saved must go to a file, got -"):
        check_new([PRINTED], force=True)
    check_new([PRINTED, None], force=False, printed=True)
