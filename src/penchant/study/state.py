"""The state of a study: its items, questions and answers, folded from the event log.

The state depends on the log alone: folding the same events again gives the same state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from penchant.checks import one_of
from penchant.errors import CannotLoad, InvalidInput, UnknownItem
from penchant.preferences import OUTCOMES, Preferences
from penchant.store import Event
from penchant.study.events import (
    ANSWERED,
    ASKED,
    CREATED,
    ITEMS,
    UNDONE,
    check_fields,
    check_object,
    unreadable,
)
from penchant.study.items import Item
from penchant.study.settings import MODELS, settings_kept

KEPT_APART = 3
"""A judge is not asked about a pair again within this many questions."""


@dataclass(frozen=True)
class Question:
    """Two items, shown left and right to one judge."""

    id: str
    left: str
    right: str
    judge: str
    time: float = 0.0


@dataclass(frozen=True)
class Answer:
    """The choice of a judge in answer to a question, under the id of its event."""

    id: str
    question: Question
    choice: str


@dataclass
class State:
    """The state after the first ``number`` events; answers last changed with event ``version``.

    ``asked_last`` holds each judge's last few questions, ``shown_last`` the last question about each pair.
    """

    number: int = 0
    version: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    undos: dict[str, str] = field(default_factory=dict)
    asked_last: dict[str, deque[Question]] = field(default_factory=dict)
    shown_last: dict[frozenset[str], Question] = field(default_factory=dict)
    _standing_undos: dict[str, int] = field(default_factory=dict)
    _answers_to: dict[str, list[str]] = field(default_factory=dict)

    def apply(self, event: Event) -> None:
        """Fold the next event."""
        if event.number != self.number + 1:
            raise InvalidInput(
                f"event {self.number + 1} must come next, got {event.number}: the log has a gap"
            )
        check_fields(event)
        _FOLDS[event.kind](self, event)
        self.number = event.number
        if event.kind in (ANSWERED, UNDONE):
            self.version = event.number

    def _created(self, event: Event) -> None:
        content = event.content
        if self.settings:
            raise unreadable(event, "a study must be made once, got a second time")
        if content["kind"] != "compare":
            raise unreadable(event, "the kind of the study must be 'compare', got another")
        if content["seed"] < 0:
            raise unreadable(event, "its seed must be at least 0, got less")
        model = content["model"]
        check_object(event, model, {"name": str, "settings": dict})
        if model["name"] not in MODELS:
            raise unreadable(event, f"its model must be one of {', '.join(MODELS)}, got another")
        settings = settings_kept(model, event.version)
        if settings.keys() != MODELS[model["name"]]().get_params().keys():
            raise unreadable(event, "the settings of its model must be those known here, got others")
        asking = content.get("asking") or {"top": None, "forbidden": []}
        check_object(event, asking, {"top": (int, type(None)), "forbidden": list})
        for pair in asking["forbidden"]:
            if (
                not isinstance(pair, list)
                or len(pair) != 2
                or not all(isinstance(item, str) for item in pair)
            ):
                raise unreadable(event, "forbidden pairs must be of two items each, got something else")
        self.settings = {**content, "model": {**model, "settings": settings}, "asking": asking}

    def _items(self, event: Event) -> None:
        for columns in event.content["items"]:
            check_object(event, columns, {"id": str, "title": str, "text": str})
            item = Item(**columns)
            self.items[item.id] = item

    def _asked(self, event: Event) -> None:
        content = event.content
        if not {content["left"], content["right"]} <= self.items.keys():
            raise unreadable(event, "both items must be of this study, got another")
        asked = Question(event.id, content["left"], content["right"], content["judge"], event.time)
        self.questions[event.id] = asked
        self.asked_last.setdefault(asked.judge, deque(maxlen=KEPT_APART)).append(asked)
        self.shown_last[frozenset((asked.left, asked.right))] = asked

    def _answered(self, event: Event) -> None:
        question = self.questions.get(event.content["question"])
        if question is None or event.content["choice"] not in OUTCOMES:
            raise unreadable(event, "it must answer a question that was asked, with a choice known here")
        self.answers[event.id] = Answer(event.id, question, event.content["choice"])
        self._answers_to.setdefault(question.id, []).append(event.id)

    def _undone(self, event: Event) -> None:
        target: str | None = event.content["event"]
        if target not in self.answers and target not in self.undos:
            raise unreadable(event, "it must take back an answer or an undo, got something else")
        self.undos[event.id] = target
        change = 1  # an undo that comes to stand takes its target back, which may be an undo in its turn
        while target is not None:
            stood = self.is_live(target)
            self._standing_undos[target] = self._standing_undos.get(target, 0) + change
            if self.is_live(target) == stood:
                return
            change = -1 if stood else 1
            target = self.undos.get(target)

    def check_whole(self) -> None:
        """Reject a study whose items are too few, or are not those that its settings name."""
        named = {item for pair in self.settings["asking"]["forbidden"] for item in pair}
        top = self.settings["asking"]["top"]
        if (
            len(self.items) < 2
            or not named <= self.items.keys()
            or not (top is None or 1 <= top < len(self.items))
        ):
            raise CannotLoad(
                "the log must hold at least two items and those that its settings name, and does not: "
                "it is not whole, restore a backup"
            )

    def is_live(self, event_id: str) -> bool:
        """Whether an answer or an undo stands: no undo that stands has taken it back."""
        return not self._standing_undos.get(event_id)

    def live_answers(self) -> Iterator[Answer]:
        """Return the answers that stand, in the order of the log."""
        return (answer for answer in self.answers.values() if self.is_live(answer.id))

    def is_answered(self, question: str) -> bool:
        """Whether an answer to the question stands."""
        return any(self.is_live(answer) for answer in self._answers_to.get(question, ()))

    def preferences(self) -> Preferences:
        """Return the answers that stand as preferences."""
        answers = list(self.live_answers())
        return Preferences.from_answers(
            [answer.question.left for answer in answers],
            [answer.question.right for answer in answers],
            [answer.choice for answer in answers],
            judge=[answer.question.judge for answer in answers],
            items=self.items,
        )

    def answer_behind(self, event_id: str) -> Answer:
        """Return the answer that an undo, or an undo of an undo, is about; of an answer, itself."""
        while event_id in self.undos:
            event_id = self.undos[event_id]
        return self.answers[event_id]

    def question(self, question_id: str) -> Question:
        """Return a question that was asked."""
        if question_id not in self.questions:
            raise UnknownItem(
                f"question {question_id!r} must have been asked, got an unknown one: ask for a new one"
            )
        return self.questions[question_id]


_FOLDS = {
    CREATED: State._created,
    ITEMS: State._items,
    ASKED: State._asked,
    ANSWERED: State._answered,
    UNDONE: State._undone,
}


def checked_choice(choice: str) -> str:
    """Return ``choice`` if it is one of the five answers, else raise `InvalidInput`."""
    one_of("choice", choice, OUTCOMES)
    return choice
