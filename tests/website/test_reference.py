"""The reference: every public name, command, route and kind of event has its place, and every name an example."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from website import commands, events, reference, routes
from website.reference import PublicName, public_names

BUILDS = pytest.mark.slow("the first of them builds the site")


def ids(site: Path, page: str) -> str:
    return (site / page).read_text(encoding="utf-8")


def homes() -> list[PublicName]:
    return [name for name in public_names() if name.home == name.package]


@BUILDS
def test_every_public_name_is_on_the_page_of_its_package(site: Path) -> None:
    """A name that a package exports, and that the site does not describe, fails here."""
    text = {package: ids(site, f"reference/{package}.html") for package in reference.packages()}
    missing = {name.anchor for name in homes() if f'id="{name.anchor}"' not in text[name.package]}
    assert missing <= {"penchant.__version__"}


@BUILDS
def test_every_command_is_on_the_page_of_commands(site: Path) -> None:
    """So are the parts of a group, and every option is in the text."""
    text = ids(site, "reference/commands.html")
    for name, command in commands.commands():
        assert name == "penchant" or f'id="{commands.anchor(name)}"' in text, name
        if name != "penchant":
            assert [part.opts[0] for part in command.params if part.opts[0] not in text] == [], name


@BUILDS
def test_every_route_is_on_the_page_of_routes(site: Path) -> None:
    """Each method of each path that the server describes."""
    text = ids(site, "reference/routes.html")
    for path, methods in routes.description()["paths"].items():
        for method in methods:
            assert f'id="{routes.anchor(method, path)}"' in text, f"{method} {path}"


@BUILDS
def test_every_kind_of_event_is_on_the_page_of_events(site: Path) -> None:
    """Those of studies that ask, and those of studies that present."""
    text = ids(site, "reference/events.html")
    for _, module in events.SORTS:
        for kind in module.KINDS:
            assert f'id="{events.anchor(module, kind)}"' in text


@pytest.mark.parametrize("package", sorted(reference.packages()))
def test_every_public_name_has_an_example(package: str) -> None:
    """The docstring of each class and function has one, which ``tests/docs/test_docstrings.py`` runs."""
    for name in homes():
        if name.package == package and (inspect.isclass(name.value) or inspect.isroutine(name.value)):
            assert ">>>" in (name.value.__doc__ or ""), f"{name.anchor}: write an example"


def test_a_name_is_at_home_where_it_is_defined() -> None:
    """What the top of the package exports is described in the package that defines it."""
    home = {name.name: name.home for name in public_names() if name.package == "penchant"}
    assert home["Preferences"] == "penchant.preferences"
    assert home["Study"] == "penchant.study"
