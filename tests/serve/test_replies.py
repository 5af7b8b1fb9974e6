"""The replies that a route describes, and bodies that are read from their bytes."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.exceptions import RequestValidationError
from starlette.requests import Request

from penchant.serve.messages import ErrorOut, FeedbackIn
from penchant.serve.replies import ALWAYS, ANSWERED, DESCRIPTIONS, body_of, replies, takes
from tests.serve.visitor import finished


def request(body: bytes) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


def test_a_route_describes_what_it_can_reply() -> None:
    """What any request may get, and what comes with a token, a body and a write."""
    assert set(replies(token=False)) == set(ALWAYS)
    whole = replies(404, body=True, writes=True)
    assert set(whole) == {*ALWAYS, 401, 404, 413, 415, 422, 507}
    assert all(reply["model"] is ErrorOut for reply in whole.values())
    assert list(whole) == sorted(whole)
    assert {status: reply["description"] for status, reply in whole.items()}.items() <= DESCRIPTIONS.items()


def test_an_answered_question_is_described_with_what_is_asked_next() -> None:
    """The one error with more than the error in it."""
    assert "next" in str(ANSWERED[409]["model"].__args__[0].model_fields)


def test_a_body_may_be_declared_as_text() -> None:
    """As browsers send what they send while a page is closed."""
    described = takes(FeedbackIn, text=True)["requestBody"]
    assert described["required"]
    assert set(described["content"]) == {"application/json", "text/plain"}
    assert set(takes(FeedbackIn)["requestBody"]["content"]) == {"application/json"}


def test_a_body_is_read_whatever_its_type_is_called() -> None:
    """The fields that are described, and no others."""
    found = finished(body_of(request(b'{"presentation": "p", "clicked": ["a"]}'), FeedbackIn))
    assert (found.id, found.presentation, found.clicked) == (None, "p", ["a"])


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "json_invalid"),
        (b"{", "json_invalid"),
        (b"\xff", "json_invalid"),
        (b"[" * 100_000, "json_invalid"),
        (b"[]", "model_type"),
        (b"{}", "missing"),
        (b'{"presentation": "p", "x": 1}', "extra_forbidden"),
        (b'{"presentation": 1}', "string_type"),
    ],
)
def test_another_body_is_an_error_of_its_kind(body: bytes, kind: str) -> None:
    """The one that the handler of errors turns into 400 or 422."""
    with pytest.raises(RequestValidationError) as error:
        finished(body_of(request(body), FeedbackIn))
    assert error.value.errors()[0]["type"] == kind
