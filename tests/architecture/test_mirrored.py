"""Each module has a test file of its own name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import penchant

PACKAGE = Path(penchant.__file__).parent
TESTS = Path(__file__).parents[1]

WAITING: frozenset[str] = frozenset()
"""Modules that have no test file yet; a module that has got one must be taken off."""


def modules(package: Path) -> list[str]:
    """Return the paths of the public modules below ``package``, former names left out."""
    return sorted(
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if not path.name.startswith("_") and "moved_to(__name__" not in path.read_text(encoding="utf-8")
    )


def has_tests(module: str, tests: Path) -> bool:
    """Whether the file that mirrors ``module`` holds a test function, alone or in a class."""
    path = tests / Path(module).with_name(f"test_{Path(module).name}")
    if not path.exists():
        return False
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return any(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in nodes)


@pytest.mark.parametrize("module", modules(PACKAGE))
def test_a_module_has_a_test_file(module: str) -> None:
    """``a/b.py`` is tested in ``tests/a/test_b.py``, unless it waits for that; none that is tested waits."""
    assert has_tests(module, TESTS) == (module not in WAITING), (
        f"{module}: write its tests, or update WAITING"
    )


def test_no_module_waits_that_is_gone() -> None:
    """What was merged or renamed is taken off the list."""
    assert set(modules(PACKAGE)) >= WAITING


def test_missing_and_empty_files_are_found(tmp_path: Path) -> None:
    """A file without a test function does not count, private modules are left out, tests in classes count."""
    source, tests = tmp_path / "source", tmp_path / "tests"
    for folder in (source / "a", tests / "a"):
        folder.mkdir(parents=True)
    for name in ("b", "c", "d", "e", "_private", "__init__"):
        (source / "a" / f"{name}.py").touch()
    (tests / "a" / "test_b.py").write_text("def test_it() -> None: ...\n", encoding="utf-8")
    (tests / "a" / "test_c.py").write_text("def check_it() -> None: ...\n", encoding="utf-8")
    (tests / "a" / "test_d.py").write_text(
        "class TestD:\n    def test_it(self) -> None: ...\n", encoding="utf-8"
    )
    found = modules(source)
    assert found == ["a/b.py", "a/c.py", "a/d.py", "a/e.py"]
    assert [has_tests(module, tests) for module in found] == [True, False, True, False]
