"""The docs are true: every code block and command of README and docs/ runs, and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, play


def played(page: Path) -> object:
    """The page as a parameter, which is skipped where it needs a program that is not here."""
    asks = "$ curl" in page.read_text(encoding="utf-8")
    return pytest.param(page, id=page.name, marks=[pytest.mark.needs("curl")] if asks else [])


@pytest.mark.parametrize("page", [played(page) for page in PAGES])
def test_a_page_runs_and_prints_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run again, each block prints what stands below it."""
    monkeypatch.chdir(tmp_path)
    assert page.read_text(encoding="utf-8").splitlines() == play(page).splitlines()


def test_every_command_is_documented() -> None:
    """An undocumented command fails here."""
    from penchant.cli import app

    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    names = {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    }
    assert {name for name in names if f"penchant {name}" not in text} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Each relative link names a file that is there."""
    for target in re.findall(r"\]\((?!http|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
