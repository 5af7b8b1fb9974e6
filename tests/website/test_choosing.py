"""Which page and which model: the table and the picture follow the list, and the list names what is there."""

from __future__ import annotations

import shlex
from importlib import import_module

import pytest
import typer

from website.choosing import CHOICES, PAGE, PICTURE, Choice, picture, table
from website.repository import ROOT

PACKAGES = ("worth", "rankers", "coactive", "gp", "consensus")


def test_the_page_has_the_table_and_the_picture_of_the_list() -> None:
    """``make pages`` writes both."""
    assert table() in PAGE.read_text(encoding="utf-8")
    assert PICTURE.read_text(encoding="utf-8") == picture()


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.want)
def test_a_choice_names_a_page_a_command_and_models_that_exist(choice: Choice) -> None:
    """Pages are files, options belong to the command, and models are public names."""
    from penchant.cli import app

    assert (ROOT / "docs" / choice.page.partition("#")[0]).exists()
    for model in choice.models:
        assert any(hasattr(import_module(f"penchant.{package}"), model) for package in PACKAGES), model
    if not choice.command:
        return
    command = typer.main.get_command(app)
    program, *words = shlex.split(choice.command)
    assert program == "penchant"
    while words[0] in getattr(command, "commands", ()):
        command = command.commands[words.pop(0)]
    options = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options
