"""One thread serves the calls of all requests that wait: each once, in one commit, and none fails another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event, enumerate
from typing import Any

import pytest

from penchant.errors import CannotStore, Closed, InvalidInput
from penchant.serve import worker
from penchant.serve.errors import ErrorReply
from penchant.serve.worker import Worker
from penchant.study import CompareStudy
from tests.serve.visitor import finished


async def results(made: Worker, calls: list[Callable[[], Any]]) -> list[Any]:
    """Return what each call returns or raises, all of them made at once."""
    return await asyncio.gather(*(made.call(call) for call in calls), return_exceptions=True)


def telling(study: CompareStudy, judge: str) -> Callable[[], str]:
    """Return a call that asks a judge and keeps an answer under the name of the judge."""
    return lambda: study.tell(study.ask(judge), "left", event_id=judge).id


def threads() -> int:
    return sum(thread.name == "requests" for thread in enumerate())


def raising(error: Exception) -> Callable[[], None]:
    def call() -> None:
        raise error

    return call


def test_calls_that_wait_are_written_in_one_commit(study: CompareStudy) -> None:
    """Each of many calls is made once, and the log is written a few times."""
    commits: list[int] = []
    study.subscribe(lambda events: commits.append(len(events)))
    judges = [f"judge-{number}" for number in range(40)]
    made = Worker(study)
    assert finished(results(made, [telling(study, judge) for judge in judges])) == judges
    assert sorted(answer.id for answer in study.answers()) == sorted(judges)
    assert sum(commits) == 80, "a question and an answer each"
    assert len(commits) < 10
    assert len(made) == 0


def test_a_call_that_raises_changes_nothing_of_the_others(study: CompareStudy) -> None:
    """Its own caller gets the error, and every other call is on disk."""
    errors = [InvalidInput("wrong"), KeyError("x"), StopIteration(), ErrorReply(404, "unknown", "no: x")]
    calls = [call for error in errors for call in (raising(error), telling(study, f"judge-{id(error)}"))]
    found = finished(results(Worker(study), calls))
    assert found[0] is errors[0]
    assert [type(error) for error in found[2::2]] == [KeyError, RuntimeError, ErrorReply]
    assert found[1::2] == [f"judge-{id(error)}" for error in errors]
    with CompareStudy.open(study._log.place, write=False) as other:
        assert len(other.answers()) == 4


async def together(made: Worker, calls: list[Callable[[], Any]]) -> list[Any]:
    """Return what each call returns or raises, all of them in one batch: they wait while another call is made."""
    begun, over = Event(), Event()

    def held() -> None:
        begun.set()
        over.wait(30)

    first = asyncio.create_task(made.call(held))
    assert await asyncio.to_thread(begun.wait, 30)
    waiting = asyncio.create_task(results(made, calls))
    while len(made) < 1 + len(calls):
        await asyncio.sleep(0.001)
    over.set()
    await first
    return await waiting


def test_what_fails_to_be_written_fails_all_of_its_batch(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No caller believes that anything is on disk, the state is as the log has it, and sending again works."""
    before, append = study.revision(), study._log.append_all
    first = telling(study, "ann")

    def fails(*_: Any, **__: Any) -> None:
        raise CannotStore("the disk is gone")

    made = Worker(study)
    with monkeypatch.context() as patch:
        patch.setattr(study._log, "append_all", fails)
        calls = [first, telling(study, "bob"), lambda: study.progress()]
        found = finished(together(made, calls))
    assert [type(error) for error in found] == [CannotStore] * 3
    assert (study.revision(), study.answers()) == (before, [])
    assert study._log.append_all == append
    assert finished(results(made, [first, telling(study, "bob")])) == ["ann", "bob"]
    assert len(study.answers()) == 2


