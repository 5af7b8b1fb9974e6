"""A study of paired comparisons: ask, tell, undo and rank.

Everything that happens is first written to the log as an event, and the state of the study is the fold of those events.
It can therefore be closed, or be ended by a crash, at any moment, and be opened again.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from threading import Condition, RLock
from typing import Any, Self

import numpy as np

from penchant.ask import Settled, next_pair, settled
from penchant.ask.stopping import last_look
from penchant.belief import Belief
from penchant.errors import Conflict, InvalidInput
from penchant.preferences import Preferences
from penchant.ranking import Ranking
from penchant.store import Closing, Inspection, SQLiteLog, inspect
from penchant.study.events import ANSWERED, ASKED, CREATED, ITEMS, UNDONE, newest
from penchant.study.items import Item, checked_items, item_parts
from penchant.study.settings import ASKING_PRIOR, MODELS, PairedModel, asking_kept, model_named
from penchant.study.state import Answer, Question, State, checked_choice
from penchant.study.tokens import Tokens
from penchant.text import first_hidden, visible
from penchant.worth.paired import LEARNED

MOST_SETTLED = 500
"""Studies of more items have no stopping rule: inference from all answers would take too long for a page."""
LEASE = 600.0
"""Seconds for which a question is reserved for one judge; after that its pair may be asked of another."""


class Study(Closing):
    """Items, the questions asked about them, every answer, and the ranking that follows.

    Make one with `Study.create`, or open an existing one with `Study.open`; close it, or use it in a
    ``with`` statement. One process writes to a study at a time; its threads may share it.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "drinks.db"
    >>> with Study.create(place, ["tea", "coffee", "water"], seed=1) as study:
    ...     question = study.ask("ann")
    ...     answer = study.tell(question, "left")
    ...     study.rank().top(1) == (question.left,)
    True
    >>> with Study.open(place) as study:
    ...     undone = study.undo()
    ...     study.progress()
    '0 answers; 3 of 3 items not seen yet'
    """

    def __init__(self, log: SQLiteLog, *, clock: Callable[[], float] = time.time) -> None:
        self._log = log
        self._clock = clock
        self._lock = RLock()
        self._asked = Condition(self._lock)
        self._pending: dict[
            str, tuple[str, str]
        ] = {}  # by judge: the pair that is being written as a question
        self._being_answered: dict[
            str, list[str]
        ] = {}  # by question: the ids of answers that are being written
        self._state = State()
        self._fitted: tuple[int, PairedModel] | None = None
        self._choosing: tuple[int, PairedModel] | None = None
        self._settled: tuple[tuple[str, ...], Settled] | None = None
        self._catch_up()
        if not self._state.settings:
            raise InvalidInput(
                "the log must begin with how the study was made, got none: make it with Study.create"
            )
        self._state.check_whole()
        self.tokens = Tokens(log.tokens, clock)
        """Who may use the study over HTTP: see `Tokens`."""

    @classmethod
    def create(
        cls,
        path: str | Path,
        items: Iterable[object],
        *,
        kind: str = "compare",
        model: str | PairedModel | None = None,
        top: int | None = None,
        forbidden: Iterable[tuple[str, str]] = (),
        title: str = "",
        seed: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Make a new study in a new file.

        Parameters
        ----------
        path : str or Path
            The file, which must not exist yet.
        items : iterable
            Texts, `Item`s, or mappings with title (or name, or item) and perhaps id and text.
        kind : {"compare"}
            What judges are asked: which of two items is better.
        model : {"bradley-terry", "thurstone"} or a model, optional
            The model of worth; Bradley–Terry by default.
        top : int, optional
            How many items are to be found; questions are then about which items these are. None: the whole order.
        forbidden : iterable of pairs of ids
            Pairs that are never asked about.
        title : str
            What judges see above the questions.
        seed : int, optional
            Seed of the sides on which items are shown; random if not given, and recorded.
        """
        if kind != "compare":
            raise InvalidInput(f"kind must be 'compare', got {kind!r}: other kinds of study do not exist yet")
        listed = checked_items(items)
        settings = {
            "kind": kind,
            "title": _checked_title(title, Path(path).stem),
            "model": model_named(model),
            "asking": asking_kept([item.id for item in listed], top, forbidden),
            "seed": secrets.randbits(32) if seed is None else _checked_seed(seed),
        }
        parts = [
            (f"items-{number}", ITEMS, {"items": part}, newest(ITEMS))
            for number, part in enumerate(item_parts(listed))
        ]
        log = SQLiteLog.create(path, [("created", CREATED, settings, newest(CREATED)), *parts], clock=clock)
        try:
            return cls(log, clock=clock)
        except BaseException:
            log.close()
            raise

    @classmethod
    def open(cls, path: str | Path, *, write: bool = True, clock: Callable[[], float] = time.time) -> Self:
        """Open an existing study; with ``write=False`` only to read, also while another process writes."""
        log = SQLiteLog.open(path, write=write, clock=clock)
        try:
            return cls(log, clock=clock)
        except BaseException:
            log.close()
            raise

    def close(self) -> None:
        """Wait for pending writes and close the file."""
        self._log.close()

    def backup(self, path: str | Path, *, replace: bool = False) -> None:
        """Copy the study to another file while it is used; links to the study work with the copy too.

        Parameters
        ----------
        path : str or Path
            The copy, which appears whole or not at all.
        replace : bool, default False
            Whether an existing file may be replaced.
        """
        self._log.backup(path, replace=replace)

    @staticmethod
    def restore(backup: str | Path, path: str | Path, *, replace: bool = False) -> None:
        """Make a study from a backup, after reading every event of the backup.

        Parameters
        ----------
        backup : str or Path
            A copy made by `backup`.
        path : str or Path
            Where the study is to be.
        replace : bool, default False
            Whether an existing study may be replaced; it is kept beside the new one as ``PATH.replaced``.
        """
        with Study.open(backup, write=False):
            SQLiteLog.restore(backup, path, replace=replace)

    @staticmethod
    def inspect(path: str | Path) -> Inspection:
        """Report what can be read of a study's file, even if it is damaged and cannot be opened."""
        return inspect(path)

    def problem(self) -> str | None:
        """Return why answers cannot be written now (the disk is full, say), or None where they can."""
        return self._log.problem()

    # -- the loop ------------------------------------------------------------------------------------------

    def ask(self, judge: str = "me") -> Question:
        """Return the next question for ``judge``: the oldest open one again, or the pair most worth asking about.

        A question is open until it is answered, and again when its answer is taken back.
        """
        _checked_judge(judge)
        with self._lock:
            while (
                judge in self._pending
            ):  # another thread is asking this judge: there is one question for both
                self._asked.wait()
            self._catch_up()
            for question in reversed([*self._recent_questions()]):
                if question.judge == judge and self._is_open(question):
                    return question
            left, right = self._pending[judge] = self._chosen(judge)
        question_id = f"q-{secrets.token_hex(8)}"
        content = {"left": left, "right": right, "judge": judge}
        try:
            self._log.append_all([(question_id, ASKED, content, newest(ASKED))])
        finally:
            with self._lock:
                del self._pending[judge]
                self._asked.notify_all()
                self._catch_up()
        return self._state.questions[question_id]

    def tell(self, question: Question | str, choice: str, *, event_id: str | None = None) -> Answer:
        """Record the answer to a question: left, right, tie, both_bad or skip.

        The same ``event_id`` with the same answer again changes nothing and returns the first one; with
        another answer it is an error. When this returns, the answer is on disk.
        """
        checked_choice(choice)
        asked_id = question.id if isinstance(question, Question) else question
        if not isinstance(asked_id, str):
            raise InvalidInput(
                f"question must be a Question or its id, got {type(asked_id).__name__}: ask for one"
            )
        answer_id = event_id or f"a-{secrets.token_hex(8)}"
        with self._reserved(asked_id, answer_id):
            content = {"question": asked_id, "choice": choice}
            self._log.append_all([(answer_id, ANSWERED, content, newest(ANSWERED))])
        return self._state.answers[answer_id]

    def undo(
        self, event_id: str | None = None, *, judge: str | None = None, undo_id: str | None = None
    ) -> str:
        """Take an event back: an answer, or an earlier undo, which then counts again.

        Parameters
        ----------
        event_id : str, optional
            What to take back; without it, the last answer that stands.
        judge : str, optional
            Take back only answers of this judge.
        undo_id : str, optional
            The id of the undo itself; the same one again changes nothing.

        Returns
        -------
        str
            The id of the undo.
        """
        with self._lock:
            self._catch_up()
            if undo_id in self._state.undos:
                if event_id not in (None, self._state.undos[undo_id]):
                    raise Conflict(f"undo {undo_id!r} already took back another event: use a new id")
                return undo_id
            target = event_id if event_id is not None else self._last_answer(judge)
            self._check_undo(target, judge)
            new_id = undo_id or f"u-{secrets.token_hex(8)}"
            self._log.append_all([(new_id, UNDONE, {"event": target}, newest(UNDONE))])
            self._catch_up()
        return new_id

    def rank(self, *, level: float = 0.95) -> Ranking:
        """Return the ranking that follows from the answers that stand."""
        return self.belief().rank(level=level)

    # -- state --------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """What judges see above the questions."""
        return str(self._state.settings["title"])

    @property
    def top(self) -> int | None:
        """How many items are to be found; None: the whole order."""
        top: int | None = self._state.settings["asking"]["top"]
        return top

    @property
    def items(self) -> dict[str, Item]:
        """The items by id, in the order in which they were given."""
        return self._state.items

    def preferences(self) -> Preferences:
        """Return the answers that stand."""
        with self._lock:
            self._catch_up()
            return self._state.preferences()

    def question(self, question_id: str) -> Question:
        """Return a question that was asked."""
        with self._lock:
            self._catch_up()
            return self._state.question(question_id)

    def find_question(self, question_id: str) -> Question | None:
        """Return the question of this id, or None where there is none."""
        with self._lock:
            self._catch_up()
            return self._state.questions.get(question_id)

    def is_answered(self, question: Question) -> bool:
        """Return whether an answer to the question stands."""
        with self._lock:
            self._catch_up()
            return self._state.is_answered(question.id)

    def has_answer(self, event_id: str) -> bool:
        """Return whether an answer has this id, taken back or not."""
        with self._lock:
            self._catch_up()
            return event_id in self._state.answers

    def question_behind(self, event_id: str) -> Question:
        """Return the question that an answer, or the undo of one, is about."""
        with self._lock:
            self._catch_up()
            return self._state.answer_behind(event_id).question

    def answers(self) -> list[Answer]:
        """Return the answers that stand, in the order in which they came."""
        with self._lock:
            self._catch_up()
            return list(self._state.live_answers())

    def belief(self) -> Belief:
        """Return the posterior over the items that the answers give, from which the ranking and `settled` follow."""
        return self.model()

    def model(self) -> PairedModel:
        """Return the model, fitted to the answers that stand."""
        with self._lock:
            self._catch_up()
            if self._fitted is None or self._fitted[0] != self._state.version:
                self._fitted = self._state.version, self._learned(self._state.preferences())
            return self._fitted[1]

    def _asking_model(self) -> PairedModel:
        """Return the model that chooses questions: with a given prior, which is faster than learning it."""
        if self._state.settings["model"]["settings"]["prior"] != LEARNED:
            return self.model()
        with self._lock:
            self._catch_up()
            if self._choosing is None or self._choosing[0] != self._state.version:
                self._choosing = (
                    self._state.version,
                    self._learned(self._state.preferences(), prior=ASKING_PRIOR),
                )
            return self._choosing[1]

    def _learned(self, preferences: Preferences, **settings: Any) -> PairedModel:
        """Return the model with ``settings`` of its own, fitted without warnings; the ranking has the caveats."""
        model = self._state.settings["model"]
        return MODELS[model["name"]](**{**model["settings"], **settings}).update(preferences)

    def progress(self) -> str:
        """Return a sentence about the number of answers and of items not seen yet."""
        answers = self.answers()
        seen = np.zeros(len(self.items), dtype=np.int64)
        number = {item: index for index, item in enumerate(self.items)}
        for answer in answers:
            if answer.choice != "skip":
                seen[[number[answer.question.left], number[answer.question.right]]] += 1
        counted = f"{len(answers)} answer{'' if len(answers) == 1 else 's'}"
        unseen = int((seen == 0).sum())
        if unseen:
            return f"{counted}; {unseen} of {len(seen)} items not seen yet"
        least = {1: "once", 2: "twice"}.get(int(seen.min()), f"{seen.min()} times")
        return f"{counted}; every item seen at least {least}"

    def settled(self) -> Settled | None:
        """Return how near the ranking is to its goal and the estimated remaining answers; None while it is too early.

        It is evaluated when there is one answer an item, and again each time the answers have grown by a
        twentieth; it is not evaluated for more than 500 items.
        """
        with self._lock:
            self._catch_up()
            answers = [answer for answer in self._state.live_answers() if answer.choice != "skip"]
            count = last_look(len(self.items), len(answers))
            if not count or len(self.items) > MOST_SETTLED:
                return None
            used = tuple(answer.id for answer in answers[:count])
            if self._settled is not None and self._settled[0] == used:
                return self._settled[1]
            preferences = self._state.preferences()[:count]
        found = settled(self._learned(preferences), top=self.top)
        with self._lock:
            self._settled = used, found
        return found

    # -- private -------------------------------------------------------------------------------------------

    def _catch_up(self) -> None:
        for event in self._log.events(after=self._state.number):
            self._state.apply(event)

    def _is_open(self, question: Question) -> bool:
        return question.id not in self._being_answered and not self._state.is_answered(question.id)

    def _chosen(self, judge: str) -> tuple[str, str]:
        """Choose the pair, and which of the two is shown on the left."""
        ids = list(self._state.items)
        number = {item: index for index, item in enumerate(ids)}
        avoid = {
            (min(number[left], number[right]), max(number[left], number[right]))
            for left, right in self._taken(judge)
        }
        asking = self._state.settings["asking"]
        top = asking["top"]
        first, second = next_pair(
            self._asking_model(),
            rule="order" if top is None else "top",
            top=top,
            avoid=avoid,
            forbidden=[(number[low], number[high]) for low, high in asking["forbidden"]],
        )
        return self._sides(ids[first], ids[second])

    def _sides(self, first: str, second: str) -> tuple[str, str]:
        """Return the left and the right item: random the first time, and swapped each time the pair is repeated."""
        before = self._state.shown_last.get(frozenset((first, second)))
        if before is not None:
            return before.right, before.left
        coin = np.random.default_rng([self._state.settings["seed"], self._state.number, len(self._pending)])
        return (first, second) if coin.random() < 0.5 else (second, first)

    def _taken(self, judge: str) -> Iterator[tuple[str, str]]:
        """Yield the pairs of open questions, and those of the last questions to ``judge``."""
        yield from self._pending.values()
        for question in self._state.asked_last.get(judge, ()):
            yield question.left, question.right
        for question in self._recent_questions():
            if self._is_open(question):
                yield question.left, question.right

    def _recent_questions(self) -> Iterator[Question]:
        """Return the questions whose lease has not run out, the last first."""
        now = self._clock()
        return takewhile(
            lambda question: now - question.time < LEASE, reversed(self._state.questions.values())
        )

    @contextmanager
    def _reserved(self, question_id: str, answer_id: str) -> Iterator[None]:
        """Reserve a question while an answer is written; `Conflict` if it has another answer."""
        with self._lock:
            self._catch_up()
            self._state.question(question_id)
            waiting = self._being_answered.get(question_id, [])
            taken = self._state.is_answered(question_id) and answer_id not in self._state.answers
            if taken or any(waiting_id != answer_id for waiting_id in waiting):
                raise Conflict(
                    f"question {question_id!r} is answered already: undo that answer, or ask for a new one"
                )
            self._being_answered[question_id] = [*waiting, answer_id]
        try:
            yield
        finally:
            with self._lock:
                self._being_answered[question_id].remove(answer_id)
                if not self._being_answered[question_id]:
                    del self._being_answered[question_id]
                self._catch_up()

    def _last_answer(self, judge: str | None) -> str:
        for answer in reversed(self._state.answers.values()):
            if self._state.is_live(answer.id) and judge in (None, answer.question.judge):
                return answer.id
        raise InvalidInput("undo needs an answer that stands, got none: answer a question first")

    def _check_undo(self, target: str, judge: str | None) -> None:
        state = self._state
        if target not in state.answers and target not in state.undos:
            raise InvalidInput(
                f"event {target!r} must be an answer or an undo, got an unknown one: list the answers"
            )
        if not state.is_live(target):
            raise Conflict(f"event {target!r} is taken back already: undo the undo to restore it")
        answer = state.answer_behind(target)
        if judge not in (None, answer.question.judge):
            raise InvalidInput(
                f"event {target!r} must be {judge!r}'s own to be taken back, got somebody else's"
            )
        if not state.is_live(answer.id) and state.is_answered(answer.question.id):
            raise Conflict(f"the question of {answer.id!r} was answered anew since: undo that answer first")


def _checked_judge(judge: Any) -> None:
    if not isinstance(judge, str) or not 0 < len(judge.strip()) <= 100:
        raise InvalidInput.of("judge", "be a name of 1 to 100 characters", repr(judge), "give a name")
    hidden = first_hidden(judge)
    if hidden is not None:
        raise InvalidInput.of("judge", "be a name without control characters", hidden, "remove it")


def _checked_seed(seed: Any) -> int:
    if not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise InvalidInput(f"seed must be an integer from 0, got {seed!r}: leave it out for one by chance")
    return seed


def _checked_title(title: Any, otherwise: str) -> str:
    if not isinstance(title, str):
        raise InvalidInput.of("title", "be a string", type(title).__name__, "use str()")
    chosen: str = title or visible(otherwise)
    hidden = first_hidden(chosen)
    if hidden is not None:
        limit = "not hold control characters or direction overrides"
        raise InvalidInput.of("title", limit, hidden, "remove it")
    return chosen
