"""Every operation with every error that it describes: one shape, whatever went wrong.

The rows come from the description of the interface: a new operation, or a new status of one, fails here until it is
told how it comes about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from httpx import Response

from penchant.errors import CannotStore, NoSpace
from penchant.serve import create_app
from penchant.serve.limits import Limits
from penchant.serve.routes import events
from penchant.serve.served import Served
from penchant.study import CompareStudy
from tests.serve.prepared import PRESENTATION, QUESTION, Prepared, prepared
from tests.serve.test_openapi import ASKED, DOCUMENT, OPERATIONS, QUERIES, schema_of_body
from tests.serve.visitor import HERE, Visitor

ROWS = [
    (*one, int(status)) for one in OPERATIONS for status in DOCUMENT["paths"][one[1]][one[0]]["responses"]
]
SLOW = 408
"""What the connection says before there is a request: its own tests bring it about."""
PLACES = {
    "/v1/items/{item}": "/v1/items/Tea",
    "/v1/judges/{name}": "/v1/judges/ann",
    "/v1/exports/{file}": "/v1/exports/events.jsonl",
    "/v1/tokens/{token_id}": "/v1/tokens/t-0",
    "/v1/pictures/{picture}": "/v1/pictures/0",
}
UNKNOWN: dict[tuple[str, str], tuple[str, Any]] = {
    ("post", "/v1/answers"): ("/v1/answers", {"id": "x", "question": "q-0", "choice": "left"}),
    ("post", "/v1/undo"): ("/v1/undo", {"id": "x", "event": "nothing"}),
    ("post", "/v1/presentations"): ("/v1/presentations", {"id": "x", "candidates": ["nothing"]}),
    ("post", "/v1/feedback"): ("/v1/feedback", {"id": "x", "presentation": "p-0", "clicked": []}),
    ("get", "/v1/why"): ("/v1/why?a=Tea&b=nothing", None),
    ("get", "/v1/outcomes"): ("/v1/outcomes?a=Tea&b=nothing", None),
    ("get", "/v1/items/{item}"): ("/v1/items/nothing", None),
    ("post", "/v1/items"): ("/v1/items", {"id": "x", "items": [{"title": "New", "links": "nothing"}]}),
    ("patch", "/v1/items/{item}"): ("/v1/items/nothing", {"id": "x", "retired": True}),
    ("patch", "/v1/judges/{name}"): ("/v1/judges/nobody", {"id": "x", "aside": True}),
    ("get", "/v1/exports/{file}"): ("/v1/exports/nothing.csv", None),
    ("delete", "/v1/tokens/{token_id}"): ("/v1/tokens/t-0", {}),
    ("get", "/v1/pictures/{picture}"): ("/v1/pictures/0", None),
}
USED: dict[tuple[str, str], tuple[dict[str, Any], dict[str, Any]]] = {
    ("post", "/v1/answers"): (
        {"id": "used", "question": QUESTION, "choice": "left"},
        {"id": "used", "question": QUESTION, "choice": "right"},
    ),
    ("post", "/v1/undo"): ({"id": "undone", "event": "used"}, {"id": "undone-2", "event": "used"}),
    ("post", "/v1/presentations"): (
        {"id": "used", "candidates": ["a", "b"]},
        {"id": "used", "candidates": ["a", "c"]},
    ),
    ("post", "/v1/feedback"): (
        {"id": "used", "presentation": PRESENTATION, "clicked": ["a"]},
        {"id": "used", "presentation": PRESENTATION, "clicked": ["b"]},
    ),
    ("post", "/v1/items"): ({"id": "used-items", "items": ["New"]}, {"id": "used-items", "items": ["Newer"]}),
    ("post", "/v1/items/import"): (
        {"id": "used-file", "name": "a.csv", "text": "title\nFirst\n"},
        {"id": "used-file", "name": "a.csv", "text": "title\nSecond\n"},
    ),
    ("patch", "/v1/items/{item}"): (
        {"id": "used-item", "retired": True},
        {"id": "used-item", "retired": False},
    ),
    ("patch", "/v1/judges/{name}"): (
        {"id": "used-judge", "aside": True},
        {"id": "used-judge", "aside": False},
    ),
    ("patch", "/v1/settings"): (
        {"id": "used-settings", "settings": {"title": "A"}},
        {"id": "used-settings", "settings": {"title": "B"}},
    ),
}
"""For each operation that can be in conflict, what is sent first and what then."""
WRONG: dict[str, tuple[str, dict[str, str]]] = {
    "/v1/why": ("/v1/why?a=Tea", {}),
    "/v1/weights": ("/v1/weights?user=nobody", {}),
    "/v1/interleaving": ("/v1/interleaving?level=2", {}),
    "/v1/simulation": ("/v1/simulation?rounds=0", {}),
    "/v1/events": ("/v1/events?limit=0", {}),
    "/v1/history": ("/v1/history?limit=0", {}),
    "/v1/changes": ("/v1/changes", {"Last-Event-ID": "x"}),
}
"""Queries and headers that mean nothing."""
OF_ONE_KIND = {"/v1/ranking", "/v1/settled", "/v1/judges"}
"""Paths without a body that mean nothing for the other kind of study."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    with prepared(tmp_path_factory.mktemp("world")) as made:
        yield made


