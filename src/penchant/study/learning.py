"""The belief of a study: a function of its items, its settings and the answers that count, in log order.

A belief is started from all answers at certain numbers of answers (`Schedule`) and learns the others one by one. A
start takes longer than an answer, so that it runs in the background and takes effect some answers later, at a number
that is fixed beforehand: what a belief holds does not depend on how fast anything ran.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from penchant.belief import LiveBelief
from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.progress import reported_to, with_progress
from penchant.study.encoding import Encoded

Start = Callable[[Encoded], LiveBelief]
"""Makes a belief from answers; the same answers give the same belief to the last bit."""

FAILURES = (np.linalg.LinAlgError, FloatingPointError, InvalidInput)
"""A start that raises one of these is left out: the belief before it goes on."""
SPACINGS = ((1 << 17, 16), (1 << 21, 64), (math.inf, 256))
"""Copies of the belief are kept at multiples of so many answers, by the most bytes that a copy takes."""
MOST_KEPT = 12
_KEPT_BYTES = 1 << 26
_CAUGHT_UP, _FEW_BEHIND = 2, 16
"""So many answers a turn are learned by a belief that will take effect later, more where few turns are left. It stays
behind by the second number until so few turns are left, since an answer that it has learned cannot be taken back. While
it lacks more than twice as many, it learns them in the background."""
_SHORT_WAIT, _LONG_WAIT, _ALL_WAITS = 0.025, 0.5, 4.0
"""Seconds that one turn waits for a start that is not ready when half of the turns until its use are over: the least,
the most, and what these turns wait together unless the least is more. Answers that come faster than the background
works are held up a little each, rather than one of them for all of it."""
_FEW_LEFT = 64
"""With so few answers left until its use, the first question after `jump` and `restore` waits for a start, `_LONG_WAIT`
at most."""


class Background(Protocol):
    """What computes starts ahead, as an executor does."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        """Begin work, and return its future."""


@dataclass(frozen=True, slots=True)
class Refit:
    """A start from the first ``count`` answers, which is used from the answer ``effective`` on."""

    count: int
    effective: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """At which numbers of answers a belief is started from all of them.

    Attributes
    ----------
    least : int
        The fewest answers between two starts.
    at_once : int
        Below so many answers a start is used at once.
    growths : tuple of (below, growth, delay)
        By which part the answers grow between two starts, while there are fewer than ``below``; and after which part of
        them a start is used, so that the background has time for it: answers until then are learned twice.
    most : tuple of float
        A number and a part of the answers: between two starts there are at most so many more.
    """

    least: int = 8
    at_once: int = 1
    growths: tuple[tuple[float, float, float], ...] = ((300, 0.2, 0.25), (math.inf, 0.4, 0.25))
    most: tuple[float, float] = (400, 0.01)

    def refits(self, n_answers: int) -> Iterator[Refit]:
        """Yield the starts that have begun when there are ``n_answers``.

        Examples
        --------
        >>> [(refit.count, refit.effective) for refit in USUAL.refits(40)]
        [(0, 0), (8, 11), (16, 19), (24, 27), (32, 35), (40, 43)]
        >>> [refit.count for refit in QUICK.refits(20)]
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 19]
        >>> [refit.count for refit in USUAL.refits(3000)][-4:]
        [1723, 2140, 2561, 2986]
        >>> [refit.count for refit in SLOW.refits(1000)][-3:]
        [590, 708, 849]
        >>> [(refit.count, refit.effective) for refit in LINKED.refits(3000)][-3:]
        [(676, 1082), (1352, 1959), (2565, 3178)]
        """
        count = 0
        number, share = self.most
        while count <= n_answers:
            growth, delay = next((growth, delay) for below, growth, delay in self.growths if count < below)
            more = max(self.least, int(min(growth * count, number + share * count)))
            yield Refit(count, count if count < self.at_once else count + int(delay * more) + 1)
            count += more


USUAL = Schedule()
"""In simulations of 20 to 1,000 items, means were as near to those of a new start after two fifths more answers as
after one, a few hundredths of an sd; with fewer than 300 answers they were farther away."""
QUICK = Schedule(least=1, at_once=200, growths=((300, 0.2, 0.1), (math.inf, 0.8, 0.2)), most=(800, 0.1))
"""For starts that take little time while there are few answers. Later a start may take as long as 160 or more answers,
since a server that takes 500 answers a second on two busy cores would wait for it otherwise; and starts are rare, since
they and the answers that are learned twice cost such a server a fifth of its time. In 16 simulated worlds of 50 items
and 2,500 adaptive questions, 95 % intervals of differences held 94.7 %, and 94.1 % with twice as many starts."""
MANY = Schedule(growths=((300, 0.2, 0.25), (math.inf, 0.8, 0.1)), most=(800, 0.01))
"""For many items, whose start takes as long as a hundred answers."""
SLOW = Schedule(growths=((math.inf, 0.2, 0.5),))
"""For starts that choose lengthscales and scales and take seconds. In simulations of 220 items with features, intervals
held far less than they should after 40 % more answers than the choice was made from, and as much as they should after
20 %."""
LINKED = Schedule(growths=((300, 0.4, 0.6), (1000, 1.0, 0.6), (math.inf, 1.0, 0.5)), most=(1200, 0.01))
"""For more than 500 items under `LinkedGP`, whose start takes as long as hundreds of answers. Once 200 items were
compared, later starts have the same settings, and change little: in simulations of 600 items with features and adaptive
questions (five worlds), without any start between 280 and 1,500 answers, the differences of items were within 0.024 sd
of those of a new start, and 95 % intervals held as often to 0.1 %. They bound what an undone answer costs. With
seven starts below 300 answers instead of ten, each used after nine tenths of the answers to the next, intervals held
less after 300 answers: 76 % instead of 88 % (ten worlds of 600 items where links, both sources or neither matter).
After 1,000 answers all settings are known and a start takes a third of the time: it is used sooner, since answers until
then are learned twice."""


@dataclass(frozen=True, eq=False)
class Predicted:
    """The probabilities that the belief gave to left, right and tie before it learned each answer.

    Attributes
    ----------
    probability : array of shape (n, 3)
    outcome : int array of shape (n,)
        Indices into `penchant.preferences.OUTCOMES`.
    """

    probability: Floats
    outcome: Ints

    def last(self, count: int | None) -> Predicted:
        """Return the last ``count`` predictions, or all of them for None."""
        start = 0 if count is None else max(0, len(self.outcome) - count)
        return Predicted(self.probability[start:], self.outcome[start:])


class _Record:
    """Rows of probabilities and outcomes that grow with the answers."""

    def __init__(self, count: int = 0) -> None:
        self.count = count
        self.probability = np.zeros((max(64, count), 3))
        self.outcome = np.zeros(max(64, count), dtype=np.int64)

    def add(self, probability: Any, outcome: int) -> None:
        if self.count == len(self.outcome):
            self.probability = np.concatenate([self.probability, np.zeros_like(self.probability)])
            self.outcome = np.concatenate([self.outcome, np.zeros_like(self.outcome)])
        self.probability[self.count], self.outcome[self.count] = probability, outcome
        self.count += 1

    def copy(self) -> Predicted:
        return Predicted(self.probability[: self.count].copy(), self.outcome[: self.count].copy())


@dataclass(frozen=True, slots=True)
class _Kept:
    """A copy of the belief after ``count`` answers, started from the first ``base`` of them."""

    count: int
    base: int
    belief: LiveBelief


@dataclass
class _Coming:
    """A belief that is started in the background, and the answers that it has learned."""

    refit: Refit
    future: Future[LiveBelief]
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.count = self.refit.count

    def is_ready(self) -> bool:
        """Return whether the belief is there; not where its start failed, or was given up since the study is closed."""
        return self.future.done() and not self.future.cancelled() and self.future.exception() is None

    def fail(self, error: Exception) -> None:
        """Have no belief, since it failed to learn an answer."""
        self.future = Future()
        self.future.set_exception(error)


class Learning:
    """The belief after the answers, and copies of it along the way.

    Parameters
    ----------
    start : callable
        Makes a belief from answers.
    background : Background, optional
        Where starts are computed ahead; without it they are computed when they take effect.
    schedule : Schedule
        When the belief is started from all answers.

    Attributes
    ----------
    count : int
        How many answers the belief has learned.
    base : int
        From how many of them it was started.
    """

    def __init__(
        self,
        start: Start,
        background: Background | None = None,
        *,
        schedule: Schedule = USUAL,
    ) -> None:
        self._start, self._background, self._schedule = start, background, schedule
        self.count = self.base = 0
        self._belief: LiveBelief | None = None
        self._kept: list[_Kept] = []
        self._coming: _Coming | None = None
        self._unprepared = False
        self._failed: set[int] = set()
        self._refits = list(schedule.refits(0))
        self._record: _Record | None = _Record()

    def advance(self, answers: Encoded, unchanged: int | None = None) -> LiveBelief:
        """Return the belief after ``answers``.

        Parameters
        ----------
        answers : Encoded
            Without skips.
        unchanged : int, optional
            The first so many answers are those of the call before; default: all of those that were learned.
        """
        self._extend_refits(len(answers))
        if unchanged is not None and unchanged < self.count:
            if self._in_force(len(answers)).count > unchanged:
                return self.jump(answers)  # one start, rather than all of those since the change
            self._go_back(answers, unchanged)
        if self._belief is None:
            self._belief = self._start(answers[:0])
        if self.count < len(answers):
            for _ in with_progress(range(self.count, len(answers)), len(answers) - self.count):
                self._learn_next(answers)
            self._wait_a_little()
        return self._belief

    def jump(self, answers: Encoded) -> LiveBelief:
        """Return the belief after ``answers`` without those between; predictions are then not known."""
        self._extend_refits(len(answers))
        self._drop_coming()
        self._kept, self._record, self._unprepared = [], None, True
        self._failed.clear()
        begun = self._refit_at(len(answers))
        if begun.count > self._in_force(len(answers)).count:
            self._begin(begun, answers)  # beside the start in force: it would be due a few answers from now
        self._restart(answers, len(answers))
        return self.advance(answers)

    def prepare(self, answers: Encoded) -> None:
        """Begin a start that is due, after `jump` and `restore`; wait a little where it is used a few answers later.

        For whoever goes on to ask: a belief that is only read needs no other start.
        """
        if not self._unprepared or self._belief is None:
            return
        self._unprepared = False
        self._extend_refits(self.count)
        if self._coming is None:
            refit = self._due()
            if refit is not None and self.count < refit.effective:
                self._begin(refit, answers)
        coming = self._coming
        if coming is None or coming.refit.effective - self.count > _FEW_LEFT:
            return
        wait([coming.future], _LONG_WAIT)
        if coming.is_ready() and self.count > coming.count:
            self._continue(coming, answers)
            wait([coming.future], _LONG_WAIT)

    def predicted(self) -> Predicted | None:
        """Return the predictions of the answers learned so far; None after `jump`."""
        return None if self._record is None else self._record.copy()

    def restore(self, belief: LiveBelief, count: int, base: int, predicted: Predicted | None) -> None:
        """Continue with a belief that was stored after ``count`` answers."""
        self._belief, self.count, self.base = belief, count, base
        self._record = None
        if predicted is not None:
            self._record = _Record(count)
            self._record.probability[:count], self._record.outcome[:count] = (
                predicted.probability,
                predicted.outcome,
            )
        self._kept, self._coming, self._unprepared = [], None, True

    # -- one answer ----------------------------------------------------------------------------------------

    def _learn_next(self, answers: Encoded) -> None:
        belief = self._belief
        assert belief is not None  # noqa: S101 - for the type checker
        first, second, outcome, weight, _, _ = answers[self.count].item()
        if self._record is not None:
            self._record.add(belief.outcome_probabilities(first, second), outcome)
        belief.answer(first, second, outcome, weight)
        self.count += 1
        self._prepare(answers)
        if self.count % SPACINGS[0][1] == 0 and self.count % spacing_of(belief) == 0:
            self._keep()

    def _replay(self, belief: LiveBelief, answers: Encoded) -> LiveBelief:
        for first, second, outcome, weight, _, _ in answers.tolist():
            belief.answer(first, second, outcome, weight)
        return belief

    # -- starts ahead --------------------------------------------------------------------------------------

    def _extend_refits(self, n_answers: int) -> None:
        if self._refits[-1].count < n_answers:
            self._refits = list(self._schedule.refits(2 * n_answers + self._schedule.least))

    def _refit_at(self, count: int) -> Refit:
        """Return the last start that has begun when there are ``count`` answers."""
        return self._refits[bisect_right(self._refits, count, key=lambda refit: refit.count) - 1]

    def _in_force(self, count: int) -> Refit:
        """Return the start that is used when there are ``count`` answers."""
        return self._refits[bisect_right(self._refits, count, key=lambda refit: refit.effective) - 1]

    def _prepare(self, answers: Encoded) -> None:
        """Begin a start that is due, let one that is ready learn what came since, and use it once it takes effect."""
        refit = self._due()
        if refit is None:
            return
        if self.count >= refit.effective:
            ready = self._ready(refit, answers)
            self._coming = None
            if ready is None:
                self._failed.add(refit.count)
                return
            self._belief, self.base = ready, refit.count
            self._keep()
        elif self._coming is None or self._coming.refit != refit:
            self._begin(refit, answers)
        elif self._coming.is_ready():
            self._continue(self._coming, answers)

    def _due(self) -> Refit | None:
        """Return the start that has begun and is not used yet, None where there is none or it failed."""
        refit = self._refit_at(self.count)
        return None if refit.count <= self.base or refit.count in self._failed else refit

    def _begin(self, refit: Refit, answers: Encoded) -> None:
        """Begin a start in the background, where there is one."""
        if self._background is not None:
            future = self._background.submit(self._start, answers[: refit.count].copy())
            self._coming = _Coming(refit, future)

    def _continue(self, coming: _Coming, answers: Encoded) -> None:
        """Let a belief that is ready learn what came since: many answers in the background, a few of them now."""
        behind, left = self.count - coming.count, coming.refit.effective - self.count
        known = max(coming.count, self.count - min(_FEW_BEHIND, left))
        if behind > 2 * _FEW_BEHIND and self._background is not None:
            lacking = answers[coming.count : known].copy()
            coming.future = self._background.submit(self._replay, coming.future.result(), lacking)
            coming.count = known
        else:
            more = max(_CAUGHT_UP, 1 + math.ceil(behind / left))
            try:
                self._catch_up(coming, answers, min(coming.count + more, known))
            except FAILURES as error:  # as in the background: the start is left out
                coming.fail(error)

    def _wait_a_little(self) -> None:
        """Hold up a turn for a moment where the background is late with what a later turn needs."""
        coming = self._coming
        if coming is not None and not coming.future.done():
            seconds = longest_wait(coming.refit, self.count)
            if seconds:
                wait([coming.future], seconds)

    def _ready(self, refit: Refit, answers: Encoded) -> LiveBelief | None:
        """Return the belief of a start with all answers since; None where the start is numerically impossible."""
        coming = self._coming
        try:
            if coming is not None and coming.refit == refit:
                return self._catch_up(coming, answers, self.count)
            with reported_to(None):  # the answers are the steps
                started = self._start(answers[: refit.count])
            return self._replay(started, answers[refit.count : self.count])
        except FAILURES:
            if not refit.count:
                raise
            return None

    def _catch_up(self, coming: _Coming, answers: Encoded, upto: int) -> LiveBelief:
        belief = coming.future.result()
        self._replay(belief, answers[coming.count : upto])
        coming.count = max(coming.count, upto)
        return belief

    # -- going back ----------------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Keep a copy of the belief, and let go of those that are closer together than they are far away."""
        belief = self._belief
        assert belief is not None  # noqa: S101 - for the type checker
        self._kept = [kept for kept in self._kept if kept.count < self.count]
        self._kept.append(_Kept(self.count, self.base, belief.copy()))
        most = max(2, min(MOST_KEPT, _KEPT_BYTES // max(1, size_of(belief))))
        while len(self._kept) > most:
            del self._kept[_least_useful([kept.count for kept in self._kept])]

    def _go_back(self, answers: Encoded, count: int) -> None:
        """Return to the state after the first ``count`` answers or fewer."""
        if self._coming is not None and self._coming.count > count:
            self._drop_coming()
        self._failed = {failed for failed in self._failed if failed <= count}
        self._kept = [kept for kept in self._kept if kept.count <= count]
        nearest = self._kept[-1] if self._kept else None
        if nearest is not None and nearest.base == self._in_force(count).count:
            self.count, self.base, self._belief = nearest.count, nearest.base, nearest.belief.copy()
        else:
            self._restart(answers, count)
        if self._record is not None:
            self._record.count = self.count

    def _drop_coming(self) -> None:
        if self._coming is not None:
            self._coming.future.cancel()
            self._coming = None

    def _restart(self, answers: Encoded, count: int) -> None:
        """Set the belief to the last start that is possible and in force after ``count`` answers."""
        self.count = 0
        for refit in reversed([refit for refit in self._refits if refit.effective <= count]):
            self.count = refit.effective
            belief = self._ready(refit, answers)
            if belief is not None:
                self._belief, self.base = belief, refit.count
                return


def longest_wait(refit: Refit, count: int) -> float:
    """Return for how many seconds a turn after ``count`` answers waits for a start that is not ready.

    Examples
    --------
    >>> late = Refit(1352, 2080)
    >>> longest_wait(late, 1700), longest_wait(late, 1800), longest_wait(Refit(173, 215), 200)
    (0.0, 0.025, 0.19047619047619047)
    """
    turns, left = refit.effective - refit.count, refit.effective - count
    return min(max(_SHORT_WAIT, 2 * _ALL_WAITS / turns), _LONG_WAIT) if 2 * left <= turns else 0.0


def size_of(belief: LiveBelief) -> int:
    """Return about how many bytes a copy of a belief takes."""
    size = getattr(belief, "n_bytes", None)
    return int(size) if size is not None else 8 * len(belief.mean) ** 2


def spacing_of(belief: LiveBelief) -> int:
    """Return at multiples of how many answers copies of a belief are kept."""
    return next(spacing for most, spacing in SPACINGS if size_of(belief) <= most)


def _least_useful(counts: Sequence[int]) -> int:
    """Return the index of the kept state whose neighbours are closest, measured by their distance from the end."""
    last = counts[-1]
    gaps = [(last - before + 1) / (last - after + 1) for before, after in pairwise(counts)]
    products = [gaps[place] * gaps[place + 1] for place in range(len(gaps) - 1)]
    return 1 + int(np.argmin(products))
