"""``penchant compare``: answer the questions of a study on the terminal, one key each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from penchant.cli.study import Judge, StudyFile
from penchant.cli.terminal import Terminal
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.study import Question, Study

KEYS = {
    "\x1b[D": "left", "l": "left", "1": "left",
    "\x1b[C": "right", "r": "right", "2": "right",
    "\x1b[B": "tie", "t": "tie",
    "b": "both_bad",
    "s": "skip",
}  # fmt: skip
ENDS = ("q", "\x03", "\x04", "")
HINT = "← left   → right   ↓ tie   b both bad   s skip   z undo   q quit"


def compare(file: StudyFile, judge: Judge = "me") -> None:
    """Answer questions in the terminal, one key each.

    Without a terminal, answers are read from the input, a line each: left, right, tie, both_bad, skip, undo.
    """
    from penchant.study import Study

    with Study.open(file) as study:
        terminal = Terminal()
        terminal.say(study.title, HINT)
        while (answer := _next_answer(study, study.ask(judge), terminal)) is not None:
            question, choice = answer
            if choice == "undo":
                _undo(study, judge, terminal)
            else:
                study.tell(question, choice)
                terminal.say(f"  {choice.replace('_', ' ')}; {study.progress()}")
        terminal.say(f"{study.progress()}: kept in {file}")
        terminal.next(["rank", str(file)])


def _next_answer(study: Study, question: Question, terminal: Terminal) -> tuple[Question, str] | None:
    left, right = study.items[question.left], study.items[question.right]
    terminal.say("", f"  left:  {left.title}", f"  right: {right.title}")
    while True:
        typed = _typed()
        if typed in ENDS:
            return None
        if typed in ("z", "undo"):
            return question, "undo"
        choice = KEYS.get(typed, typed.replace(" ", "_"))
        if choice in KEYS.values():
            return question, choice
        terminal.say(f"  {typed!r} is none of the keys: {HINT}")


def _typed() -> str:
    """Return one key of a terminal, or one line of any other input; nothing at its end."""
    if sys.stdin.isatty():
        try:
            key = typer.getchar()
        except (KeyboardInterrupt, EOFError):
            return ""
        return key if key.startswith("\x1b") else key.lower()
    line = sys.stdin.readline()
    return line.strip().lower() or ("?" if line else "")


def _undo(study: Study, judge: str, terminal: Terminal) -> None:
    try:
        study.undo(judge=judge)
    except InvalidInput as error:
        terminal.say(f"  {error}")
    else:
        terminal.say(f"  taken back; {study.progress()}")
