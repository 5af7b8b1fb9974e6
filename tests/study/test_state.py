"""The state of a study as a fold of its events."""

from __future__ import annotations

from typing import Any

import pytest

from penchant.errors import CannotLoad, InvalidInput, UnknownItem
from penchant.store import Event
from penchant.study.state import KEPT_APART, Question, State, checked_choice
from tests.study.test_events import created


def folded(*entries: tuple[str, str, dict[str, Any]], items: str = "abc") -> State:
    """Return the state after a study of three items was made and these events, by id, kind and content."""
    columns = [{"id": name, "title": name, "text": ""} for name in items]
    events = [
        Event(1, "created", "created", 0.0, created(), 2),
        Event(2, "items", "items", 0.0, {"items": columns}, 1),
    ]
    events += [
        Event(number, name, kind, float(number), content, 1)
        for number, (name, kind, content) in enumerate(entries, start=3)
    ]
    state = State()
    for event in events:
        state.apply(event)
    return state


def asked(name: str, left: str, right: str, judge: str = "ann") -> tuple[str, str, dict[str, Any]]:
    return name, "asked", {"left": left, "right": right, "judge": judge}


def answered(name: str, question: str, choice: str = "left") -> tuple[str, str, dict[str, Any]]:
    return name, "answered", {"question": question, "choice": choice}


def undone(name: str, event: str) -> tuple[str, str, dict[str, Any]]:
    return name, "undone", {"event": event}


def live(state: State) -> list[str]:
    return [answer.id for answer in state.live_answers()]


def test_questions_and_answers_are_folded() -> None:
    """A question is kept with its time, an answer under its id; only answers and undos change the version."""
    state = folded(asked("q1", "a", "b"), answered("a1", "q1"), asked("q2", "c", "a", "bob"))
    assert state.question("q1") == Question("q1", "a", "b", "ann", 3.0)
    assert (state.number, state.version) == (5, 4)
    assert state.is_answered("q1")
    assert not state.is_answered("q2")
    assert state.shown_last[frozenset("ac")].left == "c"
    assert tuple(state.items) == ("a", "b", "c")


def test_preferences_are_of_the_answers_that_stand() -> None:
    """Sides and judges come with them; an answer that was taken back teaches nothing."""
    state = folded(
        asked("q1", "a", "b"),
        answered("a1", "q1", "right"),
        asked("q2", "c", "a", "bob"),
        answered("a2", "q2", "tie"),
        undone("u1", "a2"),
    )
    preferences = state.preferences()
    assert preferences.to_orders() == [["b", "a"]]
    assert preferences.judges == ("ann",)
    assert preferences.better_on_left.tolist() == [0]
    assert preferences.items == ("a", "b", "c")


def test_an_undo_of_an_undo_restores() -> None:
    """Each undo turns what stands around, however long the chain; all of them are about the first answer."""
    events = [asked("q1", "a", "b"), answered("a1", "q1")]
    target = "a1"
    for number in range(1, 6):
        events.append(undone(f"u{number}", target))
        target = f"u{number}"
        state = folded(*events)
        assert live(state) == ([] if number % 2 else ["a1"])
        assert state.is_answered("q1") == (number % 2 == 0)
        assert state.is_live(target)
        assert state.answer_behind(target).id == "a1"


def test_two_undos_of_one_answer_count_once() -> None:
    """An answer that two undos took back stands again only when both are taken back."""
    events = [asked("q1", "a", "b"), answered("a1", "q1"), undone("u1", "a1"), undone("u2", "a1")]
    assert live(folded(*events)) == []
    assert live(folded(*events, undone("u3", "u1"))) == []
    assert live(folded(*events, undone("u3", "u1"), undone("u4", "u2"))) == ["a1"]


def test_the_last_questions_of_each_judge_are_kept() -> None:
    """As many as a pair is kept apart, the newest last, each judge apart."""
    events = [asked(f"q{k}", "a", "b") for k in range(KEPT_APART + 2)]
    state = folded(*events, asked("other", "b", "c", "bob"))
    assert [question.id for question in state.asked_last["ann"]] == [
        f"q{k}" for k in range(2, KEPT_APART + 2)
    ]
    assert [question.id for question in state.asked_last["bob"]] == ["other"]


def test_a_gap_in_the_log_is_rejected() -> None:
    """Events are folded one after the other; nothing of the wrong one is kept."""
    state = folded()
    with pytest.raises(InvalidInput, match="event 3 must come next, got 5: the log has a gap"):
        state.apply(Event(5, "q", "asked", 0.0, {"left": "a", "right": "b", "judge": "ann"}, 1))
    assert state.number == 2
    assert not state.questions


def test_a_study_is_made_once() -> None:
    """A second beginning in one log cannot be read."""
    with pytest.raises(CannotLoad, match="a study must be made once"):
        folded(("again", "created", created()))


def test_a_study_is_whole_with_two_items() -> None:
    """One item, or none, is a log that was cut off."""
    folded(items="ab").check_whole()
    for items in ("a", ""):
        with pytest.raises(CannotLoad, match="at least two items"):
            folded(items=items).check_whole()


def test_unknown_questions_and_choices_are_errors() -> None:
    """Each message names what was given and what to do."""
    with pytest.raises(UnknownItem, match="question 'q9' must have been asked"):
        folded().question("q9")
    with pytest.raises(
        InvalidInput, match="choice must be one of left, right, tie, both_bad, skip, got 'up'"
    ):
        checked_choice("up")
    assert checked_choice("both_bad") == "both_bad"
