"""Connections that are closed when a request does not come: timeouts, their number, and headers without end.

Uvicorn waits for the rest of a request for ever. Here each connection records what it waits for and since when, and
`sweep`, which the server calls a few times a second, closes those that have waited too long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from penchant.serve.limits import BUSY_SECONDS, Limits
from penchant.serve.rejection import Rejection, reply_bytes

HEAD, BODY, WORK, IDLE, AWAY = "head", "body", "work", "idle", "away"
"""What a connection waits for: headers, a body, the application, another request, or to be told that all is full."""
SLOWEST = 1024
"""Bytes a second of a reply that a client must take, and of a body that it must send where connections are scarce."""
_SLACK = 2
_BAD = Rejection(
    400,
    "bad_request",
    "the request must be whole and well-formed HTTP, got one that cannot be read",
    "send it again",
)


class Watched(asyncio.Protocol):
    """Stop slow clients: half a request, sent a byte at a time, holds a connection until none is left for others.

    A mixture for one of uvicorn's protocols, which parse the request; ``limits`` is set by `protocol`.
    """

    limits: Limits
    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    connections: set[Any]
    cycle: Any

    def __init__(self, *settings: Any, **named: Any) -> None:
        super().__init__(*settings, **named)
        self.waits_for, self.since, self.taken = HEAD, 0.0, 0
        self._unsent, self._unsent_since = 0, 0.0

    def connection_made(self, transport: Any) -> None:
        """Take a connection; where there are too many, the one that has waited longest gives way."""
        super().connection_made(transport)
        self._wait_for(HEAD)
        if len(self.connections) > self.limits.connections and not self._made_room():
            self._wait_for(AWAY)
            if len(self.connections) > _SLACK * self.limits.connections:
                transport.abort()

    def _made_room(self) -> bool:
        """Stop exhaustion of connections: many that send nothing must not keep out those that do."""
        now = self.loop.time()
        waiting = [each for each in self.connections if each is not self and each.gives_way(now)]
        if waiting:
            min(waiting, key=lambda each: each.since).give_way()
        return bool(waiting)

    def gives_way(self, now: float) -> bool:
        """Whether no request has come, and no body that comes at a fair rate: one that stalls keeps nobody out."""
        waited = now - self.since
        late = waited > self.limits.head_seconds or (waited > BUSY_SECONDS and self.taken < SLOWEST * waited)
        waits = self.waits_for in (HEAD, IDLE) or (self.waits_for is BODY and late)
        return waits and not self.transport.is_closing()

    def give_way(self) -> None:
        """Close the connection for the sake of another."""
        self._close(None if self.waits_for is IDLE else _full(self.limits))

    def data_received(self, data: bytes) -> None:
        """Parse what has come, and stop where it is more than any request has."""
        if self.waits_for is AWAY:
            self._close(_full(self.limits))
            return
        if self.waits_for is IDLE:
            self._wait_for(HEAD)
        self.taken += len(data)
        super().data_received(data)
        self._note_progress()
        if self.transport.is_closing():
            return
        if self.waits_for is HEAD and self.taken > self.limits.head_bytes:
            self._close(_long_head(self.limits))
        elif self.waits_for is BODY and self.taken > _SLACK * self.limits.large_body_bytes:
            self._close(None)  # chunks of a byte, or trailers without end

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP in the one shape of errors."""
        self._close(_BAD)

    def _note_progress(self) -> None:
        """Note how far the request has come, where the parser does not say so by itself."""

    def _wait_for(self, what: str) -> None:
        self.waits_for, self.since, self.taken = what, self.loop.time(), 0

    def _close(self, error: Rejection | None) -> None:
        """Close the connection, with an error where that is the reply that is due."""
        if error is not None and self._owes_reply() and not self.transport.is_closing():
            self.transport.write(reply_bytes(error))
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def _owes_reply(self) -> bool:
        """Whether nothing was sent in reply to the request that is coming, nor is to be sent before that."""
        if self.waits_for is BODY:
            return not (self.cycle.response_started or getattr(self, "pipeline", ()))
        return self.cycle is None or bool(self.cycle.response_complete)

    def overdue(self, now: float) -> None:
        """Close the connection if what it waits for is overdue, or if nobody takes the reply."""
        limits, waited = self.limits, now - self.since
        if self.waits_for is HEAD and waited > limits.head_seconds:
            self._close(_late("headers", limits.head_seconds))
        elif self.waits_for is BODY and waited > limits.body_seconds:
            self._close(_late("body", limits.body_seconds))
        elif self.waits_for is IDLE and waited > limits.idle_seconds:
            self._close(None)
        elif self.waits_for is AWAY and waited > BUSY_SECONDS:
            self._close(_full(limits))
        self._not_taken(now)

    def resume_writing(self) -> None:
        """Note that the client takes the reply."""
        self._unsent = 0
        super().resume_writing()

    def _not_taken(self, now: float) -> None:
        """Stop slow readers: a reply that nobody takes stays in memory."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent or not self._unsent:
            self._unsent, self._unsent_since = unsent, now
        elif now - self._unsent_since > self.limits.reply_seconds:
            if unsent > self._unsent - SLOWEST * (now - self._unsent_since):
                self.transport.abort()
            self._unsent, self._unsent_since = unsent, now


class WatchedH11(Watched, H11Protocol):
    """Requests parsed by h11, in Python: where httptools is not installed."""

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of this one."""
        super().on_response_complete()
        self._note_progress()

    def _note_progress(self) -> None:
        """Note how far the request has come."""
        client = self.conn.their_state
        if client is h11.SEND_BODY:
            found = BODY
        elif client is h11.IDLE and self.conn.our_state is h11.IDLE:
            found = HEAD if self.conn.trailing_data[0] or self.waits_for is HEAD else IDLE
        else:
            found = WORK
        if found is not self.waits_for and self.waits_for is not AWAY:
            self._wait_for(found)


def _late(what: str, seconds: float) -> Rejection:
    message = f"the {what} must come within {seconds:g} seconds, got them too slowly"
    return Rejection(408, "too_slow", message, "send the request again, at once")


def _long_head(limits: Limits) -> Rejection:
    message = f"address and headers must have at most {limits.head_bytes} bytes, got more"
    return Rejection(431, "too_large", message, "send fewer or shorter ones")


def _full(limits: Limits) -> Rejection:
    message = f"at most {limits.connections} connections may be open, got another"
    return Rejection(503, "busy", message, "come again a little later", retry_after=BUSY_SECONDS)


def protocol(limits: Limits) -> type[Watched]:
    """Return the protocol of a server with ``limits``: by httptools where it is installed, else by h11."""
    parsed: type[Watched] = WatchedH11
    with suppress(ModuleNotFoundError):
        from penchant.serve.httptools_connections import WatchedHttpTools as parsed  # noqa: N813 - either class
    return type(parsed.__name__, (parsed,), {"limits": limits})


def sweep(connections: Iterable[Any], now: float) -> None:
    """Close the connections that have waited too long."""
    for connection in list(connections):
        if isinstance(connection, Watched):
            connection.overdue(now)
