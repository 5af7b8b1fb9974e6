"""One JSON line a request on the error output, without anything that a person wrote or that opens a study."""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NOTES = "penchant.notes"
LOGGERS = ("penchant.serve", "uvicorn.error")


def note(scope: Scope, *, role: str, study: int = 0) -> None:
    """Record whose request it is, for the log: the role of its token, and the study by its number from 0."""
    scope[_NOTES] = (role, study)


def noted(scope: Scope) -> tuple[str | None, int | None]:
    """Return the role and the study of a request, None where it carried no token that works."""
    role, study = scope.get(_NOTES, (None, None))
    return role, study


class RequestLog:
    """Stop leaks through logs: a line holds the route's template, never its path, query, token, title or answer.

    Parameters
    ----------
    app : ASGI application
    out : text stream
        Where the lines go.
    """

    def __init__(self, app: ASGIApp, out: TextIO) -> None:
        self.app, self._out = app, out

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and write its line when the reply has ended."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status, size = time.perf_counter(), 0, 0

        async def counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, counted)
        finally:
            self._write(scope, status, size, time.perf_counter() - started)

    def _write(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        role, study = noted(scope)
        line = {
            "time": _now(),
            "method": method_of(scope),
            "route": route_of(scope),
            "status": status,  # 0: the client went away before there was a reply
            "ms": round(1000 * seconds, 2),
            "bytes": size,
            "role": role,
            "study": study,
        }
        self._out.write(f"{json.dumps(line)}\n")
        self._out.flush()


class JsonLines(logging.Handler):
    """What goes wrong, one JSON line each: of an exception its kind and place, for its message may quote a person."""

    def __init__(self, out: TextIO) -> None:
        super().__init__(logging.WARNING)
        self._out = out

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        line: dict[str, Any] = {
            "time": _now(),
            "level": record.levelname.lower(),
            "message": str(record.msg).strip(),
        }
        error = record.exc_info[1] if record.exc_info else _exception_in(record.args)
        if error is not None:
            places = traceback.extract_tb(error.__traceback__)
            line |= {
                "error": type(error).__name__,
                "at": [f"{place.name}:{place.lineno}" for place in places[-5:]],
            }
        self._out.write(f"{json.dumps(line)}\n")
        self._out.flush()


@contextmanager
def json_logs(out: TextIO) -> Iterator[None]:
    """Send warnings and errors of the server to ``out`` as JSON lines."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [(logger.handlers, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [JsonLines(out)], False
    try:
        yield
    finally:
        for logger, (handlers, propagates) in zip(loggers, before, strict=True):
            logger.handlers, logger.propagate = handlers, propagates


def _exception_in(arguments: object) -> BaseException | None:
    listed = arguments if isinstance(arguments, tuple) else ()
    return next((value for value in listed if isinstance(value, BaseException)), None)


def route_of(scope: Scope) -> str:
    """Return the template of the route, as the interface writes it: a client chooses none of it."""
    route = scope.get("route")
    path = getattr(route, "path_format", None) or getattr(route, "path", None)
    if not isinstance(path, str):
        return "/static/{file}" if scope["path"].startswith("/static/") else "none"
    return f"/v1{path}" if scope["path"].startswith("/v1/") and not path.startswith("/v1/") else path


def method_of(scope: Scope) -> str:
    """Return the method of a request, or "other" for one that nobody uses."""
    return str(scope["method"]) if scope["method"] in _METHODS else "other"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
