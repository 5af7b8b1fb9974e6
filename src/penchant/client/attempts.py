"""How often a request is sent, and how long to wait in between."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from penchant.checks import whole
from penchant.client.replies import NoReply, Outcome

AGAIN = frozenset({408, 429, 502, 503, 504, 507})
"""Statuses of a server that is busy, full, or not there, or of a slow network: the same request may succeed later."""
FIRST, LONGEST = 0.25, 5.0
"""Seconds before the second attempt and, as they double, before any."""
LONGEST_ASKED = 60.0
"""Seconds that a server's Retry-After is followed at most."""


class Attempts:
    """The attempts at one request.

    Parameters
    ----------
    retries : int
        How often it is sent again at most.
    chance : callable
        Returns numbers from 0 to 1. Waits are shortened by up to half at random, so that clients which failed together
        do not come back together.
    """

    def __init__(self, retries: int, chance: Callable[[], float] = random.random) -> None:
        self._retries = whole("retries", retries, 0)
        self._chance = chance
        self.made = 0

    def pause(self, outcome: Outcome) -> float | None:
        """Return the seconds to wait before the next attempt, or None where ``outcome`` is the last."""
        self.made += 1
        if self.made > self._retries or not _is_passing(outcome):
            return None
        doubled = min(FIRST * 2.0 ** min(self.made - 1, 30), LONGEST)
        own = doubled * (1 - self._chance() / 2)
        asked = 0.0 if isinstance(outcome, NoReply) else seconds(outcome.headers.get("retry-after", ""))
        return max(own, min(asked, LONGEST_ASKED))

    def begin_again(self) -> None:
        """Count from the beginning: there was an answer."""
        self.made = 0


def seconds(text: str) -> float:
    """Return the seconds of a Retry-After header, which holds them or a date; 0 where it holds neither.

    Examples
    --------
    >>> seconds("5"), seconds("soon"), seconds("Wed, 21 Oct 2015 07:28:00 GMT")
    (5.0, 0.0, 0.0)
    """
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _is_passing(outcome: Outcome) -> bool:
    return not outcome.final if isinstance(outcome, NoReply) else outcome.status in AGAIN
