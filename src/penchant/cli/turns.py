"""``penchant ask``, ``tell`` and ``undo``: the loop of a study for scripts, one step each."""

from __future__ import annotations

import json as json_text
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.kinds import as_coactive, reject_options
from penchant.cli.options import EventId, Json, Judge, StudyFile
from penchant.cli.outputs import print_json
from penchant.cli.terminal import Terminal, opened, working_with
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.study import CompareStudy, Question

_INPUT = "-"


def ask(file: StudyFile, judge: Judge = "me", json: Json = False) -> None:
    """Ask the next question, for a script to answer with tell."""
    from penchant.study import CompareStudy

    with working_with("choosing a question", CompareStudy.open, file) as study:
        question = study.ask(judge)
        asked = question_json(study, question)
    if json:
        print_json(asked)
        return
    terminal = Terminal()
    terminal.say(f"left:  {asked['left']['title']}", f"right: {asked['right']['title']}")
    terminal.next(["tell", str(file), question.id, "left"])


def question_json(study: CompareStudy, question: Question) -> dict[str, Any]:
    """Return a question with its items as other programs take it."""
    left, right = study.items[question.left], study.items[question.right]
    return {
        "question": question.id,
        "left": left.to_dict(),
        "right": right.to_dict(),
        "judge": question.judge,
    }


def tell(
    file: StudyFile,
    question: Annotated[
        str,
        typer.Argument(
            help="The id that ``penchant ask`` gave; - reads objects with question, choice and perhaps id from the "
            "input, one a line."
        ),
    ],
    choice: Annotated[
        str | None, typer.Argument(help="left, right, tie, both_bad or skip.", show_default=False)
    ] = None,
    event_id: EventId = None,
    json: Json = False,
) -> None:
    """Record the answer to a question, or many."""
    from penchant.study import CompareStudy

    if choice is None and question != _INPUT:
        raise InvalidInput("tell needs a choice, got none: give left, right, tie, both_bad or skip")
    if question == _INPUT and (choice is not None or event_id is not None):
        given = "a choice" if choice is not None else "--id"
        raise InvalidInput.of(
            "tell",
            "take choices and ids from the lines of the input with -",
            given,
            "leave it out, or name the question instead of -",
        )
    terminal = Terminal()
    with opened(CompareStudy.open, file) as study:
        lines = _lines() if question == _INPUT else [(question, choice or "", event_id)]
        for asked, chosen, id in lines:
            answer = study.tell(asked, chosen, event_id=id)
            if json:
                print_json({"answer": answer.id, "question": asked, "choice": answer.choice})
            else:
                terminal.say(f"{answer.id}: {answer.choice} ({study.progress()})")
    if not json:
        terminal.next(["ask", str(file)])


def _lines() -> Iterator[tuple[str, str, str | None]]:
    """Yield the answers that the input holds, each an object."""
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            answer = json_text.loads(line)
        except ValueError:
            answer = None
        if (
            not isinstance(answer, dict)
            or not {"question", "choice"} <= answer.keys() <= {"question", "choice", "id"}
            or not all(isinstance(value, str) for value in answer.values())
        ):
            raise InvalidInput(
                f"line {number} of the input must be an object with question, choice and perhaps id, all texts, "
                "got something else: correct it"
            )
        yield answer["question"], answer["choice"], answer.get("id")


def undo(
    file: StudyFile,
    event: Annotated[
        str | None,
        typer.Argument(
            help="An answer, feedback, or an undo; the last answer or feedback unless given.",
            show_default=False,
        ),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Take back only an answer of this judge.", show_default=False)
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="Take back only feedback of this user.", show_default=False)
    ] = None,
    event_id: EventId = None,
    json: Json = False,
) -> None:
    """Take an answer or feedback back, or an earlier undo."""
    from penchant.study import CompareStudy, Study

    with opened(Study.open, file) as study:
        if isinstance(study, CompareStudy):
            reject_options("compares items", user=user)
            undone = study.undo(event, judge=judge, undo_id=event_id)
        else:
            reject_options("presents orders", judge=judge)
            undone = as_coactive(study).undo(event, user=user, undo_id=event_id)
        progress = study.progress()
    if json:
        print_json({"undo": undone, "progress": progress})
        return
    terminal = Terminal()
    terminal.say(f"{undone} ({progress})")
    terminal.next(["undo", str(file), undone])
