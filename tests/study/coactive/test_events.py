"""Events of a coactive study: other kinds, versions and fields are rejected."""

from __future__ import annotations

from typing import Any

import pytest

from penchant.errors import CannotLoad
from penchant.store import Event
from penchant.study.coactive.events import KINDS, check_fields, newest
from penchant.study.coactive.settings import first_settings
from penchant.study.coactive.state import State

SETTINGS = first_settings({}, "title", ())


@pytest.mark.parametrize(
    ("kind", "content", "why"),
    [
        ("asked", {"left": "a", "right": "b", "judge": "c"}, "its kind must be one of"),
        ("presented", {"context": "h"}, "order must be there"),
        ("presented", {"context": "h", "order": [0], "name": "ann"}, "got also 'name'"),
        ("presented", {"context": "h", "order": [0], "learn": 1}, "learn must be of type bool"),
        ("feedback", {"presentation": "p", "better": True}, "better must be of type int"),
        ("forgotten", {"user": 3}, "user must be of type str"),
        ("erased", {}, "before must be there"),
    ],
)
def test_other_fields_are_rejected(kind: str, content: dict[str, Any], why: str) -> None:
    """Each kind has its fields, of their types, and no others."""
    with pytest.raises(CannotLoad, match=why):
        check_fields(Event(1, "e", kind, 0.0, content))


def test_each_kind_has_a_newest_version() -> None:
    """Events are written in it."""
    assert {kind: newest(kind) for kind in KINDS}["created"] == 3


@pytest.mark.parametrize(
    ("kind", "content", "why"),
    [
        ("created", {"kind": "coactive", "seed": 1, "settings": SETTINGS}, "made once"),
        ("changed", {"settings": {"depth": 3}}, "those that can change"),
        ("changed", {"settings": {"title": 3}}, "known here and go together"),
        ("presented", {"context": "h", "order": [0, 0]}, "each candidate once"),
        ("presented", {"context": "h", "order": [0, -1]}, "whole numbers from 0"),
        ("presented", {"context": "h", "order": [0], "teams": [0]}, "teams and opponent"),
        ("feedback", {"presentation": "q", "clicked": []}, "on a presentation"),
        ("feedback", {"presentation": "p", "clicked": [], "better": 0}, "one form"),
        ("feedback", {"presentation": "p"}, "one form"),
        ("feedback", {"presentation": "p", "clicked": [2]}, "candidates that were presented"),
        ("undone", {"event": "p"}, "take back feedback or an undo"),
        ("items", {"items": [{"id": "a"}]}, "an item must have the parts"),
        ("edited", {"item": {"id": "a", "title": "A"}}, "of this study"),
        ("retired", {"items": ["a"]}, "of this study"),
    ],
)
def test_what_contradicts_the_log_is_rejected(kind: str, content: dict[str, Any], why: str) -> None:
    """An event that does not continue the study is named by its number, and nothing of it is quoted."""
    state = State()
    created = {"kind": "coactive", "seed": 1, "settings": SETTINGS}
    state.apply(Event(1, "created", "created", 0.0, created, 3))
    state.apply(Event(2, "p", "presented", 0.0, {"context": "h", "order": [1, 0]}))
    with pytest.raises(CannotLoad, match=f"event 3 of the log cannot be read: .*{why}"):
        state.apply(Event(3, "e", kind, 0.0, content, newest(kind)))


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("presented", {"context": "h", "order": 3}),
        ("presented", {"context": 1, "order": [0]}),
        ("presented", {"context": "h", "user": "k"}),
        ("feedback", {"presentation": "p", "clicked": "AAAA"}),
        ("feedback", {"presentation": None, "clicked": []}),
    ],
)
def test_the_fast_answer_lets_nothing_else_pass(kind: str, content: dict[str, Any]) -> None:
    """As many fields as usual, of which one has another name or type."""
    with pytest.raises(CannotLoad):
        check_fields(Event(1, "e", kind, 0.0, content))
