"""Saying no. Exceptions in; one shape of JSON out, whatever went wrong.

``{"error": {"code": "conflict", "message": "what, limit, what came, what to do"}}``
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from penchant.errors import CannotStore, Closed, Conflict, InvalidInput, NoSpace, PenchantError, UnknownItem

log = logging.getLogger("penchant.serve")

_SHOWN = 60
RETRY_AFTER = 5
"""Seconds after which a write that failed may be sent again."""
_NOT_KEPT = "It is not certain that what was sent is on disk: send it again under the same id."
_NO_SPACE = (
    "The server's disk is full. EmptyBody was lost: send it again under the same id when there is room."
)
_MEANT = {
    400: (
        "bad_request",
        "the request must be whole and well-formed, got one that cannot be read: send it again",
    ),
    404: ("not_found", "nothing is at {path}: the page is at /, the interface at /v1/openapi.json"),
    405: ("method_not_allowed", "{path} takes {allow}, got {method}: use one of these"),
}


class Refused(Exception):
    """A request that is turned down, with its status, a code for programs and a message for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def response(self) -> JSONResponse:
        """Return what is sent."""
        return refusal(self.status, self.code, self.message)


def refusal(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return the one shape of an error; ``more`` stands beside it."""
    known = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
    content = {"error": {"code": code, "message": message}, **more}
    return JSONResponse(content, status_code=status, headers={**known, **(headers or {})})


def unexpected(error: Exception) -> JSONResponse:
    """Return the answer to an error of our own: the log gets the details, the outside none."""
    log.error("a request failed", exc_info=error)
    return refusal(
        500, "unexpected", "the request must succeed, got an error inside Penchant: see its terminal"
    )


def register_refusals(app: FastAPI) -> None:
    """Give every error of ``app`` the one shape."""
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(PenchantError, _not_accepted)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _not_served)


def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refused)  # noqa: S101 - what it is registered for
    return error.response()


def _not_accepted(request: Request, error: Exception) -> JSONResponse:
    for kind, status, code in (
        (Conflict, 409, "conflict"),
        (UnknownItem, 404, "unknown"),
        (InvalidInput, 422, "invalid"),
    ):
        if isinstance(error, kind):
            return refusal(status, code, str(error))
    if isinstance(error, CannotStore | Closed):
        log.error("a request could not be written: %s", error)
        full = isinstance(error, NoSpace)
        status, code, words = (507, "no_space", _NO_SPACE) if full else (503, "not_kept", _NOT_KEPT)
        return refusal(status, code, words, {"Retry-After": str(RETRY_AFTER)})
    return unexpected(error)


def _not_understood(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - what it is registered for
    return refusal(422, "invalid", _in_words(error.errors()))


def _not_served(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - what it is registered for
    usual = (HTTPStatus(error.status_code).name.lower(), "the request cannot be served: send another")
    code, words = _MEANT.get(error.status_code, usual)
    headers = error.headers or {}
    told = words.format(
        path=request.url.path, allow=headers.get("Allow", "other methods"), method=request.method
    )
    return refusal(error.status_code, code, told, headers)


def _in_words(problems: Sequence[Any]) -> str:
    """Say what is wrong with the first field that is wrong."""
    first = problems[0]
    name = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
    if first["type"] == "json_invalid":
        return "the body must be JSON, got something else: send an object such as {}"
    if first["type"] == "missing":
        return f"{name} must be given, got nothing: add it to the body"
    if first["type"] == "extra_forbidden":
        return f"{name} is no field of this request: leave it out"
    wanted = str(first["msg"]).removeprefix("Input should ").removeprefix("String should ")
    return f"{name} must {wanted}, got {_short(first.get('input'))}: correct it and send it again"


def _short(value: object) -> str:
    told = ascii(value)
    return told if len(told) <= _SHOWN else f"{told[: _SHOWN - 1]}…"
