"""Commands that have commands of their own, of which one is meant where none is typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from penchant.cli.command import command

LISTS = "list"


def _is_place(word: str) -> bool:
    """Return whether a word is a file, there or not, the standard input, or the address of a study; not a command."""
    return word == "-" or "://" in word or bool(Path(word).suffix) or "/" in word or Path(word).exists()


class ListingGroup(TyperGroup):
    """A group in which ``penchant GROUP FILE`` means ``penchant GROUP list FILE``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``list`` before a file that was typed without a command."""
        if args and args[0] not in self.commands and _is_place(args[0]):
            args = [LISTS, *args]
        return super().parse_args(ctx, args)


def listing_group(help: str, functions: Mapping[str, Callable[..., None]], *, limited: bool) -> typer.Typer:
    """Return a group of commands by their names, with ``list`` among them."""
    group = typer.Typer(help=help, cls=ListingGroup, no_args_is_help=True, rich_markup_mode=None)
    for name, function in functions.items():
        group.command(name)(command(function, limited=limited))
    return group
