"""The belief of a study is a function of its answers, whatever was taken back or computed ahead."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.study import learning as module
from penchant.study.answers import Answer, LiveAnswers, Question
from penchant.study.encoding import Encoded, Encoder
from penchant.study.learning import LINKED, MANY, QUICK, SLOW, USUAL, Learning, Schedule, longest_wait

ENCODE = Encoder({"a": 0, "b": 1})


class Recorder:
    """A belief that remembers which answers it was started from and which it learned since."""

    def __init__(self, base: tuple[int, ...]) -> None:
        self.base, self.since = base, list[int]()
        self.mean = np.zeros(2)

    def outcome_probabilities(self, first: int, second: int) -> Any:
        return (len(self.base) / 1000, len(self.since) / 1000, 0.0)

    def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
        self.since.append(int(weight))
        return 0.0

    def copy(self) -> Self:
        other = type(self)(self.base)
        other.since = list(self.since)
        return other


def start(answers: Encoded) -> Any:
    return Recorder(tuple(answers["weight"].astype(int).tolist()))


def answer(number: int) -> Answer:
    """The weight names the answer, so that the recorder can tell them apart."""
    return Answer(
        f"a{number}", Question(f"q{number}", "a", "b", "me"), "left", float(number + 1), place=number
    )


class Later(Executor):
    """An executor that computes when the result is asked for, and says at random times that it is done."""

    def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        return _Later(work, arguments)


class _Later(Future[Any]):
    def __init__(self, work: Any, arguments: Any) -> None:
        super().__init__()
        self._work, self._arguments, self._polls = work, arguments, 0

    def done(self) -> bool:
        self._polls += 1
        if self._polls == 3 and not super().done():
            self._compute()
        return super().done()

    def result(self, timeout: float | None = None) -> Any:
        if not super().done():
            self._compute()
        return super().result(timeout)

    def _compute(self) -> None:
        try:
            self.set_result(self._work(*self._arguments))
        except np.linalg.LinAlgError as error:
            self.set_exception(error)


def content(belief: Any) -> tuple[tuple[int, ...], list[int]]:
    return belief.base, belief.since


def numbered(count: int) -> Encoded:
    return ENCODE([answer(number) for number in range(count)])


def reference(answers: Encoded, schedule: Schedule = USUAL) -> tuple[tuple[int, ...], list[int]]:
    """The last start in force, and the answers since."""
    base = [refit.count for refit in schedule.refits(len(answers)) if refit.effective <= len(answers)][-1]
    numbers = answers["weight"].astype(int).tolist()
    return tuple(numbers[:base]), numbers[base:]


@pytest.mark.parametrize("schedule", [USUAL, QUICK, MANY, SLOW, LINKED])
@pytest.mark.parametrize("count", [0, 1, 8, 10, 11, 100, 199, 240, 777])
def test_the_belief_is_the_last_start_and_the_answers_since(count: int, schedule: Schedule) -> None:
    """Learning one by one, jumping, and computing ahead give what the definition says."""
    answers, wanted = numbered(count), {"schedule": schedule}
    expected = reference(answers, **wanted)
    assert content(Learning(start, **wanted).advance(answers)) == expected
    assert content(Learning(start, **wanted).jump(answers)) == expected
    with ThreadPoolExecutor(1) as threads:
        assert content(Learning(start, threads, **wanted).advance(answers)) == expected


@pytest.mark.parametrize("schedule", [USUAL, QUICK, MANY, SLOW, LINKED])
def test_starts_take_effect_before_the_next_begins(schedule: Schedule) -> None:
    """Each start is in force before the next: after a fifth more answers, or more of many."""
    points = list(schedule.refits(200_000))
    assert all(
        0 <= refit.effective - refit.count < later.count - refit.count for refit, later in _pairs(points)
    )
    for refit, later in _pairs(points):
        early = 0.4 if schedule is LINKED else 0.2
        growth = (
            early if refit.count < 300 else {MANY: 0.8, QUICK: 0.8, SLOW: 0.2, LINKED: 1.0}.get(schedule, 0.4)
        )
        most = {MANY: 800.0, QUICK: 800.0, LINKED: 1200.0}.get(schedule, 400.0)
        most += {QUICK: 0.1}.get(schedule, 0.01) * refit.count
        assert later.count - refit.count <= max(
            min(refit.count * growth, most), 16 if schedule is LINKED else 8
        )


def _pairs(points: list[Any]) -> list[tuple[Any, Any]]:
    return list(pairwise(points))


@settings(deadline=None, max_examples=60)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["add", "remove", "restore", "look"]), st.integers(0, 10_000)), max_size=80
    ),
    first=st.integers(0, 150),
    ahead=st.booleans(),
)
def test_undo_and_its_undo_leave_no_trace(steps: list[tuple[str, int]], first: int, ahead: bool) -> None:
    """After any history of answers added, removed and restored, belief and predictions are those of the answers."""
    live, learning = LiveAnswers(), Learning(start, Later() if ahead else None)
    removed: list[Answer] = []
    for number in range(first):
        live.add(answer(number))
    place = first
    for kind, choice in steps:
        if kind == "add":
            live.add(answer(place))
            place += 1
        elif kind == "remove" and len(live):
            chosen = live.answers[choice % len(live)]
            live.remove(chosen)
            removed.append(chosen)
        elif kind == "restore" and removed:
            live.add(removed.pop(choice % len(removed)))
        else:
            learning.advance(ENCODE(live.answers), live.mark())
    answers = ENCODE(live.answers)
    assert content(learning.advance(answers, live.mark())) == reference(answers)
    fresh = Learning(start)
    fresh.advance(answers)
    known, wanted = learning.predicted(), fresh.predicted()
    assert wanted is not None
    if known is None:  # an old answer was taken back
        return
    assert np.array_equal(known.probability, wanted.probability)
    assert np.array_equal(known.outcome, wanted.outcome)


def test_undoing_a_recent_answer_replays_few() -> None:
    """States kept along the log bound what an undo costs: few answers for a recent one, no start."""
    starts: list[int] = []

    def counted(answers: Encoded) -> Any:
        starts.append(len(answers))
        return start(answers)

    answers = numbered(5000)
    learning = Learning(counted)
    learning.advance(answers)
    starts.clear()
    shorter = np.delete(answers, -2)
    learning.advance(shorter, len(answers) - 2)
    assert starts == []
    assert content(learning.advance(shorter)) == reference(shorter)
    old = np.delete(shorter, 100)
    learning.advance(old, 100)
    assert len(starts) == 1
    assert content(learning.advance(old)) == reference(old)


@pytest.mark.parametrize("ahead", [False, True])
def test_a_start_that_fails_is_left_out(ahead: bool) -> None:
    """The belief before it goes on, and whoever folds the answers anew gets the same."""

    def failing(answers: Encoded) -> Any:
        if 16 <= len(answers) < 40:
            raise np.linalg.LinAlgError("not positive definite")
        return start(answers)

    for count in (18, 30, 60):
        answers = numbered(count)
        one_by_one = Learning(failing, Later() if ahead else None)
        for length in range(count + 1):
            belief = one_by_one.advance(answers[:length])
        assert content(belief) == content(Learning(failing).jump(answers))
        assert len(content(belief)[0]) == (8 if count < 40 else 57)


def test_a_start_that_is_late_catches_up_in_the_background() -> None:
    """Ready ten turns before it takes effect, the many answers since are learned in the background, two in a turn."""
    refit = next(refit for refit in LINKED.refits(400) if refit.count == 338)
    future: Future[Any] = Future()
    behind: list[int] = []

    class Background:
        def submit(self, work: Any, /, *arguments: Any) -> Future[Any]:
            if len(arguments) == 1 and len(arguments[0]) == refit.count:
                return future
            if len(arguments) == 2:
                behind.append(len(arguments[1]))
            ready: Future[Any] = Future()
            ready.set_result(work(*arguments))
            return ready

    answers = numbered(refit.effective)
    learning = Learning(start, Background(), schedule=LINKED)
    learning.advance(answers[: refit.effective - 10])
    behind.clear()
    late = start(answers[: refit.count])
    future.set_result(late)
    learned = []
    for count in range(refit.effective - 9, refit.effective + 1):
        belief = learning.advance(answers[:count])
        learned.append(len(late.since))
    assert belief is late
    assert content(late) == reference(answers, LINKED)
    assert behind == [refit.effective - 18 - refit.count]
    assert learned == list(range(behind[0], refit.effective - refit.count + 1, 2))


class Slow:
    """A background whose starts are ready once they were waited for long enough; other work is done at once."""

    def __init__(self, seconds: float) -> None:
        self.left, self.waits, self.replayed = seconds, list[float](), 0
        self._begun: list[tuple[Future[Any], Any, Any]] = []

    def submit(self, work: Any, /, *arguments: Any) -> Future[Any]:
        found = _Unready()
        if len(arguments) == 1 and self.left > 0:
            self._begun.append((found, work, arguments))
        else:
            found.set_result(work(*arguments))
            self.replayed += len(arguments[1]) if len(arguments) == 2 else 0
        return found

    def wait(self, futures: list[Future[Any]], timeout: float | None = None) -> None:
        """Stand for `concurrent.futures.wait`."""
        (future,) = futures
        if future.done():
            return
        self.waits.append(self.left if timeout is None else min(timeout, self.left))
        self.left -= self.waits[-1]
        if self.left <= 0:
            for found, work, arguments in self._begun:
                found.set_result(work(*arguments))
            self._begun.clear()


class _Unready(Future[Any]):
    def result(self, timeout: float | None = None) -> Any:
        assert self.done(), "a turn waits for the whole start"
        return super().result(timeout)


@pytest.mark.parametrize(("count", "seconds"), [(64, 2.0), (173, 3.0), (676, 4.0), (1352, 7.0)])
def test_a_slow_start_holds_up_every_turn_a_little(
    count: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However fast answers come, no turn waits for all of a start that takes so many seconds, and none learns much."""
    refit = next(refit for refit in LINKED.refits(2000) if refit.count == count)
    answers = numbered(refit.effective)
    learning, slow = Learning(start, schedule=LINKED), Slow(seconds)
    learning.advance(answers[: count - 1])
    learning._background = slow
    monkeypatch.setattr(module, "wait", slow.wait)
    learned = [0]
    for length in range(count, refit.effective + 1):
        belief = learning.advance(answers[:length])
        coming = learning._coming
        if coming is not None and coming.future.done():
            learned.append(len(coming.future.result().since) - slow.replayed)
    assert content(belief) == reference(answers, LINKED)
    assert len(belief.since) - slow.replayed - learned[-1] <= 4
    assert max(slow.waits) <= longest_wait(refit, refit.effective)
    assert sum(slow.waits) == pytest.approx(seconds)
    assert max(np.diff(learned)) <= 4


