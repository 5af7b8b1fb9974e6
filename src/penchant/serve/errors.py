"""Errors as replies: one shape of JSON, whatever went wrong.

``{"error": {"code": "conflict", "message": "what, limit, received, what to do"}}``
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
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
    NoSpace,
    PenchantError,
    UnknownItem,
)

log = logging.getLogger("penchant.serve")

_SHOWN = 60
RETRY_AFTER = 5
"""Seconds after which a write that failed may be sent again."""
_REJECTED = ((Conflict, 409, "conflict"), (UnknownItem, 404, "unknown"), (InvalidInput, 422, "invalid"))
_NOT_KEPT = "It is not certain that what was sent is on disk: send it again under the same id."
_NO_SPACE = "The server's disk is full. Nothing was lost: send it again under the same id when there is room."
_STATUS = {
    400: (
        "bad_request",
        "the request must be whole and well-formed, got one that cannot be read: send it again",
    ),
    404: ("not_found", "nothing is at {path}: the page is at /, the interface at /v1/openapi.json"),
    405: ("method_not_allowed", "{path} takes {allow}, got {method}: use one of these"),
}


class ErrorReply(Exception):
    """A request that is rejected, with its status, a code for programs and a message for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def response(self) -> JSONResponse:
        """Return the reply to send."""
        return error_response(self.status, self.code, self.message)


def error_response(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return the one shape of an error; ``more`` stands beside it."""
    usual = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
    content = {"error": {"code": code, "message": message}, **more}
    return JSONResponse(content, status_code=status, headers={**usual, **(headers or {})})


def unexpected(error: Exception) -> JSONResponse:
    """Return the reply to a failure of Penchant itself: the log gets the details, the client none."""
    log.error("a request failed", exc_info=error)
    return error_response(
        500, "unexpected", "the request must succeed, got an error inside Penchant: see its terminal"
    )


def register_errors(app: FastAPI) -> None:
    """Give every error of ``app`` the one shape."""
    app.add_exception_handler(ErrorReply, _reply)
    app.add_exception_handler(PenchantError, _not_accepted)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _not_served)


def _reply(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ErrorReply)  # noqa: S101 - what it is registered for
    return error.response()


def _not_accepted(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, PenchantError)  # noqa: S101 - what it is registered for
    for kind, status, code in _REJECTED:
        if isinstance(error, kind):
            return error_response(status, code, error.worded(_field))
    if isinstance(error, CannotStore | Closed):
        log.error("a request could not be written: %s", error)
        full = isinstance(error, NoSpace)
        status, code, message = (507, "no_space", _NO_SPACE) if full else (503, "not_kept", _NOT_KEPT)
        return error_response(status, code, message, {"Retry-After": str(RETRY_AFTER)})
    return unexpected(error)


def _field(argument: Argument) -> str:
    """Return an argument of the library as the field of a body."""
    return argument.name if argument.value == "" else f'"{argument.name}": {json.dumps(argument.value)}'


def _not_valid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - what it is registered for
    return _not_accepted(request, _invalid_field(error.errors()[0]))


def _invalid_field(problem: Any) -> InvalidInput:
    """Return the error about the first field that is wrong."""
    name = ".".join(str(part) for part in problem["loc"] if part != "body") or "the body"
    if problem["type"] == "json_invalid":
        return InvalidInput.of("the body", "be JSON", "something else", "send an object such as {}")
    if problem["type"] == "missing":
        return InvalidInput.of(name, "be given", "nothing", "add it to the body")
    if problem["type"] == "extra_forbidden":
        return InvalidInput(f"{name} is no field of this request: leave it out")
    limit = str(problem["msg"]).removeprefix("Input should ").removeprefix("String should ")
    return InvalidInput.of(name, limit, _short(problem.get("input")), "correct it and send it again")


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _not_served(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - what it is registered for
    usual = (HTTPStatus(error.status_code).name.lower(), "the request cannot be served: send another")
    code, message = _STATUS.get(error.status_code, usual)
    headers = error.headers or {}
    allow = headers.get("Allow", "other methods")
    filled = message.format(path=request.url.path, allow=allow, method=request.method)
    return error_response(error.status_code, code, filled, headers)
