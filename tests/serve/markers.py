"""A study with a marker in every stored field, and requests with all its ids to all routes.

A marker that comes back to somebody to whom it does not belong is a leak.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from httpx import Response

from penchant.serve import create_app
from penchant.store import SQLiteLog
from penchant.study import CompareStudy
from tests.serve.conftest import PLENTY
from tests.serve.visitor import Visitor

MARKER = re.compile(r"mark-[a-z]+-\d+")
CHOICES = ("left", "right", "tie", "both_bad", "skip")


@dataclass
class Marked:
    """A study full of markers, its application, and the ids that its log and its tokens hold."""

    study: CompareStudy
    app: FastAPI
    visitors: dict[str, Visitor]
    ids: list[str]
    secrets: set[str]
    belongs: dict[str, set[str]] = field(default_factory=dict)


def marked_study(folder: Path, luck: random.Random) -> Marked:
    """Make a study in which item texts, titles, names, ids and tokens all carry markers of their own."""
    items = [
        {"id": f"mark-item-{k}", "title": f"mark-title-{k}", "text": f"mark-text-{k}"}
        for k in range(luck.randrange(3, 7))
    ]
    study = CompareStudy.create(folder / "study.db", items, title="mark-study-0", seed=luck.randrange(99))
    judges = {"ann": "mark-judge-1", "bob": "mark-judge-2"}
    for number in range(luck.randrange(4, 10)):
        judge = luck.choice([*judges.values(), "mark-judge-3"])
        study.tell(study.ask(judge), luck.choice(CHOICES), event_id=f"mark-event-{number}")
    study.undo("mark-event-1", undo_id="mark-undo-1")
    tokens = {name: study.tokens.make("judge", judge) for name, judge in judges.items()}
    tokens["owner"] = study.tokens.make("owner", "mark-owner-1")
    other = study.tokens.make("reader", "mark-reader-1")
    app = create_app(study, limits=PLENTY)
    visitors = {name: Visitor(app, token) for name, token in tokens.items()} | {"stranger": Visitor(app)}
    with SQLiteLog.open(folder / "study.db", write=False) as log:
        ids = [event.id for event in log.events()] + [row.id for row in log.tokens.list()]
        hashes = {row.hash for row in log.tokens.list()}
    marked = Marked(study, app, visitors, ids, {*tokens.values(), other, *hashes})
    shown = {f"mark-{what}-{k}" for what in ("item", "title", "text") for k in range(len(items))}
    for name in ("ann", "bob"):
        marked.belongs[name] = {"mark-study-0", judges[name], *shown}
    marked.belongs["stranger"] = {"mark-study-0"}
    return marked


def requests(marked: Marked, id: str, question: str) -> list[tuple[str, str, Any]]:
    """Return a request for every route of the interface, each with ``id`` wherever an id can stand."""
    paths = marked.app.openapi()["paths"]
    made: list[tuple[str, str, Any]] = []
    for path, methods in paths.items():
        for method in methods:
            place = re.sub(r"\{\w+\}", id.replace("/", "%2F"), path)
            bodies: list[Any] = [None]
            if method != "get":
                bodies = [
                    {},
                    {"id": id},
                    {"id": id, "question": question, "choice": "left"},
                    {"id": "new-id", "question": id, "choice": "left"},
                    {"name": id},
                    {"role": "owner", "name": id},
                ]
            made += [(method.upper(), place, body) for body in bodies]
    return [*made, ("GET", f"/{id}", None), ("GET", "/", None), ("GET", "/owner", None)]


def leaks(marked: Marked, who: str, reply: Response, sent: str) -> set[str]:
    """Return what a reply holds that is not its reader's: markers, tokens, and ids that were not sent."""
    text = reply.text + json.dumps(dict(reply.headers))
    found = set(MARKER.findall(text)) - marked.belongs[who] - set(MARKER.findall(sent))
    found |= {secret for secret in marked.secrets if secret in text}
    own = {
        question.id
        for question in marked.study._state.questions.values()
        if question.judge in marked.belongs[who]
    }
    return found | {
        id for id in marked.ids if id.startswith(("q-", "t-")) and id in text and id not in own | {sent}
    }


def send_all(marked: Marked, who: str, ids: list[str]) -> Counter[str]:
    """Send every id through every route as one visitor, and check what comes back; return the statuses."""
    visitor = marked.visitors[who]
    seen: Counter[str] = Counter()
    marked.study.tell(marked.study.ask("mark-judge-3"), "left")  # the last answer is somebody else's
    reply = visitor.post("/v1/undo", {"id": "first-undo"})
    assert not leaks(marked, who, reply, ""), f"{who} took back what is not theirs: {reply.text}"
    for id in ids:
        question = "q-none"
        if who != "stranger":
            question = visitor.asked()["id"]
            # Whatever id of the log a client chooses, it is a new one in its own space.
            if re.fullmatch(r"[\w.:-]{1,100}", id):
                reply = visitor.answers(id, "left", question)
                assert reply.status_code == 200, f"id {id!r} met an event of somebody else: {reply.text}"
                assert not leaks(marked, who, reply, id), leaks(marked, who, reply, id)
                question = visitor.asked()["id"]
        if (
            id in marked.study._state.questions
            and marked.study._state.questions[id].judge in marked.belongs[who]
        ):
            continue  # one's own questions may be answered
        for method, path, body in requests(marked, id, question):
            options = {} if body is None else {"json": body}
            if method == "DELETE":
                options["headers"] = {"Content-Type": "application/json"}
            reply = visitor.request(method, path, **options)
            found = leaks(marked, who, reply, id)
            assert not found, f"{method} {path} {body} message {who} {sorted(found)}: {reply.text[:300]}"
            assert reply.status_code < 500, reply.text
            if path.startswith(("/v1/tokens", "/v1/judges", "/v1/ranking")):
                assert reply.status_code in (401, 403, 404, 405), (
                    f"{who} may {method} {path}: {reply.text[:200]}"
                )
            if path == "/v1/answers" and isinstance(body, dict) and body.get("question") == id:
                assert reply.status_code in (401, 404, 422), f"{who} answered {id!r}: {reply.text}"
            seen[f"{reply.status_code // 100}xx"] += 1
    return seen
