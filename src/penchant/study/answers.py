"""Questions and answers of a study, the answers that count, and the questions that are open."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from penchant.study.pair_codes import PairCodes
from penchant.text import first_hidden

SKIP = "skip"
NOBODY = ""
"""The judge of imported answers that name none."""
LONGEST_JUDGE = 100


def is_judge(name: Any) -> bool:
    r"""Whether this is the name of a judge: 1 to 100 characters, not all blank, none that changes how text is shown.

    Examples
    --------
    >>> is_judge("Zoë"), is_judge(" "), is_judge("a\x07")
    (True, False, False)
    """
    return isinstance(name, str) and 0 < len(name.strip()) <= LONGEST_JUDGE and first_hidden(name) is None


class Question(NamedTuple):
    """Two items, shown left and right to one judge; ``repeats`` is an earlier question about the same pair.

    Examples
    --------
    >>> question = Question("q-1", "tea", "coffee", "ann")
    >>> question.left, question.right, question.judge
    ('tea', 'coffee', 'ann')
    """

    id: str
    left: str
    right: str
    judge: str
    time: float = 0.0
    repeats: str | None = None


class Answer(NamedTuple):
    """The choice of a judge in answer to a question, under the id of its event.

    Attributes
    ----------
    id : str
    question : Question
    choice : {"left", "right", "tie", "both_bad", "skip"}
    weight : float
        1 unless the answer was imported with another weight.
    time : float
        When the event was written, in seconds since 1970.
    place : int
        The place of the answer among all answers of the log.
    imported : bool
        Whether it was given elsewhere.
    sides : bool
        Whether left and right say where the items stood.

    Examples
    --------
    >>> Answer("a-1", Question("q-1", "tea", "coffee", "ann"), "left").choice
    'left'
    """

    id: str
    question: Question
    choice: str
    weight: float = 1.0
    time: float = 0.0
    place: int = 0
    imported: bool = False
    sides: bool = True


class Turn(NamedTuple):
    """An answer, and the next question to the same judge; None where there is nothing to ask.

    ``ahead`` are the questions that come after it, where they were asked for.

    Examples
    --------
    >>> answer = Answer("a-1", Question("q-1", "tea", "coffee", "ann"), "left")
    >>> Turn(answer, Question("q-2", "water", "tea", "ann")).question.left
    'water'
    """

    answer: Answer
    question: Question | None
    ahead: tuple[Question, ...] = ()


_place = attrgetter("place")


@dataclass
class LiveAnswers:
    """The answers that count, in log order, and how many of the first ones are unchanged.

    Attributes
    ----------
    answers : list of Answer
    unchanged : int
        The first ``unchanged`` answers are those that were there when `mark` was last called.
    revision : int
        How often anything else happened than that an answer was added at the end.
    """

    answers: list[Answer] = field(default_factory=list)
    unchanged: int = 0
    revision: int = 0

    def __len__(self) -> int:
        return len(self.answers)

    def add(self, answer: Answer) -> None:
        """Add an answer at its place."""
        answers = self.answers
        if not answers or answer.place > answers[-1].place:
            answers.append(answer)
            return
        index = self._index(answer)
        answers.insert(index, answer)
        self._revise(index)

    def remove(self, answer: Answer) -> None:
        """Remove an answer."""
        index = self._index(answer)
        del self.answers[index]
        self._revise(index)

    def replace(self, answers: list[Answer]) -> None:
        """Replace all answers by others of the same log."""
        same = 0
        for before, after in zip(self.answers, answers, strict=False):
            if before is not after:
                break
            same += 1
        self.answers = answers
        self._revise(same)

    def _index(self, answer: Answer) -> int:
        """Return how many answers come before this one in the log."""
        return bisect_left(self.answers, answer.place, key=_place)

    def _revise(self, index: int) -> None:
        self.unchanged = min(self.unchanged, index)
        self.revision += 1

    def mark(self) -> int:
        """Return how many of the first answers are unchanged since the last call."""
        unchanged, self.unchanged = self.unchanged, len(self.answers)
        return unchanged


class OpenQuestions:
    """The questions without an answer, by judge, oldest first; those whose lease has run out are dropped when met.

    Questions are sorted in when somebody asks for them: nearly all of those in a log have their answer by then.

    Parameters
    ----------
    lease : float
        Seconds for which a question is reserved for its judge.
    """

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._new: dict[str, tuple[Question, int]] = {}  # with the code of its pair, and not sorted in yet
        self._open: dict[str, Question] = {}
        self._codes: dict[str, int] = {}
        self._counts: Counter[int] = Counter()
        self._pairs = PairCodes()  # those that are counted
        self._first, self._last = math.inf, -math.inf  # no question is older or newer
        self._by_judge: dict[str, dict[str, Question]] = {}

    def add(self, question: Question, code: int) -> None:
        """Open a question, for the first time or again; ``code`` stands for its pair."""
        self._new[question.id] = question, code

    def close(self, question: Question) -> None:
        """Close a question that was answered."""
        if self._new.pop(question.id, None) is None or question.id in self._open:
            self._take_out(question)

    def of(self, judge: str, now: float) -> Iterator[Question]:
        """Yield the questions that are reserved for a judge at the time ``now``."""
        self._sort_in()
        return self._reserved(list(self._by_judge.get(judge, {}).values()), now)

    def all(self, now: float) -> Iterator[Question]:
        """Yield the questions that are reserved for any judge at the time ``now``."""
        self._sort_in()
        return self._reserved(list(self._open.values()), now)

    def codes(self, now: float) -> PairCodes:
        """Return the codes of the pairs of those questions, which change with them.

        This is called for each question that is asked: it looks at all that are open only where one may have run out.
        """
        self._sort_in()
        if self._open and not (self._last - self._lease < now < self._first + self._lease):
            times = [question.time for question in self.all(now)]
            self._first, self._last = min(times, default=math.inf), max(times, default=-math.inf)
        return self._pairs

    def _sort_in(self) -> None:
        if not self._new:
            return
        new, self._new = self._new, {}
        for id, (question, code) in new.items():
            if id not in self._open:
                self._counts[code] += 1
                self._pairs.add(code)
            self._open[id], self._codes[id] = question, code
            self._first, self._last = min(self._first, question.time), max(self._last, question.time)
            self._by_judge.setdefault(question.judge, {})[id] = question

    def _take_out(self, question: Question) -> None:
        if self._open.pop(question.id, None) is not None:
            code = self._codes.pop(question.id)
            self._counts[code] -= 1
            if not self._counts[code]:
                del self._counts[code]
                self._pairs.discard(code)
            of_judge = self._by_judge[question.judge]
            del of_judge[question.id]
            if not of_judge:
                del self._by_judge[question.judge]

    def _reserved(self, questions: list[Question], now: float) -> Iterator[Question]:
        for question in questions:
            # A clock that was set back must not reserve questions for longer.
            if abs(now - question.time) < self._lease:
                yield question
            else:
                self.close(question)
