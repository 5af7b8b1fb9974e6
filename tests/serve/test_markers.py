"""Nothing that is stored comes back to anybody to whom it does not belong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from penchant.serve import access
from penchant.serve.errors import ErrorReply
from penchant.serve.routes import answering
from penchant.study import CompareStudy, Question
from tests.serve.markers import Marked, marked_study, send_all
from tests.serve.visitor import Visitor


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[Marked]:
    made = marked_study(tmp_path, random.Random(4))
    yield made
    made.study.close()


def picked(marked: Marked) -> list[str]:
    """The study's own events, somebody's answer and undo, a question, and a token."""
    return ["created", "items-0", "mark-event-0", "mark-undo-1", marked.ids[2], marked.ids[-1]]


@pytest.mark.parametrize("who", ["stranger", "ann", "bob"])
def test_no_marker_comes_back_to_whom_it_does_not_belong(marked: Marked, who: str) -> None:
    """A stranger, a judge and another judge send every id of the log and of the tokens to every route."""
    seen = send_all(marked, who, marked.ids)
    assert sum(seen.values()) > 100
    assert {"2xx", "4xx"} <= set(seen)


def test_a_judge_cannot_reach_the_studys_own_events(ann: Visitor, study: CompareStudy) -> None:
    """The event that made the study is out of reach: the id is free in the judge's own space."""
    asked = ann.asked()["id"]
    reply = ann.answers("created", "left", asked)
    assert reply.status_code == 200
    assert reply.json()["answer"]["id"] == "created"
    again = ann.answers("created", "right", asked)
    assert again.status_code == 409
    assert again.json() == {
        "error": {
            "code": "conflict",
            "message": "id 'created' was sent before with another content",
            "hint": "use a new id",
        }
    }
    assert ann.post("/v1/undo", {"id": "created"}).json()["error"]["code"] == "conflict"


def unscoped(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(access.Access, "own_id", lambda self, id: id)


def any_role(patch: pytest.MonkeyPatch) -> None:
    everybody = frozenset({"owner", "judge", "app", "reader"})
    for right in ("read", "manage"):
        patch.setitem(access.RIGHTS, right, everybody)


def any_question(patch: pytest.MonkeyPatch) -> None:
    def own(judge: access.Access, study: CompareStudy, question_id: str) -> Question:
        found = study.find_question(question_id)
        if found is None:
            raise ErrorReply(404, "unknown", "not there")
        return found

    patch.setattr(answering, "_own", own)


def anybodys_undo(patch: pytest.MonkeyPatch) -> None:
    undo = CompareStudy.undo
    patch.setattr(
        CompareStudy,
        "undo",
        lambda self, event_id=None, judge=None, undo_id=None: undo(self, undo_id=undo_id),
    )


def quoting(patch: pytest.MonkeyPatch) -> None:
    def taken(id: str) -> ErrorReply:
        return ErrorReply(409, "conflict", "the id is that of mark-event-0, by mark-judge-3: choose another")

    patch.setattr(answering, "taken", taken)


@pytest.mark.parametrize("remove", [unscoped, any_role, any_question, anybodys_undo, quoting])
def test_without_any_one_guard_the_walk_fails(
    marked: Marked, monkeypatch: pytest.MonkeyPatch, remove: Callable[[pytest.MonkeyPatch], Any]
) -> None:
    """Each guard is needed: the same requests find what happens without it."""
    remove(monkeypatch)
    open_question = marked.study.ask("mark-judge-3").id
    with pytest.raises(AssertionError):
        send_all(marked, "bob", [*picked(marked), open_question])
