"""``penchant new``, ``ask``, ``tell``, ``undo``, ``backup`` and ``restore``: a study from a script."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penchant.cli.command import limits
from penchant.cli.options import Json, option
from penchant.cli.outputs import print_json
from penchant.cli.terminal import Terminal
from penchant.registry import MODELS

StudyFile = Annotated[Path, typer.Argument(metavar="FILE.db", help="The study.", show_default=False)]
Judge = Annotated[str, typer.Option(help="Who answers.")]
EventId = Annotated[
    str | None,
    option("ID", "The event's own id, so that it counts once.", "--id"),
]

Replace = Annotated[bool, typer.Option("--replace", help="Replace an existing file.")]
_MODEL = " or ".join(name for name, entry in MODELS.items() if entry.in_studies) + "."


def new(
    file: StudyFile,
    items: Annotated[
        Path, typer.Argument(metavar="ITEMS", help="A CSV file with a column title, or one item a line.")
    ],
    title: Annotated[str, typer.Option(help="What judges see above the questions.", show_default=False)] = "",
    model: Annotated[str, typer.Option(help=_MODEL)] = "bradley-terry",
    top: Annotated[
        int | None,
        option("K", "Ask only who belongs to the best K; the whole order unless given."),
    ] = None,
) -> None:
    """Make a study of ITEMS in a new file."""
    from penchant.study import Study, read_items

    with Study.create(file, read_items(items, limits=limits()), title=title, model=model, top=top) as study:
        terminal = Terminal()
        terminal.say(f"{file}: {len(study.items)} items, no answers yet")
        terminal.next(["serve", str(file)])


def ask(file: StudyFile, judge: Judge = "me", json: Json = False) -> None:
    """Ask the next question, for a script to answer with tell."""
    from penchant.study import Study

    with Study.open(file) as study:
        question = study.ask(judge)
        left, right = study.items[question.left], study.items[question.right]
    if json:
        asked = {"question": question.id, "left": left.to_json(), "right": right.to_json(), "judge": judge}
        print_json(asked)
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
        str | None, typer.Option(help="Take back only an answer of this judge.", show_default=False)
    ] = None,
    event_id: EventId = None,
) -> None:
    """Take an answer back, or an earlier undo."""
    from penchant.study import Study

    with Study.open(file) as study:
        undone = study.undo(event, judge=judge, undo_id=event_id)
        terminal = Terminal()
        terminal.say(f"{undone} ({study.progress()})")
        terminal.next(["undo", str(file), undone])


def backup(
    file: StudyFile,
    copy: Annotated[Path, typer.Argument(metavar="COPY.db", help="Where the copy is to be.")],
    replace: Replace = False,
) -> None:
    """Copy a study to another file, also while it is served."""
    from penchant.study import Study

    with Study.open(file, write=False) as study:
        study.backup(copy, replace=replace)
        terminal = Terminal()
        terminal.say(f"{copy}: {study.progress()}")
        terminal.next(["restore", str(copy), str(file), "--replace"])


def restore(
    copy: Annotated[Path, typer.Argument(metavar="COPY.db", help="A copy that penchant backup made.")],
    file: StudyFile,
    replace: Replace = False,
) -> None:
    """Make a study out of a backup, after reading all of it. What --replace replaces is kept as FILE.db.replaced."""
    from penchant.study import Study

    Study.restore(copy, file, replace=replace)
    with Study.open(file, write=False) as study:
        terminal = Terminal()
        terminal.say(f"{file}: {study.progress()}")
        terminal.next(["serve", str(file)])