def test_no_turn_waits_for_a_start_that_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does one while none is under way."""
    slow = Slow(0.0)
    learning, answers = Learning(start, slow, schedule=LINKED), numbered(600)
    monkeypatch.setattr(module, "wait", slow.wait)
    for length in range(600):
        learning.advance(answers[:length])
    assert slow.waits == []


def test_an_undo_keeps_a_start_that_is_under_way() -> None:
    """The last answers are not in it yet: it need not be made again, and takes effect where it would have."""
    refit = next(refit for refit in LINKED.refits(700) if refit.count == 676)
    begun: list[int] = []

    class Background:
        def submit(self, work: Any, /, *arguments: Any) -> Future[Any]:
            if len(arguments) == 1:
                begun.append(len(arguments[0]))
            ready: Future[Any] = Future()
            ready.set_result(work(*arguments))
            return ready

    answers = numbered(refit.effective + 40)
    learning = Learning(start, Background(), schedule=LINKED)
    learning.advance(answers[: refit.count - 1])
    begun.clear()
    for length in (refit.count + 1, refit.effective - 200, refit.effective - 30):
        for more in range(16):
            learning.advance(answers[: length + more])
        shorter = np.delete(answers, slice(length, length + 16))
        assert content(learning.advance(shorter[:length], length)) == reference(shorter[:length], LINKED)
        answers = shorter
    assert content(learning.advance(answers)) == reference(answers, LINKED)
    assert begun == [refit.count]
    old = np.delete(answers, refit.count - 1)
    assert content(learning.advance(old, refit.count - 1)) == reference(old, LINKED)


@pytest.mark.parametrize(("left", "waited"), [(200, False), (64, True), (1, True)])
def test_a_restored_belief_has_the_next_start_made_with_the_first_question(
    left: int, waited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is begun when the study is to go on, and waited for half a second where it is used a few answers later."""
    refit = next(refit for refit in LINKED.refits(700) if refit.count == 676)
    answers, slow = numbered(refit.effective), Slow(3.0)
    before = Learning(start, schedule=LINKED)
    belief = before.advance(answers[:-left])
    learning = Learning(start, slow, schedule=LINKED)
    learning.restore(belief, before.count, before.base, None)
    monkeypatch.setattr(module, "wait", slow.wait)
    learning.advance(answers[:-left])
    assert slow.left == 3.0
    assert learning._coming is None
    learning.prepare(answers[:-left])
    assert learning._coming is not None
    assert slow.waits == ([0.5] if waited else [])
    slow.wait([learning._coming.future])
    learning.prepare(answers[:-left])
    assert content(learning.advance(answers)) == reference(answers, LINKED)


