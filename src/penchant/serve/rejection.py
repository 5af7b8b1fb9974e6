"""A request that a guard or a limit turns away: as an exception, and as bytes where no application is asked."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from penchant.serve.errors import ErrorReply


class Rejection(ErrorReply):
    """An error reply with headers of its own, for instance Retry-After.

    Examples
    --------
    >>> error = Rejection(429, "too_many", "at most 5 requests a second are served, got more", "wait", retry_after=0.2)
    >>> error.response().headers["retry-after"]
    '1'
    """

    def __init__(
        self, status: int, code: str, message: str, hint: str, *, retry_after: float | None = None
    ) -> None:
        seconds = None if retry_after is None else str(max(1, round(retry_after + 0.5)))
        super().__init__(status, code, message, hint, None if seconds is None else {"Retry-After": seconds})


def reply_bytes(error: ErrorReply) -> bytes:
    r"""Return a whole HTTP/1.1 response that closes the connection.

    Examples
    --------
    >>> reply = reply_bytes(Rejection(408, "too_slow", "it took too long", "send it again"))
    >>> reply.splitlines()[0], b'"code":"too_slow"' in reply
    (b'HTTP/1.1 408 Request Timeout', True)
    """
    response = error.response()
    headers: list[tuple[bytes, Any]] = [
        *response.raw_headers,
        (b"connection", b"close"),
        (b"cache-control", b"no-store"),
    ]
    lines = [f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}".encode()]
    return b"\r\n".join(
        [*lines, *(name + b": " + value for name, value in headers), b"", bytes(response.body)]
    )
