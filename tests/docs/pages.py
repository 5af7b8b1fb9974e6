"""The pages of the docs as programs: run their blocks, compare or rewrite what they print (`make pages`)."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType

from tests.docs.shell import Shell

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
RECIPES = {"ini", "nginx", "py", "r", "sh"}
"""Settings and code of other programs, which are not here to read them (Python of other libraries is "py")."""
PICTURE = re.compile(r"!\[[^\]]*\]\((?:docs/)?pictures/([^)]+)\)")
"""A picture that the blocks of its page draw: a file of this name, which `make pages` puts into docs/pictures."""

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def run(command: str) -> str:
    """Run one documented command in this process and return what it printed."""
    from typer.testing import CliRunner

    program, *words = shlex.split(command, comments=True)
    if program == "make":
        assert words[0] in make_targets(), f"{command}: no such target"
        return ""
    assert program == "penchant", f"{command}: docs show penchant, make and curl only"
    from penchant.cli import app

    done = CliRunner().invoke(app, words, env={"COLUMNS": "100", "TERM": "dumb"}, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def pictures(page: Path) -> list[str]:
    """Return the names of the pictures that the page draws."""
    return PICTURE.findall(page.read_text(encoding="utf-8"))


def tidy(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())


def play(page: Path) -> str:
    """Return the page with what its blocks really print, running them in order in the current folder.

    Python blocks share their names; a text block after one is its output; a console block holds commands,
    each with its output or, where that is of no interest, without. Recipes for other programs stay as they are.
    """
    shell = Shell()
    try:
        return _played(page, shell)
    finally:
        shell.close()


def _played(page: Path, shell: Shell) -> str:
    names: dict[str, object] = {"__name__": page.stem}
    printed = ""

    def real(match: re.Match[str]) -> str:
        nonlocal printed
        language, body = match.groups()
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                _execute(compile(shell.real(body), str(page), "exec"), names)
            printed = out.getvalue()
        elif language == "text":
            body = tidy(printed)
        elif language == "console":
            body = "".join(_replayed(step, shell) for step in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:])
        elif language not in RECIPES:
            raise AssertionError(f"{page.name}: a block of {language}, which nothing runs")
        return f"```{language}\n{body}```"

    return BLOCK.sub(real, page.read_text(encoding="utf-8"))


def _execute(code: CodeType, names: dict[str, object]) -> None:
    """Run a block, in a thread where it uses an event loop: tests of the browser leave one in this thread."""
    if "asyncio" not in code.co_names:
        exec(code, names)
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(exec, code, names).result()


def _replayed(step: str, shell: Shell) -> str:
    command, _, output = step.partition("\n")
    said = shell.run(command) if shell.takes(command) else run(command)
    assert output.strip() or not said.startswith('{"error"'), f"{command}: {said}"
    return f"$ {command}\n" + (tidy(said) if output.strip() else output)


if __name__ == "__main__":
    for page in [path for path in PAGES if path.name in sys.argv[1:] or not sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            page.write_text(play(page), encoding="utf-8")
            for name in pictures(page):
                shutil.copy(name, ROOT / "docs" / "pictures" / name)
