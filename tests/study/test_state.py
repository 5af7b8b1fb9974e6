"""The state of a study as a fold of its events."""

from __future__ import annotations

from typing import Any

import pytest

from penchant.errors import CannotLoad, InvalidInput, UnknownItem
from penchant.store import Event
from penchant.study.answers import Question
from penchant.study.events import CHANGED, ITEMS, newest
from penchant.study.state import KEPT_APART, LEASE, State, checked_choice
from tests.study.test_events import created

NEWEST = (ITEMS, CHANGED)


def folded(*entries: Any, items: str = "abc") -> State:
    """Return the state after a study of three items was made and events, by id, kind, content and perhaps version."""
    columns = [{"id": name, "title": name, "text": ""} for name in items]
    events = [
        Event(1, "created", "created", 0.0, created(), 2),
        Event(2, "items", "items", 0.0, {"items": columns}, 1),
    ]
    events += [
        Event(number, name, kind, float(number), content, *(rest or [newest(kind) if kind in NEWEST else 1]))
        for number, (name, kind, content, *rest) in enumerate(entries, start=3)
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
    return [answer.id for answer in state.live.answers]


def test_questions_and_answers_are_folded() -> None:
    """A question is kept with its time, an answer under its id; the version is that of the items."""
    state = folded(asked("q1", "a", "b"), answered("a1", "q1"), asked("q2", "c", "a", "bob"))
    assert state.question("q1") == Question("q1", "a", "b", "ann", 3.0)
    assert (state.number, state.version) == (5, 2)
    assert state.is_answered("q1")
    assert not state.is_answered("q2")
    last = state.shown_last("a", "c")
    assert last is not None and last.left == "c"  # noqa: PT018
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
        assert state.stands(target)
        assert state.answers_behind(target)[0].id == "a1"


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


def test_an_import_is_answers_that_one_undo_takes_back() -> None:
    """Imported answers count with their weights and judges; one of them, or all at once, can be taken back."""
    rows = [["a", "b", "left", "ann", 1], ["c", "b", "tie", "bob", 2.5], ["a", "c", "skip", "bob", 1]]
    imported = ("i1", "imported", {"source": "old.csv", "sides": 1, "answers": rows})
    state = folded(imported)
    assert live(state) == ["i1:0", "i1:1", "i1:2"]
    assert (state.counts.tolist(), state.n_live_of("bob")) == ([1, 2, 1], 2)
    assert state.preferences().weight.tolist() == [1.0, 2.5]
    assert live(folded(imported, undone("u1", "i1:1"))) == ["i1:0", "i1:2"]
    assert live(folded(imported, undone("u1", "i1:1"), undone("u2", "i1"))) == []
    both = folded(imported, undone("u1", "i1:1"), undone("u2", "i1"), undone("u3", "u2"))
    assert live(both) == ["i1:0", "i1:2"]
    assert live(folded(imported, undone("u1", "i1"), undone("u2", "i1:0"), undone("u3", "u1"))) == [
        "i1:1",
        "i1:2",
    ]


def test_events_of_one_import_are_taken_back_together() -> None:
    """Version 2 names the import that an event is part of; events of version 1 stay apart, as they were."""
    rows = [["a", "b", "left", "ann", 1], ["c", "b", "tie", "bob", 2.5]]
    content = {"source": "old.csv", "sides": 1, "answers": rows}
    apart = [("i1", "imported", content), ("i2", "imported", content)]
    assert live(folded(*apart, undone("u1", "i2"))) == ["i1:0", "i1:1"]
    parts = [(name, "imported", {**content, "import": "i1"}, 2) for name in ("i1", "i2")]
    whole = folded(*parts)
    assert live(whole) == ["i1:0", "i1:1", "i2:0", "i2:1"]
    assert [answer.id for answer in whole.answers_behind("i2")] == live(whole)
    assert live(folded(*parts, undone("u1", "i2"))) == []
    assert live(folded(parts[0], undone("u1", "i1"), parts[1])) == []
    again = folded(*parts, undone("u1", "i2:1"), undone("u2", "i1"), undone("u3", "u2"))
    assert (live(again), again.counts.tolist()) == (["i1:0", "i1:1", "i2:0"], [2, 3, 1])
    with pytest.raises(CannotLoad, match="an import of its own or continue one"):
        folded(parts[1])


@pytest.mark.parametrize(
    "row",
    [
        ["a", "z", "left", "ann", 1],
        ["a", "a", "left", "ann", 1],
        ["a", "b", "up", "ann", 1],
        ["a", "b", "left", "ann", 0],
        ["a", "b", "left", "ann", 1e308],
        ["a", "b", "left", "ann", True],
        ["a", "b", "left", "a\x1b[2J", 1],
        ["a", "b", "left", None, 1],
        [["a"], "b", "left", "ann", 1],
        ["a"],
        7,
    ],
)
def test_an_import_of_something_else_is_rejected(row: Any) -> None:
    """Rows that are no answers about items of the study cannot be read."""
    with pytest.raises(CannotLoad, match="its answer 0 must be two items"):
        folded(("i1", "imported", {"source": "x", "sides": 0, "answers": [row]}))


def test_a_judge_who_is_set_aside_counts_in_nothing() -> None:
    """Earlier and later answers leave everything that is counted, and return exactly when the judge is taken back."""
    events = [
        asked("q1", "a", "b"), answered("a1", "q1"), asked("q2", "b", "c", "bob"), answered("a2", "q2"),
        asked("q3", "a", "c", "bob"), answered("a3", "q3", "skip"), asked("q4", "a", "c"), answered("a4", "q4", "tie"),
    ]  # fmt: skip
    aside = folded(*events, ("j1", "set_aside", {"judge": "bob"}))
    assert (live(aside), aside.counts.tolist(), aside.live_of) == (["a1", "a4"], [2, 1, 1], {"ann": 2})
    later = folded(
        *events, ("j1", "set_aside", {"judge": "bob"}), asked("q5", "b", "c", "bob"), answered("a5", "q5")
    )
    assert live(later) == ["a1", "a4"]
    assert later.is_answered("q5")
    back = folded(
        *events,
        ("j1", "set_aside", {"judge": "bob"}),
        undone("u1", "a2"),
        ("j2", "taken_back", {"judge": "bob"}),
    )
    assert (live(back), back.counts.tolist()) == (["a1", "a3", "a4"], [2, 1, 1])


def test_items_come_change_and_go() -> None:
    """Items are added behind the others, edited whole, retired and returned; features and links matter to models."""
    new = {"id": "d", "title": "D", "text": "", "fields": [["price", 3]]}
    state = folded(("i", "items", {"items": [new]}))
    assert (list(state.rows.items())[-1], state.counts.tolist(), state.version) == (("d", 3), [0, 0, 0, 0], 3)
    titled = folded(("i", "items", {"items": [new]}), ("e", "edited", {"item": {**new, "title": "Dee"}}))
    assert (titled.items["d"].title, titled.version) == ("Dee", 3)
    dearer = folded(
        ("i", "items", {"items": [new]}), ("e", "edited", {"item": {**new, "fields": [["price", 4]]}})
    )
    assert (dict(dearer.items["d"].fields), dearer.version) == ({"price": 4}, 4)
    retired = folded(("r", "retired", {"items": ["b"]}))
    assert retired.active() == ["a", "c"]
    assert folded(("r", "retired", {"items": ["b"]}), ("s", "returned", {"items": ["b"]})).active() == [
        "a",
        "b",
        "c",
    ]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (("i", "items", {"items": [{"id": "a", "title": "A", "text": ""}]}), "ids of their own"),
        (("e", "edited", {"item": {"id": "z", "title": "Z", "text": ""}}), "item must be of this study"),
        (("r", "retired", {"items": ["z"]}), "items must be of this study"),
        (("r", "retired", {"items": ["a", "b"]}), "at least two items and more than the top must stay"),
        (("c", "changed", {"settings": {"colour": "red"}}), "its setting 'colour' must be one known here"),
        (("c", "changed", {"settings": {"top": 2}}), "settings must go together"),
        (("c", "changed", {"settings": {"repeats": 0.9}}), "its setting 'repeats' must be one known here"),
    ],
)
def test_changes_that_this_version_does_not_know_are_rejected(entry: Any, words: str) -> None:
    """The message names the setting or the rule, and quotes no value."""
    with pytest.raises(CannotLoad, match=words):
        folded(entry)


