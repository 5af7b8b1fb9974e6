"""Requests of many threads to one study, served together by the thread that holds its lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any

from penchant.errors import CannotStore

MOST_TOGETHER = 256
"""So many requests are served in one commit; the others wait for the next one."""


class Request:
    """What one thread wants done under the lock of a study, and later its result."""

    __slots__ = ("_error", "_value", "_wake", "_work", "done")

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._value: Any = None
        self._error: BaseException | None = None
        self._wake = Lock()
        self._wake.acquire()
        self.done = False

    def wait(self) -> None:
        """Return when the request is done, or when its thread is the one to serve."""
        self._wake.acquire()

    def wake(self) -> None:
        """Let the thread go on that waits, or will wait; once more does nothing."""
        try:  # noqa: SIM105 - a context manager takes as long as all the rest
            self._wake.release()
        except RuntimeError:
            pass

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
    """The requests that wait, and whether a thread serves them.

    A thread that waits is woken once, when its request is done or when it is the next to serve: were all to wait for
    the lock of the study, each would wake only to find its request done, and a new one would seldom meet others.

    Examples
    --------
    >>> requests = Requests()
    >>> first, second = Request(lambda: 1), Request(lambda: 2)
    >>> requests.add(first), requests.add(second)
    (True, False)
    >>> requests.take() == [first, second], requests.take()
    (True, [])
    """

    def __init__(self) -> None:
        self._waiting: deque[Request] = deque()
        self._guard = Lock()
        self._server: Request | None = None
        self._taken: list[Request] = []

    def add(self, request: Request) -> bool:
        """Let a request wait, and return whether its thread is to serve; otherwise it waits."""
        with self._guard:
            self._waiting.append(request)
            if self._server is not None:
                return False
            self._server = request
            return True

    def take(self) -> list[Request]:
        """Return the requests that wait, oldest first, for the caller to serve: it holds the lock of the study."""
        with self._guard:
            count = min(len(self._waiting), MOST_TOGETHER)
            self._taken = [self._waiting[place] for place in range(count)]
            for _ in range(count):
                self._waiting.popleft()
            return self._taken

    def leave(self, request: Request) -> None:
        """Let another thread serve, if this one did; a request that still waits was interrupted, and is dropped.

        Where the thread was interrupted while it served, the requests that it took and did not serve have failed.
        """
        with self._guard:
            if self._server is request:
                self._give_up()
            if request in self._waiting:
                self._waiting.remove(request)
            if self._server is request:
                self._server = self._waiting[0] if self._waiting else None
                if self._server is not None:
                    self._server.wake()

    def _give_up(self) -> None:
        taken, self._taken = self._taken, []
        for request in taken:
            if not request.done:
                request.fail(KeyboardInterrupt())
                request.done = True
            if request in self._waiting:
                self._waiting.remove(request)
            request.wake()
