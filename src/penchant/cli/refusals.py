"""Saying no, and saying but. Exceptions and warnings in; one line each out."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

import typer

from penchant.cli.options import READING
from penchant.errors import PenchantError, PenchantWarning
from penchant.text import visible

Arguments = ParamSpec("Arguments")

TRACEBACK = "PENCHANT_TRACEBACK"
BUG = 70  # EX_SOFTWARE of sysexits.h
_LONGEST = 2000
_LIMIT = re.compile(r"limits=Limits\((\w+)=(\d+)\)")

# The library speaks of its arguments, better= or format='pairs', where a command has options.
_ARGUMENT = re.compile(
    rf"\b({'|'.join((*READING, 'format', 'level', 'prior'))})=('\w+'|False\b)?(?![\w\"(\[])"
)


def in_words(command: Callable[Arguments, None], *, format: str = "--format") -> Callable[Arguments, None]:
    """Return ``command`` with what is refused told in one line on the error output, and status 2.

    ``format`` is what the command calls the option that names a format.
    """

    @wraps(command)
    def told(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            with _warnings_in_words():
                command(*args, **kwargs)
        except BrokenPipeError:  # whoever reads has read enough
            raise
        except PenchantError as refusal:
            complain(f"penchant: {refusal}", format)
        except MemoryError:
            complain(
                "penchant: memory must suffice for what is read, got too little: give fewer rows or items"
            )
        except OSError as trouble:
            place = "" if trouble.filename is None else f"{trouble.filename}: "
            complain(f"penchant: {place}{trouble.strerror or trouble}")
        else:
            return
        raise typer.Exit(2)

    return told


def report_bug(error: Exception) -> None:
    """Print one line about an exception that no command should let through."""
    complain(
        f"penchant: {type(error).__name__}: {error}: this is a bug in Penchant, please report it with what you typed "
        f"({TRACEBACK}=1 shows where it happened)"
    )


def complain(message: str, format: str = "--format") -> None:
    """Print one line on the error output, in the words of the command line."""
    line = with_options(" ".join(message.split())).replace("--format", format)
    typer.echo(visible(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"), err=True)


def with_options(message: str) -> str:
    """Return ``message`` with options in place of arguments.

    Examples
    --------
    >>> with_options("name them with better= and worse=, or give header=False or format='pairs'")
    'name them with --better and --worse, or give --no-header or --format pairs'
    >>> with_options("give less, or limits=Limits(bytes=2000)")
    'give less, or --limit bytes=2000'
    """
    return _ARGUMENT.sub(_option, _LIMIT.sub(r"--limit \1=\2", message))


def _option(argument: re.Match[str]) -> str:
    name, value = argument[1].replace("_", "-"), argument[2]
    return f"--no-{name}" if value == "False" else f"--{name}" + (f" {value[1:-1]}" if value else "")


@contextmanager
def _warnings_in_words() -> Iterator[None]:
    """Print each warning of Penchant's own as one line on the error output."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", PenchantWarning)
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, PenchantWarning):
                complain(f"Warning: {message}")
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = show
        yield


@contextmanager
def kept_warnings() -> Iterator[list[str]]:
    """Keep what is warned of, a line each, to be said in its place instead of in the middle."""
    kept: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        warnings.simplefilter("always", PenchantWarning)
        yield kept
    kept += dict.fromkeys(f"Warning: {warning.message}" for warning in caught)
