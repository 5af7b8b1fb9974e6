"""The reference of public names: a page for each package, made from its docstrings by mkdocstrings."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import penchant

INTERNAL = {"penchant.papers.monotone", "penchant.serve.routes"}
"""Packages whose ``__all__`` serves other packages of Penchant alone."""


class PublicName(NamedTuple):
    """A name that a package exports, and the package whose page describes it."""

    package: str
    name: str
    home: str

    @property
    def value(self) -> Any:
        """What it names."""
        return getattr(import_module(self.package), self.name)

    @property
    def anchor(self) -> str:
        """Its id on the page of its home."""
        return f"{self.home}.{self.name}"


@cache
def packages() -> dict[str, ModuleType]:
    """Return the modules of Penchant that declare what they export, by name."""
    found = {"penchant": import_module("penchant")}
    for module in pkgutil.walk_packages(penchant.__path__, "penchant."):
        if module.name.endswith(("__main__", "_kernels")) or module.name in INTERNAL:
            continue
        loaded = import_module(module.name)
        if hasattr(loaded, "__all__"):
            found[module.name] = loaded
    return found


@cache
def public_names() -> tuple[PublicName, ...]:
    """Return every exported name; one that several packages export is at home in the nearest to its definition."""
    exported: dict[tuple[str, int], list[str]] = {}
    for package, module in packages().items():
        for name in module.__all__:
            exported.setdefault((name, id(getattr(module, name))), []).append(package)
    names = []
    for (name, _), where in exported.items():
        for package in where:
            value = getattr(packages()[package], name)
            defined = getattr(value, "__module__", None) or ""
            home = max(where, key=lambda other: (f"{defined}.".startswith(f"{other}."), len(other)))
            names.append(PublicName(package, name, home))
    return tuple(sorted(names))


def page_of(package: str) -> str:
    """Return the path of a package's page."""
    return f"reference/{package}.md"


def index() -> str:
    """Return the page that lists all packages and names."""
    lines = [
        "# Reference",
        "",
        "Every public name with its signature, shapes and an example, by package; made from the docstrings. Also every",
        "[command](commands.md) with its options, every [route](routes.md) and every [kind of event](events.md).",
        "",
    ]
    for package, module in packages().items():
        lines += [f"**[{package}]({package}.md)**: {_first_line(module)}", ""]
        own = [name for name in public_names() if name.package == package and name.name != "__version__"]
        lines += [", ".join(f"[`{name.name}`]({name.home}.md#{name.anchor})" for name in own), ""]
    return "\n".join(lines)


def page(package: str) -> str:
    """Return the page of a package: names that are at home elsewhere as links, all others in full."""
    names = [name for name in public_names() if name.package == package]
    module = packages()[package]
    lines = [f"# {package}", "", (module.__doc__ or "").strip(), ""]
    elsewhere = [name for name in names if name.home != package]
    if elsewhere:
        links = (f"[`{name.name}`]({name.home}.md#{name.anchor})" for name in elsewhere)
        lines += ["Also exported here: " + ", ".join(links) + ".", ""]
    for name in names:
        if name.home == package:
            lines += [f"::: {package}.{name.name}", ""]
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """Return all pages of the reference of names, by path."""
    return {"reference/index.md": index()} | {page_of(package): page(package) for package in packages()}


def _first_line(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().splitlines()[0]
