"""The loop in words. ``penchant new``, ``ask``, ``tell`` and ``undo``: a study's file in and out."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated

import typer

from penchant.cli.options import Json

StudyFile = Annotated[Path, typer.Argument(metavar="FILE.db", help="The study.", show_default=False)]
Judge = Annotated[str, typer.Option(help="Who answers.")]
EventId = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="ID", help="The event's own id, so that it counts once.", show_default=False
    ),
]


def new(
    file: StudyFile,
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="A CSV file with a column title, or one item a line.")
    ],
    title: Annotated[str, typer.Option(help="What judges see above the questions.", show_default=False)] = "",
    model: Annotated[str, typer.Option(help="bradley-terry or thurstone.")] = "bradley-terry",
    top: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Ask only who belongs to the best K; the whole order unless given.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make a study of ITEMS in a new file."""
    from penchant.cli.limits import limits
    from penchant.cli.terminal import Terminal
    from penchant.study import Study, read_items

    with Study.create(file, read_items(items, limits=limits()), title=title, model=model, top=top) as study:
        terminal = Terminal()
        terminal.say(f"{file}: {len(study.items)} items, no answers yet")
        terminal.next(["serve", str(file)])


def ask(file: StudyFile, judge: Judge = "me", json: Json = False) -> None:
    """Ask the next question, for a script to answer with tell."""
    from penchant.cli.terminal import Terminal
    from penchant.study import Study

    with Study.open(file) as study:
        question = study.ask(judge)
        left, right = study.items[question.left], study.items[question.right]
    if json:
        told = {"question": question.id, "left": left.to_json(), "right": right.to_json(), "judge": judge}
        typer.echo(json_text.dumps(told, ensure_ascii=False))
        return
    terminal = Terminal()
    terminal.say(f"left:  {left.title}", f"right: {right.title}")
    terminal.next(["tell", str(file), question.id, "left"])


def tell(
    file: StudyFile,
    question: Annotated[str, typer.Argument(help="The id that ``penchant ask`` gave.")],
    choice: Annotated[str, typer.Argument(help="left, right, tie, both_bad or skip.")],
    event_id: EventId = None,
) -> None:
    """Record the answer to a question."""
    from penchant.cli.terminal import Terminal
    from penchant.study import Study

    with Study.open(file) as study:
        answer = study.tell(question, choice, event_id=event_id)
        terminal = Terminal()
        terminal.say(f"{answer.id}: {answer.choice} ({study.progress()})")
        terminal.next(["ask", str(file)])


def undo(
    file: StudyFile,
    event: Annotated[
        str | None,
        typer.Argument(help="An answer, or an undo; the last answer unless given.", show_default=False),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Take back only what this judge said.", show_default=False)
    ] = None,
    event_id: EventId = None,
) -> None:
    """Take an answer back, or an earlier undo."""
    from penchant.cli.terminal import Terminal
    from penchant.study import Study

    with Study.open(file) as study:
        undone = study.undo(event, judge=judge, undo_id=event_id)
        terminal = Terminal()
        terminal.say(f"{undone} ({study.progress()})")
        terminal.next(["undo", str(file), undone])