class Sender:
    """Sends one operation rightly but for what makes it fail."""

    def __init__(self, world: Prepared, method: str, path: str) -> None:
        self.world, self.method, self.path = world, method, path
        self.kind, self.role = ASKED.get(path, ("compare", "owner"))
        self.visitor = world.visitor(self.kind, self.role)
        self.schema = schema_of_body(method, path)

    def send(self, visitor: Visitor | None = None, place: str | None = None, **changed: Any) -> Response:
        options: dict[str, Any] = {}
        if self.method != "get" and "content" not in changed:
            options["json"] = self.schema["examples"][0] if self.schema else {}
        usual = PLACES.get(self.path, self.path) + QUERIES.get(self.path, "")
        method = changed.pop("method", self.method.upper())
        return (visitor or self.visitor).request(method, place or usual, **options | changed)


def failing(error: Exception) -> Callable[[Sender, pytest.MonkeyPatch], Response]:
    """Return how an operation fails inside: when the token is looked up, or for health when it is asked for."""

    def fails(*_: Any, **__: Any) -> None:
        raise error

    def reply(sender: Sender, patch: pytest.MonkeyPatch) -> Response:
        patch.setattr(Served, "find", fails)
        patch.setattr(CompareStudy, "problem", fails)
        return sender.send()

    return reply


def unreadable(sender: Sender, patch: pytest.MonkeyPatch) -> Response:
    if sender.schema is not None:
        return sender.send(content="{", headers={"Content-Type": "application/json"})
    return sender.send(
        content=b"{}", headers=[*_JSON, ("Content-Length", "2"), ("Transfer-Encoding", "chunked")]
    )


_JSON = [("Content-Type", "application/json")]


def too_many(sender: Sender, patch: pytest.MonkeyPatch) -> Response:
    limits = Limits(address_rate=0.001, address_burst=1)
    app = create_app([sender.world.compare, sender.world.coactive], limits=limits)
    visitor = Visitor(app, sender.world.tokens.get((sender.kind, sender.role)))
    visitor.get("/v1/health")
    return sender.send(visitor)


def forbidden(sender: Sender, patch: pytest.MonkeyPatch) -> Response:
    if sender.path in ("/v1/health", "/v1/study", "/v1/pictures/{picture}"):
        return sender.send(headers={"Origin": "https://evil.example"})
    return sender.send(sender.world.visitor(sender.kind, "reader" if sender.role == "judge" else "judge"))


def unknown(sender: Sender, patch: pytest.MonkeyPatch) -> Response:
    place, body = UNKNOWN[sender.method, sender.path]
    return sender.send(place=place, **({} if body is None else {"json": body}))


def used(sender: Sender, patch: pytest.MonkeyPatch) -> Response:
    if sender.path == "/v1/undo":
        sender.world.visitor("compare", "judge").post("/v1/answers", USED["post", "/v1/answers"][0])
    first, then = USED[sender.method, sender.path]
    assert sender.send(json=first).status_code == 200
    return sender.send(json=then)


def wrong(sender: Sender, patch: pytest.MonkeyPatch) -> Response:
    if sender.schema is not None:
        return sender.send(json=[])
    if sender.path in WRONG:
        place, headers = WRONG[sender.path]
        return sender.send(place=place, headers=headers)
    if sender.path == "/v1/exports/{file}":
        patch.setattr(events, "find_spec", lambda name: None)
        return sender.send(place="/v1/exports/ranking.parquet")
    if sender.path in OF_ONE_KIND:
        other = "coactive" if sender.kind == "compare" else "compare"
        return sender.send(sender.world.visitor(other, sender.role))
    return sender.send(place=f"{PLACES.get(sender.path, sender.path)}?nothing=1")


