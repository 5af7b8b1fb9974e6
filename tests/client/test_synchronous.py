"""Both clients against a server that fails as it is told to: each test runs for `Client` and for `AsyncClient`."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import httpx
import pytest

from penchant import Client
from penchant.client.results import Change
from penchant.errors import (
    CannotStore,
    Closed,
    Conflict,
    InvalidInput,
    NoSpace,
    NotAllowed,
    ServerFailed,
    Unreachable,
)
from tests.client.fake import QUESTION, TOKEN, URL, Fake, ok, rejected

REFUSED = httpx.ConnectError("[Errno 111] Connection refused")
KEPT = {"answer": {"id": "e", "question": "q-1", "choice": "left"}, "duplicate": False, "next": QUESTION}


def made(kind: Any, fake: Fake, **settings: Any) -> Any:
    return kind(URL, TOKEN, transport=fake.transport, **settings)


def test_a_loop(kind: Any) -> None:
    """Ask, answer with the next question in one request, take back."""
    fake = Fake(QUESTION, KEPT, {"undo": "u", "duplicate": False, "question": QUESTION})
    with made(kind, fake) as client:
        turn = client.turn(client.ask(), "left")
        assert turn.question is not None
        assert turn.question.id == "q-1"
        assert (client.undo().id, client.undo().question.id) == ("u", "q-1")
    assert fake.lines == ["POST /v1/questions", "POST /v1/answers", "POST /v1/undo", "POST /v1/undo"]
    assert {request.headers["authorization"] for request in fake.requests} == {f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    "trouble",
    [
        REFUSED,
        httpx.ReadTimeout("too late"),
        httpx.RemoteProtocolError("Server disconnected without sending a response."),
        httpx.ReadError("[Errno 104] Connection reset by peer"),
        rejected(408, "too_slow"),
        rejected(429, "too_many"),
        httpx.Response(502),
        rejected(503, "busy"),
        rejected(503, "not_kept"),
        httpx.Response(504, text="<html>"),
        rejected(507, "no_space"),
    ],
    ids=str,
)
def test_a_write_is_sent_again_under_the_same_id(kind: Any, trouble: Any, waits: list[float]) -> None:
    """Whatever happened to the first attempts; a duplicate is a success."""
    fake = Fake(trouble, trouble, {**KEPT, "duplicate": True})
    with made(kind, fake) as client:
        assert client.tell("q-1", "left").duplicate
    assert len(waits) == 2
    assert len({body["id"] for body in fake.bodies}) == 1
    assert len(fake.bodies) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 413, 415, 422, 500])
def test_what_is_rejected_is_not_sent_again(kind: Any, status: int, waits: list[float]) -> None:
    """One request, one exception."""
    fake = Fake(rejected(status, "other"))
    with made(kind, fake) as client, pytest.raises((InvalidInput, NotAllowed, ServerFailed)):
        client.tell("q-1", "left")
    assert len(fake.requests) == 1
    assert waits == []


def test_reads_are_sent_again_too_and_retry_after_is_honoured(kind: Any, waits: list[float]) -> None:
    """The server says how long."""
    busy = rejected(503, "busy", headers={"Retry-After": "7"})
    with made(kind, Fake(busy, {"weights": {"price": -1.5}})) as client:
        assert client.weights() == {"price": -1.5}
    assert waits == [7.0]


def test_after_all_attempts_the_id_is_in_the_error(kind: Any, waits: list[float]) -> None:
    """So that the caller can go on with the same write later."""
    fake = Fake(REFUSED)
    with made(kind, fake, retries=3) as client:
        with pytest.raises(Unreachable, match="Connection refused 4 times") as caught:
            client.tell("q-1", "left")
        assert len(fake.requests) == 4
        assert len(waits) == 3
        assert {body["id"] for body in fake.bodies} == {caught.value.event_id}


@pytest.mark.parametrize(
    ("trouble", "kind_of_error"),
    [
        (rejected(503, "not_kept"), CannotStore),
        (rejected(507, "no_space"), NoSpace),
        (rejected(503, "busy"), Unreachable),
        (rejected(429, "too_many"), Unreachable),
    ],
)
def test_the_last_failure_is_what_is_raised(
    kind: Any, trouble: Any, kind_of_error: type, waits: list[float]
) -> None:
    """As the exception that a study would raise."""
    with made(kind, Fake(trouble), retries=1) as client, pytest.raises(kind_of_error) as caught:
        client.tell("q-1", "left", event_id="mine")
    assert caught.value.event_id == "mine"


def test_a_question_that_was_answered_brings_the_next(kind: Any) -> None:
    """The conflict carries it."""
    fake = Fake(rejected(409, "answered", next=QUESTION))
    with made(kind, fake) as client:
        for answer in (client.tell, client.turn):
            with pytest.raises(Conflict) as caught:
                answer("q-0", "left")
            assert caught.value.next.id == "q-1"


def test_the_token_is_nowhere_to_be_seen(
    kind: Any, waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    """Not in the repr, in an error, its causes, its traceback or a log."""
    caplog.set_level(logging.DEBUG)
    for trouble in (REFUSED, rejected(401, "wrong_token"), httpx.Response(502)):
        with made(kind, Fake(trouble), retries=1) as client:
            assert repr(client).endswith(f"Client('{URL}')")
            with pytest.raises((Unreachable, NotAllowed)) as caught:
                client.ask()
            assert caught.value.__cause__ is None
            assert caught.value.__context__ is None
            assert TOKEN not in "".join(traceback.format_exception(caught.value))
    assert TOKEN not in caplog.text


def test_redirects_are_not_followed(kind: Any) -> None:
    """The token stays with the server it is for."""
    fake = Fake(httpx.Response(307, headers={"Location": "http://127.0.0.1:9/elsewhere"}))
    with made(kind, fake) as client, pytest.raises(ServerFailed, match="status 307"):
        client.ask()
    assert len(fake.requests) == 1


def test_a_closed_client_says_so(kind: Any) -> None:
    """It does not wait for a connection."""
    with made(kind, Fake(QUESTION)) as client:
        client.ask()
        client.close()
        with pytest.raises(Closed, match="make a new one"):
            client.ask()


def test_the_log_comes_in_parts(kind: Any) -> None:
    """Each request asks for what follows the last event that came."""

    def page(numbers: range, last: int) -> dict:
        rows = [
            {"number": n, "id": f"e{n}", "kind": "k", "version": 1, "time": 0.0, "content": {}}
            for n in numbers
        ]
        return {"events": rows, "last": last}

    fake = Fake(page(range(3, 1003), 1005), REFUSED, page(range(1003, 1006), 1005))
    with made(kind, fake) as client:
        assert [event.number for event in client.events(after=2)] == list(range(3, 1006))
    assert fake.lines[0] == "GET /v1/events?after=2&limit=1000"
    assert fake.lines[-1] == "GET /v1/events?after=1002&limit=1000"


def test_a_file_is_whole_or_not_there(kind: Any, tmp_path: Path, waits: list[float]) -> None:
    """A reply that fails leaves the old file, and is asked for again where that helps."""
    place = tmp_path / "events.jsonl"
    place.write_text("old")
    fake = Fake(rejected(503, "busy"), rejected(403, "not_the_owner"))
    with made(kind, fake) as client, pytest.raises(NotAllowed):
        client.export(place)
    assert place.read_text() == "old"
    with made(kind, Fake(REFUSED, httpx.Response(200, content=b"new\n"))) as client:
        client.export(place)
    assert place.read_text() == "new\n"
    assert [path.name for path in tmp_path.iterdir()] == ["events.jsonl"]


def message(number: int) -> str:
    return f'id: {number}\nevent: change\ndata: {{"revision": {number}, "kinds": ["answered"]}}\n\n'


def test_a_stream_goes_on_where_it_was_cut(kind: Any, waits: list[float]) -> None:
    """The next connection names the last change that came whole."""
    stream = {"content-type": "text/event-stream"}
    fake = Fake(
        httpx.Response(200, headers=stream, text=message(3) + message(4) + "id: 5\nevent: ch"),
        REFUSED,
        rejected(503, "busy"),
        httpx.Response(200, headers=stream, text=": no change\n\n" + message(5)),
        rejected(401, "wrong_token"),
    )
    with made(kind, fake, retries=3) as client:
        changes = client.changes(after=2)
        assert [next(changes) for _ in range(3)] == [Change(n, ("answered",)) for n in (3, 4, 5)]
        with pytest.raises(NotAllowed):
            next(changes)
    assert [request.headers["last-event-id"] for request in fake.requests] == ["2", "4", "4", "4", "5"]


def test_a_stream_that_never_flows_ends_in_an_error(kind: Any, waits: list[float]) -> None:
    """As often as told, and not for ever."""
    fake = Fake(REFUSED)
    with made(kind, fake, retries=2) as client, pytest.raises(Unreachable):
        next(client.changes())
    assert len(fake.requests) == 3


def test_dots_in_an_id_lead_nowhere_else(kind: Any) -> None:
    """The path arrives as it was built."""
    fake = Fake({"judge": "..", "aside": True, "duplicate": False})
    with made(kind, fake) as client:
        client.set_aside("..")
        client.take_back("a/b")
    assert fake.lines == ["PATCH /v1/judges/%2E%2E", "PATCH /v1/judges/a%2Fb"]


def test_a_link_is_enough(kind: Any) -> None:
    """As the server prints it, with the settings of the class."""
    fake = Fake(QUESTION)
    link = f"{URL}/#judge=ann&token={TOKEN}"
    with kind.from_link(link, transport=fake.transport, retries=0) as client:
        client.ask()
    assert fake.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert str(fake.requests[0].url) == f"{URL}/v1/questions"


def test_threads_share_a_client() -> None:
    """Each gets the reply to what it sent, and ids do not meet."""

    def echo(request: httpx.Request) -> httpx.Response:
        sent = httpx.Response(200, content=request.content).json()
        return ok({"answer": {name: sent[name] for name in ("id", "question", "choice")}, "duplicate": False})

    client = Client(URL, TOKEN, transport=httpx.MockTransport(echo))
    found: list[tuple[str, str, str]] = []

    def work(name: str) -> None:
        for number in range(50):
            answer = client.tell(f"{name}-{number}", "left")
            found.append((name, answer.question, answer.id))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id for _, _, id in found}) == 200
    assert all(question.startswith(name) for name, question, _ in found)


def test_without_httpx_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """`penchant` itself needs none of it."""
    for name in [name for name in sys.modules if name.startswith("penchant.client")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "httpx", None)
    import penchant

    with pytest.raises(ModuleNotFoundError, match=r"pip install 'penchant\[client\]'"):
        penchant.Client  # noqa: B018
