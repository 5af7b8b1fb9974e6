"""Events, answers and rankings as files: what is written is read back, and wrong lines are named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.formats import count_files, counting, pairs, read_file
from penchant.preferences import PairCounts
from penchant.store import Event
from penchant.study.events import CREATED, ITEMS, newest
from penchant.study.exporting import checked_events, event_line, iso_time, read_exported, write_events
from penchant.study.study import Study
from tests.formats.strategies import rows_of

CONTENTS = st.dictionaries(
    st.text(max_size=4), st.none() | st.booleans() | st.floats(-1e9, 1e9) | st.text(max_size=5)
)


@given(st.integers(1, 10**9), st.floats(0, 1e10), CONTENTS)
def test_an_event_is_one_line_whose_values_come_back(
    number: int, time: float, content: dict[str, Any]
) -> None:
    """Keys are in a fixed order, and no line ends are inside."""
    line = event_line(Event(number, "é", "kind", time, content, 2))
    assert line.count("\n") == 1
    assert list(json.loads(line)) == ["number", "id", "kind", "version", "time", "content"]
    assert json.loads(line) == {
        "number": number, "id": "é", "kind": "kind", "version": 2, "time": time, "content": content,
    }  # fmt: skip


@pytest.fixture
def events(tmp_path: Path) -> list[Event]:
    with Study.create(tmp_path / "s.db", ["tea", "milk", "water"], seed=1, clock=lambda: 1e9) as study:
        for choice in ("left", "right"):
            study.tell(study.ask("ann"), choice)
        study.undo()
        return list(study._log.events())


def test_events_come_back_from_their_file(events: list[Event], tmp_path: Path) -> None:
    """Blank lines are allowed; a second export is the same file."""
    path = tmp_path / "events.jsonl"
    write_events(events, path)
    assert read_exported(path).events == events == checked_events(events)
    before = path.read_bytes()
    path.write_bytes(b"\n" + before.replace(b"\n", b"\r\n"))
    assert read_exported(path).events == events
    write_events(read_exported(path).events, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [*lines[:2], "{", *lines[2:]], ":3: not JSON"),
        (lambda lines: [*lines[:2], "[]", *lines[2:]], ":3: an event must be an object of number, id"),
        (lambda lines: [lines[0], *lines[2:]], ":2: event 2 must come next, got 3"),
        (lambda lines: lines[1:], ":1: event 1 must come next, got 2"),
        (lambda lines: [*lines, lines[-1]], ":8: ids of events must be different"),
        (lambda lines: [lines[0].replace('"time":1', '"time":-1'), *lines[1:]], ":1: number and time"),
        (lambda lines: [lines[0].replace('"time":1', '"time":1e300,"x":1'), *lines[1:]], ":1: an event must"),
        (
            lambda lines: [*lines[:2], lines[2].replace('"asked"', '"abc"'), *lines[3:]],
            ":3: event 3 of the log",
        ),
        (lambda lines: [*lines[:2], lines[2].replace("ann", "\\ud800"), *lines[3:]], ":3: .*surrogates"),
        (
            lambda lines: [*lines[:2], lines[2].replace('"tea"', '"x"').replace('"milk"', '"x"')],
            ":3: event 3",
        ),
        (lambda lines: lines[:1], "must hold at least two items"),
    ],
)
def test_a_wrong_line_is_named(
    events: list[Event], tmp_path: Path, change: Callable[[list[str]], list[str]], words: str
) -> None:
    """With the file, its number, and what must be there."""
    path = tmp_path / "events.jsonl"
    lines = [event_line(event).strip() for event in events]
    path.write_text("\n".join(change(lines)) + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=words):
        read_exported(path)


def test_events_in_memory_are_checked_too(events: list[Event]) -> None:
    """The first wrong one is named by its place."""
    with pytest.raises(InvalidInput, match="event 2: event 2 must come next, got 3"):
        checked_events([events[0], *events[2:]])
    with pytest.raises(InvalidInput, match="must begin with how a study was made"):
        checked_events([])


def test_events_go_to_jsonl_only(events: list[Event], tmp_path: Path) -> None:
    """Another ending is rejected before anything is written."""
    with pytest.raises(InvalidInput, match=r"must be one of .jsonl, .ndjson for events, got '.csv'"):
        write_events(events, tmp_path / "events.csv")
    assert iso_time(0) == "1970-01-01T00:00:00.000000Z"
    assert newest(CREATED) >= 1
    assert newest(ITEMS) >= 1


@pytest.fixture
def half(tmp_path: Path) -> Iterator[Study]:
    """A study in which an answer was taken back and a judge was set aside; skips are there too."""
    with Study.create(tmp_path / "half.db", ["tea", "milk", "water"], seed=1) as study:
        for judge, choice in [("ann", "left"), ("bob", "right"), ("cyd", "both_bad")] * 4:
            study.tell(study.ask(judge), choice)
        study.tell(study.ask("bob"), "skip")
        for judge in ("ann", "cyd"):
            study.undo(judge=judge)
        study.set_aside("bob")
        yield study


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".jsonl", ".parquet"])
@pytest.mark.parametrize("large", [False, True])
def test_exported_answers_that_do_not_count_are_skipped(
    half: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, large: bool
) -> None:
    """What is read and what is counted, in one piece or in blocks, are the answers that count."""
    for module in (counting, pairs):
        monkeypatch.setattr(module, "SMALL", 0 if large else 10**9)
    monkeypatch.setattr(counting, "_ROWS", 3)
    path = tmp_path / f"answers{ending}"
    half.export(path, what="answers")
    with Study.open(half._log.path, write=False) as other:
        expected = other._state.preferences()
    reading, found = read_file(path), count_files(path, memory=1)
    assert len(half.answers()) == len(expected) == 6
    assert rows_of(reading.preferences) == rows_of(expected)
    assert reading.skipped == found.skipped == {"does not count": 7}
    assert (reading.n_rows, found.n_rows) == (13, 13)
    assert not reading.refusals
    assert not found.refusals
    counts = PairCounts.of(reading.preferences)
    assert found.counts.catalogue == counts.catalogue
    for there, here in zip(found.counts.arrays(), counts.arrays(), strict=True):
        np.testing.assert_allclose(there, here)
