"""Which code a result depends on: what is imported, without what numbers do not depend on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from penchant.papers.catalogue import experiments
from penchant.papers.validity import _Bare, code_hash, files_hash, imported


def test_only_imported_modules_count() -> None:
    """Also those imported inside a function, and through a package; others, and the version, do not."""
    modules = imported("penchant.papers.lecture.cohen")
    assert {"penchant.orders.cohen", "penchant.papers.run", "penchant.plots.preference_graph"} <= set(modules)
    assert not [name for name in modules if name.startswith(("penchant.serve", "penchant.gp"))]
    assert "penchant._version" not in modules
    assert "penchant.papers.catalogue" not in modules


@pytest.mark.parametrize("module", sorted({experiment.module for experiment in experiments()}))
def test_every_imported_module_is_really_loaded_or_lazy(module: str) -> None:
    """The module itself is among them, and every name is a module of the package."""
    names = imported(module)
    assert module in names
    assert all(name.startswith("penchant") for name in names)
    assert len(code_hash(module)) == 64


def bare(code: str) -> str:
    return ast.unparse(_Bare().visit(ast.parse(code)))


def test_comments_docstrings_and_claims_do_not_count() -> None:
    """Numbers do not depend on them; every other change does."""
    one = bare('def f():\n    """Say."""\n    return 1  # why\nC = claim("1.a", "it is", "x > 1")')
    assert one == bare('def f():\n    """Tell."""\n    return 1\nC = claim("1.a", "it was", "x > 2")')
    assert one != bare('def f():\n    """Say."""\n    return 2\nC = claim("1.a", "it is", "x > 1")')


def test_files_count_by_name_and_content(tmp_path: Path) -> None:
    """The same content under another name is another set."""
    hashes = set()
    for folder, name, text in (
        ("a", "x.csv", "1"),
        ("b", "y.csv", "1"),
        ("c", "x.csv", "2"),
        ("d", "x.csv", "1"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text, encoding="utf-8")
        hashes.add(files_hash(tmp_path / folder))
    assert len(hashes) == 3
