"""Requests of many threads to one study, served together by the thread that holds its lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from penchant.errors import CannotStore

MOST_TOGETHER = 256
"""So many requests are served in one commit; the others wait for the next one."""


class Request:
    """What one thread wants done under the lock of a study, and later its result."""

    __slots__ = ("_error", "_value", "_work", "done")

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._value: Any = None
        self._error: BaseException | None = None
        self.done = False

    def run(self) -> None:
        """Do the work, and keep its result or its error until the commit."""
        try:
            self._value = self._work()
        except Exception as error:
            self._error = error

    def fail(self, error: BaseException) -> None:
        """Replace the result by an error, since nothing of it is certain to be on disk."""
        if not isinstance(error, Exception):  # the end of another thread is not that of this one
            error = CannotStore(
                "the study must be on disk before a call returns, and writing was interrupted: call again with the "
                "same event_id"
            )
        self._error = error

    def result(self) -> Any:
        """Return the result, or raise the error."""
        if self._error is not None:
            try:
                raise self._error
            finally:
                del self  # the error's traceback holds this frame
        return self._value


class Requests:
    """The requests that wait.

    Examples
    --------
    >>> requests = Requests()
    >>> first, second = Request(lambda: 1), Request(lambda: 2)
    >>> requests.add(first), requests.add(second)
    (None, None)
    >>> requests.take() == [first, second], requests.take()
    (True, [])
    """

    def __init__(self) -> None:
        self._waiting: deque[Request] = deque()

    def add(self, request: Request) -> None:
        """Let a request wait; the caller takes the lock of the study next."""
        self._waiting.append(request)

    def take(self) -> list[Request]:
        """Return the requests that wait, oldest first, for the caller to serve: it holds the lock of the study."""
        count = min(len(self._waiting), MOST_TOGETHER)
        return [self._waiting.popleft() for _ in range(count)]
