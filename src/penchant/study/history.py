"""The log of a study in words: what each event did, who did it, and whether it still counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from penchant.checks import whole
from penchant.counts import counted
from penchant.store import Event, EventLog
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
    items_named,
)
from penchant.study.items import Item
from penchant.study.state import State
from penchant.study_reports import Entry
from penchant.text import visible

MOST_ENTRIES = 1000
"""The most events of one page."""
_NAMED = 3


Described = tuple[str, str, bool | None]
"""Who, what in words, and whether it counts."""


def recent_events(log: EventLog, before: int | None, limit: int) -> list[Event]:
    """Return the last ``limit`` events before that of number ``before``, the newest first.

    Parameters
    ----------
    log : EventLog
    before : int or None
        None: from the newest one on.
    limit : int
    """
    whole("limit", limit, 1, MOST_ENTRIES, remedy="50 is usual")
    last = log.last()
    upto = last if before is None else min(last, whole("before", before, 1, remedy="leave it out") - 1)
    return list(islice(log.events(max(0, upto - limit), upto), limit))[::-1] if upto else []


def in_words(events: Iterable[Event], described: Callable[[Event], Described]) -> list[Entry]:
    """Return events in the words of ``described``, which gives who, what and whether it counts."""
    return [Entry(event.number, event.id, event.kind, event.time, *described(event)) for event in events]


def described_comparison(state: State, event: Event) -> Described:
    """Return who, what and whether it counts of an event of a study of comparisons."""
    content = event.content
    if event.kind == ASKED:
        question = state.questions[event.id]
        left, right = (title_of(state.items, item) for item in (question.left, question.right))
        return question.judge, f"was asked: {left} or {right}?", None
    if event.kind == ANSWERED:
        answer = state.answers[event.id]
        return answer.question.judge, answer_words(answer, state.items), state.stands(event.id)
    if event.kind == IMPORTED:
        words = f"{counted(len(content['answers']), 'answer')} imported from {visible(content['source'])}"
        return "", words, state.stands(state.undo_target(event.id))
    if event.kind == UNDONE:
        answers = state.answers_behind(event.id)
        done = "restored" if state.undos.restores(event.id) else "taken back"
        one_answer = len(answers) == 1
        words = (
            answer_words(answers[0], state.items) if one_answer else f"an import of {len(answers):,} answers"
        )
        return answers[0].question.judge, f"{done}: {words}", state.stands(event.id)
    if event.kind in (SET_ASIDE, TAKEN_BACK):
        counts = "do not count any more" if event.kind == SET_ASIDE else "count again"
        return content["judge"], f"all answers of this judge {counts}", None
    return "", shared_words(state.items, event), None


def answer_words(answer: Any, items: Mapping[str, Item]) -> str:
    """Return an answer in words, with the titles of its items."""
    question = answer.question
    left, right = (title_of(items, item) for item in (question.left, question.right))
    return {
        "left": f"{left} over {right}",
        "right": f"{right} over {left}",
        "tie": f"{left} and {right} are equal",
        "both_bad": f"neither {left} nor {right}",
        "skip": f"{left} and {right} were skipped",
    }[answer.choice]


def shared_words(items: Mapping[str, Item], event: Event) -> str:
    """Return what an event did to the items or settings of a study of either kind."""
    content = event.content
    if event.kind == CREATED:
        return "the study was made"
    if event.kind == CHANGED:
        return f"settings changed: {', '.join(map(visible, content['settings']))}"
    if event.kind == EDITED:
        return f"item edited: {title_of(items, content['item']['id'])}"
    done = CHANGES[event.kind]
    ids = items_named(event)
    titles = [title_of(items, id) for id in ids[:_NAMED]]
    return f"{counted(len(ids), 'item')} {done}: {_some(titles, len(ids))}"


def _some(titles: Sequence[str], total: int) -> str:
    more = total - len(titles)
    return f"{', '.join(titles)} and {more:,} more" if more else ", ".join(titles)


def title_of(items: Mapping[str, Item], id: str) -> str:
    """Return the title of an item, which may have none."""
    item = items.get(id)
    return visible(id if item is None else item.title or item.id)


CHANGES = {ITEMS: "added", EDITED: "edited", RETIRED: "retired", RETURNED: "brought back"}
"""What an event did to one item."""
