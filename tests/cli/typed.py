"""Run commands as they are typed, with their output and error output."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from penchant.cli import app


class Done(NamedTuple):
    """The status of a command, its output and its error output."""

    status: int
    out: str
    err: str

    @property
    def last(self) -> str:
        return self.out.splitlines()[-1]


def run(*words: object, input: str | None = None) -> Done:
    """Run ``penchant WORDS`` where no width is known; what it does not handle itself is raised here."""
    width = {"COLUMNS": None}
    typed = [str(word) for word in words]
    done = CliRunner().invoke(app, typed, input=input, env=width, catch_exceptions=False)
    return Done(done.exit_code, done.stdout, done.stderr)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
