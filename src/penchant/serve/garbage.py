"""Keep full garbage collections short while a server is busy, and make thorough ones when it rests."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

REST = 1.0
"""Seconds without a request after which a thorough collection keeps nobody waiting."""
MOST_SHORT = 1000
"""So many short full collections are made at most before a thorough one, however busy the server is."""
_FULL = 2


class Garbage:
    """The collections of a server: all that survived a full one is left out of the next ones until the server rests.

    Python walks all objects in a full collection while every thread waits: two microseconds for each answer of a study,
    a third of a second with 150,000 of them, during which hundreds of requests arrive at a busy server. A study never
    lets go of its answers, so that nothing is found among them.

    Examples
    --------
    >>> garbage = Garbage()
    >>> with garbage.kept_short():
    ...     collected = gc.collect()  # a full collection
    ...     made = garbage.collect_if_due(requests=5, now=0.0), garbage.collect_if_due(requests=5, now=2.0)
    >>> made
    (False, True)
    """

    def __init__(self) -> None:
        self._short = 0
        self._requests, self._since = -1, 0.0

    @contextmanager
    def kept_short(self) -> Iterator[None]:
        """Leave out of full collections what is there now, and then what survives each of them."""
        self._collect()
        gc.callbacks.append(self._collected)
        try:
            yield
        finally:
            gc.callbacks.remove(self._collected)
            gc.unfreeze()

    def collect_if_due(self, requests: int, now: float, *, busy: bool = False) -> bool:
        """Make a thorough collection if one is due and nobody has to wait for it; return whether it was made.

        Parameters
        ----------
        requests : int
            How many requests have been served so far.
        now : float
            Seconds of any clock.
        busy : bool
            Whether some are under way.
        """
        if busy or requests != self._requests:
            self._requests, self._since = requests, now
        rests = self._short > 0 and now - self._since >= REST
        if rests or self._short >= MOST_SHORT:
            gc.unfreeze()
            self._collect()
            return True
        return False

    def _collect(self) -> None:
        gc.collect()
        gc.freeze()
        self._short = 0

    def _collected(self, phase: str, info: dict[str, Any]) -> None:
        if phase == "stop" and info["generation"] == _FULL:
            gc.freeze()
            self._short += 1
