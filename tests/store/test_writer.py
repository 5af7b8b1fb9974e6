"""The writer: group commit, failures and closing."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from penchant.errors import CannotStore, Closed, NoSpace
from penchant.store.entry import Entry
from penchant.store.table import Outcome, decide
from penchant.store.writer import Writer


def test_all_that_wait_share_one_commit() -> None:
    """What comes while a commit runs is taken together by the next, in the order in which it came."""
    running, go_on = threading.Event(), threading.Event()
    commits: list[list[str]] = []

    def commit(batches: Sequence[Sequence[Entry]]) -> list[Outcome]:
        commits.append([entry.id for batch in batches for entry in batch])
        running.set()
        go_on.wait()
        return decide(batches, {}, 0, 0.0)[0]

    writer = Writer("the log", commit, lambda _: False)
    first = writer.submit([Entry("first", "note", "{}")])
    leader = threading.Thread(target=first.result)
    leader.start()
    running.wait()
    rest = [writer.submit([Entry(f"{k}", "note", "{}")]) for k in range(20)]
    others = [threading.Thread(target=pending.result) for pending in rest]
    for thread in others:
        thread.start()
    early = first.done or any(pending.done for pending in rest)
    go_on.set()
    for thread in [leader, *others]:
        thread.join()
    assert not early
    assert all(pending.result()[0].new for pending in [first, *rest])
    writer.close()
    assert [len(commit) for commit in commits] == [1, 20]


def test_a_failed_commit_is_reported_to_its_callers_and_the_next_is_tried() -> None:
    """Each caller of the failed commit gets its own error; a commit that succeeds clears the failure."""
    faults: list[Exception] = [OSError("the disk is gone"), MemoryError("full")]

    def commit(batches: Sequence[Sequence[Entry]]) -> list[Outcome]:
        if faults:
            raise faults.pop(0)
        return decide(batches, {}, 0, 0.0)[0]

    writer = Writer("the log", commit, lambda error: "full" in str(error))
    with pytest.raises(CannotStore, match=r"the log .* could not be written \(the disk is gone\)"):
        writer.submit([Entry("e", "note", "{}")]).result()
    assert isinstance(writer.failure, CannotStore)
    with pytest.raises(NoSpace):
        writer.submit([Entry("e", "note", "{}")]).result()
    assert writer.submit([Entry("e", "note", "{}")]).result()[0].new
    assert writer.failure is None
    writer.close()


def test_a_closed_writer_accepts_nothing() -> None:
    """What was accepted before is written; work that comes later is rejected at once."""
    writer = Writer("the log", lambda batches: decide(batches, {}, 0, 0.0)[0], lambda _: False)
    accepted = writer.submit([Entry("e", "note", "{}")])
    writer.close()
    assert accepted.result()[0].event.number == 1
    with pytest.raises(Closed, match="the log must be open to append to, it is closed"):
        writer.submit([Entry("f", "note", "{}")])


def test_the_writer_does_not_wait_for_itself() -> None:
    """Work that is handed in during a commit by the thread that commits is rejected, where it would wait for ever."""
    caught: list[str] = []

    def commit(batches: Sequence[Sequence[Entry]]) -> list[Outcome]:
        try:
            writer.submit([])
        except CannotStore as error:
            caught.append(str(error))
        return decide(batches, {}, 0, 0.0)[0]

    writer = Writer("the log", commit, lambda _: False)
    assert writer.submit([Entry("e", "note", "{}")]).result()[0].new
    writer.close()
    assert "must not be appended to during a commit" in caught[0]


def test_an_interrupt_ends_its_own_thread_alone() -> None:
    """The thread that commits is interrupted: it ends, those that waited get an error, and the next commit works."""
    running, go_on = threading.Event(), threading.Event()
    faults: list[BaseException] = [KeyboardInterrupt()]

    def commit(batches: Sequence[Sequence[Entry]]) -> list[Outcome]:
        if faults:
            running.set()
            go_on.wait()
            raise faults.pop()
        return decide(batches, {}, 0, 0.0)[0]

    writer = Writer("the log", commit, lambda _: False)
    first, second = (writer.submit([Entry(name, "note", "{}")]) for name in "ab")
    ended: list[BaseException] = []

    def lead() -> None:
        try:
            first.result()
        except BaseException as error:
            ended.append(error)

    leader = threading.Thread(target=lead)
    leader.start()
    running.wait()
    go_on.set()
    leader.join()
    assert isinstance(ended[0], KeyboardInterrupt)
    with pytest.raises(CannotStore, match="KeyboardInterrupt"):
        second.result()
    assert writer.submit([Entry("c", "note", "{}")]).result()[0].new
    writer.close()
