"""``penchant fit``: one command for each family of models."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from penchant.cli.command import command, report
from penchant.cli.linked import fit_linked
from penchant.cli.rankers import fit_ranker
from penchant.cli.utilities import fit_utility
from penchant.registry import MODELS


class FamilyGroup(TyperGroup):
    """The group ``fit``, which still takes ``penchant fit FILE --model NAME``: the model names the command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command of the model's family before what was typed without one."""
        first = args[0] if args else ""
        misspelt = first.isalpha() and not Path(first).exists()  # no file, so that it was meant for a command
        if args and first not in self.commands and not misspelt and first not in ("-h", "--help"):
            name = _family(args)
            if name in self.commands:
                report(
                    f"Note: penchant fit {name} has the options of these models: use it in place of penchant fit"
                )
                args = [name, *args]
        return super().parse_args(ctx, args)


def _family(args: list[str]) -> str:
    """Return the family of the model that was typed, that of rankers if none was."""
    typed = [word.removeprefix("--model=") for word in args if word.startswith("--model=")]
    typed += [value for word, value in pairwise(args) if word == "--model"]
    entry = MODELS.get(typed[-1]) if typed else None
    return "ranker" if entry is None else entry.family


fit = typer.Typer(
    help="Learn from features: to rank graded documents, a utility of items, or the order of linked items.",
    cls=FamilyGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
)
for _name, _function in (("ranker", fit_ranker), ("utility", fit_utility), ("linked", fit_linked)):
    fit.command(_name)(command(_function))
