"""A raw HTTP/1.1 client: one kept connection, one request under way at a time, and no more parsing than that needs.

A client library takes many times longer for a request than the server does; this one takes less.
"""

from __future__ import annotations

import asyncio
import json
import re
from time import perf_counter
from typing import Any, NamedTuple, Self

HOST = "127.0.0.1"
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked", re.IGNORECASE)


class Reply(NamedTuple):
    """What came back: the status, the head as it was sent, and the body."""

    status: int
    head: bytes
    body: bytes

    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


class Connection(asyncio.Protocol):
    """One connection to a server on this computer."""

    def __init__(self) -> None:
        self.first_byte = 0.0
        """When the first byte of the last reply came, by `perf_counter`."""
        self._transport: asyncio.Transport | None = None
        self._buffer = b""
        self._waiting: asyncio.Future[Reply] | None = None
        self._ended = False

    @classmethod
    async def open(cls, port: int) -> Self:
        """Connect to a port of this computer."""
        _, made = await asyncio.get_running_loop().create_connection(cls, HOST, port)
        return made

    @property
    def ended(self) -> bool:
        """Whether the other side, or this one, has ended the connection."""
        return self._ended

    def send(self, request: bytes) -> asyncio.Future[Reply]:
        """Send a request; the future gets the reply, or `ConnectionError` where none comes."""
        self._waiting = asyncio.get_running_loop().create_future()
        self._buffer, self.first_byte = b"", 0.0
        if self._ended or self._transport is None:
            self._waiting.set_exception(ConnectionError("the connection has ended"))
        else:
            self._transport.write(request)
        return self._waiting

    def write(self, part: bytes) -> None:
        """Send more bytes of a request."""
        if self._transport is not None and not self._ended:
            self._transport.write(part)

    def end_sending(self) -> None:
        """Say that nothing more will be sent; a reply may still come."""
        if self._transport is not None and not self._ended:
            self._transport.write_eof()

    def close(self) -> None:
        """End the connection at once."""
        self._ended = True
        if self._transport is not None:
            self._transport.abort()

    # -- what asyncio calls --------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Keep the way to the other side."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Add what came, and give the reply out when it is whole."""
        if not self.first_byte:
            self.first_byte = perf_counter()
        self._buffer = self._buffer + data if self._buffer else data
        reply = parsed(self._buffer)
        if reply is not None and self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(reply)

    def connection_lost(self, error: Exception | None) -> None:
        """Give out the reply that ends with the connection, or say that none came."""
        self._ended = True
        if self._waiting is None or self._waiting.done():
            return
        reply = parsed(self._buffer, whole=True)
        if reply is None:
            self._waiting.set_exception(ConnectionError("the connection ended before the reply"))
        else:
            self._waiting.set_result(reply)


def parsed(data: bytes, *, whole: bool = False) -> Reply | None:
    r"""Return the reply that ``data`` begins with, or None where more is to come.

    Parameters
    ----------
    data : bytes
    whole : bool
        Whether nothing more comes, which ends a reply that does not state its length.

    Examples
    --------
    >>> parsed(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").body
    b'{}'
    """
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    head, body = data[:end], data[end + 4 :]
    status = int(head[9:12])
    if status == 100:  # go on; the reply itself follows
        return parsed(body, whole=whole)
    length = _LENGTH.search(head)
    if length is not None:
        count = int(length[1])
        return Reply(status, head, body[:count]) if len(body) >= count else None
    if _CHUNKED.search(head):
        joined = _joined(body)
        return None if joined is None else Reply(status, head, joined)
    return Reply(status, head, body) if whole or status in (204, 304) else None


def _joined(chunks: bytes) -> bytes | None:
    """Return the body that chunks make, or None where the last one has not come yet."""
    parts, place = [], 0
    while True:
        line = chunks.find(b"\r\n", place)
        if line < 0:
            return None
        size = int(chunks[place:line].partition(b";")[0], 16)
        place = line + 2 + size + 2
        if size == 0:
            return b"".join(parts)
        if len(chunks) < place:
            return None
        parts.append(chunks[line + 2 : line + 2 + size])


def posted(port: int, path: str, token: str, body: bytes) -> bytes:
    """Return a POST of JSON as it is sent."""
    head = f"POST {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\nAuthorization: Bearer {token}\r\n"
    more = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return (head + more).encode() + body


def got(port: int, path: str, token: str) -> bytes:
    """Return a GET as it is sent."""
    return (f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\nAuthorization: Bearer {token}\r\n\r\n").encode()
