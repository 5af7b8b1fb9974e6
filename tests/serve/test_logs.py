"""The log of requests, and what never appears in it."""

from __future__ import annotations

import io
import json
import logging
from typing import Any

import pytest
from fastapi import FastAPI

from penchant.serve.logs import RequestLog, json_logs
from penchant.study import CompareStudy
from tests.serve.visitor import Visitor

KEYS = {"time", "method", "route", "status", "ms", "bytes", "role", "study"}


@pytest.fixture
def out() -> io.StringIO:
    return io.StringIO()


def lines(out: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def logged(app: FastAPI, out: io.StringIO, token: str | None = None) -> Visitor:
    return Visitor(RequestLog(app, out), token)


def test_a_request_is_a_line(app: FastAPI, study: CompareStudy, out: io.StringIO) -> None:
    """With the template of its route, what came of it, and whose it was."""
    ann = logged(app, out, study.tokens.make("judge", "ann"))
    reply = ann.post("/v1/questions", {})
    ann.request("DELETE", "/v1/tokens/t-secret", headers={"Content-Type": "application/json"})
    logged(app, out).get("/v1/ranking")
    first, second, third = lines(out)
    assert set(first) == KEYS
    assert [first[key] for key in ("method", "route", "status", "role", "study")] == [
        "POST", "/v1/questions", 200, "judge", 0
    ]  # fmt: skip
    assert first["bytes"] == len(reply.content)
    assert (second["route"], second["status"], second["role"]) == ("/v1/tokens/{token_id}", 403, "judge")
    assert (third["route"], third["status"], third["role"]) == ("/v1/ranking", 401, None)


def test_nothing_that_is_anybodys_is_logged(app: FastAPI, study: CompareStudy, out: io.StringIO) -> None:
    """Leaks through logs: no token, title, item, name, answer, id, query or address of whoever sends anything."""
    token = study.tokens.make("judge", "ann-of-marks")
    ann = logged(app, out, token)
    asked = ann.asked()
    ann.answers("event-of-marks", "both_bad", asked["id"])
    ann.get(f"/v1/ranking?token={token}&name=ann-of-marks")
    ann.get(f"/{token}")
    ann.get("/static/ann-of-marks.js")
    ann.request("DELETE", "/v1/tokens/ann-of-marks", headers={"Content-Type": "application/json"})
    ann.get("/", headers={"Host": "ann-of-marks"})
    ann.request("FORMARKS", "/")
    owner = logged(app, out, study.tokens.make("owner", "me"))
    owner.post("/v1/judges", {"name": "ann-of-marks"})
    text = out.getvalue()
    assert len(lines(out)) == 9
    for secret in (token, "marks", "MARKS", asked["id"], "both_bad", "Tea", "Coffee", "Drinks", "127.0.0.1"):
        assert secret not in text, f"{secret} is in the log"


def test_a_failure_is_logged_by_kind_and_place(
    app: FastAPI, study: CompareStudy, out: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leaks through logs: an exception's message may quote what people wrote, so it is left out."""

    def fails(*_: object) -> None:
        raise KeyError("secret title")

    monkeypatch.setattr(study, "ask_ahead", fails)
    with json_logs(out):
        assert (
            logged(app, out, study.tokens.make("judge", "ann")).post("/v1/questions", {}).status_code == 500
        )
        logging.getLogger("penchant.serve").error("it failed: %s", ValueError("secret title"))
    failed, request, other = lines(out)
    assert (failed["level"], failed["message"], failed["error"]) == ("error", "a request failed", "KeyError")
    assert failed["at"][-1].startswith("fails:")
    assert request["status"] == 500
    assert other["error"] == "ValueError"
    assert "secret" not in out.getvalue()


def test_loggers_are_given_back() -> None:
    """Whoever serves from Python keeps their own."""
    before = logging.getLogger("penchant.serve").handlers
    with json_logs(io.StringIO()):
        assert logging.getLogger("penchant.serve").handlers != before
    assert logging.getLogger("penchant.serve").handlers == before
