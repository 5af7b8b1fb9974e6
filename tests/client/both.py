"""Both clients under one interface: `AsyncClient` on an event loop of its own, so that one test serves for both."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Iterator
from typing import Any

from penchant import AsyncClient, Client


class Loop:
    """An event loop in a thread of its own: the thread of a test may have one already, of the browser's tests."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, waiting: Any) -> Any:
        """Return what ``waiting`` returns."""
        return asyncio.run_coroutine_threadsafe(_awaited(waiting), self._loop).result()

    def close(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _awaited(waiting: Any) -> Any:
    return await waiting


class Awaited:
    """An `AsyncClient` whose methods are waited for."""

    def __init__(self, *given: Any, link: str = "", **settings: Any) -> None:
        self._client = AsyncClient.from_link(link, **settings) if link else AsyncClient(*given, **settings)
        self._loop = Loop()

    @classmethod
    def from_link(cls, link: str, **settings: Any) -> Awaited:
        return cls(link=link, **settings)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if inspect.isasyncgenfunction(method):
            return lambda *given, **named: self._each(method(*given, **named))
        if inspect.iscoroutinefunction(method):
            return lambda *given, **named: self._loop.run(method(*given, **named))
        return method

    def _each(self, iterator: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    yield self._loop.run(_next(iterator))
                except Ended:
                    return
        finally:
            self._loop.run(iterator.aclose())

    def __repr__(self) -> str:
        return repr(self._client)

    def __enter__(self) -> Awaited:
        return self

    def __exit__(self, *problem: object) -> None:
        self._loop.run(self._client.close())
        self._loop.close()


class Ended(Exception):
    """No more comes: StopAsyncIteration cannot leave a coroutine."""


async def _next(iterator: Any) -> Any:
    try:
        return await anext(iterator)
    except StopAsyncIteration:
        raise Ended from None


BOTH = [Client, Awaited]
