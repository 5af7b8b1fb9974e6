"""Errors in what was typed, in the same form as all others: one line on the error output, and status 2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from typing import Any

from typer.core import TyperGroup

from penchant.cli.command import report
from penchant.cli.numbers import WrongNumber

_NEAR = 0.75
"""How alike an option must be to what was typed, to be the one that was meant."""
_CHOICE = re.compile(
    r"Invalid value for '(?P<option>--[\w-]+)'.*?: (?:Value error, )?"
    r"""(?P<typed>['"].*['"]) is not one of (?P<choices>.+)""",
    re.DOTALL,
)
"""How versions of Typer word a value that is none of those allowed."""


class OneLineErrors(TyperGroup):
    """A group that reports a wrong word in one line, without the usage of the command."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Parse what was typed before the command."""
        with _in_one_line():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        """Parse the rest, and run the command."""
        with _in_one_line():
            return super().invoke(ctx)


@contextmanager
def _in_one_line() -> Iterator[None]:
    """Give an error of the parser another form; the help that is shown where nothing was typed keeps its own."""
    try:
        yield
    except Exception as error:
        # Typer has a copy of Click whose classes are not public: they are known by what they have.
        is_usage = hasattr(error, "format_message") and hasattr(error, "ctx")
        if is_usage and type(error).__name__ != "NoArgsIsHelpError":
            error.show = partial(_show, error)  # type: ignore[attr-defined]
        raise


def _show(error: Any, file: object = None) -> None:
    if isinstance(error, WrongNumber):
        report(f"penchant: {error.message}")
        return
    if getattr(error, "possibilities", None):  # of an option that there is not
        error.possibilities = get_close_matches(error.option_name, error.possibilities, cutoff=_NEAR)
    words, context = ["-h"], error.ctx
    while context is not None and context.parent is not None:
        words, context = [context.info_name, *words], context.parent
    message = error.format_message().rstrip(".")
    choice = _CHOICE.fullmatch(message)
    if choice is not None:
        message = f"{choice['option']} must be one of {choice['choices']}, got {choice['typed']}"
    report(f"penchant: {message}: see penchant {' '.join(words)}")
