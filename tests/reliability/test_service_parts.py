"""The checks of the parts about the service find what they are there to find."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from pathlib import Path

import pytest

from benchmarks.wire import Reply
from penchant.serve import Limits
from penchant.store import SQLiteLog
from penchant.study import Study
from penchant.study.events import ASKED
from tests.reliability.malforming import MAKERS, Malformed, Target, malformed
from tests.reliability.parts.crowd import check_pairs
from tests.reliability.parts.malformed import checked
from tests.reliability.parts.overload import (
    BUCKET,
    JUDGES,
    QUEUE,
    Phase,
    Sent,
    arriving,
    check_times,
    recovered,
)
from tests.reliability.retrying import RetryingJudge, check_answers, study_with_judges

ERROR = b'{"error": {"code": "invalid", "message": "id must be given, got nothing", "hint": "add it"}}'


@pytest.fixture
def answered(tmp_path: Path) -> tuple[Path, RetryingJudge]:
    """A study with two answers of a judge, as they are kept over HTTP."""
    path = tmp_path / "study.db"
    study_with_judges(path, 5, 1)
    judge = RetryingJudge(1, "token", "ann", [0.0] * 5)
    with Study.open(path) as study:
        for number in range(2):
            study.tell(study.ask("ann"), "left", event_id=f"http/t-1/e{number}")
            judge.acknowledged.append(f"e{number}")
    return path, judge


def test_a_lost_answer_is_found(answered: tuple[Path, RetryingJudge]) -> None:
    """What was acknowledged and is not there fails, and so does what is there and was never acknowledged."""
    path, judge = answered
    assert check_answers(path, [judge]) == 2
    judge.acknowledged.append("e2")
    with pytest.raises(AssertionError, match="lost"):
        check_answers(path, [judge])
    del judge.acknowledged[1:]
    with pytest.raises(AssertionError, match="twice"):
        check_answers(path, [judge])


def test_a_pair_that_two_hold_is_found(answered: tuple[Path, RetryingJudge]) -> None:
    """A question about a pair that is open fails, whichever side its items are on."""
    path, _ = answered
    assert check_pairs(path) == 2
    with SQLiteLog.open(path) as log:
        for judge, sides in ("bob", ("i0", "i1")), ("cid", ("i1", "i0")):
            log.append(f"q-{judge}", ASKED, {"left": sides[0], "right": sides[1], "judge": judge})
    with pytest.raises(AssertionError, match="somebody else holds"):
        check_pairs(path)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (None, "no reply"),
        (Reply(200, b"", b"{}"), "accepted"),
        (Reply(500, b"", ERROR), "failed"),
        (Reply(422, b"", b"<html>"), "another shape"),
        (Reply(422, b"", b'{"detail": []}'), "another shape"),
        (Reply(422, b"", b'{"error": {"code": "invalid", "message": ""}}'), "another shape"),
    ],
)
def test_a_wrong_reply_is_found(reply: Reply | None, problem: str) -> None:
    """Silence, success, failure and any other body are no replies to a malformed request that is whole."""
    with pytest.raises(AssertionError, match=problem):
        checked(Malformed("JSON", b""), reply)


def test_right_replies_pass() -> None:
    """An error of the one shape; silence where the request was cut off; success where what is wrong does not matter."""
    for status in (400, 422, 503, 507):
        assert checked(Malformed("JSON", b""), Reply(status, b"", ERROR)) == "rejected"
    assert checked(Malformed("half", b"", cut=True), None).startswith("no reply")
    assert checked(Malformed("mutated", b"", harmless=True), Reply(200, b"", b"")).startswith("accepted")


def test_malformed_requests_depend_on_their_number_alone() -> None:
    """Each kind comes up again and again, with other contents."""
    target = Target(1, "judge", "q-1", "owner", "app", "p-1")
    made = [malformed(number, target) for number in range(20 * len(MAKERS))]
    assert made == [malformed(number, target) for number in range(20 * len(MAKERS))]
    kinds = {request.kind for request in made}
    assert len(kinds) == len(MAKERS)
    for kind in kinds:
        assert len({request.data for request in made if request.kind == kind}) > 2


def test_recovery_is_when_replies_are_as_quick_as_before() -> None:
    """Slow replies and rejections count until the first quarter of a second without them."""
    quick = [Sent(random.Random(k).uniform(0, 3), 0.02, 200) for k in range(200)]
    assert recovered(quick, usual=0.02) == 0
    slow = [Sent(sent.due, 5.0 if sent.due < 2 * BUCKET else sent.wait, 200) for sent in quick]
    assert recovered(slow, usual=0.02) == 2 * BUCKET
    assert recovered([*quick, Sent(0.1, 0.001, 503)], usual=0.02) == BUCKET
    assert recovered([Sent(sent.due, 5.0, 200) for sent in quick], usual=0.02) > 2.5


def test_the_queue_is_that_of_a_server_without_settings() -> None:
    """Its users get what was tested; and there are more judges than may wait, and not more than may be connected."""
    assert Limits().queue == QUEUE < JUDGES < Limits().connections


@pytest.mark.parametrize(
    ("steady", "problem"),
    [
        ({"late": 0.5}, "the sender was stopped"),
        ({"missing": 2}, "2 not sent"),
        ({"sent": [Sent(1.0, 0.02, 503)] * 2}, "rejected 2 of"),
    ],
)
def test_another_load_or_a_rejection_at_the_lower_rate_is_found(
    steady: dict[str, object], problem: str
) -> None:
    """A sender that stood still, judges who were missing, and 503 below the rate each fail."""
    quick = [Sent(place / 100, 0.02, 200) for place in range(1000)]
    usual = Phase(10, sent=list(quick))
    check_times(usual, Phase(10, sent=quick), "")
    changed = Phase(10, **{"sent": quick, **steady})  # type: ignore[arg-type]
    if "sent" in steady:
        changed.sent = [*quick, *changed.sent]
    with pytest.raises(AssertionError, match=problem):
        check_times(changed, usual, "")
    slow = Phase(10, sent=[Sent(sent.due, 1.0, 200) for sent in quick])
    with pytest.raises(AssertionError, match="slow until"):
        check_times(usual, slow, "")


def test_a_sender_that_was_stopped_does_not_send_all_at_once() -> None:
    """What was due while it stood still is sent later at the same rate, and the time is counted."""
    moments: list[float] = []

    class Stopped:
        async def attempt(self) -> int:
            moments.append(time.perf_counter())
            if len(moments) == 10:
                time.sleep(0.5)
            return 200

    judges = deque(Stopped() for _ in range(50))
    phase = asyncio.run(arriving(judges, 200.0, 0.4, random.Random(1)))  # type: ignore[arg-type]
    assert phase.late > 0.3
    assert len(phase.sent) == len(moments) > 20
    resumed = moments[9] + 0.5
    assert sum(resumed <= moment < resumed + 0.05 for moment in moments) < 40, (
        "100 were due while it stood still"
    )
