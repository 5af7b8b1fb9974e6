"""One thread for each study, which serves the calls of requests that wait together, in one commit."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar, cast

from penchant.serve.errors import ErrorReply
from penchant.study import Study
from penchant.study.requests import Request

T = TypeVar("T")

MOST_WAITING = 240
"""Calls that may wait or be under way for long; more are answered with 503.

It is 0.3 times the answers that a study of 200 items takes in a second on two cores: after an overload, while answers
still arrive at 0.7 times that rate, it is empty within a second.
"""
BURST, BURST_SECONDS = 3, 5.0
"""For so many seconds since the queue was last short, so many times as many may wait: a slow disk or a new start of the
belief holds up a server for half a second that has time enough on the whole, and what came meanwhile is served within a
few seconds also where it has little time left."""
TOGETHER = 64
"""So many calls are made in one commit. With one commit for all that wait, a full queue would look empty after each, so
that three times as many could wait."""
SHORT = 4
"""The queue is short when the calls that wait as some are taken from it are at most this part of those that may."""
IDLE = 5.0
"""Seconds without a call after which the thread ends; the next call starts another."""
RETRY_AFTER = 1


class _Call(NamedTuple):
    work: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]


class Worker:
    """The thread that makes the calls of a study, many that wait at once.

    Requests wait for it without a thread of their own, and are woken once for each commit.

    Parameters
    ----------
    study : Study
        Open for writing.
    most : int
        How many calls may wait or be under way for long: those of a commit that is under way are counted, so that no
        more are ahead of a new one.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self, study: Study, most: int = MOST_WAITING, *, clock: Callable[[], float] = monotonic
    ) -> None:
        self._study = study
        self._most, self._clock = most, clock
        self._short = clock()  # when the queue was last short
        self._waiting: deque[_Call] = deque()
        self._changed = Condition()
        self._running = False
        self._served = 0

    def __len__(self) -> int:
        """Return the number of calls that wait or are under way."""
        return len(self._waiting) + self._served

    def _most_now(self) -> int:
        """Return how many calls may wait or be under way now; the caller holds the lock."""
        if not len(self):
            self._short = self._clock()
        is_burst = self._clock() - self._short < BURST_SECONDS
        return BURST * self._most if is_burst else self._most

    async def call(self, work: Callable[[], T]) -> T:
        """Return what ``work`` returns, or raise what it raises, once all that it recorded is on disk."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        with self._changed:
            if len(self) >= (most := self._most_now()):
                raise ErrorReply(
                    503,
                    "busy",
                    f"at most {most} requests may wait for a study, and so many do",
                    "send it again under the same id after a second",
                    {"Retry-After": str(RETRY_AFTER)},
                )
            if not self._running:
                Thread(target=self._run, name="requests", daemon=True).start()  # it waits for this lock
                self._running = True
            self._waiting.append(_Call(work, loop, future))
            self._changed.notify()
        return await future

    def _run(self) -> None:
        while calls := self._next():
            try:
                done = self._study.together([call.work for call in calls])
            except Exception as error:  # the study cannot be used at all: it was closed, say
                done = [_failed(error) for _ in calls]
            self._served = 0
            _deliver(calls, done)

    def _next(self) -> list[_Call]:
        """Wait for calls, and return those that waited longest; none where the thread is to end."""
        with self._changed:
            if not self._waiting:
                self._changed.wait(IDLE)
            count = min(len(self._waiting), TOGETHER)
            if SHORT * len(self._waiting) <= self._most:
                self._short = self._clock()
            self._running = count > 0
            self._served = count
            return [self._waiting.popleft() for _ in range(count)]


def _failed(error: Exception) -> Request:
    request = Request(lambda: None)
    request.fail(error)
    return request


def _deliver(calls: list[_Call], done: list[Request]) -> None:
    """Wake each event loop once, with the results of its calls."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Call, Request]]] = {}
    for call, request in zip(calls, done, strict=True):
        by_loop.setdefault(call.loop, []).append((call, request))
    for loop, results in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, results)
        except RuntimeError:  # it was closed: nobody waits for these any more
            continue


def _resolve(results: list[tuple[_Call, Request]]) -> None:
    for call, request in results:
        if call.future.done():  # its request was given up
            continue
        try:
            value = request.result()
        except StopIteration as error:  # no future can hold one
            call.future.set_exception(RuntimeError(f"a call ended with {error!r}"))
        except Exception as error:
            call.future.set_exception(error)
        else:
            call.future.set_result(cast("Any", value))
