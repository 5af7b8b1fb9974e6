"""``penchant compare``: answer the questions of a study on the terminal, one key each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from penchant.cli.command import report
from penchant.cli.options import Judge, StudyFile
from penchant.cli.outputs import print_json
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import Terminal, opened, working
from penchant.cli.turns import question_json
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.study import CompareStudy, Question

KEYS = {
    "\x1b[D": "left", "l": "left", "1": "left",
    "\x1b[C": "right", "r": "right", "2": "right",
    "\x1b[B": "tie", "t": "tie",
    "b": "both_bad",
    "s": "skip",
}  # fmt: skip
_COLOURS = {"left": "bold cyan", "right": "bold magenta"}
ENDS = ("q", "\x03", "\x04", "")
HINT = "← left   → right   ↓ tie   b both bad   s skip   z undo   q quit"


def compare(
    file: StudyFile,
    judge: Judge = "me",
    until_settled: Annotated[
        bool, typer.Option("--until-settled", help="End as soon as the goal of the study is reached.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print questions as JSON, one a line, and nothing else.")
    ] = False,
) -> None:
    """Answer questions in the terminal, one key each.

    Without a terminal, answers are read from the input, a line each: left, right, tie, both_bad, skip, undo.
    """
    from penchant.study import CompareStudy

    with opened(CompareStudy.open, file) as study:
        conversation = _Conversation(study, judge, json=json)
        conversation.begin()
        while not (until_settled and _is_settled(study)):
            answer = conversation.next_answer()
            if answer is None:
                break
            conversation.take(*answer)
        conversation.end(file)


def _is_settled(study: CompareStudy) -> bool:
    with working("estimating how settled the order is"):
        found = study.settled()
    return found is not None and found.enough


class _Conversation:
    """Questions to one judge and their answers; with ``json`` for a program, which gets nothing else.

    On a screen each question stands alone below the heading, with what became of the last answer above it, and the two
    sides have colours; elsewhere everything stands in one text.
    """

    def __init__(self, study: CompareStudy, judge: str, *, json: bool) -> None:
        self._study, self._judge, self._json = study, judge, json
        self._terminal = Terminal()
        self._clears = not json and self._terminal.is_screen and sys.stdin.isatty()
        self._last = ""

    def _say(self, *lines: str, style: str | None = None) -> None:
        if not self._json:
            self._terminal.say(*lines, style=style)

    def begin(self) -> None:
        if self._clears:
            return  # the heading stands above each question
        self._heading()
        self._say(HINT)

    def _heading(self) -> None:
        settings = self._study.settings
        texts = (self._study.title, settings["instructions"], settings["question"])
        for text, style in zip(texts, ("bold", None, "bold"), strict=True):
            self._say(*text.splitlines(), style=style)

    def _ask(self, question: Question) -> None:
        """Show a question: alone on a screen, below the last one elsewhere."""
        if self._clears:
            self._terminal.clear()
            self._heading()
            self._say(self._last, style="dim")
        self._say("")
        for side, id in (("left", question.left), ("right", question.right)):
            item = self._study.items[id]
            self._say(f"  {f'{side}:':<6} {item.title}", style=_COLOURS[side])
            self._say(*(f"         {line}" for line in item.text.splitlines()))
        if self._clears:
            self._say("", HINT, style="dim")

    def _result(self, line: str) -> None:
        """Report what became of an answer: at once, or above the next question where the screen is cleared."""
        if self._clears:
            self._last = line
        else:
            self._say(f"  {line}")

    def next_answer(self) -> tuple[Question, str] | None:
        """Ask, and return the question with the choice, or with ``undo``; None at the end."""
        study = self._study
        with working("choosing a question"):
            question = study.ask(self._judge)
        if self._json:
            print_json(question_json(study, question))
            sys.stdout.flush()
        self._ask(question)
        while True:
            typed = _typed()
            if typed in ENDS:
                return None
            if typed in ("z", "undo"):
                return question, "undo"
            choice = KEYS.get(typed, typed.replace(" ", "_"))
            if choice in KEYS.values():
                return question, choice
            self._reject(typed)

    def _reject(self, typed: str) -> None:
        message = f"{typed!r} is none of the keys: {HINT}"
        if self._json:
            report(message)
        else:
            self._terminal.say(f"  {message}")

    def take(self, question: Question, choice: str) -> None:
        """Record an answer, or take the last one back."""
        if choice != "undo":
            self._study.tell(question, choice)
            self._result(f"{choice.replace('_', ' ')}; {self._study.progress()}")
            return
        try:
            self._study.undo(judge=self._judge)
        except InvalidInput as error:
            self._result(str(error))
        else:
            self._result(f"taken back; {self._study.progress()}")

    def end(self, file: StudyPlace) -> None:
        self._say(f"{self._study.progress()}: kept in {file}")
        if self._json:
            return
        self._say(*self._study.verdict(wait=False))
        self._terminal.next(["rank", str(file)])


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
