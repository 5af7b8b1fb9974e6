"""Requests that come before the reply to the last one."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterator

import pytest

from penchant.serve import Limits
from tests.serve.listening import Listening, listening, reply, rest


@pytest.fixture(scope="module", params=[False, True], ids=["httptools", "h11"])
def server(request: pytest.FixtureRequest) -> Iterator[Listening]:
    with listening(
        Limits(head_seconds=0.4, body_seconds=0.4, idle_seconds=0.4), pure=request.param
    ) as running:
        yield running


def test_requests_one_after_another_are_all_answered(server: Listening) -> None:
    """Sent at once, with and without bodies, each gets its reply, then the connection is idle and closed."""
    with server.connect() as connection:
        connection.sendall(server.head() + server.post(2) + b"{}" + server.head())
        replies = rest(connection)
    assert replies.count(b"HTTP/1.1 200 OK") == 3
    assert b"408" not in replies


def test_half_a_request_behind_a_whole_one_gets_no_reply_of_its_own_too_early() -> None:
    """Mixed-up replies: while the first request is served, the error of the second must not look like its reply."""
    with listening(Limits(head_seconds=0.4)) as server, server.connect() as connection:
        connection.sendall(server.head(path="/stream") + b"GET / HT")
        assert rest(connection) == b""
        server.until(lambda: not server.connections)


def test_half_a_body_behind_a_reply_is_closed(server: Listening) -> None:
    """Slow bodies on a connection that was used before."""
    with server.connect() as connection:
        connection.sendall(server.head() + server.post(10) + b"{")
        replies = rest(connection)
    assert replies.index(b"HTTP/1.1 200 OK") < replies.index(b"HTTP/1.1 408 ")


def test_a_client_that_goes_away_before_its_replies_leaves_nothing_in_the_log(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Filled logs: many requests sent at once, whose replies nobody takes, and then a reset."""
    with listening(Limits()) as server:
        for path in ("/large", "/"):
            with server.connect() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.sendall(server.head(path="/large") + 500 * server.head(path=path))
                server.until(lambda: any(getattr(made, "pipeline", ()) for made in server.connections))
                server.until(lambda: any(made._unsent for made in server.connections))
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            server.until(lambda: not server.connections)
    assert "Traceback" not in capfd.readouterr().err


OFFER = (
    "Content-Type: application/json",
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk",
)


@pytest.mark.parametrize("whole", [True, False], ids=["at once", "body later"])
@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("spelt", [str, str.upper])
def test_a_request_that_offers_http_2_keeps_its_body(
    server: Listening, spelt: Callable[[str], str], chunked: bool, whole: bool
) -> None:
    """Java's client offers it with each request, and the reply comes by the protocol that was used."""
    hidden = server.head("GET", "/large")
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(hidden)}"
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(hidden), hidden) if chunked else hidden
    head = server.head("POST", "/", *map(spelt, OFFER), length)
    with server.connect() as connection:
        connection.sendall(head + body if whole else head)
        if not whole:
            time.sleep(0.1)
            connection.sendall(body)
        assert reply(connection) == (200, len(hidden))
        assert rest(connection) == b""


@pytest.mark.parametrize("before", ["", "a request"])
def test_a_body_is_never_read_as_a_request(server: Listening, before: str) -> None:
    """Smuggling: the headers that offer another protocol come in parts, or behind another request."""
    hidden = server.head("GET", "/")
    head = server.head("POST", "/", *OFFER, f"Content-Length: {len(hidden)}")
    with server.connect() as connection:
        connection.sendall((server.head() if before else b"") + head[:40])
        time.sleep(0.05)
        connection.sendall(head[40:] + hidden)
        replies = rest(connection)
    assert replies.count(b"HTTP/1.1 ") == 1 + bool(before)
    assert replies.count(b"HTTP/1.1 200 OK") <= 1 + bool(before)
