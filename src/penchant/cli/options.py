"""The options that several commands share, each worded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

File = Annotated[Path, typer.Argument(metavar="FILE", help="What people said.", show_default=False)]
Format = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The format of FILE; recognised unless given.", show_default=False),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at rows that cannot be used.")]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A setting of the model; may be given again.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

READING = {
    "better": "The column of the better item; columns are recognised by their names unless given.",
    "worse": "The column of the worse item.",
    "left": "The column of the item on the left.",
    "right": "The column of the item on the right.",
    "outcome": "The column that says which of them is better, or tie, both_bad or skip.",
    "outcome_is": "Whether outcomes name a side or an item, where that could be mistaken.",
    "left_score": "The column of the left item's points.",
    "right_score": "The column of the right item's points.",
    "weight": "The column that says how much a row counts.",
    "tie": "The column that says whether better and worse are equal.",
    "judge": "The column that says who answered.",
    "better_on_left": "The column that says whether the better item stood on the left.",
    "period": "The column that says when, as a whole number.",
    "header": "Whether the first line names the columns; recognised unless given.",
    "titles": "Whether films are called by the titles in the file beside FILE (MovieLens).",
    "ids": "Whether documents are called by what the comments name (LETOR).",
}


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """Give ``command`` an option for all that a reader may be told; it gets what was typed as ``told``."""

    @wraps(command)
    def with_options(**typed: Any) -> None:
        told = {name: typed.pop(name) for name in READING}
        command(**typed, told={name: value for name, value in told.items() if value is not None})

    parameters = dict(signature(command, eval_str=True).parameters)
    del parameters["told"]
    parameters |= {name: _parameter(name, help) for name, help in READING.items()}
    with_options.__signature__ = Signature(list(parameters.values()))  # type: ignore[attr-defined]
    with_options.__annotations__ = {name: found.annotation for name, found in parameters.items()}
    return with_options


def _parameter(name: str, help: str) -> Parameter:
    kind: Any = str | None
    option = typer.Option(metavar="COLUMN", help=help, show_default=False)
    if name in ("header", "titles", "ids"):
        kind, option = bool | None, typer.Option(f"--{name}/--no-{name}", help=help, show_default=False)
    elif name == "outcome_is":
        option = typer.Option(metavar="side|item", help=help, show_default=False)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option])


def typed(told: Mapping[str, str | bool], format: str | None) -> list[str]:
    """Return the words with which the same file is read in the same way."""
    words = [] if format is None else ["--format", format]
    for name, value in told.items():
        option = name.replace("_", "-")
        words += [f"--{option}", value] if isinstance(value, str) else [f"--{'' if value else 'no-'}{option}"]
    return words
