"""Connections whose requests httptools parses, in C; watched as those of `penchant.serve.connections` are."""

from __future__ import annotations

from collections import deque
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from penchant.serve.connections import BODY, HEAD, IDLE, WORK, Watched


class WatchedHttpTools(Watched, HttpToolsProtocol):
    """Note how far a request has come when the parser says so."""

    def __init__(self, *settings: Any, **named: Any) -> None:
        super().__init__(*settings, **named)
        self._cycles: deque[Any] = deque()  # of requests without a whole reply, oldest first

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
        """Wait for a body; not where the parser gives up, as it does with CONNECT and with an endless address."""
        super().on_headers_complete()
        self._wait_for(BODY)
        while self._cycles and self._cycles[0].response_complete:
            self._cycles.popleft()
        self._cycles.append(self.cycle)

    def on_message_complete(self) -> None:
        """Wait for the application, or for the next request where this one was answered before it had all come."""
        super().on_message_complete()
        self._wait_for(IDLE if self.cycle.response_complete else WORK)

    def on_response_complete(self) -> None:
        """Wait for the next request, unless one has come already, or the rest of this one has not."""
        super().on_response_complete()
        if self.waits_for is WORK and self.cycle.response_complete:
            self._wait_for(IDLE)