def test_a_change_of_settings_is_folded() -> None:
    """Only another model or other features make beliefs start anew."""
    state = folded(("c", "changed", {"settings": {"title": "New", "goal": "top", "top": 1}}))
    assert (state.settings["title"], state.settings["top"], state.version) == ("New", 1, 2)
    model = {"name": "bradley-terry", "settings": {"prior": 0.5, "errors": "auto", "feature_prior": 1.0}}
    assert folded(("c", "changed", {"settings": {"model": model}})).version == 3


def test_open_questions_are_those_without_an_answer_that_stands() -> None:
    """An answer closes its question, an undo opens it again, and a lease ends whichever way the clock is set."""
    events = [
        asked("q1", "a", "b"),
        answered("a1", "q1"),
        asked("q2", "a", "c"),
        asked("q3", "b", "c", "bob"),
    ]
    state = folded(*events)
    assert [question.id for question in state.open.of("ann", 7.0)] == ["q2"]
    assert [question.id for question in state.open.all(7.0)] == ["q2", "q3"]
    undone_one = folded(*events, undone("u1", "a1"))
    assert sorted(question.id for question in undone_one.open.of("ann", 8.0)) == ["q1", "q2"]
    for now in (3.0 + 3 * LEASE, 3.0 - 3 * LEASE):
        again = folded(*events)
        assert list(again.open.all(now)) == []


def test_sides_that_are_not_known_are_not_claimed() -> None:
    """Imported answers without sides tell nothing about the left; others beside them still do."""
    rows = [["a", "b", "left", "ann", 1], ["b", "c", "left", "ann", 1]]
    imported = ("i1", "imported", {"source": "old.csv", "sides": 0, "answers": rows})
    assert folded(imported).preferences().better_on_left is None
    mixed = folded(imported, asked("q1", "a", "c"), answered("a1", "q1")).preferences()
    assert mixed.better_on_left.tolist() == [-1, -1, 1]
    assert mixed.to_orders() == [["a", "b"], ["b", "c"], ["a", "c"]]
