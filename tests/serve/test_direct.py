"""Plain requests are served without FastAPI, and everybody gets the reply that FastAPI would have given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import Response
from starlette.responses import Response as Empty
from starlette.types import Receive, Scope, Send

from penchant.serve import Address, create_app
from penchant.serve.direct import Direct
from penchant.serve.routes import DIRECT
from tests.serve.conftest import PLENTY, SHOP
from tests.serve.prepared import PRESENTATION, QUESTION, Prepared, prepared
from tests.serve.visitor import Visitor

ANSWER = {"id": "a-1", "question": QUESTION, "choice": "left"}
PRESENT = {"id": "p-1", "candidates": ["a", "c", "b"]}
FEEDBACK = {"id": "f-1", "presentation": PRESENTATION, "clicked": ["b"]}
PLAIN = [
    ("/v1/answers", "compare", "judge", ANSWER),
    ("/v1/presentations", "coactive", "app", PRESENT),
    ("/v1/feedback", "coactive", "app", FEEDBACK),
]
ODD = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"{}",
    b'{"id": NaN}',
    b"\xff",
    b"\xef\xbb\xbf{}",
    b'{"id": "\\ud800", "question": "q", "choice": "left", "presentation": "p", "candidates": []}',
]


class Both:
    """The same studies behind an application with direct routes, and behind one without."""

    def __init__(self, studies: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
        self.studies, self.direct = studies, studies.app
        with monkeypatch.context() as patch:
            patch.setattr("penchant.serve.app.DIRECT", {})
            self.plain: FastAPI = create_app(
                [studies.compare, studies.coactive], address=Address(allowed=[SHOP]), limits=PLENTY
            )

    def replies(self, kind: str, role: str, path: str, **options: Any) -> tuple[Response, Response]:
        """Return the replies to the same request, sent to both one after the other."""
        token = self.studies.tokens.get((kind, role))
        first, second = (
            Visitor(app, token).request("POST", path, **options) for app in (self.direct, self.plain)
        )
        return first, second


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    with prepared(tmp_path) as studies:
        yield Both(studies, monkeypatch)


def same(first: Response, second: Response) -> None:
    """Assert that two replies differ in nothing, but that the second may be the first again."""
    assert first.status_code == second.status_code
    assert {**first.json(), "duplicate": None} == {**second.json(), "duplicate": None}
    headers = [dict(reply.headers) for reply in (first, second)]
    for header in headers:
        del header["content-length"]
    assert headers[0] == headers[1]


@pytest.mark.parametrize(("path", "kind", "role", "body"), PLAIN)
def test_a_plain_request_gets_the_reply_of_fastapi(
    both: Both, path: str, kind: str, role: str, body: dict[str, Any]
) -> None:
    """Sent again to the application without direct routes, it is the same reply as a duplicate."""
    first, second = both.replies(kind, role, path, json=body)
    same(first, second)
    assert (first.status_code, first.json()["duplicate"], second.json()["duplicate"]) == (200, False, True)


@pytest.mark.parametrize("content", ODD)
@pytest.mark.parametrize(("path", "kind", "role", "body"), PLAIN)
def test_an_odd_body_gets_the_error_of_fastapi(
    both: Both, path: str, kind: str, role: str, body: dict[str, Any], content: bytes
) -> None:
    """Whatever is wrong with a body, the error is the same."""
    first, second = both.replies(
        kind, role, path, content=content, headers={"Content-Type": "application/json"}
    )
    same(first, second)
    assert first.status_code in (400, 422)


@pytest.mark.parametrize(("path", "kind", "role", "body"), PLAIN)
@pytest.mark.parametrize("who", ["owner", "judge", "app", "reader", "stranger"])
def test_every_role_gets_the_reply_of_fastapi(
    both: Both, path: str, kind: str, role: str, body: dict[str, Any], who: str
) -> None:
    """Also of the other study, whose kind has no such route."""
    for study in ("compare", "coactive"):
        same(*both.replies(study, who, path, json=body))


@pytest.mark.parametrize(
    ("path", "kind", "role", "body"),
    [
        ("/v1/answers", "compare", "judge", {**ANSWER, "question": "q-unknown"}),
        ("/v1/answers", "compare", "judge", {**ANSWER, "more": 1}),
        ("/v1/presentations", "coactive", "app", {**PRESENT, "candidates": ["a", "nobody"]}),
        ("/v1/presentations", "coactive", "app", {**PRESENT, "candidates": 7}),
        ("/v1/feedback", "coactive", "app", {**FEEDBACK, "presentation": "p-unknown"}),
        ("/v1/feedback", "coactive", "app", {**FEEDBACK, "clicked": ["nobody"]}),
        ("/v1/feedback", "coactive", "app", {"presentation": PRESENTATION, "clicked": ["b"]}),
    ],
)
def test_a_rejected_request_gets_the_error_of_fastapi(
    both: Both, path: str, kind: str, role: str, body: dict[str, Any]
) -> None:
    """Unknown names, fields that are none, a missing id."""
    first, second = both.replies(kind, role, path, json=body)
    same(first, second)
    assert first.status_code in (404, 422)


def test_the_same_id_with_other_content_is_a_conflict(both: Both) -> None:
    """An error that the study raises in its worker has the one shape."""
    both.replies("coactive", "app", "/v1/presentations", json=PRESENT)
    first, second = both.replies(
        "coactive", "app", "/v1/presentations", json={**PRESENT, "candidates": ["b"]}
    )
    same(first, second)
    assert first.status_code == 409


class Inner:
    """An application that keeps the bodies that were handed on to it."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.bodies.append((await receive())["body"])
        await Empty(status_code=204)(scope, receive, send)


@pytest.mark.parametrize(("path", "kind", "role", "body"), PLAIN)
def test_only_plain_requests_stay_out_of_fastapi(
    both: Both, path: str, kind: str, role: str, body: dict[str, Any]
) -> None:
    """A query, another method, a scheme that is none, a wrong token: all of these are handed on, with their body."""
    content, inner = json.dumps(body).encode(), Inner()
    layer = Direct(inner, DIRECT)
    token = both.studies.tokens[kind, role]

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await layer({**scope, "app": both.direct}, receive, send)

    visitor = Visitor(application, token)
    assert visitor.sends(path, content).status_code == 200
    assert inner.bodies == []
    for method, odd, headers in (
        ("POST", f"{path}?a=1", {}),
        ("PUT", path, {}),
        ("POST", path, {"Authorization": f"Basic {token}"}),
        ("POST", path, {"Authorization": "Bearer wrong"}),
        ("POST", "/v1/other", {}),
    ):
        visitor.request(method, odd, content=content, headers=headers)
    assert inner.bodies == 5 * [content]
