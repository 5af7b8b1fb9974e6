"""Other people's pages cannot use it: each guard, against the attack that it stops."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send

from penchant.serve.guards import BODY_LIMIT, BodyGuard
from penchant.study import CompareStudy
from tests.serve.visitor import Visitor, finished, rejected


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_our_own_names_are_let_in(ann: Visitor, host: str) -> None:
    """Every name of this computer with our port is ours."""
    assert ann.get("/v1/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8000",
        "127.0.0.1.evil.example:8000",
        "127.0.0.1:9000",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:8000@evil.example",
        "localhost.:8000",
        "0.0.0.0:8000",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/owner", "/v1/health", "/v1/ranking", "/static/judge.js"])
def test_a_rebound_name_gets_nothing(owner: Visitor, host: str, path: str) -> None:
    """DNS rebinding: under any other Host even the owner's token opens nothing."""
    rejected(owner.get(path, headers={"Host": host}), 421, "wrong_host")


def test_two_hosts_are_none(app: FastAPI) -> None:
    """DNS rebinding with a second, well-behaved Host header is rejected too."""
    reply = Visitor(app).get("/", headers=[("Host", "evil.example:8000"), ("Host", "127.0.0.1:8000")])
    rejected(reply, 421, "wrong_host")


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://127.0.0.1:8000",
        "http://127.0.0.1:3000",
        "http://localhost",
        "null",
        "",
        "http://127.0.0.1:8000.evil.example",
    ],
)
def test_a_cross_site_request_is_rejected(ann: Visitor, study: CompareStudy, origin: str) -> None:
    """A page of another origin, another port of this computer among them, can send nothing, even with a token."""
    body = {"id": "event-1", "question": ann.asked()["id"], "choice": "left"}
    rejected(ann.post("/v1/answers", body, headers={"Origin": origin}), 403, "wrong_origin")
    assert study.answers() == []


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"])
def test_our_own_pages_are_let_in(ann: Visitor, origin: str) -> None:
    """The Origin that our own page sends is ours."""
    assert ann.post("/v1/questions", {}, headers={"Origin": origin}).status_code == 200


def test_no_page_is_ever_allowed_in_by_cors(ann: Visitor) -> None:
    """A preflight is rejected and no reply carries a CORS header."""
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    for reply in (
        ann.request("OPTIONS", "/v1/answers", headers=asked),
        ann.request("OPTIONS", "/v1/answers", headers={**asked, "Origin": "http://127.0.0.1:8000"}),
        ann.post("/v1/questions", {}),
    ):
        assert not [name for name in reply.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize(
    "kind",
    [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json"],
)
def test_a_form_cannot_answer(ann: Visitor, study: CompareStudy, kind: str | None) -> None:
    """Simple-form CSRF: JSON smuggled in as text or as a form field is rejected unread: 415."""
    body = f'{{"id": "event-1", "question": "{ann.asked()["id"]}", "choice": "left"}}'
    headers = {} if kind is None else {"Content-Type": kind}
    rejected(ann.request("POST", "/v1/answers", content=body, headers=headers), 415, "not_json")
    assert study.answers() == []


def test_json_with_a_charset_is_json(ann: Visitor) -> None:
    """Parameters of the content type do not matter."""
    headers = {"Content-Type": "application/json; charset=utf-8"}
    assert ann.request("POST", "/v1/questions", content="{}", headers=headers).status_code == 200


def test_a_body_at_the_limit_is_read(ann: Visitor) -> None:
    """64 KiB are let in; one byte more is not."""
    full = b"{}" + b" " * (BODY_LIMIT - 2)
    assert ann.sends("/v1/questions", full).status_code == 200
    rejected(ann.sends("/v1/questions", full + b" "), 413, "too_large")


def test_an_endless_body_in_chunks_is_cut_off(ann: Visitor) -> None:
    """Memory exhaustion: a body without a length is rejected once the limit is passed."""

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 4096

    rejected(ann.sends("/v1/questions", chunks()), 413, "too_large")


def test_no_more_is_read_than_the_limit() -> None:
    """Memory exhaustion: of a body that would never end, the guard takes a little over the limit and stops."""
    taken = 0

    async def endless() -> Message:
        nonlocal taken
        taken += 4096
        return {"type": "http.request", "body": b" " * 4096, "more_body": True}

    async def ignored(message: Message) -> None:
        pass

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("the application must not be asked")

    finished(BodyGuard(never)({"type": "http", "method": "POST", "headers": []}, endless, ignored))
    assert BODY_LIMIT < taken <= BODY_LIMIT + 4096


def test_every_reply_carries_the_safe_headers(ann: Visitor, stranger: Visitor) -> None:
    """Pages, files, JSON and refusals, of guards too, all forbid what is not needed."""
    for reply in (
        stranger.get("/"),
        stranger.get("/owner"),
        stranger.get("/static/look.css"),
        stranger.get("/nothing"),
        stranger.get("/", headers={"Host": "evil.example"}),
        ann.post("/v1/questions", {}),
    ):
        policy = reply.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        for wanted in (
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "connect-src 'self'",
        ):
            assert wanted in policy
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert reply.headers["Referrer-Policy"] == "no-referrer"
        assert reply.headers["X-Frame-Options"] == "DENY"


def test_nothing_that_is_said_is_kept_by_a_cache(ann: Visitor) -> None:
    """Pages and JSON are not stored; files of the page are asked about again."""
    for path in ("/", "/owner", "/v1/health", "/v1/ranking"):
        assert ann.get(path).headers["Cache-Control"] == "no-store"
    assert ann.get("/static/look.css").headers["Cache-Control"] == "no-cache"
