"""Reports of a study that take long: few are computed at once, and each is kept until the study changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar, cast

from penchant.serve.limits import BUSY_SECONDS
from penchant.serve.rejection import Rejection
from penchant.study import Study

T = TypeVar("T")

MOST_AT_ONCE = 4
"""So many reports of a study are made at once; they share its lock and the processor with the answers."""
MOST_WAITING = 16
"""So many requests wait for reports, those included that are made: each holds a thread, also when its client left."""
WAITING, RUNNING = "waiting", "running"


class Reports:
    """Stop floods of requests that each take seconds: more than a few different ones at once are rejected.

    Equal ones wait for the first, and get its result as long as the study has not changed: whoever asks again for a
    report that takes long does not keep others from theirs.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._lock = Lock()
        self._taken: Counter[str] = Counter()
        """How many places are taken, of those that wait and of those that run."""
        self._locks: dict[str, Lock] = {}
        self._kept: dict[str, tuple[int, object]] = {}

    def get(self, name: str, work: Callable[[], T], *, is_whole: Callable[[T], bool] = lambda _: True) -> T:
        """Return what ``work`` returns, or what it returned under this name before the study changed.

        Parameters
        ----------
        name : str
            Of a small set: with everything on which the result depends besides the study.
        work : callable
        is_whole : callable, optional
            Whether a result may be kept: one that is not whole is computed further when it is asked for again.
        """
        with self._lock:
            own = self._locks.setdefault(name, Lock())
        with self._place(WAITING, MOST_WAITING, "requests wait for reports of a study"), own:
            revision = self._study.revision()
            kept = self._kept.get(name)
            if kept is not None and kept[0] == revision:
                return cast("T", kept[1])
            with self._place(RUNNING, MOST_AT_ONCE, "reports of a study are made at once"):
                found = work()
            if is_whole(found):
                self._kept[name] = revision, found
            return found

    @contextmanager
    def _place(self, kind: str, most: int, limit: str) -> Iterator[None]:
        with self._lock:
            if self._taken[kind] >= most:
                message = f"at most {most} {limit}, got another"
                raise Rejection(503, "busy", message, "ask again a little later", retry_after=BUSY_SECONDS)
            self._taken[kind] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[kind] -= 1
