"""The limits of the server, and what counts against them: requests a second, open streams, bytes of bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field, fields
from typing import Any

from penchant.checks import check_number, whole
from penchant.serve.rejection import Rejection
from penchant.text import text_table

LARGE = frozenset({("POST", "/v1/presentations"), ("POST", "/v1/items"), ("POST", "/v1/items/import")})
"""The requests that may have a large body."""
BUSY_SECONDS = 1
"""When to come again if all places are taken."""
_KEYS = 20_000


def _limit(default: float, what: str) -> Any:
    return field(default=default, metadata={"what": what})


@dataclass(frozen=True)
class Limits:
    """What one server accepts; each limit has a field.

    Examples
    --------
    >>> Limits(address_rate=5000).address_rate
    5000
    """

    body_bytes: int = _limit(64 * 1024, "bytes of a body")
    large_body_bytes: int = _limit(4 * 1024**2, "bytes of a body that holds presentations or items")
    all_body_bytes: int = _limit(256 * 1024**2, "bytes of all bodies that are being read or handled")
    head_bytes: int = _limit(32 * 1024, "bytes of an address with its headers")
    depth: int = _limit(20, "arrays and objects inside one another in JSON")
    token_rate: float = _limit(1000, "requests a second with one token")
    token_burst: int = _limit(2000, "requests at once with one token")
    address_rate: float = _limit(2000, "requests a second from one address")
    address_burst: int = _limit(4000, "requests at once from one address")
    connections: int = _limit(800, "open connections")
    streams: int = _limit(400, "open streams of changes")
    token_streams: int = _limit(16, "open streams of changes with one token")
    queue: int = _limit(
        240, "requests that wait for one study or are under way; for five seconds, three times as many"
    )
    head_seconds: float = _limit(10, "seconds until the headers of a request have come")
    body_seconds: float = _limit(60, "seconds from then until its body has come")
    idle_seconds: float = _limit(75, "seconds between two requests of a connection")
    reply_seconds: float = _limit(30, "seconds in which 1 KiB a second of a reply must be taken")

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(entry.default, float) or entry.name.endswith(("_rate", "_seconds")):
                check_number(entry.name, value, above=0, remedy=f"{entry.default} is usual")
            else:
                whole(entry.name, value, 1, 2**53, remedy=f"{entry.default} is usual")

    def body(self, method: str, path: str) -> int:
        """Return the most bytes that the body of a request may have."""
        return self.large_body_bytes if (method, path) in LARGE else self.body_bytes

    def table(self) -> str:
        """Return the limits as a table for people."""
        rows = [
            {"limit": entry.name, "value": f"{getattr(self, entry.name):,}", "of": entry.metadata["what"]}
            for entry in fields(self)
        ]
        return "\n".join(text_table(rows, right={"value"}))


class Rates:
    """Stop floods: one client that sends more than the server can do keeps everybody else waiting.

    A token bucket for each key, kept as the time at which it will be full again. The keys that were used last are
    kept; more of them than that cannot each be near their limit.

    Examples
    --------
    >>> rates = Rates(rate=10, burst=2)
    >>> [round(rates.wait("ann", now=0), 3) for _ in range(3)]
    [0.0, 0.0, 0.1]
    """

    def __init__(self, rate: float, burst: int, *, keys: int = _KEYS) -> None:
        self.rate, self._step, self._keys = rate, 1 / rate, keys
        self._ahead = (burst - 1) / rate
        self._full: dict[Hashable, float] = {}

    def wait(self, key: Hashable, now: float) -> float:
        """Count a request, and return 0; or the seconds until one is accepted, where it comes too early."""
        full = max(self._full.pop(key, now), now)
        early = full - now - self._ahead
        if early > 1e-9:
            self._full[key] = full
            return early
        self._full[key] = full + self._step
        if len(self._full) > self._keys:
            del self._full[next(iter(self._full))]
        return 0.0

    def check(self, key: Hashable, now: float, whose: str) -> None:
        """Count a request, or raise `Rejection`."""
        wait = self.wait(key, now)
        if wait:
            message = f"at most {self.rate:g} requests a second are served to one {whose}, got more"
            raise Rejection(
                429,
                "too_many",
                message,
                "wait as long as Retry-After says, then send it again",
                retry_after=wait,
            )


class Streams:
    """Stop stream exhaustion: each stream of changes holds a connection for as long as its reader likes.

    Examples
    --------
    >>> streams = Streams(Limits(streams=2))
    >>> streams.enter("t-1"), streams.enter("t-2"), streams.leave("t-1")
    (None, None, None)
    >>> streams.count
    1
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """The number of open streams."""
        return self._open.total()

    def enter(self, token_id: str) -> None:
        """Count a stream that opens, or raise `Rejection`; call `leave` when it ends."""
        hint = "close one, or come again later"
        if self._open[token_id] >= self._limits.token_streams:
            message = f"at most {self._limits.token_streams} streams may be open with one token, got another"
            raise Rejection(429, "too_many", message, hint, retry_after=BUSY_SECONDS)
        if self.count >= self._limits.streams:
            message = f"at most {self._limits.streams} streams may be open, got another"
            raise Rejection(503, "busy", message, hint, retry_after=BUSY_SECONDS)
        self._open[token_id] += 1

    def leave(self, token_id: str) -> None:
        """Count a stream that has ended."""
        self._open[token_id] -= 1
        if self._open[token_id] <= 0:
            del self._open[token_id]


class Bodies:
    """Stop memory exhaustion by many large bodies at once, each of which is within its own limit."""

    def __init__(self, most: int) -> None:
        self.most, self.held = most, 0

    def hold(self, size: int) -> None:
        """Count bytes that have come, or raise `Rejection`; call `free` when they are done with."""
        if self.held + size > self.most:
            message = f"at most {self.most} bytes of bodies are held at once, got more"
            raise Rejection(503, "busy", message, "send it again a little later", retry_after=BUSY_SECONDS)
        self.held += size

    def free(self, size: int) -> None:
        """Count bytes that are done with."""
        self.held -= size
