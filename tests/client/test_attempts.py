"""Requests are sent again when that can help, after waits that grow, and no more often than told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from penchant.client.attempts import AGAIN, LONGEST, LONGEST_ASKED, Attempts, seconds
from penchant.client.replies import NoReply, Reply
from penchant.errors import InvalidInput


def reply(status: int, **headers: str) -> Reply:
    return Reply(status, {name.replace("_", "-"): value for name, value in headers.items()}, b"")


@pytest.mark.parametrize(
    "status", [200, 201, 204, 301, 400, 401, 403, 404, 405, 409, 413, 415, 421, 422, 500]
)
def test_what_would_fail_again_is_sent_once(status: int) -> None:
    """Success, mistakes of the client and bugs of the server are final."""
    assert Attempts(5).pause(reply(status)) is None


@pytest.mark.parametrize("status", sorted(AGAIN))
def test_what_passes_is_sent_again(status: int) -> None:
    """A server that is busy, full or just starting."""
    assert Attempts(5).pause(reply(status)) is not None


def test_waits_double_up_to_a_limit_and_end() -> None:
    """Without luck: 0.25 s, 0.5 s … 5 s, as often as told."""
    attempts = Attempts(7, chance=lambda: 0.0)
    waits = [attempts.pause(NoReply("refused")) for _ in range(8)]
    assert waits == [0.25, 0.5, 1.0, 2.0, 4.0, LONGEST, LONGEST, None]
    assert attempts.made == 8


def test_chance_shortens_waits_by_half_at_most() -> None:
    """Clients that failed together come back apart."""
    assert Attempts(1, chance=lambda: 1.0).pause(NoReply("refused")) == 0.125


def test_retry_after_is_honoured_within_reason() -> None:
    """The longer of both waits, and at most a minute."""
    assert Attempts(1).pause(reply(503, retry_after="7")) == 7.0
    assert Attempts(1).pause(reply(503, retry_after="86400")) == LONGEST_ASKED
    assert Attempts(1, chance=lambda: 0.0).pause(reply(503, retry_after="0")) == 0.25


def test_a_final_failure_is_not_repeated_and_a_success_in_between_starts_anew() -> None:
    """A certificate that is wrong stays wrong; a stream that flowed has all its attempts again."""
    assert Attempts(5).pause(NoReply("wrong certificate", final=True)) is None
    attempts = Attempts(1)
    assert attempts.pause(NoReply("cut")) is not None
    attempts.begin_again()
    assert attempts.pause(NoReply("cut")) is not None
    assert attempts.pause(NoReply("cut")) is None


def test_dates_and_nonsense_in_retry_after() -> None:
    """A date counts from now; what is neither a number nor a date asks for nothing."""
    later = datetime.now(UTC) + timedelta(seconds=30)
    assert 25 < seconds(format_datetime(later, usegmt=True)) <= 30
    assert [seconds(text) for text in ("", "soon", "-3", "1e9", "²")] == [0.0] * 5


@pytest.mark.parametrize("retries", [-1, 1.5, None, True])
def test_retries_are_counted(retries: object) -> None:
    """A whole number, 0 included."""
    with pytest.raises(InvalidInput, match="retries"):
        Attempts(retries)
    assert Attempts(0).pause(NoReply("refused")) is None
