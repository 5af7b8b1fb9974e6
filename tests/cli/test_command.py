"""What every command has: limits as they are typed, and errors in one line with the names of options."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import pytest
from typer import Exit, Option, Typer, echo
from typer.testing import CliRunner

from penchant.cli import app
from penchant.cli.command import command, kept_warnings, limits, note_saved, report
from penchant.errors import Argument, InvalidInput, PenchantWarning, Text
from tests.cli.test_outputs import GAMES
from tests.cli.typed import Done, run, written
from tests.formats.files import LETOR, LOG


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("g.csv", GAMES, ["rank", "FILE"]),
        ("g.csv", GAMES, ["check", "FILE"]),
        ("g.csv", GAMES, ["convert", "FILE", "OUT"]),
        ("g.csv", GAMES, ["suggest", "FILE"]),
        ("g.csv", GAMES, ["fit", "linked", "FILE"]),
        ("l.txt", LETOR, ["fit", "ranker", "FILE", "--save", "OUT"]),
        ("l.csv", "grade,qid,x\n1,1,0.5\n0,1,0.25\n", ["fit", "ranker", "FILE", "--save", "OUT"]),
        ("log.jsonl", LOG, ["learn", "FILE", "--save", "OUT"]),
        ("items.txt", "tea\ncoffee\nwater\nmilk\n", ["new", "OUT", "FILE"]),
    ],
)
def test_each_command_that_reads_takes_limits(name: str, text: str, words: list[str], tmp_path: Path) -> None:
    """A limit that the file exceeds is named with the option that raises it, and nothing is written."""
    places = {"FILE": written(tmp_path / name, text), "OUT": tmp_path / "out.jsonl"}
    done = run(*(places.get(word, word) for word in words), "--limit", "bytes=20")
    assert (done.status, done.out) == (2, "")
    assert "must be at most 20, got more: give less, or --limit bytes=40" in done.err
    assert done.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_raised_limit_is_kept_for_the_next_command(tmp_path: Path) -> None:
    """Several limits, with units, are taken, and stand in what to type next."""
    file = written(tmp_path / "g.csv", GAMES + f"a,{'x' * 140_000}\n")
    assert "Rejected: 1 of 5 rows" in run("check", file).out
    done = run("check", file, "--limit", "field=1MB", "--limit", "bytes=4GiB")
    assert "Rejected: none of 5 rows" in done.out
    assert done.last == f"Next: penchant rank {file} --limit field=1MB --limit bytes=4GiB"
    assert limits().field == 131_072


@pytest.mark.parametrize(
    "limit", ["bytes", "bytes=", "bytes=x", "bytes=1XB", "rows=3", "bytes=-1", "bytes=1e9"]
)
def test_a_limit_that_is_none_is_rejected(limit: str, tmp_path: Path) -> None:
    """An unknown name, no number, an unknown unit: one line that lists what there is."""
    done = run("check", written(tmp_path / "g.csv", GAMES), "--limit", limit)
    assert done.status == 2
    assert "--limit must be NAME=NUMBER with one of bytes, line, field" in done.err
    assert done.err.count("\n") == 1


def test_features_are_not_written_out_beyond_the_limit(tmp_path: Path) -> None:
    """A model that needs a dense matrix says how large it would be before it takes the memory."""
    rows = "".join(f"{i % 2} qid:1 {i + 1}:1 90000:1\n" for i in range(20))
    file = written(tmp_path / "l.txt", rows)
    done = run("fit", "ranker", file, "--model", "ordinal", "--save", tmp_path / "m", "--limit", "bytes=10MB")
    assert done.status == 2
    assert "must be at most 10,000,000, got 14,400,000: give less, or --limit bytes=14400000" in done.err


@pytest.mark.parametrize("command", ["rank", "check"])
def test_files_that_cannot_be_read_are_one_line(command: str, tmp_path: Path) -> None:
    """Nothing there, a folder, an empty file, one without rows: one line on the error output and status 2."""
    empty, header = written(tmp_path / "a.csv", ""), written(tmp_path / "b.csv", "winner,loser\n")
    for wrong in (tmp_path / "nothing.csv", tmp_path, empty, header):
        done = run(command, wrong)
        assert done.status == 2
        assert done.out == ""
        assert done.err.startswith(f"penchant: {wrong}")
        assert done.err.count("\n") == 1


def test_errors_name_options(tmp_path: Path) -> None:
    """Where the library would say better= and header=False, the command line says --better and --no-header."""
    done = run("rank", written(tmp_path / "odd.csv", "x1,x2,x3\n1,2.5,a\n"))
    assert done.status == 2
    assert "--better and --worse" in done.err
    assert "=" not in done.err


def test_too_little_memory_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that does not fit is no bug."""

    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("penchant.formats.read_file", full)
    done = run("check", written(tmp_path / "g.csv", "winner,loser\na,b\n"))
    assert done.status == 2
    assert done.err.startswith("penchant: memory must suffice")


