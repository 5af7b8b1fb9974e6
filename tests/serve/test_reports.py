"""Reports that take long are kept, shared and few at once."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from penchant.serve.rejection import Rejection
from penchant.serve.reports import MOST_AT_ONCE, MOST_WAITING, RUNNING, WAITING, Reports
from penchant.study import CompareStudy


def test_a_report_is_made_once_for_each_revision(study: CompareStudy) -> None:
    """An answer makes it old; another name is another report."""
    reports, made = Reports(study), []

    def work() -> int:
        made.append(study.revision())
        return len(made)

    assert [reports.get("a", work), reports.get("a", work), reports.get("b", work)] == [1, 1, 2]
    study.tell(study.ask("ann"), "left")
    assert reports.get("a", work) == 3


def test_a_report_that_is_not_whole_is_continued(study: CompareStudy) -> None:
    """Until it is: then it is kept."""
    reports, made = Reports(study), []

    def work() -> int:
        made.append(1)
        return len(made)

    assert [reports.get("a", work, is_whole=lambda found: found == 2) for _ in range(4)] == [1, 2, 2, 2]


def test_few_are_made_at_once(study: CompareStudy) -> None:
    """More different ones than the limit are turned away, and after a failure there is room again."""
    reports, go_on = Reports(study), Event()
    found: list[int] = []

    def slow(number: int) -> int:
        assert go_on.wait(20)
        return number

    threads = [
        Thread(target=lambda number=number: found.append(reports.get(f"{number}", lambda: slow(number))))
        for number in range(MOST_AT_ONCE)
    ]
    for thread in threads:
        thread.start()
    reached(lambda: reports._taken[RUNNING] == MOST_AT_ONCE)
    with pytest.raises(Rejection, match="made at once") as error:
        reports.get("other", lambda: 1)
    assert (error.value.status, error.value.code) == (503, "busy")
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert sorted(found) == list(range(MOST_AT_ONCE))

    def failing() -> int:
        raise ValueError

    for _ in range(MOST_AT_ONCE + 1):
        with pytest.raises(ValueError):  # noqa: PT011 - the one above
            reports.get("failing", failing)


def test_equal_ones_wait_for_the_first_and_leave_room_for_others(study: CompareStudy) -> None:
    """Somebody asks again and again for a report that takes long: others get theirs, until too many wait."""
    reports, go_on = Reports(study), Event()
    found: list[int] = []
    made: list[int] = []

    def slow() -> int:
        made.append(1)
        assert go_on.wait(20)
        return 7

    threads = [
        Thread(target=lambda: found.append(reports.get("slow", slow))) for _ in range(MOST_WAITING - 1)
    ]
    for thread in threads:
        thread.start()
    reached(lambda: reports._taken[WAITING] == MOST_WAITING - 1)
    assert reports.get("other", lambda: 1) == 1
    threads.append(Thread(target=lambda: found.append(reports.get("slow", slow))))
    threads[-1].start()
    reached(lambda: reports._taken[WAITING] == MOST_WAITING)
    with pytest.raises(Rejection, match="wait for reports") as error:
        reports.get("third", lambda: 1)
    assert (error.value.status, error.value.code) == (503, "busy")
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert (found, made) == ([7] * MOST_WAITING, [1])
    assert not +reports._taken


def reached(goal: Callable[[], bool]) -> None:
    """Wait until something holds, and fail where it never does."""
    end = monotonic() + 20
    while not goal():
        assert monotonic() < end
        sleep(0.01)
