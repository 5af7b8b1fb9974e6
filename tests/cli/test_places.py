"""Files and addresses as they are typed, through every kind of command that takes a study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from penchant.cli import app
from penchant.cli.places import study_exists, study_place
from penchant.store import PostgresAddress
from tests.postgresql import PASSWORD, Server

SECRET = "marker-of-a-secret"


def run(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == status, done.output
    return done.output


def test_what_has_no_scheme_is_a_file(tmp_path: Path) -> None:
    """A file need not be there."""
    assert study_place("a/b.db") == Path("a/b.db")
    assert not study_exists(tmp_path / "a.db")
    assert study_exists(tmp_path)
    assert isinstance(study_place("postgresql://db.example/x?study=a"), PostgresAddress)


def test_a_wrong_address_is_reported_without_quoting_it() -> None:
    """Neither the error nor the output of a command has the password."""
    text = f"postgresql://ann:{SECRET}@db.example/x?study=No"
    with pytest.raises(typer.BadParameter, match="study in the address must be") as caught:
        study_place(text)
    assert SECRET not in str(caught.value)
    output = run("ask", text, status=2)
    assert "study in the address must be" in output
    assert SECRET not in output
    assert SECRET not in run("ask", f"mysql://ann:{SECRET}@x/y", status=2)


@pytest.mark.needs("postgres")
def test_a_study_in_a_database_is_used_by_every_command(postgres: Server, tmp_path: Path) -> None:
    """From making it to moving it into a file; no output has the password."""
    address, items = postgres.address(), tmp_path / "items.txt"
    items.write_text("tea\ncoffee\nmilk\n")
    outputs = [run("new", address, str(items), "--seed", "1")]
    question = json.loads(run("ask", address, "--json"))
    outputs += [run("tell", address, question["question"], "left")]
    outputs += [run(name, address) for name in ("rank", "check", "settings", "predictions")]
    outputs += [run(group, "list", address) for group in ("items", "judges", "tokens")]
    outputs += [run("tokens", "make", address, "judge", "ann")]
    outputs += [run("convert", address, str(tmp_path / "answers.csv"))]
    outputs += [run("undo", address), run("export", address, str(tmp_path / "a.jsonl"))]
    outputs += [run("backup", address, str(tmp_path / "copy.db"))]
    outputs += [run("restore", str(tmp_path / "copy.db"), address, status=2)]
    outputs += [run("restore", str(tmp_path / "copy.db"), address, "--replace")]
    outputs += [run("import", postgres.address(), str(tmp_path / "a.jsonl"))]
    outputs += [run("import", address, str(tmp_path / "a.jsonl"), status=2)]
    outputs += [run("ask", postgres.address(), status=2)]
    assert "study=s" in outputs[0]
    assert PASSWORD not in "".join(outputs)
