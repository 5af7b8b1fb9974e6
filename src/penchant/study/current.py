"""The belief of a study as it stands: kept up to date, stored in snapshots, and evaluated in the background."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.ask import Settled, settled
from penchant.ask.stopping import MOST_ITEMS, last_look
from penchant.belief import Belief, LiveBelief
from penchant.checks import Ints
from penchant.errors import CannotStore, Closed, Locked, Unreachable
from penchant.store import EventLog
from penchant.study.active import without_retired
from penchant.study.certainty import Points
from penchant.study.encoding import Encoded, GrowingRows
from penchant.study.learning import Learning, Predicted
from penchant.study.snapshots import NAME, Snapshot, digest_of, fingerprint, pack, unpack
from penchant.study.starting import ModelStart
from penchant.study.state import State

SNAPSHOT_GROWTH = 0.1
LEAST_SNAPSHOT = 1000
"""A snapshot is stored when the answers have grown by this share and at least by so many, and on closing."""


@dataclass
class Evaluation:
    """An evaluation of the stopping rule that is due: perhaps computed already, perhaps not."""

    _due: Future[Settled | None] | None
    _latest: Settled | None

    def result(self) -> Settled | None:
        """Wait for the evaluation."""
        return self._latest if self._due is None else self._due.result()

    def latest(self) -> Settled | None:
        """Return the evaluation if it is there, else the last one before."""
        return self._due.result() if self._due is not None and self._due.done() else self._latest


class CurrentBelief:
    """The belief after the answers of a state, for whoever holds the lock of the study.

    Parameters
    ----------
    log : EventLog
        Where snapshots are stored.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._workers: ThreadPoolExecutor | None = None
        self._version = -1
        self._start: ModelStart | None = None
        self._rows: GrowingRows | None = None
        self._learning: Learning | None = None
        self._stored, self._from_snapshot = 0, False
        self._digest: tuple[State | None, int, str] = None, -1, ""
        """Of what the belief of a state of a version starts from."""
        self._state: State | None = None
        self._due: tuple[Any, Future[Settled | None]] | None = None
        self._latest: Settled | None = None
        self.points = Points()
        """Of the curve of certainty."""
        self._subscribers: list[Callable[[], None]] = []

    def forget(self) -> None:
        """Let go of what was learned from a state that is folded again."""
        self._learning = self._state = None
        self._version, self._digest = -1, (None, -1, "")
        self._due = self._latest = None
        self.points = Points()

    # -- the belief ----------------------------------------------------------------------------------------

    def belief(self, state: State, *, asking: bool = False) -> LiveBelief:
        """Return the belief over all items, retired ones included; it changes with the next answer.

        ``asking`` says that answers are to come, for which the next start is made ahead.
        """
        learning = self._learned_with(state)
        answers, unchanged = self._encoded(state), state.comparisons.mark()
        belief = learning.advance(answers, unchanged)
        if asking:
            learning.prepare(answers)
        if learning.count - self._stored >= max(LEAST_SNAPSHOT, SNAPSHOT_GROWTH * learning.count):
            self._store(state, belief)
        return belief

    def shown(self, state: State) -> Belief:
        """Return a copy of the belief over the items that are not retired."""
        return without_retired(self.belief(state).copy(), _rows(state))

    def recorded(self, state: State) -> Predicted | None:
        """Return the predictions of all answers that count where they were recorded, else None."""
        self.belief(state)
        return self._learned_with(state).predicted()

    def folded(self, state: State) -> LiveBelief:
        """Return the belief folded from the first answer on, with nothing that is kept."""
        start = ModelStart.of(state)
        return start.learning().advance(start.encode(state.comparisons.answers))

    def fitted(self, state: State) -> Any:
        """Return the model fitted in batch to the answers that count."""
        return self._started(state).fitted(state.preferences())

    def _started(self, state: State) -> ModelStart:
        if self._start is None or self._version != state.version:
            self._start, self._version = ModelStart.of(state), state.version
            self._rows = GrowingRows(self._start.encode)
            self._learning = None
        return self._start

    def _encoded(self, state: State) -> Encoded:
        """Return the rows of the answers, which the next call may change."""
        self._started(state)
        assert self._rows is not None  # noqa: S101 - for the type checker
        return self._rows.of(state.comparisons.answers, state.comparisons.unchanged)

    def _learned_with(self, state: State) -> Learning:
        start = self._started(state)
        if self._learning is None:
            self._learning = start.learning(_InBackground(self._submit))
            answers = self._encoded(state)
            state.comparisons.mark()
            self._from_snapshot = self._restored(state, self._learning, answers)
            if not self._from_snapshot and len(answers):
                self._learning.jump(answers)
            self._stored, self._state = self._learning.count, state
        return self._learning

    # -- snapshots -----------------------------------------------------------------------------------------

    def _restored(self, state: State, learning: Learning, answers: Encoded) -> bool:
        """Continue from a snapshot that was made of the first ``answers``; return whether there is one."""
        found = self._log.snapshots.get(NAME)
        if found is None or found.number > len(answers):
            return False
        self._digest = state, state.version, digest_of(*state.about())
        wanted = fingerprint(self._digest[2], answers[: found.number])
        snapshot = unpack(found.state) if found.fingerprint == wanted else None
        if snapshot is None:
            return False
        learning.restore(snapshot.belief, snapshot.count, snapshot.base, snapshot.predicted)
        return True

    def _store(self, state: State, belief: LiveBelief, *, wait: bool = False) -> None:
        learning = self._learning
        if learning is None or not self._log.is_writer or not learning.count:
            return
        self._stored, self._from_snapshot = learning.count, True
        count = learning.count
        snapshot = Snapshot(belief.copy(), count, learning.base, learning.predicted())
        about, version, answers = state.about(), state.version, self._encoded(state)[:count].copy()

        def write() -> None:
            known, of_version, digest = self._digest
            if known is not state or of_version != version:  # after a failed commit a version may come again
                digest = digest_of(*about)
                self._digest = state, version, digest
            with suppress(CannotStore, Closed, Locked, Unreachable):  # a cache: the log has everything
                self._log.snapshots.put(NAME, count, fingerprint(digest, answers), pack(snapshot))

        future = self._submit(write)
        if wait:
            future.result()

    # -- stopping ------------------------------------------------------------------------------------------

    def settled(self, state: State, *, wait: bool = True) -> Evaluation:
        """Return the evaluation of the stopping rule that is due.

        Where nobody waits for it, it is begun when the one before has ended: evaluations of many items take longer than
        a twentieth more answers, and starts of the belief would come behind all of them.
        """
        if not wait and self._due is not None and not self._due[1].done():
            return Evaluation(self._due[1], self._latest)
        active = len(state.items) - len(state.retired)
        count = last_look(active, len(state.comparisons))
        settings = state.settings
        if not count or (active > MOST_ITEMS and settings["top"] is None):
            return Evaluation(None, None)
        key = (
            state.version,
            tuple(state.retired),
            count,
            state.comparisons.revision,
            settings["goal"],
            settings["top"],
        )
        if self._due is None or self._due[0] != key:
            self._keep_latest()
            start, answers = self._started(state), self._encoded(state)[:count].copy()
            future = self._submit(_evaluated, start, answers, _rows(state), settings)
            self._due = key, future
            future.add_done_callback(self._evaluated)
        return Evaluation(self._due[1], self._latest)

    def subscribe(self, subscriber: Callable[[], None]) -> None:
        """Call ``subscriber`` each time an evaluation has ended."""
        self._subscribers.append(subscriber)

    def _evaluated(self, future: Future[Settled | None]) -> None:
        if not future.cancelled():
            for subscriber in self._subscribers:
                subscriber()

    def _keep_latest(self) -> None:
        if self._due is not None and self._due[1].done() and not self._due[1].cancelled():
            self._latest = self._due[1].result()

    # -- the background ------------------------------------------------------------------------------------

    def _submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        if self._workers is None:
            self._workers = ThreadPoolExecutor(2, thread_name_prefix="study")
        try:
            return self._workers.submit(work, *arguments)
        except RuntimeError:  # the interpreter is ending: there is no background any more
            done: Future[Any] = Future()
            done.set_result(work(*arguments))
            return done

    def close(self) -> None:
        """Store a snapshot of what was learned, and end the background work."""
        learning, state = self._learning, self._state
        # What changed since the belief was last read is not in it: then nothing is stored.
        current = state is not None and self._version == state.version
        stored = learning is None or (self._from_snapshot and learning.count <= self._stored)
        if learning is not None and state is not None and current and not stored:
            answers = state.comparisons
            if answers.unchanged >= learning.count:
                self._store(state, learning.advance(self._encoded(state)[: learning.count]), wait=True)
        if self._workers is not None:
            self._workers.shutdown(wait=True, cancel_futures=True)
            self._workers = None


@dataclass
class _InBackground:
    """The part of an executor that `Learning` uses."""

    submit: Callable[..., Future[Any]]


def _evaluated(
    start: ModelStart, answers: Encoded, retired: Ints, settings: dict[str, Any]
) -> Settled | None:
    belief = without_retired(start.learning().jump(answers), retired)
    return settled(belief, goal=settings["goal"], top=settings["top"], answers=len(answers))


def _rows(state: State) -> Ints:
    """Return the rows of the items that are retired."""
    return np.array([state.rows[item] for item in state.retired], dtype=np.int64)
