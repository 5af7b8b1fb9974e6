"""The stream of changes, line by line: server-sent events as `Change`, and where to continue after a cut."""

from __future__ import annotations

import json

from penchant.checks import whole
from penchant.client.reading import change_of
from penchant.client.results import Change

SILENCE = 60.0
"""Seconds without a line after which a stream is taken for dead; a living one sends comments."""


class ChangeStream:
    r"""Lines of an event stream in, changes out.

    Parameters
    ----------
    after : int, optional
        A revision that is known already: the stream begins with the first change after it.

    Examples
    --------
    >>> stream = ChangeStream()
    >>> lines = ["id: 7", "event: change", 'data: {"revision": 7, "kinds": ["answered"]}', ""]
    >>> [change for line in lines if (change := stream.feed(line))]
    [Change(revision=7, kinds=('answered',))]
    >>> stream.headers()
    {'Accept': 'text/event-stream', 'Last-Event-ID': '7'}
    """

    def __init__(self, after: int | None = None) -> None:
        self._last = "" if after is None else str(whole("after", after, 0))
        self.begin()

    def begin(self) -> None:
        """Start a connection: what was cut off in the middle comes again."""
        self._data: list[str] = []
        self._id, self._event = "", "message"

    def headers(self) -> dict[str, str]:
        """Return the headers of the request that continues the stream."""
        continued = {"Last-Event-ID": self._last} if self._last else {}
        return {"Accept": "text/event-stream", **continued}

    def feed(self, line: str) -> Change | None:
        """Take one line, without its end; return the change that it completes."""
        if line:
            name, _, value = line.partition(":")
            self._field(name, value.removeprefix(" "))
            return None
        data, event = "\n".join(self._data), self._event
        self._last = self._id or self._last
        self.begin()
        if event != "change" or not data:
            return None
        try:
            return change_of(json.loads(data))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            return None  # a message of a later version

    def _field(self, name: str, value: str) -> None:
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and value.isascii() and value.isprintable():
            self._id = value
