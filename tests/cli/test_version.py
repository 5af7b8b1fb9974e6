"""``penchant --version``."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from penchant import __version__
from penchant.cli.version import versions


def printed(*words: str) -> str:
    command = [sys.executable, "-W", "ignore", "-m", "penchant", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_the_version_is_one_line() -> None:
    """``penchant 0.1.0``."""
    assert printed("--version") == f"penchant {__version__}\n"


@pytest.mark.parametrize("words", [("--version", "--json"), ("--json", "--version")])
def test_as_json_it_has_what_a_report_needs(words: tuple[str, str]) -> None:
    """Python, the machine and every dependency, null where one is not installed; in either order."""
    found = json.loads(printed(*words))
    assert found["penchant"] == __version__
    assert found["python"].startswith("CPython 3.")
    assert {"numpy", "numba", "fastapi"} <= set(found["dependencies"])
    assert not {"pytest", "mkdocs"} & set(found["dependencies"])


def test_nothing_in_it_names_a_person_or_a_folder() -> None:
    """It can be pasted into a public report."""
    assert "/" not in json.dumps(versions())
