"""The options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Collection
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from penchant.cli.places import ADDRESS, StudyPlace, study_place
from penchant.errors import InvalidInput
from penchant.registry import Family, ModelEntry, family


def option(metavar: str, help: str, *names: str, **limits: Any) -> Any:
    """Return an option of which the help shows no default."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=False, **limits)


File = Annotated[
    StudyPlace,
    typer.Argument(
        metavar="FILE", parser=study_place, help="Comparisons, rankings or a study.", show_default=False
    ),
]
Format = Annotated[
    str | None,
    option("NAME", "The format of FILE; recognised unless given."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at rows that cannot be used.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Level = Annotated[float, typer.Option(help="The probability that an interval or range holds.")]
Csv = Annotated[
    Path | None,
    option("OUT", "Write the whole table as CSV; - prints it."),
]
Save = Annotated[Path | None, option("OUT", "Where the model goes.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite OUT if it exists.")]
Setting = Annotated[
    list[str] | None,
    option("NAME=VALUE", "A setting of the model; may be given again.", "--set"),
]
Without = Annotated[
    list[str] | None,
    option("COLUMN", "A column that is no feature; may be given again."),
]
Items = Annotated[
    Path | None,
    option("TABLE", "The features of the items (.csv, .tsv), ids in the first column."),
]

StudyFile = Annotated[
    StudyPlace,
    typer.Argument(
        metavar="FILE.db",
        parser=study_place,
        help=f"The study: a file, or {ADDRESS}.",
        show_default=False,
    ),
]
"""A study that is there: `penchant.cli.command.command` checks that it is one."""
NewStudyFile = Annotated[
    StudyPlace,
    typer.Argument(
        metavar="FILE.db",
        parser=study_place,
        help=f"Where the study is to be: a file, or {ADDRESS}.",
        show_default=False,
    ),
]
Judge = Annotated[str, typer.Option(help="Who answers.")]
EventId = Annotated[
    str | None,
    option("ID", "The event's own id, so that it counts once.", "--id"),
]

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
    "live": "The column that says whether a row counts; rows where it is false are skipped.",
    "header": "Whether the first line names the columns; recognised unless given.",
    "layout": "In a table with one voter a row: columns are items with their ranks, or places with items.",
    "titles": "Whether films are called by the titles in the file beside FILE (MovieLens).",
    "ids": "Whether documents are called by what the comments name (LETOR).",
}
"""The arguments of a reader, each of which is an option of every command that reads FILE."""

LIMIT = Parameter(
    "limit",
    Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        list[str] | None,
        option(
            "NAME=NUMBER",
            "The most that a file may hold, for instance bytes=4GB; may be given again.",
            "--limit",
        ),
    ],
)


def reading_parameter(name: str) -> Parameter:
    """Return the option for one of `READING` as a parameter of a command."""
    kind: Any = str | None
    option = typer.Option(metavar="COLUMN", help=READING[name], show_default=False)
    if name in ("header", "titles", "ids"):
        kind = bool | None
        option = typer.Option(f"--{name}/--no-{name}", help=READING[name], show_default=False)
    elif name == "layout":
        option = typer.Option(metavar="ranks|places", help=READING[name], show_default=False)
    elif name == "outcome_is":
        option = typer.Option(metavar="side|item", help=READING[name], show_default=False)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option])


def model_option(name: Family, help: str, **settings: Any) -> Any:
    """Return the option that chooses among the models of a family."""
    listed = "; ".join(f"{model}: {entry.summary}" for model, entry in family(name).items())
    return typer.Option(metavar="NAME", help=f"{help} {listed}.", **settings)


def picture_option(help: str) -> Any:
    """Return the option for a picture that is drawn."""
    return option("OUT", f"{help}: .png, .svg or .html.")


def made(entry: ModelEntry, settings: list[str] | None) -> Any:
    """Return a model, not yet fitted, with settings that were typed as NAME=VALUE."""
    kind = entry.load()
    return kind(**values_typed(settings, kind().get_params(deep=False)))


def values_typed(settings: list[str] | None, names: Collection[str]) -> dict[str, Any]:
    """Return the values of NAME=VALUE by their names, which must be among ``names``; JSON values are read as such."""
    given = {}
    for words in settings or ():
        key, equals, value = words.partition("=")
        if not equals or key not in names:
            limit = f"be NAME=VALUE with one of {', '.join(names)}"
            raise InvalidInput.of("--set", limit, repr(words), "correct it")
        try:
            given[key] = json.loads(value)
        except ValueError:
            given[key] = value
    return given


def names_typed(words: str | None) -> list[str] | None:
    """Return names that were typed with commas between them; None where the option was not given."""
    return None if words is None else [name.strip() for name in words.split(",") if name.strip()]
