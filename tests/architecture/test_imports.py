"""One direction: each package imports only packages before it, and nothing unpickles or evaluates."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import penchant

PACKAGE = Path(penchant.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

LEVELS = (
    ("errors", "moved", "progress", "text", "_version"),
    ("checks", "compiled", "equality", "frames", "threads"),
    ("schema", "linalg", "lapack", "mixture", "registry", "delayed", "study_reports"),
    ("saving", "orders", "counts"),
    ("preferences", "metrics", "ranking"),
    ("belief",),
    ("model", "examples", "overview", "online"),
    ("formats", "worth", "rankers", "coactive", "gp"),
    ("ask", "plots", "consensus"),
    ("simulate", "scale", "study", "store", "client"),
    ("papers", "serve"),
    ("cli",),
    ("__main__", "__init__"),
)
LEVEL = {package: level for level, packages in enumerate(LEVELS) for package in packages}
NOTEBOOK = {
    (package, "plots") for package in ("ranking", "preferences", "model", "coactive", "gp", "consensus")
}
# What notebooks show, and the columns of a frame as those of a file, are imported lazily; the study keeps its log.
ALLOWED = NOTEBOOK | {("preferences", "formats"), ("study", "store")}


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_packages(path: Path) -> set[str]:
    """The packages of the package that a file imports, whether at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [node.module or ""]
            if node.module == "penchant":
                names = [f"penchant.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("penchant.")}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_comes_before_it(path: Path) -> None:
    """errors < … < cli, and nothing imports its own level."""
    package = package_of(path)
    if package == "__init__":
        return
    packages = imported_packages(path) - {package}
    wrong = {
        other for other in packages if LEVEL[other] >= LEVEL[package] and (package, other) not in ALLOWED
    }
    assert wrong == set(), f"{package} must not import {sorted(wrong)}"


def test_every_package_has_its_level() -> None:
    """A new package is put into the order before anything is built on it."""
    assert {package_of(path) for path in MODULES} <= set(LEVEL)


FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
PROCESSES = [["Parallel", "delayed", "joblib"]]  # work for processes of our own, never a file or a request
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "read_pickle", "to_pickle", "literal_eval"}


def unsafe(tree: ast.AST) -> list[str]:
    """What in ``tree`` would run or rebuild what a file says."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            if names in PROCESSES:
                continue
            found += [f"import {name}" for name in names if name.split(".")[0] in FORBIDDEN_MODULES]
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in FORBIDDEN_CALLS and not _is_regular_expression(node):
                found.append(f"call of {name}")
            for keyword in node.keywords:
                if keyword.arg == "allow_pickle" and getattr(keyword.value, "value", None) is not False:
                    found.append("allow_pickle")
    return found


def _is_regular_expression(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "re"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_unpickles_or_evaluates(path: Path) -> None:
    """No file and no request is ever unpickled or evaluated."""
    assert unsafe(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "planted",
    [
        "import pickle",
        "from joblib import load",
        "from joblib import Parallel, delayed, load",
        "eval('1')",
        "np.load(f, allow_pickle=True)",
        "pd.read_pickle(f)",
    ],
)
def test_the_search_for_unsafe_code_finds_it(planted: str) -> None:
    """Each planted way to run what a file says is found."""
    assert unsafe(ast.parse(planted))


def test_one_module_sets_the_number_of_threads() -> None:
    """Every package holds BLAS to one thread by `penchant.threads`, and none by a way of its own."""
    users = [path for path in MODULES if "threadpoolctl" in path.read_text(encoding="utf-8")]
    assert users == [PACKAGE / "threads.py"]


def test_nothing_has_a_name_that_says_nothing() -> None:
    """Nothing is called utils, helpers, common, core, base or misc."""
    empty = {"utils", "helpers", "common", "core", "base", "misc"}
    assert {path.stem for path in MODULES} & empty == set()
    assert {path.parent.name for path in MODULES} & empty == set()
