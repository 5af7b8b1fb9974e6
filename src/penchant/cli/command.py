"""What every command has: shared options, limits of what it reads, and errors and warnings as single lines."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.models import OptionInfo

from penchant.cli.kinds import wrong_kind
from penchant.cli.numbers import number_options, with_parser
from penchant.cli.options import LIMIT, READING, StudyFile, reading_parameter
from penchant.cli.places import StudyPlace
from penchant.errors import Argument, InvalidInput, PenchantError, PenchantWarning, WrongKind, worded
from penchant.text import visible

if TYPE_CHECKING:
    from penchant.formats.parsing.source import Limits

_LONGEST = 2000
_INTERRUPTED = 130  # 128 and the number of the signal
_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_NUMBER = re.compile(r"(\d{1,15}) ?([a-z]*)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class _Running:
    """The command that runs: its options by the arguments they set, and what was typed for some of them."""

    options: Mapping[str, str] = field(default_factory=dict)
    limit: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    name: str = ""
    study: str = ""
    saved: list[str] = field(default_factory=list)


_NOTHING = _Running()
_running: ContextVar[_Running] = ContextVar("running", default=_NOTHING)


def command(
    function: Callable[..., None],
    *,
    reads: bool = False,
    limited: bool = True,
    settings: Mapping[str, Parameter] | None = None,
    **options: str,
) -> Callable[..., None]:
    """Return ``function`` as a command: an error is one line on the error output and status 2.

    Parameters
    ----------
    reads : bool
        Whether the command gets an option for each argument of a reader; ``function`` gets those that were typed
        as ``columns``.
    limited : bool
        Whether the command gets the option ``--limit``.
    settings : mapping of Parameter, optional
        Options whose values ``function`` gets together as ``settings``.
    options : str
        How messages call an argument of the library that the command sets under another name.
    """
    parameters = dict(signature(function, eval_str=True).parameters)
    if settings:
        parameters = _replaced(parameters, "settings", settings)
    if reads:
        del parameters["columns"]
        parameters |= {name: reading_parameter(name) for name in READING}
    if limited:
        parameters["limit"] = LIMIT
    opens = "file" in parameters and parameters["file"].annotation == StudyFile
    typed_as = _options(parameters)
    numbers = number_options(parameters, typed_as)
    parameters |= {key: with_parser(parameters[key], option) for key, option in numbers.items()}
    options = {**typed_as, **options}
    name = function.__name__

    @wraps(function)
    def run(**typed: Any) -> None:
        of_model = tuple(words.partition("=")[0] for words in typed.get("setting") or ())
        limit, study = tuple(typed.pop("limit", None) or ()), str(typed.get("file", "")) if opens else ""
        token = _running.set(_Running(options, limit, of_model, name, study))
        if settings:
            typed["settings"] = {name: typed.pop(name) for name in settings}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", PenchantWarning)
                warnings.showwarning = _show_warning
                if reads:
                    columns = {name: typed.pop(name) for name in READING}
                    typed["columns"] = {name: value for name, value in columns.items() if value is not None}
                if limited:
                    limits()
                if opens:
                    check_study(typed["file"])
                function(**typed)
        except KeyboardInterrupt:
            report(_interrupted())
            raise typer.Exit(_INTERRUPTED) from None
        except BrokenPipeError:  # the reader of the output has closed it
            raise
        except (PenchantError, MemoryError, OSError) as error:
            report(f"penchant: {_message(error)}")
            raise typer.Exit(2) from None
        finally:
            _running.reset(token)

    keywords = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters.values()]
    run.__signature__ = Signature(keywords)  # type: ignore[attr-defined]
    run.numbers = tuple(numbers.values())  # type: ignore[attr-defined]
    run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return run


def _replaced(
    parameters: Mapping[str, Parameter], name: str, others: Mapping[str, Parameter]
) -> dict[str, Parameter]:
    """Return parameters with others in place of one, where it stood."""
    return {
        key: parameter
        for own, value in parameters.items()
        for key, parameter in (others.items() if own == name else [(own, value)])
    }


def _options(parameters: Mapping[str, Parameter]) -> dict[str, str]:
    """Return how each parameter that is an option is typed."""
    found = {}
    for name, parameter in parameters.items():
        for option in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(option, OptionInfo):  # inside Annotated the first name stands where a default would
                typed = option.default if isinstance(option.default, str) else None
                typed = typed or next(iter(option.param_decls or ()), f"--{name.replace('_', '-')}")
                found[name] = typed.partition("/")[0]
    return found


def check_study(file: StudyPlace) -> None:
    """Reject a file that is not there or cannot be a study, with what to type instead."""
    from penchant.cli.inputs import holds_study
    from penchant.formats.parsing.source import likely_path

    if not isinstance(file, Path):  # opening it reports what is wrong
        return
    make = f"make a study with penchant new {shlex.quote(str(file))} ITEMS"
    if not file.exists():
        raise InvalidInput.of(str(file), "be a study", "nothing there", f"{make}; {likely_path(file)}")
    if file.is_file() and file.stat().st_size and not holds_study(file):
        remedy = (
            f"make a study of items with penchant new FILE.db {shlex.quote(str(file))}, or restore a copy"
        )
        raise InvalidInput.of(str(file), "be a study", "another kind of file", remedy)


def _message(error: Exception) -> str:
    if isinstance(error, WrongKind):
        return wrong_kind(error, _running.get().name)
    if isinstance(error, PenchantError):
        return error.worded(_option)
    if isinstance(error, MemoryError):
        return "memory must suffice for what is read, got too little: give fewer rows or items"
    place = f"{error.filename}: " if isinstance(error, OSError) and error.filename is not None else ""
    return f"{place}{getattr(error, 'strerror', None) or error}"


def _option(argument: Argument) -> str:
    """Return an argument of the library as the option of the running command, if it has one."""
    running = _running.get()
    if argument.part_of == "limits":
        return f"--limit {argument.name}={argument.value}"
    if argument.name in running.settings:
        return f"--set {argument.name}"
    option = running.options.get(argument.name)
    if option is None:  # the command has none: columns, for instance, can be renamed
        return argument.name if argument.value == "" else str(argument)
    if argument.value is False:
        return f"--no-{option.removeprefix('--')}"
    return option if argument.value in ("", True) else f"{option} {argument.value}"


@contextmanager
def naming(**options: str) -> Iterator[None]:
    """Let messages of errors in this block call arguments of the library by these options."""
    try:
        yield
    except WrongKind:  # reported with the command to use, by what it holds
        raise
    except PenchantError as error:
        text = error.worded(lambda argument: options.get(argument.name) or _option(argument))
        raise type(error)(text) from error


def note_saved(out: Path) -> None:
    """Remember a file that was written whole, which Ctrl-C then reports."""
    _running.get().saved.append(str(out))


def _interrupted() -> str:
    """Return what is on disk after Ctrl-C."""
    running = _running.get()
    if running.saved:
        return f"Stopped. Saved: {', '.join(running.saved)}"
    if running.study:
        return f"Stopped. {running.study} holds all that was confirmed before"
    return "Stopped. Nothing was saved"


def report(message: str) -> None:
    """Print one line on the error output, with options in place of the library's arguments."""
    line = " ".join(worded(message, _option).split())
    typer.echo(visible(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"), err=True)


def with_options(message: str) -> str:
    """Return a message of the library with options in place of arguments."""
    return worded(message, _option)


@contextmanager
def kept_warnings() -> Iterator[list[str]]:
    """Collect the warnings, a line each, so that they can be printed below the result."""
    kept: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        warnings.simplefilter("always", PenchantWarning)
        yield kept
    kept += dict.fromkeys(_warning(warning.message) for warning in caught)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    report(_warning(message))


def _warning(message: Warning | str) -> str:
    return f"Warning: {message}"


def limits() -> Limits:
    """Return the limits of the running command: the defaults, and what was typed."""
    from penchant.formats.parsing.source import Limits

    names = Limits.__dataclass_fields__
    found: dict[str, int] = {}
    for words in _running.get().limit:
        name, _, text = words.partition("=")
        number = bytes_typed(text)
        if name not in names or number is None:
            raise InvalidInput.of(
                "--limit",
                f"be NAME=NUMBER with one of {', '.join(names)}",
                repr(words),
                "give for instance bytes=4GB",
            )
        found[name] = number
    return Limits(**found)


def bytes_typed(text: str) -> int | None:
    """Return a number that was typed with a unit or without, None where it is none.

    >>> bytes_typed("2GB"), bytes_typed("1 KiB"), bytes_typed("many")
    (2000000000, 1024, None)
    """
    number = _NUMBER.fullmatch(text.strip())
    if number is None or number[2].lower() not in _UNITS:
        return None
    return int(number[1]) * _UNITS[number[2].lower()]


def limits_typed() -> list[str]:
    """Return the words with which another command gets the same limits."""
    return [word for limit in _running.get().limit for word in ("--limit", limit)]
