"""Errors of a server as exceptions, with message and hint, and never with a secret."""

from __future__ import annotations

import json

import pytest

from penchant.client.reading import nothing_of, question_of
from penchant.client.replies import NoReply, Reply, error, result
from penchant.errors import (
    CannotStore,
    Conflict,
    InvalidInput,
    NoSpace,
    NotAllowed,
    PenchantError,
    ServerFailed,
    UnknownItem,
    Unreachable,
    WrongKind,
)
from tests.client.fake import QUESTION, URL


def reply(status: int, body: object) -> Reply:
    return Reply(status, {}, json.dumps(body).encode())


def rejected(status: int, code: str, **more: object) -> Reply:
    return reply(status, {"error": {"code": code, "message": "What went wrong.", "hint": "do this"}, **more})


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "not_json", InvalidInput),
        (401, "no_token", NotAllowed),
        (401, "wrong_token", NotAllowed),
        (403, "not_a_judge", NotAllowed),
        (403, "wrong_origin", NotAllowed),
        (404, "not_found", InvalidInput),
        (404, "unknown", UnknownItem),
        (405, "method_not_allowed", InvalidInput),
        (409, "conflict", Conflict),
        (409, "answered", Conflict),
        (413, "too_large", InvalidInput),
        (421, "wrong_host", InvalidInput),
        (422, "invalid", InvalidInput),
        (422, "wrong_kind", WrongKind),
        (408, "too_slow", Unreachable),
        (429, "too_many", Unreachable),
        (500, "unexpected", ServerFailed),
        (501, "other", ServerFailed),
        (503, "busy", Unreachable),
        (503, "not_kept", CannotStore),
        (507, "no_space", NoSpace),
    ],
)
def test_each_error_is_the_exception_of_the_library(
    status: int, code: str, kind: type[PenchantError]
) -> None:
    """Its text holds message and hint, and ``remedy`` the hint alone."""
    found = error(rejected(status, code), sent="e-1", url=URL)
    assert type(found) is kind
    assert str(found) == "What went wrong: do this"
    assert found.remedy == "do this"
    if isinstance(found, Unreachable | CannotStore):
        assert found.event_id == "e-1"


def test_an_error_without_a_hint_is_its_message() -> None:
    """As servers of earlier versions send it."""
    found = error(reply(422, {"error": {"code": "invalid", "message": "No: so."}}))
    assert (str(found), found.remedy) == ("No: so.", "")


def test_a_question_that_was_answered_brings_the_next() -> None:
    """Or None, where there is none, or none that can be read."""
    assert error(rejected(409, "answered", next=QUESTION)).next == question_of(QUESTION)
    for following in (None, 7, {}):
        assert error(rejected(409, "answered", next=following)).next is None
    assert error(rejected(409, "conflict")).next is None


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b'{"error": "no"}', b"\xff"])
@pytest.mark.parametrize(
    ("status", "kind"), [(301, ServerFailed), (404, ServerFailed), (409, ServerFailed), (502, Unreachable)]
)
def test_somebody_else_answers(content: bytes, status: int, kind: type[PenchantError]) -> None:
    """A proxy's page, or another program: the address and the status are named, nothing of the page is quoted."""
    found = error(Reply(status, {}, content), url=URL)
    assert type(found) is kind
    assert str(found).startswith(f"the server at {URL} must reply as Penchant does, got status {status}")


def test_no_reply_says_why_how_often_and_under_which_id() -> None:
    """So that it can be sent again by hand."""
    found = error(NoReply("Connection refused"), sent="e-1", url=URL, made=6)
    assert isinstance(found, Unreachable)
    assert isinstance(found, ConnectionError)
    assert "Connection refused 6 times" in str(found)
    assert "'e-1'" in str(found)
    assert found.event_id == "e-1"


@pytest.mark.parametrize("content", [b"", b"<html>", b"[1]", b'{"id": 3}', b"\xff", b"[" * 100_000])
def test_a_success_of_another_form_is_an_error(content: bytes) -> None:
    """A page with status 200 is no answer."""
    with pytest.raises(ServerFailed, match="must be one of Penchant's"):
        result(Reply(200, {}, content), question_of, url=URL)
    assert result(Reply(200, {}, b"{}"), nothing_of) is None


def test_messages_cannot_write_to_a_terminal() -> None:
    """Control characters of a hostile server are escaped, and its essays cut."""
    found = error(reply(422, {"error": {"code": "x", "message": "\x1b[2J" + "a" * 5000, "hint": ""}}))
    assert "\x1b" not in str(found)
    assert len(str(found)) <= 1000