HOW: dict[int, tuple[set[str], Callable[[Sender, pytest.MonkeyPatch], Response]]] = {
    400: ({"not_json", "bad_request"}, unreadable),
    401: ({"no_token"}, lambda sender, patch: sender.send(Visitor(sender.world.app))),
    403: (
        {"not_a_judge", "not_a_reader", "not_the_owner", "not_an_app", "not_allowed", "wrong_origin"},
        forbidden,
    ),
    404: ({"unknown"}, unknown),
    405: ({"method_not_allowed"}, lambda sender, patch: sender.send(method="PUT", headers=_JSON)),
    409: ({"conflict"}, used),
    413: ({"too_large"}, lambda sender, patch: sender.send(content=b" " * (5 * 2**20), headers=_JSON)),
    415: (
        {"not_json_type"},
        lambda sender, patch: sender.send(content="<a/>", headers={"Content-Type": "text/xml"}),
    ),
    421: ({"wrong_host"}, lambda sender, patch: sender.send(headers={"Host": "evil.example"})),
    422: ({"invalid", "wrong_kind"}, wrong),
    429: ({"too_many"}, too_many),
    431: ({"too_large"}, lambda sender, patch: sender.send(headers={"X-Long": "x" * 40_000})),
    500: ({"unexpected"}, failing(RuntimeError("secret in /private/place"))),
    503: ({"not_kept", "failing"}, failing(CannotStore("secret in /private/place"))),
    507: ({"no_space"}, failing(NoSpace("secret in /private/place"))),
}
"""How each status comes about, and the codes that it may have."""
AFTER = {429, 503, 507}
"""Those that say when to come again."""


def has_the_one_shape(reply: Response, status: int, codes: set[str]) -> None:
    """Check the status, the shape, that there is something to read, and nothing of the inside."""
    assert reply.status_code == status, reply.text
    assert reply.headers["Content-Type"] == "application/json"
    body = reply.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "hint"}
    assert all(isinstance(text, str) and text for text in body["error"].values()), body
    assert body["error"]["code"] in codes
    assert "secret" not in reply.text
    assert ("Retry-After" in reply.headers) == (status in AFTER)
    assert ("WWW-Authenticate" in reply.headers) == (status == 401)


@pytest.mark.parametrize(("method", "path", "status"), [row for row in ROWS if row[2] not in (200, SLOW)])
def test_every_error_that_is_described_comes_in_the_one_shape(
    world: Prepared, method: str, path: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the description promises can be brought about, and has a code, a message and what to do."""
    codes, how = HOW[status]
    sender = Sender(world, method, path)
    has_the_one_shape(how(sender, monkeypatch), status, codes)


def test_an_answered_question_has_the_next_one_beside_the_error(world: Prepared) -> None:
    """The only error with more in it; null where nothing is left to ask."""
    judge = world.visitor("compare", "judge")
    asked = judge.asked()["id"]
    judge.answers("answered-1", "left", asked)
    reply = judge.answers("answered-2", "left", asked)
    assert (reply.status_code, set(reply.json())) == (409, {"error", "next"})
    assert reply.json()["error"]["code"] == "answered"
    assert set(reply.json()["error"]) == {"code", "message", "hint"}
    assert reply.json()["next"]["id"] == judge.asked()["id"]


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/", "/v1/nothing", "/nothing", "/static/none.js", "/v1/items/", "//"]
)
def test_what_is_nowhere_has_the_one_shape(world: Prepared, path: str) -> None:
    """Of the interface, of pages and of files."""
    visitor = world.visitor("compare", "owner")
    reply = visitor.get(f"{HERE}{path}")
    has_the_one_shape(reply, reply.status_code, {"not_found", "method_not_allowed"})
    assert reply.status_code in (404, 405)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "BREW", "PUT"])
@pytest.mark.parametrize("path", ["/", "/v1/health", "/v1/answers", "/static/look.css"])
def test_methods_that_nothing_takes_have_the_one_shape(world: Prepared, method: str, path: str) -> None:
    """HEAD has no body to read; files take it."""
    reply = world.visitor("compare", "owner").request(method, path, headers=dict(_JSON))
    if method == "HEAD":
        assert reply.status_code in (200, 405)
    else:
        has_the_one_shape(reply, 405, {"method_not_allowed"})