def _typed(function: Any, *words: object, **options: str) -> Done:
    """Run ``function`` as the only command of an application."""
    app = Typer()
    app.command()(command(function, **options))
    done = CliRunner().invoke(app, [str(word) for word in words])
    return Done(done.exit_code, done.stdout, done.stderr)


def test_arguments_are_worded_as_the_options_of_the_command() -> None:
    """The subject and the remedy name what can be typed; a name that is no option stays as it is."""

    def fails(
        level: Annotated[float, Option()] = 0.5,
        header: Annotated[bool | None, Option("--header/--no-header")] = None,
        source: Annotated[str | None, Option("--from")] = None,
        setting: Annotated[list[str] | None, Option("--set")] = None,
    ) -> None:
        remedy = Text(Argument("header", False), ", ", Argument("format", "pairs"), ", ", Argument("kernel"))
        raise InvalidInput.of("C" if setting else "level", "be below 1", level, remedy)

    done = _typed(fails, format="--from or --to")
    assert (
        done.err == "penchant: --level must be below 1, got 0.5: --no-header, --from or --to pairs, kernel\n"
    )
    assert _typed(fails, "--set", "C=1").err.startswith("penchant: --set C must be below 1")


def test_a_warning_is_one_line_and_can_be_kept_for_later() -> None:
    """Shown when it comes, or collected once each and in order."""

    def warns() -> None:
        with kept_warnings() as kept:
            for message in ("first", "second", "first"):
                warnings.warn(message, PenchantWarning, stacklevel=2)
        warnings.warn("now\nand here", PenchantWarning, stacklevel=2)
        echo(", ".join(kept))

    done = _typed(warns)
    assert done.err == "Warning: now and here\n"
    assert done.out == "Warning: first, Warning: second\n"


def test_a_long_message_is_cut_and_made_visible(capsys: pytest.CaptureFixture[str]) -> None:
    """One line of a bounded length, whatever a file holds."""
    report("x\x1b\n" + "y" * 10_000)
    line = capsys.readouterr().err
    assert line.startswith(r"x\x1b yyy")
    assert line.count("\n") == 1
    assert len(line) < 2100


def test_a_row_that_exceeds_a_limit_names_the_option(tmp_path: Path) -> None:
    """Also where only that row is rejected."""
    file = written(tmp_path / "g.csv", GAMES + f"a,{'x' * 140_000}\n")
    out = run("check", file).out
    assert "give less, or --limit field=" in out
    assert "Limits(" not in out


def test_a_path_that_leads_to_no_study_is_named(tmp_path: Path) -> None:
    """A missing file and a file of another kind have the command that makes a study."""
    (tmp_path / "items.csv").write_text("title\nTea\nMilk\n")
    missing = tmp_path / "talk.db"
    for words in (["ask"], ["settings"], ["items", "list"], ["predictions"], ["export"]):
        more = [tmp_path / "out.jsonl"] if words == ["export"] else []
        done = run(*words, missing, *more)
        assert done.status == 2
        assert f"{missing} must be a study, got nothing there: make a study with penchant new" in done.err
        other = run(*words, tmp_path / "items.csv", *more)
        assert "items.csv must be a study, got another kind of file: make a study of items with" in other.err
    run("new", tmp_path / "talks.db", tmp_path / "items.csv")
    assert f"did you mean {tmp_path / 'talks.db'}?" in run("ask", missing).err


def test_ctrl_c_says_what_was_saved(capsys: pytest.CaptureFixture[str]) -> None:
    """Interrupted, a command names the files that it wrote whole, or says that there are none; the status is 130."""

    def stopped() -> None:
        raise KeyboardInterrupt

    def stopped_late() -> None:
        note_saved(Path("model.penchant"))
        raise KeyboardInterrupt

    for function, message in (
        (stopped, "Stopped. Nothing was saved\n"),
        (stopped_late, "Stopped. Saved: model.penchant\n"),
    ):
        with pytest.raises(Exit) as caught:
            command(function)()
        assert caught.value.exit_code == 130
        assert capsys.readouterr().err == message


def test_words_are_completed() -> None:
    """What a shell asks for while somebody types are the commands and options that begin so."""
    for typed, number, expected in (
        ("penchant ra", 1, "rank\nrace"),
        ("penchant rank a.csv --mod", 3, "--model"),
    ):
        asked = {"_PENCHANT_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(number)}
        done = CliRunner().invoke(app, [], prog_name="penchant", env=asked)
        assert done.stdout.strip() == expected
