"""Connections whose requests httptools parses, in C; watched as those of `penchant.serve.connections` are."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from penchant.serve.connections import BODY, HEAD, IDLE, WORK, Watched

_UPGRADE = re.compile(rb"\r\nupgrade:[^\r\n]*(?=\r\n[^ \t])", re.IGNORECASE)
_CONNECT = b"CONNECT"


class WatchedHttpTools(Watched, HttpToolsProtocol):
    """Note how far a request has come when the parser says so."""

    def __init__(self, *settings: Any, **named: Any) -> None:
        super().__init__(*settings, **named)
        self._cycles: deque[Any] = deque()  # of requests without a whole reply, oldest first

    def data_received(self, data: bytes) -> None:
        """Serve a request that offers another protocol by the one it came with, as RFC 9110 allows.

        Java's client offers HTTP/2 with each request. The parser takes such a request for one without a body.
        """
        offers = b"pgrade" in data or b"PGRADE" in data
        if offers and not self.taken and self.waits_for in (HEAD, IDLE):
            head, end, rest = data.partition(b"\r\n\r\n")
            data = _UPGRADE.sub(b"", head + end) + rest
        super().data_received(data)

    def connection_lost(self, error: Exception | None) -> None:
        """Stop logs from being filled: of requests sent at once, uvicorn replies to all but the last into the void.

        A client that goes away meanwhile would leave a traceback in the log each time.
        """
        super().connection_lost(error)
        for cycle in self._cycles:
            if not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        self._cycles.clear()

    def on_message_begin(self) -> None:
        """Wait for headers."""
        if self.waits_for is not HEAD:
            self._wait_for(HEAD)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Wait for a body; not where the parser gives up, as it does with CONNECT and with an endless address.

        Stop smuggling: of a request that still offers another protocol, since its headers came in parts or behind
        another request, the parser would read the body as the next request.
        """
        if self.parser.should_upgrade() and self.parser.get_method() != _CONNECT and self._has_body():
            raise ValueError("a body follows an offer of another protocol")
        super().on_headers_complete()
        self._wait_for(BODY)
        while self._cycles and self._cycles[0].response_complete:
            self._cycles.popleft()
        self._cycles.append(self.cycle)

    def _has_body(self) -> bool:
        """Return whether a body follows the headers."""
        return any(
            name.lower() == b"transfer-encoding"
            or (name.lower() == b"content-length" and value.strip() != b"0")
            for name, value in self.headers
        )

    def on_message_complete(self) -> None:
        """Wait for the application, or for the next request where this one was answered before it had all come."""
        super().on_message_complete()
        self._wait_for(IDLE if self.cycle.response_complete else WORK)

    def on_response_complete(self) -> None:
        """Wait for the next request, unless one has come already, or the rest of this one has not."""
        super().on_response_complete()
        if self.waits_for is WORK and self.cycle.response_complete:
            self._wait_for(IDLE)