def test_a_jump_begins_the_start_that_comes_next() -> None:
    """A study that is opened between a start and its use has as much time for it as its own opening takes."""
    refit = next(refit for refit in LINKED.refits(700) if refit.count == 676)
    begun: list[int] = []

    class Background:
        def submit(self, work: Any, /, *arguments: Any) -> Future[Any]:
            if len(arguments) == 1:
                begun.append(len(arguments[0]))
            ready: Future[Any] = Future()
            ready.set_result(work(*arguments))
            return ready

    answers = numbered(refit.effective)
    learning = Learning(start, Background(), schedule=LINKED)
    assert content(learning.jump(answers[:-100])) == reference(answers[:-100], LINKED)
    assert begun == [refit.count]
    assert content(learning.advance(answers)) == reference(answers, LINKED)
    assert begun == [refit.count]


def test_a_study_that_was_closed_keeps_nobody_waiting_for_a_start() -> None:
    """A start that was cancelled before it began is never ready, and no question waits for it without end."""

    class Closed:
        def submit(self, work: Any, /, *arguments: Any) -> Future[Any]:
            given_up: Future[Any] = Future()
            assert given_up.cancel()
            return given_up

    refit = next(refit for refit in LINKED.refits(700) if refit.count == 676)
    answers = numbered(refit.effective - 1)
    learning = Learning(start, Closed(), schedule=LINKED)
    learning.restore(Learning(start, schedule=LINKED).advance(answers), len(answers), 0, None)
    learning.prepare(answers)
    assert learning._coming is not None
    assert not learning._coming.is_ready()


def test_a_start_that_cannot_learn_an_answer_is_left_out_in_the_turns_too() -> None:
    """As where it learns in the background: the belief before it goes on, and the question is asked."""
    refit = next(refit for refit in USUAL.refits(400) if refit.count > 300)

    class Failing(Recorder):
        def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
            raise np.linalg.LinAlgError("no")

    def starting(answers: Encoded) -> Any:
        return Failing(()) if len(answers) == refit.count else start(answers)

    class Background:
        def submit(self, work: Any, /, *arguments: Any) -> Future[Any]:
            ready: Future[Any] = Future()
            ready.set_result(work(*arguments))
            return ready

    answers = numbered(refit.effective + 1)
    learning = Learning(starting, Background(), schedule=USUAL)
    for length in range(len(answers) + 1):
        learning.advance(answers[:length])
    assert learning.base < refit.count
    assert learning.count == len(answers)
