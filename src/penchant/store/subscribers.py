"""Those who are given the new events of each commit."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from threading import Lock
from weakref import WeakMethod

from penchant.store.event import Event

Subscriber = Callable[[list[Event]], object]
"""A function of the new events of one commit."""

_log = logging.getLogger("penchant.store")


class Subscribers:
    """The subscribers of one log.

    Examples
    --------
    >>> subscribers, numbers = Subscribers(), []
    >>> end = subscribers.add(lambda events: numbers.extend(event.number for event in events))
    >>> subscribers.deliver([Event(1, "e1", "note", 0.0, {})])
    >>> end()
    >>> subscribers.deliver([Event(2, "e2", "note", 0.0, {})])
    >>> numbers
    [1]
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: tuple[Callable[[], Subscriber | None], ...] = ()

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, subscriber: Subscriber) -> Callable[[], None]:
        """Add a subscriber and return what removes it; a bound method does not keep its object."""
        # The writer's thread is never garbage: what it held would keep its log, and the file, open for ever.
        find: Callable[[], Subscriber | None] = (
            WeakMethod(subscriber) if inspect.ismethod(subscriber) else lambda: subscriber
        )
        with self._lock:
            self._found = (*(found for found in self._found if found() is not None), find)
        return lambda: self._remove(find)

    def _remove(self, find: Callable[[], Subscriber | None]) -> None:
        with self._lock:
            self._found = tuple(found for found in self._found if found is not find)

    def deliver(self, events: list[Event]) -> None:
        """Call each subscriber; one that raises is reported, and keeps the others from nothing."""
        for find in self._found:
            subscriber = find()
            if subscriber is not None:
                try:
                    subscriber(events)
                except Exception:
                    _log.exception(
                        "a subscriber raised and has missed events %d to %d",
                        events[0].number,
                        events[-1].number,
                    )
