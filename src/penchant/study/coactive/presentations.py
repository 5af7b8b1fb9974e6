"""Presentations and feedback: what callers get, and what a study remembers of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Ints
from penchant.study.coactive.indices import compact, expanded


@dataclass(frozen=True)
class Presentation:
    """An order that was presented.

    Attributes
    ----------
    id : str
        Feedback names it.
    order : tuple of str
        The ids of all candidates, best first.
    teams : tuple of int, optional
        Where two orders were interleaved: for each place, 0 where the learned order put the candidate there and 1 where
        the other one did.
    learn : bool
        Whether feedback on it is learned from.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from penchant.study.coactive import CoactiveStudy
    >>> with CoactiveStudy.create(Path(tempfile.mkdtemp()) / "search.db", seed=1) as study:
    ...     shown = study.present({"a": {"x": 1.0}, "b": {"x": 2.0}})
    ...     feedback = study.feedback(shown, clicked=["b"])
    >>> shown.order, feedback.improved
    (('a', 'b'), ('b', 'a'))
    """

    id: str
    order: tuple[str, ...]
    teams: tuple[int, ...] | None = None
    learn: bool = True


@dataclass(frozen=True)
class Feedback:
    """Feedback that is on disk.

    Attributes
    ----------
    id : str
        For `undo`.
    presentation : str
        The id of the presentation.
    improved : tuple of str
        The order that all feedback on the presentation asks for, best first.
    changed : bool
        Whether it differs from the order before this feedback.
    learned : bool
        Whether the study learned from it: not where the presentation was made without learning.
    late : bool
        Whether it came an hour or more after the presentation.

    Examples
    --------
    >>> Feedback("f-1", "p-1", ("b", "a"), changed=True, learned=True).improved
    ('b', 'a')
    """

    id: str
    presentation: str
    improved: tuple[str, ...]
    changed: bool
    learned: bool
    late: bool = False


def prepended(order: Ints, first: Sequence[int]) -> Ints:
    """Return `penchant.orders.prepend` of indices that were checked before, in a tenth of the time."""
    top = list(dict.fromkeys(first))
    left = np.ones(order.size, dtype=bool)
    left[top] = False
    return np.concatenate((np.array(top, dtype=np.int64), order[left[order]]))


Swap = Callable[[Ints, Sequence[int]], Ints]
"""What makes an improved order of a presented one and the clicks."""


LATE = 3600.0
"""Seconds after a presentation from which feedback on it is late: it is learned from as well, and marked."""
LONG = 4
"""Feedback on one presentation after which the order so far is kept for good: it is a stream."""


class Given:
    """One feedback event: what was given, and whether it stands."""

    __slots__ = ("id", "number", "place", "shown", "standing", "time", "value", "what")

    def __init__(
        self, id: str, number: int, time: float, shown: Shown, what: str, value: tuple[int, ...]
    ) -> None:
        self.id, self.number, self.time = id, number, time
        self.shown, self.what, self.value = shown, what, value
        self.place = len(shown.given)
        self.standing = True


_Kept = tuple[int, Ints, Ints, Ints, list[int]]
"""The place of feedback, what clicks since are put before, the orders before and after it, and those clicks."""


class Shown:
    """One presentation, as the state remembers it."""

    __slots__ = (
        "_last",
        "_opponent",
        "_order",
        "_teams",
        "context",
        "erased",
        "given",
        "id",
        "learn",
        "number",
        "time",
        "user",
    )

    def __init__(
        self,
        id: str,
        number: int,
        time: float,
        context: str,
        order: Ints,
        user: str | None,
        learn: bool,
        teams: Ints | None,
        opponent: Ints | None,
    ) -> None:
        self.id, self.number, self.time = id, number, time
        self.context, self.user, self.learn = context, user, learn
        self._order = compact(order)
        self._teams = None if teams is None else compact(teams)
        self._opponent = None if opponent is None else compact(opponent)
        self.given: list[Given] = []
        self.erased = False
        self._last: dict[Swap, _Kept] | None = None

    @property
    def order(self) -> Ints:
        """The indices of the candidates as they were shown."""
        return expanded(self._order)

    @property
    def size(self) -> int:
        """The number of candidates."""
        return len(self._order) // (4 if len(self._order) % 2 else 2)

    @property
    def teams(self) -> Ints | None:
        """For each candidate the order that added it."""
        return None if self._teams is None else expanded(self._teams)

    @property
    def opponent(self) -> Ints | None:
        """The order that was interleaved with the learned one."""
        return None if self._opponent is None else expanded(self._opponent)

    def clicks(self) -> list[int]:
        """Return the candidates that were clicked, each once, in the order of the clicks."""
        return list(
            dict.fromkeys(
                index
                for given in self.given
                if given.standing and given.what == "clicked"
                for index in given.value
            )
        )

    def step(self, last: Given, swap: Swap = prepended) -> tuple[Ints, Ints]:
        """Return the improved order before and after one standing feedback.

        Clicks accumulate: the order is that which all clicks since the presentation, or since an order was given, ask
        for. An order that is given, or a better item, is put before the order as it stands.
        """
        kept = (self._last or {}).get(swap)
        if kept is not None and kept[0] == last.place:
            return kept[2], kept[3]
        if kept is None or kept[0] > last.place:
            order = self.order
            kept = -1, order, order, order, []
        place, base, before, now, clicks = kept
        for given in self.given[place + 1 : last.place + 1]:
            before = now
            if not given.standing:
                continue
            if given.what == "clicked":
                clicks = list(dict.fromkeys((*clicks, *given.value)))  # never more than candidates
                now = swap(base, clicks)
            else:
                base = now = prepended(now, given.value)
                clicks = []
        self._last = {**(self._last or {}), swap: (last.place, base, before, now, clicks)}
        return before, now

    def settle(self) -> None:
        """Drop the orders that steps have kept, once the last one was learned from."""
        if len(self.given) <= LONG:
            self._last = None

    def changed(self) -> None:
        """Compute steps anew, since feedback was taken back or counts again."""
        self._last = None

    def improved(self, swap: Swap = prepended) -> Ints:
        """Return the order that all standing feedback asks for."""
        standing = [given for given in self.given if given.standing]
        return self.step(standing[-1], swap)[1] if standing else self.order


def as_list(value: Any) -> list[Any]:
    """Return one thing or several as a list."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return [value]
    return list(value)
