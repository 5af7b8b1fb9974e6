"""``penchant why``, ``predictions`` and ``race``: what a ranking rests on, and how well models predict answers."""

from __future__ import annotations

import json as json_text
from typing import Annotated

import typer

from penchant.cli.kinds import as_coactive, reject_options
from penchant.cli.options import Json, Level, StudyFile, option
from penchant.cli.outputs import print_json
from penchant.cli.terminal import Terminal, rows_table, working_with

Last = Annotated[int, typer.Option(min=1, help="How many of the last answers are predicted.")]


def why(
    file: StudyFile,
    first: Annotated[str, typer.Argument(metavar="A", help="The id of an item.", show_default=False)],
    second: Annotated[str, typer.Argument(metavar="B", help="The id of another.", show_default=False)],
    most: Annotated[int, typer.Option(min=1, help="How many reasons of each kind are shown.")] = 10,
    context: Annotated[
        str | None, option("PRESENTATION", "Where both were candidates; items of the study unless given.")
    ] = None,
    user: Annotated[str | None, option("NAME", "By this user's own model.")] = None,
    json: Json = False,
) -> None:
    """Explain why item A stands above or below item B.

    Each answer, link and feature is listed with what it contributes to the difference of their scores. --context and
    --user are for studies that present orders.
    """
    from penchant.study import CompareStudy, Study, Why

    with working_with("explaining", Study.open, file, write=False) as study:
        found: Why
        if isinstance(study, CompareStudy):
            reject_options("compares items", context=context, user=user)
            found, following = study.why(first, second, most=most), "rank"
        else:
            found = as_coactive(study).why(first, second, context, user=user, most=most)
            following = "weights"
    if json:
        print_json(json_text.loads(found.to_json()))
        return
    terminal = Terminal()
    terminal.say(*repr(found).splitlines())
    terminal.next([following, str(file)])


def predictions(
    file: StudyFile,
    last: Last = 2000,
    level: Level = 0.95,
    json: Json = False,
) -> None:
    """Report how well a study predicted its answers, each before it was learned.

    The log loss is compared with that of a coin, and the table shows how often the favourite of a pair won where it was
    predicted to.
    """
    from penchant.study import CompareStudy

    with working_with("predicting", CompareStudy.open, file, write=False) as study:
        found = study.predictions(last=last, level=level)
    if json:
        print_json(json_text.loads(found.to_json()))
        return
    terminal = Terminal()
    terminal.say(*repr(found).splitlines())
    terminal.next(["race", str(file)])


def race(
    file: StudyFile,
    models: Annotated[
        list[str] | None,
        option("NAME", "A model to compare; may be given again; all unless given.", "--model"),
    ] = None,
    last: Last = 2000,
    json: Json = False,
) -> None:
    """Compare models by how well they predict a study's answers.

    Each model learns the answers one by one and predicts each before it learns it. The study's own model has the
    settings that it has in the study.
    """
    from penchant.study import CompareStudy

    with working_with("racing", CompareStudy.open, file, write=False) as study:
        own = study.settings["model"]["name"]
        found = study.race(list(dict.fromkeys(models)) if models else None, last=last)
    if json:
        print_json(json_text.loads(found.to_json()))
        return
    terminal = Terminal()
    terminal.show(rows_table(found.rows()))
    terminal.say(found.verdict)
    best = found.models[0]
    terminal.next(["rank", str(file)] if best == own else ["change", str(file), "--model", best])
