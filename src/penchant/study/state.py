"""The state of a study: settings, items, questions, answers and judges, folded from the event log.

The state depends on the log alone: folding the same events again gives the same state.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from penchant.ask.wishes import code_of
from penchant.checks import Ints, one_of
from penchant.errors import CannotLoad, InvalidInput, UnknownItem
from penchant.preferences import OUTCOMES, Preferences
from penchant.preferences.columns import UNKNOWN
from penchant.store import Event
from penchant.study.answers import NOBODY, SKIP, Answer, LiveAnswers, OpenQuestions, Question, is_judge
from penchant.study.events import (
    ANSWERED,
    ASKED,
    CHANGED,
    CREATED,
    EDITED,
    IMPORTED,
    ITEMS,
    RETIRED,
    RETURNED,
    SET_ASIDE,
    TAKEN_BACK,
    UNDONE,
    ItemChange,
    check_fields,
    check_object,
    items_named,
    unreadable,
)
from penchant.study.features import feature_columns
from penchant.study.items import MOST_WEIGHT, Item, is_weight
from penchant.study.settings import (
    ADDED,
    DEFAULTS,
    check_together,
    checked_settings,
    settings_of_first_versions,
)
from penchant.study.undos import Undos

KEPT_APART = 3
"""A judge is not asked about a pair again within this many questions."""
LEASE = 600.0
"""Seconds for which a question is reserved for one judge; after that its pair may be asked of another."""
_ITEMS_TO_COME: Collection[Any] = range(2**62)
"""Stands for the items in the check of ``top`` while they are to come."""
_OFTEN = frozenset((ASKED, ANSWERED))
_ABOUT_ITEMS = (ITEMS, EDITED, RETIRED, RETURNED)
_LINKS_LIMIT = "links of an item must lead to items of this study, got another"


class State:
    """The state after the first ``number`` events.

    Attributes
    ----------
    number : int
    settings : dict
        By the names of `penchant.study.settings.DEFAULTS`, and kind and seed.
    items : dict of Item
        All items by id, retired ones included, in the order in which they came.
    retired : dict
        The ids of the items that are not asked about or ranked.
    item_changes : dict of list of ItemChange
        For each item the events that added, edited, retired or brought it back.
    version : int
        The number of the last event that changed what beliefs start from: items, model or features.
    questions, answers, undos : dict
        By the ids of their events; answers that do not count are there too.
    live : LiveAnswers
        The answers that count.
    comparisons : LiveAnswers
        Those of them that are not skips.
    forbidden : set of tuples
        The pairs of items that are not asked about, the lower id first.
    aside : dict
        The judges whose answers do not count.
    asked_last : dict
        Each judge's last few questions.
    counts : int array of shape (n_items,)
        For each item the number of comparisons that it takes part in.
    """

    def __init__(self) -> None:
        self.number = self.version = 0
        self.settings: dict[str, Any] = {}
        self.items: dict[str, Item] = {}
        self.rows: dict[str, int] = {}
        self.retired: dict[str, None] = {}
        self.item_changes: dict[str, list[ItemChange]] = {}
        self.questions: dict[str, Question] = {}
        self.answers: dict[str, Answer] = {}
        self.imports: dict[str, list[Answer]] = {}
        """For each import, by the id of its first event, its answers."""
        self.undos = Undos()
        self.live, self.comparisons = LiveAnswers(), LiveAnswers()
        self.open = OpenQuestions(LEASE)
        self.forbidden: frozenset[tuple[str, ...]] = frozenset()
        self.aside: dict[str, None] = {}
        self.asked_last: dict[str, deque[Question]] = {}
        self._shown_last: dict[int, Question] = {}
        """The last question about each pair, by its code."""
        self.by_judge: dict[str, list[Answer]] = {}
        self._set_counts(np.zeros(0, dtype=np.int64))
        self.live_of: dict[str, int] = {}
        """For each judge the number of answers that count."""
        self._import_of: dict[str, str] = {}
        """For each imported event the import that it is part of."""
        self._links_to_come: dict[str, Event] = {}
        """Items that links name and that must come with the next events, with the event that names each first."""
        self._answers_to: dict[str, tuple[str, ...]] = {}
        self._other_events: set[str] = set()

    def apply(self, event: Event) -> None:
        """Fold the next event."""
        number, id, kind, time, _, _ = event
        if number != self.number + 1:
            raise InvalidInput(f"event {self.number + 1} must come next, got {number}: the log has a gap")
        check_fields(event)
        if not self.settings and kind != CREATED:
            raise unreadable(event, "how the study was made must come first, got another event")
        if self._links_to_come and kind != ITEMS:
            self._check_links()
        _FOLDS[kind](self, event)
        if kind not in _OFTEN:
            self._other_events.add(id)
            if kind in _ABOUT_ITEMS:
                change = ItemChange(number, id, kind, time)
                for item in items_named(event):
                    self.item_changes.setdefault(item, []).append(change)
        self.number = number

    def has_event(self, event_id: str) -> bool:
        """Return whether an event of this id was folded, or an imported answer has it."""
        return event_id in self.questions or event_id in self.answers or event_id in self._other_events

    # -- settings and items --------------------------------------------------------------------------------

    def _created(self, event: Event) -> None:
        content = event.content
        if self.settings:
            raise unreadable(event, "a study must be made once, got a second time")
        if content["kind"] != "compare":
            raise unreadable(event, "the kind of the study must be 'compare', got another")
        if content["seed"] < 0:
            raise unreadable(event, "its seed must be at least 0, got less")
        if event.version == 3:
            settings = {**ADDED, **content["settings"]}
        else:
            check_object(event, content["model"], {"name": str, "settings": dict})
            asking = content.get("asking") or {"top": None, "forbidden": []}
            check_object(event, asking, {"top": (int, type(None)), "forbidden": list})
            settings = settings_of_first_versions(content, event.version)
        if settings.keys() != DEFAULTS.keys():
            raise unreadable(event, f"its settings must be {', '.join(DEFAULTS)}, got others")
        self.settings = {"kind": content["kind"], "seed": content["seed"]}
        # Items come after the settings that name them: `check_whole` compares the two.
        pairs = settings["forbidden"] if isinstance(settings["forbidden"], list) else ()
        self._set(event, settings, [*{item for pair in pairs for item in _texts(pair)}, None])

    def _changed(self, event: Event) -> None:
        if not self.items:
            raise unreadable(event, "the items must come before a change of settings, got none")
        settings = event.content["settings"]
        self._set(event, settings, self.items, self.active())
        if "features" in settings:
            self._check_features(event, self.items.values())

    def _set(
        self,
        event: Event,
        settings: dict[str, Any],
        items: Collection[Any],
        active: Collection[Any] | None = None,
    ) -> None:
        for name, value in settings.items():
            among = items if self.items or name != "top" else _ITEMS_TO_COME
            try:
                self.settings |= checked_settings({name: value}, among, active)
            except (InvalidInput, TypeError):
                raise unreadable(
                    event, f"its setting {name[:40]!a} must be one known here, got another"
                ) from None
        try:
            check_together(self.settings)
        except InvalidInput:
            raise unreadable(event, "its settings must go together, got some that do not") from None
        if "forbidden" in settings:
            self.forbidden = frozenset(tuple(sorted(pair)) for pair in self.settings["forbidden"])
        if settings.keys() & {"model", "features"}:
            self.version = event.number

    def _items(self, event: Event) -> None:
        new = [self._item(event, columns) for columns in event.content["items"]]
        for item in new:
            if item.id in self.items:
                raise unreadable(event, "new items must have ids of their own, got a known one")
            self.items[item.id], self.rows[item.id] = item, len(self.rows)
            self._links_to_come |= {
                linked: event for linked in item.links if linked not in self._links_to_come
            }
        for linked in self._links_to_come.keys() & self.items.keys():
            del self._links_to_come[linked]
        self._check_features(event, new)
        more = np.zeros(len(self.items) - len(self.counts), dtype=np.int64)
        self._set_counts(np.concatenate([self.counts, more]))
        self.version = event.number

    def _edited(self, event: Event) -> None:
        item = self._item(event, event.content["item"])
        before = self.items.get(item.id)
        if before is None:
            raise unreadable(event, "the item must be of this study, got another")
        if not item.links.keys() <= self.items.keys():
            raise unreadable(event, _LINKS_LIMIT)
        self.items[item.id] = item
        self._check_features(event, [item])
        if (before.fields, before.links) != (item.fields, item.links):
            self.version = event.number

    def _item(self, event: Event, columns: Any) -> Item:
        try:
            return Item.from_json(columns)
        except InvalidInput:
            raise unreadable(event, "an item must have the parts known here, got others") from None

    def _check_links(self) -> None:
        """Reject links to items that did not come with the items of these links."""
        for event in self._links_to_come.values():
            raise unreadable(event, _LINKS_LIMIT)

    def _check_features(self, event: Event, items: Collection[Item]) -> None:
        """Reject items whose features are not of the kind of those of another item."""
        names = self.settings["features"]
        if names:
            ids = {item.id for item in items}
            others = (item for id, item in self.items.items() if id not in ids)
            try:
                feature_columns([*islice(others, 1), *items], names)
            except InvalidInput:
                raise unreadable(
                    event, "items must have values of all features that the study names, got some without"
                ) from None

    def _retired(self, event: Event) -> None:
        self.retired |= dict.fromkeys(self._items_named(event))
        staying, top = len(self.items) - len(self.retired), self.settings["top"]
        if staying < 2 or (top is not None and staying <= top):
            raise unreadable(event, "at least two items and more than the top must stay, got fewer")

    def _returned(self, event: Event) -> None:
        for item in self._items_named(event):
            self.retired.pop(item, None)

    def _items_named(self, event: Event) -> list[str]:
        ids: list[str] = event.content["items"]
        if not all(isinstance(item, str) and item in self.items for item in ids):
            raise unreadable(event, "items must be of this study, got another")
        return ids

    def check_whole(self) -> None:
        """Reject a study whose items are too few, or are not those that its settings and links name."""
        self._check_links()
        named = {item for pair in self.settings["forbidden"] for item in pair}
        top = self.settings["top"]
        if (
            len(self.items) < 2
            or not named <= self.items.keys()
            or not (top is None or 1 <= top < len(self.items))
        ):
            raise CannotLoad(
                "the log must hold at least two items and those that its settings name, and does not: "
                "it is not whole, restore a backup"
            )

    # -- questions, answers, judges ------------------------------------------------------------------------

    def code(self, question: Question) -> int:
        """Return the code of the pair that a question is about."""
        return code_of(self.rows[question.left], self.rows[question.right])

    def is_askable(self, question: Question) -> bool:
        """Return whether the pair of a question may be asked about: both items are active, and it is not forbidden."""
        left, right = question.left, question.right
        return not (left in self.retired or right in self.retired) and (
            not self.forbidden or (min(left, right), max(left, right)) not in self.forbidden
        )

    def shown_last(self, first: str, second: str) -> Question | None:
        """Return the last question about two items, None where there was none."""
        return self._shown_last.get(code_of(self.rows[first], self.rows[second]))

    def _asked(self, event: Event) -> None:
        _, id, _, time, content, _ = event
        left, right, judge = content["left"], content["right"], content["judge"]
        first, second = self.rows.get(left), self.rows.get(right)
        if first is None or second is None:
            raise unreadable(event, "both items must be of this study, got another")
        last = self.asked_last.get(judge)
        if last is None and not is_judge(judge):
            raise unreadable(event, "its judge must have a name without control characters, got another")
        if first == second:
            raise unreadable(event, "it must be about two items, got one")
        if last is None:
            last = self.asked_last[judge] = deque(maxlen=KEPT_APART)
        asked = _new(Question, (id, left, right, judge, time, content.get("repeats")))
        self.questions[id] = asked
        code = code_of(first, second)
        self.open.add(asked, code)
        last.append(asked)
        self._shown_last[code] = asked

    def _answered(self, event: Event) -> None:
        _, id, _, time, content, _ = event
        choice, answers = content["choice"], self.answers
        question = self.questions.get(content["question"])
        if question is None or choice not in OUTCOMES:
            raise unreadable(event, "it must answer a question that was asked, with a choice known here")
        if id in answers:
            raise unreadable(event, "it must have an id of its own, got that of an imported answer")
        others = self._answers_to.get(question.id)
        self._answers_to[question.id] = (id,) if others is None else (*others, id)
        self._add(_new(Answer, (id, question, choice, 1.0, time, len(answers), False, True)))
        self.open.close(question)

    def _imported(self, event: Event) -> None:
        sides, rows = bool(event.content["sides"]), event.content["answers"]
        if not rows:
            raise unreadable(event, "it must hold an answer, got none")
        first = event.content.get("import", event.id)
        if first != event.id and first not in self.imports:
            raise unreadable(event, "it must be an import of its own or continue one, got neither")
        self._import_of[event.id] = first
        answers = self.imports.setdefault(first, [])
        for number, row in enumerate(rows):
            if not self._is_answer(row):
                raise unreadable(
                    event,
                    f"its answer {number} must be two items, a choice, a judge and a weight up to {MOST_WEIGHT:g}",
                )
            left, right, choice, judge, weight = row
            name = f"{event.id}:{number}"
            if name in self.answers:
                raise unreadable(event, "its answers must have ids of their own, got that of another")
            question = Question(name, left, right, judge, event.time)
            answer = Answer(
                name,
                question,
                choice,
                float(weight),
                event.time,
                len(self.answers),
                imported=True,
                sides=sides,
            )
            answers.append(answer)
            self._add(answer)

    def _is_answer(self, row: Any) -> bool:
        if not isinstance(row, list) or len(row) != 5:
            return False
        left, right, choice, judge, weight = row
        return (
            left != right
            and isinstance(left, str)
            and isinstance(right, str)
            and {left, right} <= self.items.keys()
            and choice in OUTCOMES
            and isinstance(judge, str)
            and (judge == NOBODY or judge in self.by_judge or is_judge(judge))
            and is_weight(weight)
        )

    def _add(self, answer: Answer) -> None:
        self.answers[answer.id] = answer
        judge = answer.question.judge
        given = self.by_judge.get(judge)
        if given is None:
            given = self.by_judge[judge] = []
        given.append(answer)
        if judge not in self.aside and (not self.undos or self.is_standing(answer)):
            self._count(answer)

    def _undone(self, event: Event) -> None:
        target = self.undo_target(event.content["event"])
        if target not in self.answers and target not in self.undos and target not in self.imports:
            raise unreadable(event, "it must take back an answer or an undo, got something else")
        changed = self.undos.add(event.id, target)
        if changed is not None:
            self._answers_changed(changed[0], stands=changed[1])

    def _answers_changed(self, target: str, *, stands: bool) -> None:
        """Count an answer, or those of an import, from here on, or no longer."""
        if target in self.imports:
            self._recount()
            return
        answer = self.answers[target]
        others = (event for event in self._events_of(answer) if event != target)
        if answer.question.judge not in self.aside and all(map(self.stands, others)):
            if stands:
                self._count(answer)
            else:
                self._discount(answer)
        if not answer.imported:
            if stands:
                self.open.close(answer.question)
            elif not self.is_answered(answer.question.id):
                self.open.add(answer.question, self.code(answer.question))

    def _events_of(self, answer: Answer) -> tuple[str, ...]:
        """Return the ids that an undo can name to take an answer back: its own, and that of its import."""
        if not answer.imported:
            return (answer.id,)
        return answer.id, self._import_of[answer.id.rpartition(":")[0]]

    def _count(self, answer: Answer) -> None:
        question = answer.question
        self.live.add(answer)
        self.live_of[question.judge] = self.live_of.get(question.judge, 0) + 1
        if answer.choice != SKIP:
            self.comparisons.add(answer)
            self._counted[self.rows[question.left]] += 1
            self._counted[self.rows[question.right]] += 1

    def _discount(self, answer: Answer) -> None:
        self.live.remove(answer)
        self.live_of[answer.question.judge] -= 1
        if answer.choice != SKIP:
            self.comparisons.remove(answer)
            self._add_to_counts(answer, -1)

    def _set_counts(self, counts: Ints) -> None:
        self.counts = counts
        self._counted = memoryview(counts)  # type: ignore[arg-type]  # in which a number is changed in half the time

    def _add_to_counts(self, answer: Answer, change: int) -> None:
        question, rows, counted = answer.question, self.rows, self._counted
        counted[rows[question.left]] += change
        counted[rows[question.right]] += change

    def _set_aside(self, event: Event) -> None:
        if event.content["judge"] not in self.by_judge and event.content["judge"] not in self.asked_last:
            raise unreadable(event, "its judge must be one who was asked or has answered, got another")
        self.aside[event.content["judge"]] = None
        self._recount()

    def _taken_back(self, event: Event) -> None:
        self.aside.pop(event.content["judge"], None)
        self._recount()

    def _recount(self) -> None:
        """Count all answers anew."""
        counted = [answer for answer in self.answers.values() if self.counts_now(answer)]
        self.live.replace(counted)
        self.live_of = dict(Counter(answer.question.judge for answer in counted))
        self.comparisons.replace([answer for answer in counted if answer.choice != SKIP])
        self._set_counts(np.zeros(len(self.items), dtype=np.int64))
        for answer in self.comparisons.answers:
            self._add_to_counts(answer, 1)

    # -- reading -------------------------------------------------------------------------------------------

    def stands(self, event_id: str) -> bool:
        """Whether an answer, an import or an undo stands: no undo that stands has taken it back."""
        return self.undos.stands(event_id)

    def counts_now(self, answer: Answer) -> bool:
        """Whether an answer counts: it stands, and its judge is not set aside."""
        return answer.question.judge not in self.aside and self.is_standing(answer)

    def is_standing(self, answer: Answer) -> bool:
        """Whether no undo that stands has taken an answer back, or the import that it is part of."""
        return not self.undos or all(map(self.stands, self._events_of(answer)))

    def is_answered(self, question: str) -> bool:
        """Whether an answer to the question stands."""
        return any(self.stands(answer) for answer in self._answers_to.get(question, ()))

    def active(self) -> list[str]:
        """Return the ids of the items that are not retired."""
        return [item for item in self.items if item not in self.retired]

    def n_live_of(self, judge: str) -> int:
        """Return the number of answers of a judge that count."""
        return self.live_of.get(judge, 0)

    def progress(self) -> str:
        """Return a sentence about the number of answers and of items not seen yet."""
        n_answers = len(self.live)
        counted = f"{n_answers} answer{'' if n_answers == 1 else 's'}"
        counts = self.counts
        if self.retired:
            counts = counts[[self.rows[item] for item in self.active()]]
        fewest = int(counts.min())
        if not fewest:
            return f"{counted}; {int((counts == 0).sum())} of {len(counts)} items not seen yet"
        least = {1: "once", 2: "twice"}.get(fewest, f"{fewest} times")
        return f"{counted}; every item seen at least {least}"

    def about(self) -> tuple[dict[str, Any], tuple[Item, ...]]:
        """Return what a belief depends on besides the answers, which changes with `version`: settings and items."""
        return {name: self.settings[name] for name in ("model", "features", "kind")}, tuple(
            self.items.values()
        )

    def preferences(self) -> Preferences:
        """Return the answers that count as preferences over all items."""
        return preferences_of(self.comparisons.answers, self.items)

    def undo_target(self, event_id: str) -> str:
        """Return what an undo of an event takes back: the event, or the import that it is part of."""
        return self._import_of.get(event_id, event_id)

    def answers_behind(self, event_id: str) -> list[Answer]:
        """Return the answers that an event is about: an answer, an import, an undo, or an undo of an undo."""
        event_id = self.undos.root(self.undo_target(event_id))
        return self.imports.get(event_id) or [self.answers[event_id]]

    def last_answer(self, judge: str | None) -> Answer | None:
        """Return the last answer (of a judge) that counts and was given here."""
        answers: Sequence[Answer] = self.live.answers if judge is None else self.by_judge.get(judge, [])
        return next(
            (answer for answer in reversed(answers) if not answer.imported and self.counts_now(answer)), None
        )

    def question(self, question_id: str) -> Question:
        """Return a question that was asked."""
        if question_id not in self.questions:
            raise UnknownItem(
                f"question {question_id!r} must have been asked, got an unknown one: ask for a new one"
            )
        return self.questions[question_id]


def preferences_of(answers: Sequence[Answer], items: Any) -> Preferences:
    """Return answers as preferences over ``items``."""
    preferences = Preferences.from_answers(
        [answer.question.left for answer in answers],
        [answer.question.right for answer in answers],
        [answer.choice for answer in answers],
        judge=[answer.question.judge for answer in answers],
        weight=weights_of(answers),
        items=items,
    )
    placed = [answer.sides for answer in answers if answer.choice != SKIP]
    if all(placed):
        return preferences
    if preferences.better_on_left is None or not any(placed):
        return preferences.without("better_on_left")
    on_left = np.where(placed, preferences.better_on_left, UNKNOWN).astype(np.int8)
    return replace(preferences, better_on_left=on_left)


def weights_of(answers: Sequence[Answer]) -> list[float] | None:
    """Return the weight of each answer, None where all of them are 1."""
    weights = [answer.weight for answer in answers]
    return None if set(weights) <= {1.0} else weights


def _texts(pair: Any) -> Iterator[str]:
    return (item for item in pair if isinstance(item, str)) if isinstance(pair, list) else iter(())


_FOLDS = {
    CREATED: State._created,
    CHANGED: State._changed,
    ITEMS: State._items,
    EDITED: State._edited,
    RETIRED: State._retired,
    RETURNED: State._returned,
    ASKED: State._asked,
    ANSWERED: State._answered,
    IMPORTED: State._imported,
    UNDONE: State._undone,
    SET_ASIDE: State._set_aside,
    TAKEN_BACK: State._taken_back,
}


_new = tuple.__new__
"""Makes a named tuple from all of its fields at half the cost: a log is folded whole when a study is opened."""


def checked_choice(choice: str) -> str:
    """Return ``choice`` if it is one of the five answers, else raise `InvalidInput`."""
    one_of("choice", choice, OUTCOMES)
    return choice
