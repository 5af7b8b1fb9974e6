"""A study of paired comparisons: ask, tell, undo and rank."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self

from penchant.ask import Settled
from penchant.ask.wishes import code_of
from penchant.belief import Belief
from penchant.checks import whole
from penchant.errors import Conflict, InvalidInput
from penchant.preferences import Preferences
from penchant.ranking import Ranking
from penchant.store import EventLog, PostgresAddress, SideRows, create_log, located
from penchant.store.side import context_hash
from penchant.store.table import SALT_SIZE
from penchant.study.answers import LONGEST_JUDGE, Answer, Question, Turn
from penchant.study.asking import Asking, check_askable
from penchant.study.current import CurrentBelief
from penchant.study.editing import Editing
from penchant.study.events import ANSWERED, ASKED, CREATED, ITEMS, UNDONE, newest
from penchant.study.exchange import Exchange, imported_events
from penchant.study.features import check_features
from penchant.study.items import Item, checked_items, item_parts
from penchant.study.pair_codes import PairCodes
from penchant.study.pictures import stored_pictures
from penchant.study.reporting import Reporting
from penchant.study.settings import (
    DEFAULTS,
    check_shown,
    check_together,
    checked_seed,
    checked_settings,
    default_model,
    with_goal,
)
from penchant.study.starting import check_start
from penchant.study.state import LEASE, State, checked_choice
from penchant.study.verdict import verdict
from penchant.text import first_hidden, visible

__all__ = ["LEASE", "CompareStudy"]


class CompareStudy(Editing, Exchange, Reporting):
    """Items, the questions asked about them, every answer, and the ranking that follows.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "drinks.db"
    >>> with CompareStudy.create(place, ["tea", "coffee", "water"], seed=1) as study:
    ...     question = study.ask("ann")
    ...     answer = study.tell(question, "left")
    ...     study.rank().top(1) == (question.left,)
    True
    >>> with CompareStudy.open(place) as study:
    ...     undone = study.undo()
    ...     study.progress()
    '0 answers; 3 of 3 items not seen yet'
    """

    kind = "compare"

    def __init__(self, log: EventLog, *, clock: Callable[[], float] = time.time) -> None:
        self._current = CurrentBelief(log)
        super().__init__(log, clock=clock)

    @classmethod
    def create(
        cls,
        path: str | Path | PostgresAddress,
        items: Iterable[object] = (),
        *,
        answers: Preferences | None = None,
        seed: int | None = None,
        clock: Callable[[], float] = time.time,
        **settings: Any,
    ) -> Self:
        """Make a new study in a new file.

        Parameters
        ----------
        path : str, Path or PostgresAddress
            The file, which must not exist yet, or the address of a new study in a PostgreSQL database.
        items : iterable
            Texts, `Item`s, or mappings with title (or name, or item) and perhaps id, text, picture, links and others.
            A picture is the `pathlib.Path` of a file, which is stored in the study.
        answers : Preferences, optional
            Answers that were given elsewhere, about two items each, from which the study starts.
        seed : int, optional
            Seed of the sides on which items are shown; random if not given, and recorded.
        model : str or a model, optional
            "bradley-terry", "thurstone", "linked-gp", "preference-gp" or "monotone-gp". Default: linked-gp where items
            have links, preference-gp where features are named, and otherwise bradley-terry.
        features : sequence of str
            The columns of the items from which the model learns.
        goal : {"order", "exact", "top"}
            What is to be found: nearly the whole order, exactly the whole order, or the first ``top`` items.
        top : int, optional
            How many items are to be found; it implies the goal "top".
        title, question, instructions : str
            What judges see above the questions, as the question, and before they begin.
        forbidden : iterable of pairs of ids
            Pairs that are never asked about.
        repeats : float
            The share of questions that repeat a pair the judge has answered, with sides swapped; it measures noise.
        least : int
            The number of answers that each item gets before others get more than two.
        most_ahead : int, optional
            An item that has so many answers more than the one with the fewest waits for the others.
        show : sequence of str
            The columns of the items that judges see beside title, text and picture; none unless they are named.
        answers_each : int
            The number of answers after which a judge is thanked; 0: until the study is settled.
        """
        salt = secrets.token_bytes(SALT_SIZE)
        listed, pictures = stored_pictures(checked_items(items), partial(context_hash, salt), lambda _: False)
        content = {
            "kind": cls.kind,
            "seed": secrets.randbits(32) if seed is None else checked_seed(seed),
            "settings": _first_settings(settings, listed, located(path).stem),
        }
        parts = [
            (f"items-{number}", ITEMS, {"items": part}, newest(ITEMS))
            for number, part in enumerate(item_parts(listed))
        ]
        if answers is not None:
            parts += imported_events(answers, [item.id for item in listed], "answers", "imported")
        events = [("created", CREATED, content, newest(CREATED)), *parts]
        log = create_log(path, events, SideRows(pictures), salt=salt, clock=clock)
        return cls._of(log, clock)

    def close(self) -> None:
        """Wait for pending writes, store a snapshot of the belief and close the file."""
        if not self._forked:  # the threads of the background are the parent's
            self._current.close()
        self._log.close()

    # -- the loop ------------------------------------------------------------------------------------------

    def ask(self, judge: str = "me") -> Question:
        """Return the next question for ``judge``: the oldest open one again, or the pair most worth asking about.

        A question is open until it is answered, and again when its answer is taken back.
        """
        _checked_judge(judge)
        return self._write(lambda: self._questions_for(judge, 1)[0])

    def ask_ahead(self, judge: str = "me", count: int = 2) -> tuple[Question, ...]:
        """Return the next questions for ``judge``, up to ``count``: `ask` returns the first of them.

        All of them are reserved for the judge, who can answer them one after the other without waiting. Those after
        the first are chosen before the answers to the others are known; there are fewer where they would repeat a pair.

        Examples
        --------
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp()) / "drinks.db"
        >>> with CompareStudy.create(place, ["tea", "coffee", "water"], seed=1) as study:
        ...     questions = study.ask_ahead("ann", 2)
        ...     questions[0] == study.ask("ann"), len({frozenset(asked[1:3]) for asked in questions})
        (True, 2)
        """
        _checked_judge(judge)
        whole("count", count, 1, remedy="ask for at least one question")
        return self._write(lambda: self._questions_for(judge, count))

    def tell(self, question: Question | str, choice: str, *, event_id: str | None = None) -> Answer:
        """Record the answer to a question: left, right, tie, both_bad or skip.

        The same ``event_id`` with the same answer again changes nothing and returns the first one; with
        another answer it is an error. When this returns, the answer is on disk.
        """
        asked_id, answer_id = _checked_answer(question, choice, event_id)
        return self._write(lambda: self._answered(asked_id, choice, answer_id), event_id)

    def turn(
        self, question: Question | str, choice: str, *, event_id: str | None = None, ahead: int = 0
    ) -> Turn:
        """Record an answer as `tell` does, and ask the same judge the next question.

        Both are written at once, which takes half the time of `tell` and `ask`. ``ahead`` questions follow the next
        one, as those of `ask_ahead`.

        Returns
        -------
        Turn
            Its question is None where there is nothing to ask.
        """
        asked_id, answer_id = _checked_answer(question, choice, event_id)

        def work() -> Turn:
            answer = self._answered(asked_id, choice, answer_id)
            try:
                next, *others = self._questions_for(answer.question.judge, 1 + ahead)
            except InvalidInput:
                return Turn(answer, None)
            return Turn(answer, next, tuple(others))

        return self._write(work, event_id)

    def undo(
        self, event_id: str | None = None, *, judge: str | None = None, undo_id: str | None = None
    ) -> str:
        """Take an event back: an answer, imported answers, or an earlier undo, which then counts again.

        Parameters
        ----------
        event_id : str, optional
            What to take back; without it, the last answer that counts.
        judge : str, optional
            Take back only answers of this judge.
        undo_id : str, optional
            The id of the undo itself; the same one again changes nothing.

        Returns
        -------
        str
            The id of the undo.
        """

        def work() -> str:
            if undo_id is not None and undo_id in self._state.undos:
                if event_id is not None and self._undo_target(event_id) != self._state.undos[undo_id]:
                    raise Conflict(f"undo {undo_id!r} already took back another event: use a new id")
                return undo_id
            target = self._undo_target(event_id if event_id is not None else self._last_answer(judge))
            self._check_undo(target, judge)
            return self._append(UNDONE, {"event": target}, undo_id)

        return self._write(work, undo_id)

    def rank(self, *, level: float = 0.95) -> Ranking:
        """Return the ranking of the items that are not retired, from the answers that count."""
        return self.belief().rank(level=level)

    # -- state --------------------------------------------------------------------------------------------

    @property
    def top(self) -> int | None:
        """How many items are to be found; None: the whole order."""
        top: int | None = self._state.settings["top"]
        return top

    @property
    def shown_columns(self) -> Sequence[str]:
        """The columns of the items that judges see."""
        names: Sequence[str] = self._state.settings["show"]
        return names

    @property
    def aside(self) -> tuple[str, ...]:
        """The judges whose answers do not count."""
        return tuple(self._state.aside)

    def preferences(self) -> Preferences:
        """Return the answers that count, over all items."""
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
            return self._state.answers_behind(event_id)[0].question

    def answers(self) -> list[Answer]:
        """Return the answers that count, in the order in which they came."""
        with self._lock:
            self._catch_up()
            return list(self._state.live.answers)

    def n_answers(self, judge: str | None = None) -> int:
        """Return the number of answers that count (of a judge)."""
        with self._lock:
            self._catch_up()
            return len(self._state.live) if judge is None else self._state.n_live_of(judge)

    def belief(self) -> Belief:
        """Return the posterior over the items that are not retired: ranking, questions and `settled` follow from it."""
        with self._lock:
            self._catch_up()
            return self._current.shown(self._state)

    def model(self) -> Any:
        """Return the model, fitted in batch to the answers that count; linked-gp has no such fit.

        That of a monotone utility carries the proof that it rises or falls with its features, ``certificate_``.
        """
        with self._lock:
            self._catch_up()
            return self._current.fitted(self._state)

    def progress(self) -> str:
        """Return a sentence about the number of answers and of items not seen yet."""
        with self._lock:
            self._catch_up()
            return self._state.progress()

    def settled(self, *, wait: bool = True) -> Settled | None:
        """Return how near the ranking is to its goal and the estimated remaining answers; None while it is too early.

        It is evaluated when there is one answer an item, and again each time the answers have grown by a
        twentieth. Its ``answers`` says how many it is based on. Questions and answers do not wait for it.

        Parameters
        ----------
        wait : bool
            Whether to wait for the evaluation that is due; otherwise the last one is returned, None before the first,
            and the one that is due is begun unless another one is under way.
        """
        with self._lock:
            self._catch_up()
            due = self._current.settled(self._state, wait=wait)
        return due.result() if wait else due.latest()

    def verdict(self, ranking: Ranking | None = None, *, wait: bool = True) -> tuple[str, ...]:
        r"""Return which places are certain and how near the goal is, as sentences, the most important one first.

        Parameters
        ----------
        ranking : Ranking, optional
            What `rank` returned, where it was called already.
        wait : bool
            As in `settled`.

        Examples
        --------
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp()) / "drinks.db"
        >>> with CompareStudy.create(place, ["tea", "coffee", "water"], seed=1) as study:
        ...     question = study.ask("ann")
        ...     answer = study.tell(question, "left")
        ...     print(*study.verdict(), sep="\n")
        No single place is certain yet.
        How near the goal is, is known once there are as many answers as items.
        """
        with self._lock:
            self._catch_up()
            comparisons = len(self._state.comparisons)
            skips = len(self._state.live) - comparisons
        found = self.rank() if ranking is None else ranking
        settled = self.settled(wait=wait)
        return verdict(found, settled, comparisons=comparisons, skips=skips, top=self.top)

    def subscribe_settled(self, subscriber: Callable[[], None]) -> None:
        """Call ``subscriber`` each time an evaluation has ended that `settled` began and did not wait for.

        It is called in the thread that evaluates: it must return at once and not use the study.
        """
        self._current.subscribe(subscriber)

    # -- private -------------------------------------------------------------------------------------------

    def _begin(self) -> State:
        self._asking = Asking()
        self._current.forget()
        return State()

    def _questions_for(self, judge: str, count: int) -> tuple[Question, ...]:
        """Return up to ``count`` open questions of a judge, at least one, oldest first; record those that are new."""
        open = self._state.open.of(judge, self._clock())
        found = list(islice(filter(self._state.is_askable, open), count))
        while len(found) < count:
            new = self._new_question(judge, {frozenset((asked.left, asked.right)) for asked in found})
            if new is None:
                break
            found.append(new)
        return tuple(found)

    def _new_question(self, judge: str, open_pairs: set[frozenset[str]]) -> Question | None:
        """Record a new question for a judge; None where the pair to ask is among the open ones of this judge."""
        check_askable(self._state)
        belief = self._current.belief(self._state, asking=True)
        state, taken = self._state, self._taken(judge)
        pending = state.open.codes(self._clock())
        pair = self._asking.choose(state, belief, judge, taken, pending)
        if code_of(state.rows[pair.left], state.rows[pair.right]) in taken:
            # Every pair is asked of somebody just now: then rather one of another judge than this judge's last ones.
            pair = self._asking.choose(state, belief, judge, PairCodes(self._own(judge)), pending)
        if frozenset((pair.left, pair.right)) in open_pairs:
            return None
        question_id = f"q-{secrets.token_hex(8)}"
        content = {"left": pair.left, "right": pair.right, "judge": judge}
        version = 1
        if pair.repeats is not None:
            content, version = {**content, "repeats": pair.repeats}, 2
        self._record([(question_id, ASKED, content, version)])
        return self._state.questions[question_id]

    def _answered(self, question_id: str, choice: str, answer_id: str) -> Answer:
        """Record an answer, or return it where it was recorded before."""
        question = self._state.question(question_id)
        first = self._state.answers.get(answer_id)
        if first is not None:
            if (first.question.id, first.choice) != (question_id, choice):
                raise Conflict(f"id {answer_id!r} belongs to another answer: use a new id")
            return first
        if self._state.is_answered(question.id):
            raise Conflict(
                f"question {question_id!r} is answered already: undo that answer, or ask for a new one"
            )
        self._append(ANSWERED, {"question": question_id, "choice": choice}, answer_id)
        return self._state.answers[answer_id]

    def _taken(self, judge: str) -> PairCodes:
        """Return the codes of the pairs of open questions, and of those of the last questions to ``judge``."""
        return self._state.open.codes(self._clock()).joined(self._own(judge))

    def _own(self, judge: str) -> list[int]:
        """Return the codes of the pairs of the open and the last questions to ``judge``."""
        state = self._state
        open = state.open.of(judge, self._clock())
        return [state.code(question) for question in (*state.asked_last.get(judge, ()), *open)]

    def _last_answer(self, judge: str | None) -> str:
        answer = self._state.last_answer(judge)
        if answer is None:
            raise InvalidInput("undo needs an answer that stands, got none: answer a question first")
        return answer.id

    def _undo_target(self, event_id: str) -> str:
        if not isinstance(event_id, str):
            raise InvalidInput.of(
                "event", "be the id of an answer or an undo", type(event_id).__name__, "give one id"
            )
        return self._state.undo_target(event_id)

    def _check_undo(self, target: str, judge: str | None) -> None:
        state = self._state
        if target not in state.answers and target not in state.undos and target not in state.imports:
            raise InvalidInput(
                f"event {target!r} must be an answer or an undo, got an unknown one: list the answers"
            )
        if not state.stands(target):
            raise Conflict(f"event {target!r} is taken back already: undo the undo to restore it")
        answers = state.answers_behind(target)
        answer = answers[0]
        if judge is not None and any(each.question.judge != judge for each in answers):
            raise InvalidInput(
                f"event {target!r} must be {judge!r}'s own to be taken back, got somebody else's"
            )
        if not answer.imported and not state.stands(answer.id) and state.is_answered(answer.question.id):
            raise Conflict(f"the question of {answer.id!r} was answered anew since: undo that answer first")


def _first_settings(given: Mapping[str, Any], items: list[Item], otherwise: str) -> dict[str, Any]:
    """Return all settings of a new study, as the log stores them."""
    settings = {**given}
    settings["title"] = settings.get("title") or visible(otherwise)
    settings = with_goal(settings, DEFAULTS["goal"])
    if settings.get("model") is None:
        settings["model"] = default_model(items, settings.get("features", ()))
    checked = checked_settings({**DEFAULTS, **settings}, [item.id for item in items])
    check_together(checked)
    check_features(items, checked["features"])
    check_shown(items, checked["show"])
    check_start(checked, {item.id: item for item in items})
    return checked


def _checked_answer(question: Any, choice: str, event_id: str | None) -> tuple[str, str]:
    """Return the id of the question and that of the answer."""
    checked_choice(choice)
    asked_id = question.id if isinstance(question, Question) else question
    if not isinstance(asked_id, str):
        raise InvalidInput(
            f"question must be a Question or its id, got {type(asked_id).__name__}: ask for one"
        )
    return asked_id, event_id or f"a-{secrets.token_hex(8)}"


def _checked_judge(judge: Any) -> None:
    if not isinstance(judge, str) or not 0 < len(judge.strip()) <= LONGEST_JUDGE:
        raise InvalidInput.of(
            "judge", f"be a name of 1 to {LONGEST_JUDGE} characters", repr(judge), "give a name"
        )
    hidden = first_hidden(judge)
    if hidden is not None:
        raise InvalidInput.of("judge", "be a name without control characters", hidden, "remove it")
