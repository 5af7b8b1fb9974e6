"""Reports that take long are kept, shared and few at once."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from penchant.serve.rejection import Rejection
from penchant.serve.reports import MOST_AT_ONCE, Reports
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
    """Equal ones wait for the first; more than the limit are turned away, and after a failure there is room again."""
    reports, started, go_on = Reports(study), Event(), Event()
    made: list[int] = []

    def slow() -> int:
        made.append(1)
        started.set()
        assert go_on.wait(20)
        return 7

    found: list[int] = []
    threads = [Thread(target=lambda: found.append(reports.get("slow", slow))) for _ in range(MOST_AT_ONCE)]
    for thread in threads:
        thread.start()
    assert started.wait(20)
    while reports._running < MOST_AT_ONCE:
        started.wait(0.01)
    with pytest.raises(Rejection) as error:
        reports.get("other", lambda: 1)
    assert (error.value.status, error.value.code) == (503, "busy")
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert (found, made) == ([7] * MOST_AT_ONCE, [1])

    def failing() -> int:
        raise ValueError

    for _ in range(MOST_AT_ONCE + 1):
        with pytest.raises(ValueError):  # noqa: PT011 - the one above
            reports.get("failing", failing)
