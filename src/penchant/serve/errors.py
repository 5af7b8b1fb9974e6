"""Errors as replies: one shape of JSON, whatever went wrong.

``{"error": {"code": "conflict", "message": "what, its limit, what was received", "hint": "what to do"}}``
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from penchant.errors import (
    Argument,
    CannotStore,
    Closed,
    Conflict,
    InvalidInput,
    Locked,
    NoSpace,
    PenchantError,
    UnknownItem,
    Unreachable,
    WrongKind,
    worded,
)

log = logging.getLogger("penchant.serve")

_SHOWN, _LONGEST_PATH = 60, 200
_PLACES = ("body", "query", "path", "header")
_TYPE = re.compile(r"(str|dict|list|literal)(\[.*\])?$")
"""What Pydantic adds to the place of a field that may have several types."""
_SUBJECT = re.compile(r"^\w+ should | after validation, not \d+$")
RETRY_AFTER = 5
"""Seconds after which a write that failed may be sent again."""
_REJECTED = (
    (WrongKind, 422, "wrong_kind"),
    (Conflict, 409, "conflict"),
    (UnknownItem, 404, "unknown"),
    (InvalidInput, 422, "invalid"),
)
_NOT_KEPT = "It is not certain that what was sent is on disk", "send it again under the same id"
_NO_SPACE = (
    "The server's disk is full; nothing was lost",
    "send it again under the same id when there is room",
)
_STANDBY = "Another process writes the study, and this one reads it", "send it again under the same id"
_UNREACHABLE = "The database of the study cannot be reached", "send it again under the same id"
RETRY_SOON = 1
"""Seconds in which another process has taken over."""
_STATUS = {
    400: (
        "not_json",
        "the body must be JSON that can be read, got something else",
        "send an object, without numbers of thousands of digits",
    ),
    404: ("not_found", "nothing is at {path}", "the page is at /, the interface at /v1/openapi.json"),
    405: ("method_not_allowed", "{path} takes {allow}, got {method}", "use one of these"),
}


class ErrorReply(Exception):
    """A request that is rejected, with its status, a code for programs, and a message and a hint for people.

    Parameters
    ----------
    status : int
    code, message : str
    hint : str
        What to do; where it is not given, the message ends with it, after a colon.
    headers : mapping, optional
    more
        Stands beside the error in the reply.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.headers, self.more = status, code, headers, more
        self.message, self.hint = (message, hint) if hint else split(message)

    def response(self) -> JSONResponse:
        """Return the reply to send."""
        return error_response(self.status, self.code, self.message, self.hint, self.headers, **self.more)


def taken(id: str) -> ErrorReply:
    """Return the error for an id that was used with another content."""
    return ErrorReply(409, "conflict", f"id {id!r} was sent before with another content", "use a new id")


def split(text: str) -> tuple[str, str]:
    """Return what is wrong and what to do, which stands after the last colon of a message.

    Examples
    --------
    >>> split("items must be different, got 'tea' twice: keep one")
    ("items must be different, got 'tea' twice", 'keep one')
    >>> split("the study cannot be read")
    ('the study cannot be read', 'correct the request and send it again')
    """
    message, colon, hint = text.rpartition(": ")
    return (message, hint) if colon else (text, "correct the request and send it again")


def error_response(
    status: int, code: str, message: str, hint: str, headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return the one shape of an error; ``more`` stands beside it."""
    usual = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
    content = {"error": {"code": code, "message": message, "hint": hint}, **more}
    return JSONResponse(content, status_code=status, headers={**usual, **(headers or {})})


def unexpected(error: Exception) -> JSONResponse:
    """Return the reply to a failure of Penchant itself: the log gets the details, the client none."""
    log.error("a request failed", exc_info=error)
    return error_response(
        500, "unexpected", "the request must succeed, got an error inside Penchant", "see its terminal"
    )


def register_errors(app: FastAPI) -> None:
    """Give every error of ``app`` the one shape."""
    app.add_exception_handler(ErrorReply, _rejected)
    app.add_exception_handler(PenchantError, _rejected)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, not_served)


def _rejected(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ErrorReply | PenchantError)  # noqa: S101 - what it is registered for
    return error_of(error)


def error_of(error: ErrorReply | PenchantError) -> JSONResponse:
    """Return the reply to a request that raised ``error``."""
    if isinstance(error, ErrorReply):
        return error.response()
    for kind, status, code in _REJECTED:
        if isinstance(error, kind):
            return error_response(status, code, *_parts(error))
    if isinstance(error, Locked | Unreachable):
        code, words = ("standby", _STANDBY) if isinstance(error, Locked) else ("unreachable", _UNREACHABLE)
        return error_response(503, code, *words, {"Retry-After": str(RETRY_SOON)})
    if isinstance(error, CannotStore | Closed):
        log.error("a request could not be written: %s", error)
        full = isinstance(error, NoSpace)
        status, code, words = (507, "no_space", _NO_SPACE) if full else (503, "not_kept", _NOT_KEPT)
        return error_response(status, code, *words, {"Retry-After": str(RETRY_AFTER)})
    return unexpected(error)


def _parts(error: PenchantError) -> tuple[str, str]:
    """Return the message of an error without the remedy, and the remedy."""
    if not error.argument:
        return split(error.worded(_field))
    subject = _field(Argument(error.argument))
    return f"{subject} must {error.limit}, got {error.received}", worded(error.remedy, _field)


def _field(argument: Argument) -> str:
    """Return an argument of the library as the field of a body."""
    return argument.name if argument.value == "" else f'"{argument.name}": {json.dumps(argument.value)}'


def _not_valid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - what it is registered for
    problem = _named_best(error.errors())
    if problem["type"] == "json_invalid":
        return error_response(400, "not_json", "the body must be JSON, got something else", "send an object")
    return error_of(_invalid_field(problem))


def _named_best(problems: Sequence[Any]) -> Any:
    """Return the first problem, or of several about one field that may be this or that the one that leads furthest."""
    first = problems[0]
    same = (problem for problem in problems if problem["loc"][:2] == first["loc"][:2])
    return max(same, key=lambda problem: len(problem["loc"]))


def _invalid_field(problem: Any) -> InvalidInput:
    """Return the error about a field that is wrong."""
    parts = [str(part) for part in problem["loc"] if part not in _PLACES]
    name = ".".join([*parts[:1], *(part for part in parts[1:] if not _TYPE.match(part))]) or "the body"
    if problem["type"] == "missing":
        place = {"query": "query", "header": "headers", "path": "path"}.get(problem["loc"][0], "body")
        return InvalidInput.of(name, "be given", "nothing", f"add it to the {place}")
    if problem["type"] == "extra_forbidden":
        return InvalidInput(f"{name} is no field of this request: leave it out")
    limit = _SUBJECT.sub("", str(problem["msg"]))
    return InvalidInput.of(name, limit, _short(problem.get("input")), "correct it and send it again")


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def not_served(request: Request, error: Exception) -> JSONResponse:
    """Return the reply to a request that no route serves."""
    assert isinstance(error, HTTPException)  # noqa: S101 - what it is registered for
    usual = (HTTPStatus(error.status_code).name.lower(), "the request cannot be served", "send another")
    code, message, hint = _STATUS.get(error.status_code, usual)
    headers = error.headers or {}
    allow = headers.get("Allow", "other methods")
    path = request.url.path
    path = path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}…"
    filled = message.format(path=path, allow=allow, method=request.method)
    return error_response(error.status_code, code, filled, hint, headers)