@pytest.mark.parametrize(("seconds", "most"), [(0.0, 12), (4.9, 12), (5.0, 4), (60.0, 4)])
def test_a_full_queue_is_busy_and_loses_nothing(study: CompareStudy, seconds: float, most: int) -> None:
    """More calls than may wait get 503 with Retry-After; those that wait are served. The one under way counts.

    Within five seconds since the queue was last short, three times as many may wait.
    """
    times = [0.0]
    made, begun, go_on = Worker(study, most=4, clock=lambda: times[0]), Event(), Event()

    def blocks() -> str:
        begun.set()
        go_on.wait(30)
        return "first"

    async def crowd() -> list[Any]:
        first = asyncio.ensure_future(made.call(blocks))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        times[0] += seconds
        others = asyncio.ensure_future(results(made, [telling(study, f"j-{n}") for n in range(most + 1)]))
        await asyncio.sleep(0.01)
        assert len(made) == most
        go_on.set()
        return [await first, *await others]

    found = finished(crowd())
    assert found[:most] == ["first", *(f"j-{n}" for n in range(most - 1))]
    for busy in found[most:]:
        assert isinstance(busy, ErrorReply)
        assert (busy.status, busy.code) == (503, "busy")
        assert int((busy.headers or {})["Retry-After"]) > 0
        assert f"at most {most} requests" in busy.message
    assert len(study.answers()) == most - 1


def test_more_may_wait_only_after_the_queue_was_short(study: CompareStudy) -> None:
    """While more than a quarter of those that may wait are taken together, five seconds pass and no more may."""
    times = [0.0]
    made = Worker(study, most=8, clock=lambda: times[0])
    call: Any = object()
    for now, count, most in ((1.0, 3, 24), (5.0, 3, 8), (6.0, 2, 24), (10.9, 8, 24), (15.0, 8, 8)):
        times[0] = now
        made._waiting.extend([call] * count)
        assert made._next() == [call] * count
        assert made._most_now() == most
    made._served = 0
    assert made._most_now() == 24  # nothing waits


def test_a_full_queue_is_not_short_between_two_commits(study: CompareStudy) -> None:
    """One commit makes a part of the calls that wait, so that no more may wait however long the overload lasts."""
    times = [0.0]
    made = Worker(study, most=240, clock=lambda: times[0])
    call: Any = object()
    made._waiting.extend([call] * 240)
    for number in range(20):
        times[0] = 6.0 + number
        taken = made._next()
        assert len(taken) == worker.TOGETHER
        made._served = 0  # they are done
        assert made._most_now() == 240
        made._waiting.extend(taken)


def test_the_thread_ends_when_nothing_comes_and_starts_again(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An idle study holds no thread."""
    monkeypatch.setattr(worker, "IDLE", 0.01)
    made = Worker(study)
    for number in range(3):
        assert finished(results(made, [lambda: "done"])) == ["done"]
        for thread in [thread for thread in enumerate() if thread.name == "requests"]:
            thread.join(30)
        assert threads() == 0, number


def test_a_thread_that_cannot_be_started_leaves_no_call_behind(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller gets the error, and the next call starts the thread."""
    made = Worker(study)
    with monkeypatch.context() as patch:
        patch.setattr(worker, "Thread", lambda **_: pytest.fail("no more threads"))
        with pytest.raises(pytest.fail.Exception):
            finished(made.call(lambda: 1))
    assert len(made) == 0
    assert finished(made.call(lambda: 2)) == 2


def test_a_request_that_was_given_up_disturbs_nobody(study: CompareStudy) -> None:
    """Its work is done all the same, and the others get their results."""
    made, begun, go_on = Worker(study), Event(), Event()

    def blocks() -> None:
        begun.set()
        go_on.wait(30)

    async def some_leave() -> list[Any]:
        first = asyncio.ensure_future(made.call(blocks))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        leaving = asyncio.ensure_future(made.call(telling(study, "ann")))
        staying = asyncio.ensure_future(made.call(telling(study, "bob")))
        await asyncio.sleep(0.01)
        leaving.cancel()
        go_on.set()
        return [await first, await staying]

    assert finished(some_leave()) == [None, "bob"]
    assert len(study.answers()) == 2


def test_a_loop_that_ended_meanwhile_is_passed_over(study: CompareStudy) -> None:
    """The thread goes on for those who still wait."""
    made, begun, go_on = Worker(study), Event(), Event()

    def blocks() -> None:
        begun.set()
        go_on.wait(30)

    async def leaves() -> None:
        call = asyncio.ensure_future(made.call(blocks))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        call.cancel()

    finished(leaves())
    go_on.set()
    assert finished(made.call(lambda: "still here")) == "still here"


def test_a_closed_study_gives_a_clean_error(study: CompareStudy) -> None:
    """Calls fail with the error of a closed study, and none waits for ever."""
    made = Worker(study)
    study.close()
    found = finished(results(made, [lambda: study.ask("ann"), telling(study, "bob")]))
    assert [type(error) for error in found] == [Closed, Closed]
