"""One shape of errors, whatever went wrong, with a message and without internals."""

from __future__ import annotations

import logging

import pytest

from penchant.errors import (
    Argument,
    CannotStore,
    InvalidInput,
    Locked,
    NoSpace,
    PenchantError,
    Text,
    Unreachable,
)
from penchant.study import CompareStudy
from tests.serve.visitor import Visitor, rejected

GOOD = {"id": "event-1", "question": "q-1", "choice": "left"}


def test_what_is_not_there(ann: Visitor) -> None:
    """404 has the shape: for the interface, for pages and for static files, also on a way out of the folder."""
    for path in ("/v1/nothing", "/nothing", "/static/nothing.js", "/static/%2e%2e/app.py", "/v1/health/"):
        assert path.split("/")[1] in rejected(ann.get(path), 404, "not_found")


def test_a_question_that_was_never_asked(ann: Visitor) -> None:
    """An unknown question is 404, in words for the judge who reads them."""
    assert "q-1" not in rejected(ann.post("/v1/answers", GOOD), 404, "unknown")


def test_the_wrong_method_is_told_the_right_one(ann: Visitor) -> None:
    """405 has the shape and keeps the Allow header."""
    reply = ann.get("/v1/answers")
    assert "takes POST, got GET" in rejected(reply, 405, "method_not_allowed")
    assert reply.headers["Allow"] == "POST"


@pytest.mark.parametrize(
    ("body", "status", "code", "words"),
    [
        ("", 422, "invalid", "the body must be given"),
        ("{", 400, "not_json", "the body must be JSON"),
        ("[]", 422, "invalid", "the body must be"),
        ("null", 422, "invalid", "the body must be"),
        ("{}", 422, "invalid", "id must be given"),
        ("[" * 60_000, 422, "invalid", "nested at most 20 deep"),
        ("\xff\xfe", 400, "not_json", "the body must be JSON"),
    ],
)
def test_a_body_that_is_no_answer_is_rejected(
    ann: Visitor, body: str, status: int, code: str, words: str
) -> None:
    """Broken, empty, deeply nested and wrongly encoded bodies all get the shape."""
    content = body.encode("latin-1")
    reply = ann.sends("/v1/answers", content)
    assert words in rejected(reply, status, code)


@pytest.mark.parametrize("path", ["/v1/answers", "/v1/undo"])
@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ('{"x": "\u2200", "id": ' + "[" * 7_000 + "]" * 7_000 + "}", "encode it as UTF-8"),
        ('{"id": "a"}', "encode it as UTF-8"),
    ],
    ids=["brackets behind a quote that is none", "plain"],
)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32-le"])
def test_json_is_utf_8(ann: Visitor, path: str, body: str, hint: str, encoding: str) -> None:
    """Brackets hidden from the limit of nesting: in other encodings half a character looks like a quote."""
    assert hint in rejected(ann.sends(path, body.encode(encoding)), 400, "not_json")


def test_a_body_that_no_parser_takes_is_not_to_be_sent_again(ann: Visitor) -> None:
    """A number of thousands of digits, a compressed body and Latin-1 are 400 with what is wrong about them."""
    for content in (b'{"id": "a", "ahead": ' + b"9" * 5_000 + b"}", b"\x1f\x8b\x08\x00", b'{"id": "\xe9"}'):
        message = rejected(ann.sends("/v1/answers", content), 400, "not_json")
        assert "send it again" not in message


def test_a_parameter_is_to_be_added_where_it_belongs(owner: Visitor) -> None:
    """The hint about a missing one names the query, not the body."""
    assert rejected(owner.get("/v1/why?a=Tea"), 422, "invalid").endswith("add it to the query")


def test_a_long_path_is_not_sent_back_whole(ann: Visitor) -> None:
    """What nobody can read is not in the message."""
    assert len(rejected(ann.get("/" + "a" * 20_000), 404, "not_found")) < 400


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (CannotStore, 503, "not_kept"),
        (NoSpace, 507, "no_space"),
        (Locked, 503, "standby"),
        (Unreachable, 503, "unreachable"),
    ],
)
def test_what_could_not_be_written_is_to_be_sent_again(
    ann: Visitor,
    study: CompareStudy,
    monkeypatch: pytest.MonkeyPatch,
    error: type[PenchantError],
    status: int,
    code: str,
) -> None:
    """A full disk is 507, any other failure 503: without the place of the file, and with when to try again."""

    def full(*_: object, **__: object) -> None:
        raise error("no space left in /private/place")

    asked = ann.asked()["id"]
    monkeypatch.setattr(study, "turn", full)
    reply = ann.answers("event-1", "left", asked)
    message = rejected(reply, status, code)
    assert "/private" not in message
    assert "send it again under the same id" in message
    assert "Body" not in message, "no class of the code"
    assert int(reply.headers["Retry-After"]) > 0


def test_an_error_of_our_own_tells_the_log_and_not_the_outside(
    ann: Visitor, study: CompareStudy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """500 has the shape and the safe headers; the details are in the log alone."""

    def fails(*_: object) -> None:
        raise RuntimeError("secret detail in /private/place")

    monkeypatch.setattr(study, "ask_ahead", fails)
    with caplog.at_level(logging.ERROR, "penchant.serve"):
        reply = ann.post("/v1/questions", {})
    assert "secret" not in rejected(reply, 500, "unexpected")
    assert "secret detail" in caplog.text
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


def test_arguments_of_the_library_are_fields_of_a_body(
    ann: Visitor, study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No Python syntax reaches a client."""
    remedy = Text("leave out ", Argument("days"), " or give ", Argument("days", 1.5))

    def wrong(*_: object) -> None:
        raise InvalidInput.of("days", "be above 0", -1, remedy)

    monkeypatch.setattr(study, "ask_ahead", wrong)
    message = rejected(ann.post("/v1/questions", {}), 422, "invalid")
    assert message == 'days must be above 0, got -1: leave out days or give "days": 1.5'
