"""Other people's pages cannot use it: each guard, against the attack that it stops."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from penchant.serve import Address, Limits, create_app
from penchant.serve.guards import Guards
from penchant.study import CompareStudy
from tests.serve.visitor import HERE, Visitor, finished, rejected


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
    rejected(ann.request("POST", "/v1/answers", content=body, headers=headers), 415, "not_json_type")
    assert study.answers() == []


def test_json_with_a_charset_is_json(ann: Visitor) -> None:
    """Parameters of the content type do not matter."""
    headers = {"Content-Type": "application/json; charset=utf-8"}
    assert ann.request("POST", "/v1/questions", content="{}", headers=headers).status_code == 200


def test_a_body_at_the_limit_is_read(ann: Visitor) -> None:
    """64 KiB are let in; one byte more is not."""
    full = b"{}" + b" " * (Limits().body_bytes - 2)
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

    guards = Guards(never, Address(), Limits())
    headers = [(b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json")]
    finished(guards({"type": "http", "method": "POST", "headers": headers}, endless, ignored))
    assert Limits().body_bytes < taken <= Limits().body_bytes + 4096
    assert guards.body._bodies.held == 0


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


ITEMS = "/v1/items"


class Echo:
    """An application behind the guards that replies what it was sent, and as whom."""

    def __init__(self, **address: object) -> None:
        limits = address.pop("limits", Limits())
        assert isinstance(limits, Limits)
        self.app = Guards(self.echo, Address(**address), limits)

    @staticmethod
    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = (await request.body()).decode()
        seen = {"client": scope["client"][0], "scheme": scope["scheme"], "body": body}
        await JSONResponse({**seen, "type": request.headers.get("content-type")})(scope, receive, send)

    def sent(self, method: str = "GET", path: str = "/", peer: str = "127.0.0.1", **options: Any) -> Response:
        async def sent() -> Response:
            transport = ASGITransport(self.app, client=(peer, 4000))
            async with AsyncClient(transport=transport, base_url=HERE) as client:
                return await client.request(method, path, **options)

        return finished(sent())


PUBLIC = {"url": "https://rank.example", "proxies": ["127.0.0.1"]}
THERE = {"Host": "rank.example"}


def test_the_public_name_is_ours_too() -> None:
    """DNS rebinding: behind a proxy the public name and our own are let in, others are not."""
    echo = Echo(**PUBLIC)
    for host in ("rank.example", "rank.example:443", "127.0.0.1:8000"):
        assert echo.sent(headers={"Host": host}).status_code == 200
    for host in ("rank.example:8000", "evil.example", "rank.example.evil.example"):
        rejected(echo.sent(headers={"Host": host}), 421, "wrong_host")


def test_a_rebound_page_cannot_name_us_in_a_forwarded_host() -> None:
    """DNS rebinding: X-Forwarded-Host does not stand in for Host; both must be ours."""
    echo = Echo(**PUBLIC)
    forged = {"Host": "evil.example", "X-Forwarded-Host": "rank.example"}
    rejected(echo.sent(headers=forged), 421, "wrong_host")
    for name, value in (
        ("X-Forwarded-Host", "evil.example"),
        ("Forwarded", "for=192.0.2.1;host=evil.example"),
    ):
        rejected(echo.sent(headers={**THERE, name: value}), 421, "wrong_host")
        assert echo.sent(headers={**THERE, name: value}, peer="192.0.2.9").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "203.0.113.9, 192.0.2.1", "X-Forwarded-Proto": "https"},
        {
            "X-Forwarded-For": "192.0.2.1, 127.0.0.1",
            "X-Forwarded-Proto": "https",
            "Forwarded": "for=203.0.113.9",
        },
        {"Forwarded": "for=203.0.113.9, for=192.0.2.1;proto=https;host=rank.example"},
    ],
)
def test_forwarded_headers_count_from_the_proxy_alone(headers: dict[str, str]) -> None:
    """Forged addresses: the nearest address that is no proxy is the client; from anybody else they are ignored."""
    echo = Echo(**PUBLIC)
    seen = echo.sent(headers={**THERE, **headers}).json()
    assert (seen["client"], seen["scheme"]) == ("192.0.2.1", "https")
    seen = echo.sent(headers={**THERE, **headers}, peer="192.0.2.9").json()
    assert (seen["client"], seen["scheme"]) == ("192.0.2.9", "http")
    seen = Echo().sent(headers=headers).json()
    assert (seen["client"], seen["scheme"]) == ("127.0.0.1", "http")


def test_nobody_gets_around_the_proxy_that_speaks_https() -> None:
    """Plain HTTP around the proxy: where the server can be reached from outside, the proxy alone is served."""
    echo = Echo(host="127.0.0.2", **PUBLIC)
    assert echo.sent(headers=THERE, peer="127.0.0.9").status_code == 200, "on this computer nobody listens in"
    outside = Echo(host="192.0.2.7", url="https://rank.example", proxies=["192.0.2.0/28"])
    assert outside.sent(headers=THERE, peer="192.0.2.8").status_code == 200
    rejected(outside.sent(headers=THERE, peer="203.0.113.1"), 403, "not_through_proxy")


def test_a_flood_from_one_address_is_stopped() -> None:
    """Floods: beyond the burst an address waits, whatever tokens it shows; other addresses do not."""
    echo = Echo(limits=Limits(address_rate=0.001, address_burst=3))
    for number in range(3):
        assert echo.sent(headers={"Authorization": f"Bearer {number}"}).status_code == 200
    reply = echo.sent()
    assert "at most 0.001 requests a second are served to one address" in rejected(reply, 429, "too_many")
    assert int(reply.headers["Retry-After"]) >= 1
    assert echo.sent(peer="192.0.2.1").status_code == 200


def test_a_household_of_ipv6_is_one_address() -> None:
    """Floods from the 2**64 addresses that one client has count together."""
    echo = Echo(limits=Limits(address_rate=0.001, address_burst=1))
    peers = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"]
    assert [echo.sent(peer=peer).status_code for peer in peers] == [200, 429, 200]


def test_a_forged_address_does_not_escape_the_limit() -> None:
    """Floods under forged addresses: without a named proxy X-Forwarded-For changes nothing; with one it does."""
    limits = Limits(address_rate=0.001, address_burst=1)
    forged = [{"X-Forwarded-For": f"192.0.2.{number}"} for number in range(2)]
    direct = Echo(limits=limits)
    assert [direct.sent(headers=one).status_code for one in forged] == [200, 429]
    behind = Echo(limits=limits, **PUBLIC)
    assert [behind.sent(headers=one | THERE).status_code for one in forged] == [200, 200]
    assert behind.sent(headers=forged[0] | THERE).status_code == 429


def test_a_flood_with_one_token_is_stopped() -> None:
    """Floods: a token waits beyond its burst from whatever address; other tokens do not."""
    echo = Echo(limits=Limits(token_rate=0.001, token_burst=2))
    ann, bob = {"Authorization": "Bearer ann"}, {"Authorization": "Bearer bob"}
    assert [echo.sent(headers=ann, peer=f"192.0.2.{n}").status_code for n in range(3)] == [200, 200, 429]
    assert echo.sent(headers=bob).status_code == 200


@pytest.mark.parametrize(
    "others",
    [
        [("Authorization", "Bearer  ann")],
        [("Authorization", "bearer ann")],
        [("Authorization", "Bearer ann\xa0\x85")],
        [("Authorization", "Bearer ann"), ("Authorization", "Bearer other")],
    ],
)
def test_a_token_in_other_spellings_is_the_same(others: list[tuple[str, str]]) -> None:
    """Floods: whatever is read as one token counts as one, so that blanks and second headers escape no limit."""
    echo = Echo(limits=Limits(token_rate=0.001, token_burst=1))
    assert echo.sent(headers={"Authorization": "Bearer ann"}).status_code == 200
    raw = [(name.encode(), value.encode("latin-1")) for name, value in others]
    rejected(echo.sent(headers=raw), 429, "too_many")


def test_a_body_is_not_coded() -> None:
    """Smuggled requests: codings that are not undone here are rejected, not read as if they were none."""
    for coding in ("gzip, chunked", "chunked, gzip", "identity", "xchunked", "chunked, chunked"):
        headers = {"Content-Type": "application/json", "Transfer-Encoding": coding}
        rejected(Echo().sent("POST", content=b"{}", headers=headers), 400, "bad_request")


def test_a_large_body_needs_a_token_before_it_is_read(both: FastAPI, study: CompareStudy) -> None:
    """Time exhaustion: 4 MiB take a second to parse, in which nobody else is served; strangers and judges send none."""
    read = 0

    async def parts() -> AsyncIterator[bytes]:
        nonlocal read
        for _ in range(60):
            read += 2**16
            yield b"[],[]," + b" " * (2**16 - 6)

    kind = {"Content-Type": "application/json"}
    judge, owner = (Visitor(both, study.tokens.make(role, "ann")) for role in ("judge", "owner"))
    senders = [
        (Visitor(both), 401, "no_token"),
        (Visitor(both, "x"), 401, "wrong_token"),
        (judge, 403, "not_an_app"),
    ]
    for visitor, status, code in senders:
        for path in ("/v1/items", "/v1/presentations"):
            whole = b"[" + b"[]," * 2**19 + b"[]]"
            rejected(visitor.request("POST", path, content=whole, headers=kind), status, code)
            read = 0
            rejected(visitor.request("POST", path, content=parts(), headers=kind), status, code)
            assert read <= 3 * 2**16
    body = {"id": "large", "items": [{"title": "New", "text": "x" * 2**17}]}
    assert owner.post("/v1/items", body).status_code == 200


def test_what_is_deleted_needs_no_body() -> None:
    """Forms cannot send DELETE; one with a body declares it as JSON, as all others do."""
    assert Echo().sent("DELETE", "/v1/tokens/t").status_code == 200
    rejected(Echo().sent("DELETE", "/v1/tokens/t", content=b"{}"), 415, "not_json_type")
    rejected(Echo().sent("POST", "/v1/tokens"), 415, "not_json_type")
    foreign = {"Origin": "https://evil.example"}
    rejected(Echo().sent("DELETE", "/v1/tokens/t", headers=foreign), 403, "wrong_origin")


def test_long_headers_are_rejected() -> None:
    """Memory exhaustion: address and headers together have a limit."""
    echo = Echo(limits=Limits(head_bytes=1000))
    assert echo.sent(headers={"X-Long": "x" * 600}).status_code == 200
    rejected(echo.sent(headers={"X-Long": "x" * 1000}), 431, "too_large")
    rejected(echo.sent(path=f"/?q={'x' * 1000}"), 431, "too_large")


def test_a_body_has_one_length() -> None:
    """Smuggled requests: a length beside chunks is rejected, and so are two lengths."""
    kind = {"Content-Type": "application/json"}
    both = {**kind, "Transfer-Encoding": "chunked", "Content-Length": "2"}
    rejected(Echo().sent("POST", content=b"{}", headers=both), 400, "bad_request")
    twice = [*kind.items(), ("Content-Length", "2"), ("Content-Length", "2")]
    rejected(Echo().sent("POST", content=b"{}", headers=twice), 413, "too_large")


def test_items_may_be_large() -> None:
    """The limit of a body depends on its route: 4 MiB for presentations and items, 64 KiB for the rest."""
    body, kind = b" " * (Limits().body_bytes + 1), {"Content-Type": "application/json"}
    for method, path, status in (("POST", ITEMS, 200), ("PATCH", ITEMS, 413), ("POST", f"{ITEMS}/x", 413)):
        assert Echo().sent(method, path, content=body, headers=kind).status_code == status
    large = b" " * (Limits().large_body_bytes + 1)
    rejected(Echo().sent("POST", ITEMS, content=large, headers=kind), 413, "too_large")


def test_many_large_bodies_wait_for_each_other() -> None:
    """Memory exhaustion by many bodies: all that are held together have a limit, and each is let go of."""
    echo = Echo(limits=Limits(all_body_bytes=100))
    kind = {"Content-Type": "application/json"}
    for _ in range(3):
        assert echo.sent("POST", content=b" " * 80, headers=kind).status_code == 200
        reply = echo.sent("POST", content=b" " * 101, headers=kind)
        rejected(reply, 503, "busy")
        assert reply.headers["Retry-After"]


def test_deep_json_is_rejected_unparsed() -> None:
    """Stack exhaustion: brackets inside one another are counted before anything is parsed."""
    kind = {"Content-Type": "application/json"}
    assert Echo().sent("POST", content=b"[" * 20 + b"]" * 20, headers=kind).status_code == 200
    rejected(Echo().sent("POST", content=b"[" * 21 + b"]" * 21, headers=kind), 422, "invalid")


SHOP = "https://shop.example"
FEEDBACK = "/v1/feedback"


def shop(**options: object) -> Echo:
    return Echo(allowed=[SHOP], **options)


@pytest.mark.parametrize("kind", ["application/json", "text/plain;charset=UTF-8"])
def test_a_named_site_may_send_feedback_as_text_too(kind: str) -> None:
    """A page of a named origin sends a beacon, which reaches the application as JSON, and may read the reply."""
    reply = shop().sent("POST", FEEDBACK, content="{}", headers={"Origin": SHOP, "Content-Type": kind})
    assert (reply.status_code, reply.json()["type"], reply.json()["body"]) == (200, "application/json", "{}")
    assert reply.headers["Access-Control-Allow-Origin"] == SHOP
    assert reply.headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Credentials" not in reply.headers


def test_a_named_site_may_read_errors() -> None:
    """The one error shape is readable there too."""
    reply = shop().sent("POST", FEEDBACK, content="{}", headers={"Origin": SHOP, "Content-Type": "text/html"})
    rejected(reply, 415, "not_json_type")
    assert reply.headers["Access-Control-Allow-Origin"] == SHOP


def test_a_browser_may_ask_first() -> None:
    """A preflight of a named site is answered: POST with a content type, and no token."""
    asked = {"Origin": SHOP, "Access-Control-Request-Method": "POST"}
    reply = shop().sent("OPTIONS", FEEDBACK, headers=asked)
    assert (reply.status_code, reply.content) == (204, b"")
    assert reply.headers["Access-Control-Allow-Methods"] == "POST"
    assert reply.headers["Access-Control-Allow-Headers"] == "Content-Type"


@pytest.mark.parametrize(
    ("method", "path", "origin"),
    [
        ("POST", "/v1/answers", SHOP),
        ("POST", "/v1/feedback/", SHOP),
        ("GET", FEEDBACK, SHOP),
        ("DELETE", FEEDBACK, SHOP),
        ("OPTIONS", "/v1/answers", SHOP),
        ("POST", FEEDBACK, "http://shop.example"),
        ("POST", FEEDBACK, "https://shop.example:8443"),
        ("POST", FEEDBACK, "https://shop.example.evil.example"),
        ("POST", FEEDBACK, "null"),
    ],
)
def test_a_named_site_may_do_nothing_else(method: str, path: str, origin: str) -> None:
    """Cross-site requests: only feedback, only by POST, only from the origin that was named."""
    kind = {"Origin": origin, "Content-Type": "application/json"}
    reply = shop().sent(method, path, headers=kind)
    rejected(reply, 403, "wrong_origin")
    assert not [name for name in reply.headers if name.lower().startswith("access-control")]


def test_text_from_our_own_page_is_still_no_json() -> None:
    """Simple-form CSRF: text counts as JSON for named sites alone."""
    for headers in ({"Origin": HERE}, {}):
        reply = shop().sent("POST", FEEDBACK, content="{}", headers={**headers, "Content-Type": "text/plain"})
        rejected(reply, 415, "not_json_type")


def test_a_client_that_goes_away_is_not_served() -> None:
    """Half a body reaches no application."""

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def never(*_: object) -> None:
        raise AssertionError("nobody must be asked or told")

    headers = [(b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json")]
    finished(
        Guards(never, Address(), Limits())(
            {"type": "http", "method": "POST", "headers": headers}, gone, never
        )
    )


def test_the_application_has_all_guards(study: CompareStudy) -> None:
    """`create_app` passes the address and the limits on."""
    app = create_app(
        study, address=Address(url="https://rank.example", proxies=["127.0.0.1"]), limits=Limits(depth=1)
    )
    judge = Visitor(app, study.tokens.make("judge", "ann"))
    assert judge.get("/v1/health", headers={"Host": "rank.example"}).status_code == 200
    rejected(judge.post("/v1/undo", {"id": [1]}), 422, "invalid")
    assert app.state.links.url == "https://rank.example"
