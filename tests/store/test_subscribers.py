"""Those who are given the new events of each commit."""

from __future__ import annotations

import gc
import logging

import pytest

from penchant.store import Event
from penchant.store.subscribers import Subscribers

EVENTS = [Event(1, "e1", "note", 0.0, {}), Event(2, "e2", "note", 0.0, {})]


class Reader:
    def __init__(self) -> None:
        self.seen: list[Event] = []

    def read(self, events: list[Event]) -> None:
        self.seen += events


def test_each_subscriber_is_called_until_its_subscription_ends() -> None:
    """Ending one subscription ends no other, and ending it again does nothing."""
    subscribers, first, second = Subscribers(), Reader(), Reader()
    end = subscribers.add(first.read)
    subscribers.add(second.read)
    subscribers.deliver(EVENTS)
    end()
    end()
    subscribers.deliver(EVENTS[:1])
    assert (len(first.seen), len(second.seen)) == (2, 3)


def test_a_bound_method_does_not_keep_its_object() -> None:
    """When nobody else holds the object, it is gone, and delivering goes on without it."""
    subscribers, other = Subscribers(), Reader()
    seen: list[Event] = []

    class Gone(Reader):
        def __del__(self) -> None:
            seen.append(EVENTS[0])

    subscribers.add(Gone().read)
    gc.collect()
    assert seen == EVENTS[:1]
    subscribers.add(lambda events: seen.extend(events))
    subscribers.add(other.read)
    subscribers.deliver(EVENTS)
    assert seen == [EVENTS[0], *EVENTS]
    assert other.seen == EVENTS


def test_one_that_raises_is_reported_and_the_others_are_called(caplog: pytest.LogCaptureFixture) -> None:
    """The report names the events that it missed."""
    subscribers, reader = Subscribers(), Reader()
    subscribers.add(lambda _: 1 / 0)
    subscribers.add(reader.read)
    with caplog.at_level(logging.ERROR, "penchant.store"):
        subscribers.deliver(EVENTS)
    assert reader.seen == EVENTS
    assert "has missed events 1 to 2" in caplog.text
