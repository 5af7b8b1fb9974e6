"""The paths through the packages: no longer than they were, and as ``docs/architecture.md`` describes them."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.paths import PATHS, functions_of

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
MOST = {
    "rank": (280, 50),
    "answer": (252, 53),
    "click": (201, 39),
    "feedback": (337, 62),
    "experiment": (138, 35),
}
"""The most functions and files that each path may take; a few more functions than today, since branches may differ."""

SECTION = re.compile(r"^## .*?`tests\.architecture\.paths (\w+)`.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"`(penchant(?:\.\w+)+:[\w.]+)`")


def sections() -> dict[str, list[str]]:
    """Return the functions that the page names for each path."""
    text = PAGE.read_text(encoding="utf-8")
    return {found[1]: NAME.findall(found[0]) for found in SECTION.finditer(text)}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_no_longer_than_it_was(path: str) -> None:
    """Somebody who follows a command or a request reads few functions, in few files."""
    functions = functions_of(path)
    files = {name.partition(":")[0] for name in functions}
    most_functions, most_files = MOST[path]
    assert len(functions) <= most_functions
    assert len(files) <= most_files


@pytest.mark.parametrize("path", PATHS)
def test_the_page_names_functions_of_the_path_in_their_order(path: str) -> None:
    """Each function that the page names is called on that path, and after the ones named before it."""
    named, called = sections()[path], functions_of(path)
    assert len(named) >= 8
    assert [name for name in named if name not in called] == []
    places = [called.index(name) for name in named]
    assert places == sorted(places)


@pytest.mark.parametrize("name", sorted(set(NAME.findall(PAGE.read_text(encoding="utf-8")))))
def test_every_name_of_the_page_exists(name: str) -> None:
    """A function that was renamed or moved is renamed on the page too."""
    module, _, qualified = name.partition(":")
    found: Any = import_module(module)
    for part in qualified.split("."):
        found = getattr(found, part)
    assert callable(found)


def test_the_page_lists_every_package() -> None:
    """The folder list of the page is that of the source."""
    import penchant

    package = Path(penchant.__file__).parent
    folders = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    modules = {path.stem for path in package.glob("*.py") if not path.name.startswith("_")}
    listed = set(re.findall(r"^\| `(\w+)(?:/|\.py)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert listed == folders | modules
