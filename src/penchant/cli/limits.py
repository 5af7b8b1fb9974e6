"""The option ``--limit`` of every command that reads files. NAME=NUMBER in; the `Limits` of the running command out."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.formats import Limits

_UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_NUMBER = re.compile(r"(\d{1,15}) ?([a-z]*)", re.ASCII | re.IGNORECASE)
_OPTION = typer.Option(
    "--limit",
    metavar="NAME=NUMBER",
    help="The most that a file may hold, for instance bytes=4GB; may be given again.",
    show_default=False,
)
_typed: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())


def limited(command: Callable[..., None]) -> Callable[..., None]:
    """Give ``command`` the option ``--limit``, which `limits` returns while it runs."""

    @wraps(command)
    def with_limits(*, limit: list[str] | None = None, **typed: Any) -> None:
        token = _typed.set(tuple(limit or ()))
        try:
            limits()
            command(**typed)
        finally:
            _typed.reset(token)

    parameters = dict(signature(command, eval_str=True).parameters)
    parameters["limit"] = Parameter(
        "limit", Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[list[str] | None, _OPTION]
    )
    with_limits.__signature__ = Signature(list(parameters.values()))  # type: ignore[attr-defined]
    with_limits.__annotations__ = {name: found.annotation for name, found in parameters.items()}
    return with_limits


def limits() -> Limits:
    """Return the limits of the command that runs: the defaults, and what was typed."""
    from penchant.formats import Limits

    known = Limits.__dataclass_fields__
    found: dict[str, int] = {}
    for words in _typed.get():
        name, _, text = words.partition("=")
        number = _NUMBER.fullmatch(text.strip())
        if name not in known or number is None or number[2].lower() not in _UNITS:
            raise InvalidInput(
                f"--limit must be NAME=NUMBER with one of {', '.join(known)}, got {words!r}: "
                "give for instance bytes=4GB"
            )
        found[name] = int(number[1]) * _UNITS[number[2].lower()]
    return Limits(**found)


def limits_typed() -> list[str]:
    """Return the words with which another command has the same limits."""
    return [word for limit in _typed.get() for word in ("--limit", limit)]
