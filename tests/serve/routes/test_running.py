"""Whether the server works, its figures, and what study a token is for."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from penchant.serve import create_app
from penchant.serve.served import Studies
from penchant.study import CompareStudy
from tests.serve.visitor import Visitor, rejected


def test_health_tells_everybody_that_it_runs_and_nothing_else(stranger: Visitor) -> None:
    """No token is needed, and nothing is given away."""
    reply = stranger.get("/v1/health")
    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


def test_health_is_503_where_nothing_can_be_written(
    stranger: Visitor, study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With when to look again, and without the reason, which may hold a path."""
    monkeypatch.setattr(study, "problem", lambda: "no space left in /private/place")
    reply = stranger.get("/v1/health")
    assert "private" not in rejected(reply, 503, "failing")
    assert int(reply.headers["Retry-After"]) > 0


def test_nothing_is_acknowledged_after_somebody_removed_the_file(
    ann: Visitor, stranger: Visitor, tmp_path: Path
) -> None:
    """Health says so at once, and answers are rejected as not kept, instead of being lost with the process."""
    asked = ann.asked()["id"]
    moved = (tmp_path / "drinks.db").rename(tmp_path / "moved.db")
    rejected(stranger.get("/v1/health"), 503, "failing")
    rejected(ann.answers("event-1", "left", asked), 503, "not_kept")
    moved.rename(tmp_path / "drinks.db")
    assert ann.answers("event-1", "left", asked).json()["duplicate"] is False
    assert stranger.get("/v1/health").status_code == 200


def test_every_role_learns_what_its_token_is_for(app: FastAPI, study: CompareStudy) -> None:
    """Title, kind, the words for judges, the number of the last event, and whose token it is."""
    study.change(question="Which is hotter?", instructions="Two lines\nof text")
    for role in ("owner", "judge", "app", "reader"):
        found = Visitor(app, study.tokens.make(role, f"the {role}")).get("/v1/study").json()
        assert found == {
            "id": study.identity,
            "title": "Drinks",
            "kind": "compare",
            "question": "Which is hotter?",
            "instructions": "Two lines\nof text",
            "progress": study.progress(),
            "revision": 3,
            "role": role,
            "name": f"the {role}",
            "answered": 0,
            "answers_each": 0,
            "settled": False,
            "needs": "The study has just begun: every answer helps.",
        }


def test_a_coactive_study_has_no_question(watcher: Visitor) -> None:
    """Nobody is asked there."""
    found = watcher.get("/v1/study").json()
    assert (found["kind"], found["question"], found["instructions"]) == ("coactive", "", "")


def test_a_closed_study_is_a_clean_error(
    ann: Visitor, reader: Visitor, stranger: Visitor, study: CompareStudy
) -> None:
    """503 in the one shape, with when to try again, on every route."""
    study.close()
    for reply in (
        ann.post("/v1/questions", {}),
        reader.get("/v1/ranking"),
        reader.get("/v1/study"),
        reader.get("/v1/metrics"),
        stranger.get("/v1/health"),
    ):
        rejected(reply, 503, "not_kept")
        assert int(reply.headers["Retry-After"]) > 0


def test_a_busy_study_says_when_to_come_again(study: CompareStudy) -> None:
    """With one place in the queue, three for a moment, some of many requests at once get 503 with Retry-After."""
    app = create_app(study)
    app.state.studies = Studies(study, most_waiting=1)
    visitor, worker = Visitor(app, study.tokens.make("reader", "board")), app.state.studies.all[0].worker
    call, come = worker.call, []

    async def counted(work: Callable[[], Any]) -> Any:
        come.append(work)
        return await call(work)

    worker.call = counted
    with ThreadPoolExecutor(1) as pool:
        with study._lock:  # nothing is served until all have come
            sending = pool.submit(visitor.at_once, [("GET", "/v1/study", None)] * 20)
            while len(come) < 20:
                time.sleep(0.001)
        replies = sending.result()
    busy = [reply for reply in replies if reply.status_code != 200]
    assert 15 <= len(busy) <= 17
    for reply in busy:
        rejected(reply, 503, "busy")
        assert int(reply.headers["Retry-After"]) > 0
