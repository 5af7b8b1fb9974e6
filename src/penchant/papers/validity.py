"""Which code and data the numbers of an experiment depend on, as one hash.

A result stays valid until a module that its experiment imports, at the top or inside a function, or a file of its data
changes. Comments, docstrings, layout and the claims, which are judged from the numbers of a run, do not count.
"""

from __future__ import annotations

import ast
import gc
from functools import cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The folder that holds the package."""
VERSION = "penchant._version"


def code_hash(module: str) -> str:
    """Return a hash of the code of a module and of all modules of Penchant that it imports.

    Examples
    --------
    >>> code_hash("penchant.orders.cohen") == code_hash("penchant.orders.distances")
    False
    """
    digest = sha256()
    for name in imported(module):
        digest.update(f"{name} {_code(name)}".encode())
    return digest.hexdigest()


@cache
def imported(module: str) -> tuple[str, ...]:
    """Return the names of a module and of all modules of Penchant that it imports, directly or not, sorted.

    A name that a package only passes on counts as imported from the module that defines it.

    Examples
    --------
    >>> imported("penchant.errors")
    ('penchant.errors',)
    """
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imports(name))
    return tuple(sorted(found))


@cache
def files_hash(folder: Path) -> str:
    """Return a hash of the names and contents of the files below a folder."""
    digest = sha256()
    for path in sorted(path for path in folder.rglob("*.*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()} {path.stat().st_size} ".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _path(module: str) -> Path | None:
    """Return the file of a module of Penchant, or None if there is none of that name."""
    place = ROOT.joinpath(*module.split("."))
    for path in (place / "__init__.py", place.with_suffix(".py")):
        if path.exists():
            return path
    return None


@cache
def _tree(module: str) -> ast.Module:
    path = _path(module)
    text = path.read_text(encoding="utf-8") if path else ""
    collects = gc.isenabled()
    gc.disable()  # Python 3.11 raises SystemError where a finalizer that runs in between parses something too
    try:
        return ast.parse(text)
    finally:
        if collects:
            gc.enable()


@cache
def _imports(module: str) -> frozenset[str]:
    """Return the modules of Penchant that a module imports; one that a package passes on, from its source."""
    found: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("penchant")}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("penchant"):
            found |= {_source(node.module or "", alias.name) for alias in node.names}
    return frozenset(found - {module, VERSION})


def _source(package: str, name: str) -> str:
    """Return the module that ``from package import name`` takes its name from."""
    if _path(f"{package}.{name}") is not None:
        return f"{package}.{name}"
    path = _path(package)
    if path is not None and path.name == "__init__.py":
        for node in ast.walk(_tree(package)):
            if isinstance(node, ast.ImportFrom) and name in {
                alias.asname or alias.name for alias in node.names
            }:
                inner = next(alias.name for alias in node.names if name == (alias.asname or alias.name))
                return _source(node.module or "", inner)
    return package


@cache
def _code(module: str) -> str:
    """Return the code of a module without docstrings and claims, laid out in one way."""
    bare = _Bare().visit(_tree(module))
    return ast.unparse(ast.fix_missing_locations(bare))


class _Bare(ast.NodeTransformer):
    """Leaves out what numbers do not depend on: docstrings, and calls that write down a claim."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return ast.Pass()
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "claim":
            return ast.Constant(None)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "by":
            return ast.Constant(None)
        return self.generic_visit(node)
