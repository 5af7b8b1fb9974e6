"""The licences of dependencies."""

from __future__ import annotations

import re
import tomllib

from website.licences import PAGE, closure, licence
from website.repository import ROOT


def test_every_dependency_is_listed_with_a_licence() -> None:
    """Each direct one, of Penchant or of an extra for users, stands on the page with what it states."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = list(project["dependencies"])
    for extra, required in project["optional-dependencies"].items():
        if extra not in ("dev", "docs", "all"):
            lines += [line for line in required if not line.startswith("penchant")]
    names = {match[0].lower() for line in lines if (match := re.match(r"[A-Za-z0-9_.-]+", line))}
    page = PAGE.read_text(encoding="utf-8")
    assert {name for name in names if f"| {name} | " not in page} == set()
    assert "not stated" not in page
    assert names <= set(closure())


def test_contributors_tools_are_left_out() -> None:
    """What only the tests or the site need is nothing that users install."""
    assert not {"pytest", "mkdocs", "mypy"} & set(closure())


def test_a_licence_is_what_the_package_states() -> None:
    """As an expression or by its classifiers."""
    assert "BSD" in licence("numpy")
    assert "MIT" in licence("rich")
