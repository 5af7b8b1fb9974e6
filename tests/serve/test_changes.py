"""Streams of changes: what changed since, together, resumed where they were cut, and ended in time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from penchant.serve import changes
from penchant.serve.changes import Changes
from penchant.study import CompareStudy
from tests.serve.visitor import finished


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "TOGETHER", 0.001)
    monkeypatch.setattr(changes, "HEARTBEAT", 0.01)


def parsed(text: str) -> dict[str, Any]:
    """Return the fields of one message, with its data read."""
    lines = (line.partition(": ") for line in text.strip().splitlines())
    fields: dict[str, Any] = {name: value for name, _, value in lines}
    return {**fields, "data": json.loads(fields["data"])} if "data" in fields else fields


async def next_change(stream: AsyncIterator[str]) -> dict[str, Any]:
    """Return the next message that is neither a heartbeat nor the time of retry."""
    async for text in stream:
        if text.startswith("id: "):
            return parsed(text)
    raise AssertionError("the stream ended")


def test_a_stream_begins_with_the_last_event_and_reports_each_change(study: CompareStudy) -> None:
    """The first message has the number of the last event; the next ones have their kinds too."""

    async def watched() -> list[dict[str, Any]]:
        stream = Changes(study).stream(None, lambda: True)
        assert await anext(stream) == f"retry: {changes.RETRY}\n\n"
        first = await next_change(stream)
        await asyncio.to_thread(study.ask, "ann")
        second = await next_change(stream)
        await asyncio.to_thread(study.tell, study.ask("ann"), "left")
        third = await next_change(stream)
        await stream.aclose()
        return [first, second, third]

    found = finished(watched())
    assert [message["id"] for message in found] == ["2", "3", "4"]
    assert {message["event"] for message in found} == {"change"}
    assert [message["data"] for message in found] == [
        {"revision": 2, "kinds": []},
        {"revision": 3, "kinds": ["asked"]},
        {"revision": 4, "kinds": ["answered"]},
    ]


def test_a_stream_is_resumed_with_what_came_meanwhile(study: CompareStudy) -> None:
    """After event 2 everything since is one message; where nothing came, there is none."""
    for judge in ("ann", "bob"):
        study.tell(study.ask(judge), "left")

    async def resumed(after: int) -> dict[str, Any] | str:
        stream = Changes(study).stream(after, lambda: True)
        await anext(stream)
        text = await anext(stream)
        await stream.aclose()
        return parsed(text) if text.startswith("id") else text

    found = finished(resumed(2))
    assert isinstance(found, dict)
    assert found["data"] == {"revision": 6, "kinds": ["answered", "asked"]}
    assert finished(resumed(6)) == ": no change\n\n"


def test_a_stream_that_knows_more_than_the_study_starts_anew(study: CompareStudy) -> None:
    """A study that was replaced by an older copy says at once where it is now."""

    async def resumed() -> dict[str, Any]:
        stream = Changes(study).stream(10**19, lambda: True)
        found = await next_change(stream)
        await stream.aclose()
        return found

    assert finished(resumed())["data"] == {"revision": 2, "kinds": []}


def test_kinds_are_not_listed_after_very_many_events(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever was away for long is told to look again, and the log is not read for them."""
    monkeypatch.setattr(changes, "MOST_NAMED", 1)
    study.tell(study.ask("ann"), "left")

    async def resumed() -> dict[str, Any]:
        stream = Changes(study).stream(2, lambda: True)
        found = await next_change(stream)
        await stream.aclose()
        return found

    assert finished(resumed())["data"] == {"revision": 4, "kinds": None}


def test_changes_that_come_together_are_one_message(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy study sends few messages, and the last one always has the last event."""
    monkeypatch.setattr(changes, "TOGETHER", 0.05)

    async def watched() -> list[int]:
        stream = Changes(study).stream(2, lambda: True)
        await anext(stream)
        asking = asyncio.ensure_future(
            asyncio.to_thread(lambda: [study.ask(f"judge-{number}") for number in range(30)])
        )
        seen: list[int] = []
        while not seen or seen[-1] < 32:
            seen.append((await next_change(stream))["data"]["revision"])
        await asking
        await stream.aclose()
        return seen

    seen = finished(watched())
    assert seen == sorted(set(seen))
    assert len(seen) < 30


def test_a_stream_without_changes_sends_heartbeats_until_it_may_not_go_on(study: CompareStudy) -> None:
    """Proxies keep it open, and whether it may go on is asked again each time."""
    allowed = iter([True, True, True, False])

    async def watched() -> list[str]:
        return [text async for text in Changes(study).stream(2, lambda: next(allowed))]

    assert finished(watched()) == [f"retry: {changes.RETRY}\n\n", *[": no change\n\n"] * 3]


def test_streams_that_ended_are_forgotten(study: CompareStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that was closed nor one whose loop has ended is woken again."""
    monkeypatch.setattr(changes, "HEARTBEAT", 60.0)
    made = Changes(study)

    async def cut() -> None:
        stream = made.stream(2, lambda: True)
        await anext(stream)
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        assert len(made._waiting) == 1
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    finished(cut())
    assert made._waiting == set()

    async def closed() -> None:
        made._waiting.add((asyncio.get_running_loop(), asyncio.Event()))

    finished(closed())
    made.wake()
    assert made._waiting == set()


def test_the_end_of_an_evaluation_is_reported(study: CompareStudy) -> None:
    """It comes without an event: under the number of the last one, so that a stream resumes where it was."""
    for _ in range(4):
        study.tell(study.ask("ann"), "left")

    async def watched() -> tuple[dict[str, Any], str]:
        stream = Changes(study).stream(study.last_event(), lambda: True)
        await anext(stream)
        begun = await asyncio.to_thread(study.settled, wait=False)
        assert begun is None
        found = await next_change(stream)
        after = await anext(stream)
        await stream.aclose()
        return found, after

    found, after = finished(watched())
    assert (found["id"], found["event"]) == (str(study.last_event()), "settled")
    assert found["data"] == {"revision": study.last_event(), "kinds": []}
    assert after == ": no change\n\n"
    assert study.settled(wait=False) is not None


def test_new_events_are_not_read_again_for_each_stream(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many streams: what was just written is reported from memory, with all kinds, and what is older from the log."""
    reads: list[int] = []
    events = type(study).events

    def counted(self: CompareStudy, after: int = 0, upto: int | None = None) -> object:
        reads.append(after)
        return events(self, after, upto)

    monkeypatch.setattr(type(study), "events", counted)

    async def watched() -> list[dict[str, Any]]:
        made = Changes(study)
        streams = [made.stream(2, lambda: True) for _ in range(5)]
        for stream in streams:
            await anext(stream)
        await asyncio.to_thread(lambda: study.tell(study.ask("ann"), "left"))
        found = [await next_change(stream) for stream in streams]
        resumed = made.stream(1, lambda: True)
        found.append(await next_change(resumed))
        for stream in (*streams, resumed):
            await stream.aclose()
        return found

    found = finished(watched())
    assert [message["data"]["kinds"] for message in found] == [["answered", "asked"]] * 5 + [
        ["answered", "asked", "items"]
    ]
    assert reads == [1]
