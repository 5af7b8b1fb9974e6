"""What every store promises. A new store inherits `StoreContract` and says how a log is made and opened again.

    class TestMine(StoreContract):
        def create(self, folder, **settings): …
        def reopen(self, folder, **settings): …

Both give the one log of the folder; the settings are `clock` and, to open again, `write`. `stored` gives the bytes of
its files. The promises are those of `penchant.store.EventLog`, sentence by sentence; what only a crash can show is in
`tests/reliability`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import CannotStore, Closed, Conflict, InvalidInput
from penchant.store import Event, EventLog, SideRows

RICH = {
    "text": 'quotes " \\ and \u0000, λ ≻ 🫖',
    "numbers": [0, -1, 2**63 - 1, 0.1, -2.5e-300],
    "rest": {"null": None, "yes": True, "": [], "nested": [[{}]]},
}


def note(number: int) -> tuple[str, str, dict[str, Any]]:
    return f"e{number}", "note", {"text": f"this is note {number}"}


def told(log: EventLog) -> list[tuple[int, str, str, dict[str, Any]]]:
    return [(event.number, event.id, event.kind, event.content) for event in log.events()]


class StoreContract:
    """The promises, one test each; its docstring is the promise."""

    def create(self, folder: Path, **settings: Any) -> EventLog:
        raise NotImplementedError

    def reopen(self, folder: Path, **settings: Any) -> EventLog:
        raise NotImplementedError

    def stored(self, folder: Path) -> bytes:
        return b"".join(file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file())

    # -- kept ----------------------------------------------------------------------------------------------

    def test_what_was_appended_is_there_again(self, tmp_path: Path) -> None:
        """After closing and opening, each event is there with its number, id, kind, time and content."""
        with self.create(tmp_path, clock=lambda: 1234.5) as log:
            appended = [log.append(*note(k)).event for k in (1, 2)] + [log.append("rich", "x", RICH).event]
            assert list(log.events()) == appended
        with self.reopen(tmp_path) as log:
            assert list(log.events()) == appended
            assert appended[2] == Event(3, "rich", "x", 1234.5, RICH)

    def test_an_append_returns_after_its_commit(self, tmp_path: Path) -> None:
        """As soon as an append has returned, a reader of its own finds the event."""
        with self.create(tmp_path) as log, self.reopen(tmp_path, write=False) as reader:
            for number in range(1, 6):
                log.append(*note(number))
                assert reader.last() == number
                assert reader.get(f"e{number}") is not None

    # -- numbered ------------------------------------------------------------------------------------------

    def test_numbers_have_no_gaps(self, tmp_path: Path) -> None:
        """1, 2, 3, … through repeats, refusals, conflicts and opening again."""
        with self.create(tmp_path) as log:
            log.append(*note(1))
            log.append(*note(1))
            with pytest.raises(Conflict):
                log.append_all([note(2), ("e1", "other", {})])
            with pytest.raises(InvalidInput):
                log.append("", "note", {})
            assert [one.event.number for one in log.append_all([note(2), note(3)])] == [2, 3]
        with self.reopen(tmp_path) as log:
            assert log.last() == 3
            assert log.append(*note(4)).event.number == 4
            assert [event.number for event in log.events()] == [1, 2, 3, 4]

    def test_numbers_follow_the_order_of_acknowledgement(self, tmp_path: Path) -> None:
        """From many threads at once, each thread's events are numbered upwards, and together without gaps."""
        with self.create(tmp_path) as log:

            def work(thread: int) -> list[int]:
                return [log.append(f"{thread}-{k}", "note", {}).event.number for k in range(20)]

            with ThreadPoolExecutor(8) as threads:
                numbers = list(threads.map(work, range(8)))
            assert all(own == sorted(own) for own in numbers)
            assert sorted(number for own in numbers for number in own) == list(range(1, 161))
            assert [event.number for event in log.events()] == list(range(1, 161))

    def test_time_is_the_logs_own(self, tmp_path: Path) -> None:
        """The time is what the log's clock says, even where it goes back; the order is that of the numbers."""
        times = iter([30.0, 10.0, 20.0])
        with self.create(tmp_path, clock=lambda: next(times)) as log:
            for number in (1, 2, 3):
                log.append(*note(number))
            assert [(event.id, event.time) for event in log.events()] == [("e1", 30), ("e2", 10), ("e3", 20)]

    # -- once ----------------------------------------------------------------------------------------------

    def test_the_same_again_changes_nothing(self, tmp_path: Path) -> None:
        """The same id, kind and content, keys in any order, return the first event and say that it is old."""
        clock = iter(range(9)).__next__
        with self.create(tmp_path, clock=clock) as log:
            first = log.append("e", "note", {"a": 1, "b": [2]})
            again = log.append("e", "note", {"b": [2], "a": 1})
            assert (first.new, again.new) == (True, False)
            assert again.event == first.event
        with self.reopen(tmp_path) as log:
            assert log.append("e", "note", {"a": 1, "b": [2]}).event == first.event
            assert list(log.events()) == [first.event]

    def test_the_same_id_counts_once_in_a_crowd(self, tmp_path: Path) -> None:
        """Of many threads that send the same event at once, one is told that it is new, all get the same."""
        start = threading.Barrier(8)
        with self.create(tmp_path) as log:

            def work(_: int) -> Any:
                start.wait()
                return log.append(*note(1))

            with ThreadPoolExecutor(8) as threads:
                appended = list(threads.map(work, range(8)))
            assert sorted(one.new for one in appended) == [False] * 7 + [True]
            assert all(one.event == appended[0].event for one in appended)
            assert told(log) == [(1, *note(1))]

    def test_other_content_under_the_same_id_is_a_conflict(self, tmp_path: Path) -> None:
        """Another content, kind or version, 1 for 1.0, raises Conflict, and nothing changes.

        The message names the id that was sent and quotes nothing that is stored.
        """
        with self.create(tmp_path) as log:
            log.append("e", "hidden", {"x": "secret"})
            for entry in [
                ("e", "hidden", {"x": 2}),
                ("e", "memo", {"x": "secret"}),
                ("e", "hidden", {"x": "secret"}, 2),
                ("e", "hidden", {}),
            ]:
                with pytest.raises(Conflict, match=r"event 'e' is in the log already.*: give") as caught:
                    log.append_all([entry])
                assert "secret" not in str(caught.value)
                assert "hidden" not in str(caught.value)
            assert told(log) == [(1, "e", "hidden", {"x": "secret"})]
            log.append("f", "note", {"x": 1})
            with pytest.raises(Conflict):
                log.append("f", "note", {"x": 1.0})

    # -- whole ---------------------------------------------------------------------------------------------

    def test_a_batch_is_appended_whole(self, tmp_path: Path) -> None:
        """A batch gets consecutive numbers; what was there or came twice is told apart; empty is nothing."""
        with self.create(tmp_path) as log:
            log.append(*note(2))
            appended = log.append_all([note(1), note(2), note(3), note(1)])
            assert [(one.event.number, one.new) for one in appended] == [
                (2, True),
                (1, False),
                (3, True),
                (2, False),
            ]
            assert log.append_all([]) == []
            large = log.append_all(("many", "x", {}) if k == 0 else note(k + 10) for k in range(1200))
            assert [one.event.number for one in large] == list(range(4, 1204))
            assert log.last() == 1203

    def test_a_batch_with_a_fault_leaves_nothing(self, tmp_path: Path) -> None:
        """A conflict with the log, a conflict within, or an impossible entry: nothing of the batch is kept."""
        with self.create(tmp_path) as log:
            log.append(*note(1))
            for last in [("e1", "memo", {}), ("e2", "memo", {}), ("e9", "memo", {"x": float("inf")})]:
                with pytest.raises(InvalidInput):
                    log.append_all([note(2), note(3), last])
            assert told(log) == [(1, *note(1))]

    def test_one_batchs_conflict_is_no_others_concern(self, tmp_path: Path) -> None:
        """Of appends that wait together, those in conflict are rejected and the others are kept."""
        gate = Gate()
        with self.create(tmp_path, clock=gate) as log, ThreadPoolExecutor(9) as threads:
            log.append(*note(0))
            batches = [[note(k), ("e0", "memo", {})][: 1 + k % 2] for k in range(1, 9)]
            with gate.shut():
                threads.submit(log.append, *note(10))
                gate.reached.wait()
                waiting = [threads.submit(log.append_all, batch) for batch in batches]
            refused = [k for k, one in enumerate(waiting, 1) if isinstance(one.exception(), Conflict)]
            assert refused == [1, 3, 5, 7]
            assert {event.id for event in log.events()} == {"e0", "e2", "e4", "e6", "e8", "e10"}

    def test_events_that_were_decided_too_early_are_not_appended(self, tmp_path: Path) -> None:
        """What must follow a certain event is appended where that is the last one, and nowhere else."""
        with self.create(tmp_path) as log:
            assert log.append_all([note(1), note(2)], after=0)[1].event.number == 2
            for after in (0, 1, 3):
                with pytest.raises(CannotStore, match=f"must follow event {after}, and the last one is 2"):
                    log.append_all([note(3)], SideRows(users={"k": "ann"}), after=after)
            assert (log.last(), log.side.users(), log.problem()) == (2, {}, None)
            assert log.append_all([note(3)], after=2)[0].new

    # -- seen ----------------------------------------------------------------------------------------------

    def test_what_is_not_committed_is_not_seen(self, tmp_path: Path) -> None:
        """While a batch is being written, readers see nothing of it; afterwards all of it."""
        gate = Gate()
        with (
            self.create(tmp_path, clock=gate) as log,
            self.reopen(tmp_path, write=False) as reader,
            ThreadPoolExecutor(1) as thread,
        ):
            with gate.shut():
                appending = thread.submit(log.append_all, [note(1), note(2)])
                gate.reached.wait()
                seen = reader.last(), log.last(), reader.get("e1"), list(log.events()), appending.done()
            appending.result()
            assert seen == (0, 0, None, [], False)
            assert reader.last() == log.last() == 2

    def test_readers_work_beside_the_writer(self, tmp_path: Path) -> None:
        """A reader follows the log while it is being written, misses nothing, and cannot append."""
        with self.create(tmp_path) as log, self.reopen(tmp_path, write=False) as reader:
            writing = threading.Thread(target=lambda: [log.append(*note(k)) for k in range(1, 101)])
            writing.start()
            seen: list[Event] = []
            alive = True
            while alive:
                alive = writing.is_alive()
                seen += reader.events(after=seen[-1].number if seen else 0)
            writing.join()
            assert seen == list(log.events())
            with pytest.raises(CannotStore, match="write=True"):
                reader.append(*note(1))

    def test_events_can_be_read_in_parts(self, tmp_path: Path) -> None:
        """`after` is excluded, `upto` included, the end is that of the call, in pages of any size."""
        with self.create(tmp_path) as log:
            log.append_all([note(k) for k in range(1, 1202)])
            reading = log.events()
            log.append(*note(1202))
            assert [event.number for event in reading] == list(range(1, 1202))
            assert [event.number for event in log.events(1200)] == [1201, 1202]
            assert [event.number for event in log.events(498, 502)] == [499, 500, 501, 502]
            assert list(log.events(1202)) == list(log.events(5, 5)) == list(log.events(9999)) == []
            assert len(list(log.events(1201, 9999))) == 1

    def test_get_finds_by_id(self, tmp_path: Path) -> None:
        """`get` gives the event with an id, exactly as written, or None."""
        with self.create(tmp_path) as log:
            log.append_all([note(1), ("É x'\"%_", "note", {})])
            event = log.get("É x'\"%_")
            assert event is not None
            assert event.number == 2
            assert log.get("E1") is None
            assert log.get("%") is None
            assert (self.note_of(log, "e1"), log.last()) == (note(1), 2)

    @staticmethod
    def note_of(log: EventLog, id: str) -> tuple[str, str, dict[str, Any]]:
        event = log.get(id)
        assert event is not None
        return event.id, event.kind, event.content

    # -- unchanged -----------------------------------------------------------------------------------------

    def test_events_never_change(self, tmp_path: Path) -> None:
        """Whatever is done to what was given and what is returned, the log tells the same again."""
        content: dict[str, Any] = {"list": [1]}
        with self.create(tmp_path) as log:
            appended = log.append("e", "note", content).event
            content["list"].append(2)
            appended.content["list"].append(3)
            next(iter(log.events())).content["list"].append(4)
            for number in range(30):
                log.append(f"f{number}", "undo", {"of": "e"})
            assert told(log)[0] == (1, "e", "note", {"list": [1]})
            assert log.append("e", "note", {"list": [1]}).event.content == {"list": [1]}
            before = list(log.events())
        with self.reopen(tmp_path) as log:
            assert list(log.events()) == before

    # -- JSON ----------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        "content",
        [
            None, [], "text", {1: 2}, {"x": (1, 2)}, {"x": {3}}, {"x": b"bytes"}, {"x": object()},
            {"x": float("nan")}, {"x": [float("-inf")]}, {"x": 2**63}, {"x": 10**5000}, {"x": "\ud800"},
            {"\ud800": 1}, {"x": "é" * 2**19},
        ],
        ids=lambda content: repr(content)[:20] if not isinstance(content, dict) or 1 in content else None,
    )  # fmt: skip
    def test_only_json_is_taken(self, tmp_path: Path, content: Any) -> None:
        """What is no JSON object of at most 1 MiB is rejected with a message, and nothing is kept."""
        self.refuse(tmp_path, "e", "note", content)

    def test_only_shallow_json_is_taken(self, tmp_path: Path) -> None:
        """A hundred levels are taken; more, or a circle, are rejected with a message."""
        deep: dict[str, Any] = {}
        for _ in range(99):
            deep = {"x": deep}
        self.refuse(tmp_path / "a", "e", "note", {"x": deep})
        circle: dict[str, Any] = {}
        circle["x"] = [circle]
        self.refuse(tmp_path / "b", "e", "note", circle)
        folder = tmp_path / "c"
        folder.mkdir()
        with self.create(folder) as log:
            assert log.append("e", "note", deep).event.content == deep

    @pytest.mark.parametrize("name", ["", "x" * 201, "a\nb", "a\0", "\ud800", "\u200b", 7, None])
    def test_only_printable_names_are_taken(self, tmp_path: Path, name: Any) -> None:
        """Ids and kinds that are empty, longer than 200, or not printable are rejected with a message."""
        self.refuse(tmp_path / "a", name, "note", {})
        self.refuse(tmp_path / "b", "e", name, {})

    def refuse(self, folder: Path, *entry: Any) -> None:
        folder.mkdir(exist_ok=True)
        with self.create(folder) as log:
            with pytest.raises(InvalidInput, match=r"must .*, got .*: \w+"):
                log.append(*entry)
            assert log.last() == 0
            log.append("x" * 200, "k" * 200, {"x": "é" * (2**19 - 5)})

    # -- delivered -----------------------------------------------------------------------------------------

    def test_new_events_are_delivered_once_and_in_order(self, tmp_path: Path) -> None:
        """From many threads at once, a subscriber gets each new event once, by number, before its append returns."""
        with self.create(tmp_path) as log:
            delivered: list[Event] = []
            seen: set[str] = set()

            def deliver(events: list[Event]) -> None:
                delivered.extend(events)
                seen.update(event.id for event in events if log.get(event.id) == event)

            def work(thread: int) -> bool:
                ids = [f"{thread}-{k}" for k in range(10)] + [f"shared-{k}" for k in range(10)]
                return all(log.append(id, "note", {"id": id}).event.id in seen for id in ids)

            log.append(*note(1))
            end = log.subscribe(deliver)
            with ThreadPoolExecutor(6) as threads:
                assert all(threads.map(work, range(6)))
            log.append_all([note(1), note(2), note(3)])
            with pytest.raises(Conflict):
                log.append("e1", "memo", {})
            end()
            log.append(*note(4))
            assert delivered == list(log.events())[1:-1]

    def test_a_subscriber_that_raises_fails_no_append(self, tmp_path: Path) -> None:
        """The append is kept and acknowledged, and the subscriber is called again for the next one."""
        with self.create(tmp_path) as log:
            delivered: list[Event] = []

            def deliver(events: list[Event]) -> None:
                delivered.extend(events)
                raise ValueError("the subscriber failed")

            log.subscribe(deliver)
            for number in (1, 2):
                try:
                    assert log.append(*note(number)).new
                except (CannotStore, ValueError):
                    pytest.fail("an append failed with its subscriber")
            assert log.problem() is None
            assert delivered == list(log.events())

    # -- erased --------------------------------------------------------------------------------------------

    def test_what_events_cite_is_there_with_them(self, tmp_path: Path) -> None:
        """Contexts, users and the checkpoint are there as soon as their event is, for a reader too, and stay."""
        with self.create(tmp_path) as log, self.reopen(tmp_path, write=False) as reader:
            for number in (1, 2):
                content = f"context {number}".encode()
                hash = log.side.hash(content)
                log.append_all([note(number)], SideRows({hash: content}, {f"k{number}": f"ann {number}"}))
                assert reader.side.contexts([hash, "other"]) == {hash: content}
                assert reader.side.users() == log.side.users()
            assert log.side.checkpoint() is None
            log.append_all([note(3), note(4)], SideRows(checkpoint=b"state"))
            assert reader.side.checkpoint() == (4, b"state")
        with self.reopen(tmp_path) as log:
            assert log.side.users() == {"k1": "ann 1", "k2": "ann 2"}
            assert log.side.context(log.side.hash(b"context 1")) == b"context 1"
            assert log.side.sizes() == (2, 18)

    def test_what_is_erased_is_gone(self, tmp_path: Path) -> None:
        """An erasure is made with its event: no byte of it is left in a file, and everything else is there."""
        contents = [bytes(f"context {number:05} ", "ascii") * (1 + number % 40) for number in range(300)]
        names = [f"user {number:05} of the study" for number in range(300)]
        with self.create(tmp_path) as log:
            hashes = list(map(log.side.hash, contents))
            for number in range(300):
                side = SideRows({hashes[number]: contents[number]}, {f"k{number}": names[number]})
                log.append_all([note(number)], side)
            log.snapshots.put("belief", 1, "code", contents[0])
            erased = SideRows(
                checkpoint=b"state",
                erased_contexts=hashes[::2],
                erased_users=[f"k{k}" for k in range(0, 300, 2)],
            )
            log.append_all([("erased", "erased", {})], erased)
            assert log.side.contexts(hashes) == dict(zip(hashes[1::2], contents[1::2], strict=True))
            assert list(log.side.users().values()) == names[1::2]
            assert log.snapshots.get("belief") is None
            assert log.last() == 301
            kept = self.stored(tmp_path)
            for number in range(0, 300, 2):
                assert contents[number][:14] not in kept
                assert names[number].encode() not in kept
            assert contents[1][:14] in kept
            log.append_all([("again", "erased", {})], SideRows(checkpoint=b"later"))
            assert log.side.checkpoint() == (302, b"later")

    def test_what_comes_with_no_new_event_changes_nothing(self, tmp_path: Path) -> None:
        """Events that are in the log already, or in conflict, bring and erase nothing."""
        with self.create(tmp_path) as log:
            hash = log.side.hash(b"context")
            log.append_all([note(1)], SideRows({hash: b"context"}, {"k": "ann"}, b"state"))
            other = log.side.hash(b"other")
            side = SideRows({other: b"other"}, {"l": "bob"}, b"new", [hash], ["k"])
            log.append_all([note(1)], side)
            with pytest.raises(Conflict):
                log.append_all([note(2), ("e1", "other", {})], side)
            assert log.side.contexts([hash, other]) == {hash: b"context"}
            assert (log.side.users(), log.side.checkpoint()) == ({"k": "ann"}, (1, b"state"))

    # -- failing and closing -------------------------------------------------------------------------------

    def test_after_a_failed_commit_it_goes_on(self, tmp_path: Path) -> None:
        """All that wait get CannotStore and reading goes on; once the cause is gone the next append is kept."""
        clock = FailingClock()
        with self.create(tmp_path, clock=clock) as log, ThreadPoolExecutor(4) as threads:
            log.append(*note(1))
            assert log.problem() is None
            for turn in range(3):
                clock.fails.set()
                waiting = [threads.submit(log.append, *note(10 * turn + k)) for k in range(2, 6)]
                failures = [one.exception() for one in waiting]
                for failure in failures:
                    assert isinstance(failure, CannotStore)
                    assert "the clock stopped" in str(failure)
                    assert "append what was not acknowledged again under the same id" in str(failure)
                assert told(log)[0] == (1, *note(1))
                clock.fails.clear()
                kept = log.last()
                try:
                    assert log.append("after", "note", {}).new == (turn == 0)
                except CannotStore:
                    pytest.fail("it stopped for good")
                assert log.problem() is None
                assert log.last() == kept + (turn == 0)
            ids = [event.id for event in log.events()]
            assert ids == ["e1", "after"]
        with self.reopen(tmp_path) as log:
            assert [event.id for event in log.events()] == ids

    def test_problem_tells_what_is_wrong_now(self, tmp_path: Path) -> None:
        """A reader cannot write; a writer that failed tries again, and reports None once that goes well."""
        with self.create(tmp_path) as log, self.reopen(tmp_path, write=False) as reader:
            assert log.problem() is None
            assert reader.problem() is not None

    def test_closing_waits_for_what_was_accepted(self, tmp_path: Path) -> None:
        """Appends that were let in before closing are kept and acknowledged; later ones are rejected."""
        gate = Gate()
        log = self.create(tmp_path, clock=gate)
        with ThreadPoolExecutor(3) as threads:
            with gate.shut():
                appending = threads.submit(log.append, *note(1))
                gate.reached.wait()
                closing = [threads.submit(log.close) for _ in range(2)]
                early = wait(closing, timeout=0.2).done
            assert appending.result().new
            assert [one.result() for one in closing] == [None, None]
            assert early == set()
        with self.reopen(tmp_path) as log:
            assert told(log) == [(1, *note(1))]

    def test_closed_is_closed(self, tmp_path: Path) -> None:
        """After closing, every method but close says so; closing again does nothing."""
        log = self.create(tmp_path)
        log.append(*note(1))
        log.close()
        log.close()
        uses: list[Callable[[], object]] = [
            lambda: log.append(*note(2)),
            lambda: log.append_all([]),
            lambda: log.events(),
            lambda: log.get("e1"),
            lambda: log.last(),
            lambda: log.subscribe(print),
        ]
        for use in uses:
            with pytest.raises(Closed, match=r"closed: open it again"):
                use()


class Gate:
    """A clock, read inside the commit, at which a commit can be held up."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()
        self._open.set()

    @contextmanager
    def shut(self) -> Iterator[None]:
        self.reached.clear()
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()

    def __call__(self) -> float:
        self.reached.set()
        self._open.wait()
        return 0.0


class FailingClock:
    """A clock inside the commit that can be made to fail, as a disk would."""

    def __init__(self) -> None:
        self.fails = threading.Event()

    def __call__(self) -> float:
        if self.fails.is_set():
            raise OSError("the clock stopped")
        return 0.0
