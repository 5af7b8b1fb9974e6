"""Slow and silent clients: each is closed, and none keeps others out."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator

import pytest

from penchant.serve import Limits, connections
from penchant.serve.connections import WatchedH11, protocol
from tests.serve.listening import LARGE, Listening, listening, reply, rest

SOON = 0.4
QUICK = Limits(
    head_seconds=SOON,
    body_seconds=SOON,
    idle_seconds=SOON,
    reply_seconds=SOON,
    head_bytes=4000,
    connections=300,
)
FULL = Limits(connections=2, head_seconds=60, idle_seconds=60)


@pytest.fixture(scope="module", params=[False, True], ids=["httptools", "h11"])
def server(request: pytest.FixtureRequest) -> Iterator[Listening]:
    with listening(QUICK, pure=request.param) as running:
        yield running


@pytest.fixture(params=[False, True], ids=["httptools", "h11"])
def small(request: pytest.FixtureRequest) -> Iterator[Listening]:
    """A server that has room for two connections."""
    with listening(FULL, pure=request.param) as running:
        yield running


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_half_a_head_is_closed(server: Listening, sent: bytes) -> None:
    """Slow headers: a connection that does not finish them gets 408 and is closed."""
    with server.connect() as connection:
        connection.sendall(sent)
        status, body = reply(connection)
        assert (status, body["error"]["code"]) == (408, "too_slow")
        assert rest(connection) == b""


def test_half_open_connections_do_not_stay(server: Listening) -> None:
    """Slow headers: of a hundred half-open connections none is left, and somebody else is served meanwhile."""
    half = [server.connect() for _ in range(100)]
    for connection in half:
        connection.sendall(b"GET / HTTP/1.1\r\n")
    with server.connect() as other:
        other.sendall(server.head())
        assert reply(other)[0] == 200
    server.until(lambda: not server.connections)
    for connection in half:
        connection.close()


def test_bytes_that_dribble_do_not_count_as_progress(server: Listening) -> None:
    """Slow headers: another line each time does not buy more time."""
    with server.connect() as connection:
        connection.settimeout(0.05)
        taken = b""
        connection.sendall(b"GET / HTTP/1.1\r\n")
        for _ in range(200):
            try:
                connection.sendall(b"X-Slow: x\r\n")
                taken += connection.recv(1000)
            except TimeoutError:
                continue
            except OSError:
                break
            if not taken:
                break
        else:
            pytest.fail("it was never closed")
        assert taken.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("sent", [b"", b'{"half": '])
def test_half_a_body_is_closed(server: Listening, sent: bytes) -> None:
    """Slow bodies: one that does not come gets 408 and is closed, and no application is asked."""
    with server.connect() as connection:
        connection.sendall(server.post(100) + sent)
        status, body = reply(connection)
        assert (status, body["error"]["code"]) == (408, "too_slow")
        assert "the body must come within" in body["error"]["message"]
        assert rest(connection) == b""


def test_a_body_that_was_rejected_does_not_dribble_on(server: Listening) -> None:
    """Slow bodies: after an error the rest of the body is not awaited for ever."""
    with server.connect() as connection:
        connection.sendall(server.post(10_000_000))
        assert reply(connection)[0] == 413
        connection.sendall(b" " * 1000)
        assert rest(connection) == b"", "one reply for one request"


@pytest.mark.parametrize("sent", [b"", b"\r\n"])
def test_an_idle_connection_is_closed(server: Listening, sent: bytes) -> None:
    """Idle connections: after a reply the next request must come; empty lines are none."""
    with server.connect() as connection:
        for _ in range(2):
            connection.sendall(server.head())
            assert reply(connection) == (200, "here")
        connection.sendall(sent)
        assert not rest(connection).startswith(b"HTTP/1.1 200")


def test_a_reply_that_nobody_takes_is_dropped(server: Listening) -> None:
    """Slow readers: a long reply does not stay in memory."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(20)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(server.head(path="/large"))
        server.until(lambda: bool(server.connections))
        server.until(lambda: not server.connections)
        assert len(rest(connection)) < LARGE


def test_a_long_reply_that_is_taken_arrives(server: Listening) -> None:
    """Whoever reads gets all of it."""
    with server.connect() as connection:
        connection.sendall(server.head("GET", "/large", "Connection: close"))
        assert len(rest(connection)) > LARGE


@pytest.mark.parametrize("length", [5_000, 100_000])
def test_a_head_without_end_is_cut_off(server: Listening, length: int) -> None:
    """Memory exhaustion by headers: beyond the limit the connection is closed, whether they end or not."""
    for ending in (b"", b"\r\n\r\n"):
        with server.connect() as connection:
            connection.sendall(server.head()[:-2] + b"X-Long: " + b"x" * length + ending)
            assert rest(connection).startswith(b"HTTP/1.1 431 ")


def test_trailers_without_end_are_cut_off(server: Listening) -> None:
    """Memory exhaustion by trailers: lines after the last chunk are bytes of the request too."""
    with server.connect() as connection:
        chunked = ("Content-Type: application/json", "Transfer-Encoding: chunked")
        connection.sendall(server.head("POST", "/", *chunked) + b"2\r\n{}\r\n0\r\n")
        try:
            for _ in range(40_000):
                connection.sendall(b"X-Trailer: " + b"x" * 1000 + b"\r\n")
        except OSError:  # a reset or a broken pipe
            pass
        else:
            pytest.fail("it was never closed")
    server.until(lambda: not server.connections)


@pytest.mark.parametrize(
    "sent", [b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"]
)
def test_what_is_no_http_gets_the_one_shape(server: Listening, sent: bytes) -> None:
    """Also a TLS greeting sent to a port of plain HTTP."""
    with server.connect() as connection:
        connection.sendall(sent)
        status, body = reply(connection)
        assert (status, body["error"]["code"]) == (400, "bad_request")
        assert rest(connection) == b""


def test_an_upgrade_is_answered_and_not_logged(server: Listening) -> None:
    """A log that anybody can fill: whoever asks for a websocket gets a plain reply, and no line."""
    with server.connect() as connection:
        wanted = (
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: x",
        )
        connection.sendall(server.head("GET", "/", *wanted))
        assert reply(connection)[0] == 200
    assert not logging.getLogger("uvicorn.error").isEnabledFor(logging.WARNING)


def test_silent_connections_give_way(small: Listening) -> None:
    """Exhaustion of connections: where all are taken, the one that has waited longest without a request is closed."""
    with small.connect() as first:
        small.until(lambda: len(small.connections) == 1)
        time.sleep(0.05)  # the loop's clock counts milliseconds
        second = small.connect()
        small.until(lambda: len(small.connections) == 2)
        with second, small.connect() as third:
            third.sendall(small.head())
            assert reply(third) == (200, "here")
            assert rest(first).startswith(b"HTTP/1.1 503 ")
            second.sendall(small.head())
            assert reply(second) == (200, "here"), "those that have waited less are served"


def test_bodies_that_stall_give_way(small: Listening, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exhaustion of connections: half a body, or a byte of one now and then, keeps nobody out; one that comes stays."""
    monkeypatch.setattr(connections, "BUSY_SECONDS", 0.2)
    monkeypatch.setattr(connections, "SLOWEST", 100)
    with small.connect() as stalled, small.connect() as steady:
        stalled.sendall(small.post(20_000) + b"[")
        steady.sendall(small.post(20_000) + b"[")
        small.until(lambda: [one.waits_for for one in list(small.connections)] == ["body"] * 2)
        steady.sendall(b" " * 10_000)
        small.until(lambda: any(one.taken >= 10_000 for one in list(small.connections)))
        time.sleep(0.3)
        with small.connect() as third:
            third.sendall(small.head())
            assert reply(third) == (200, "here")
            assert rest(stalled).startswith(b"HTTP/1.1 503 ")
        steady.sendall(b" " * 9_998 + b"]")
        assert reply(steady)[0] == 200


def test_one_too_many_is_told_so(small: Listening) -> None:
    """Exhaustion of connections: where all are busy, another gets 503 in the one shape."""
    with small.connect() as first, small.connect() as second:
        for busy in (first, second):
            busy.sendall(small.head("GET", "/stream"))
        small.until(lambda: [one.waits_for for one in list(small.connections)] == ["work"] * 2)
        with small.connect() as third:
            third.sendall(small.head())
            status, body = reply(third)
            assert (status, body["error"]["code"]) == (503, "busy")
            assert rest(third) == b""
        small.until(lambda: len(small.connections) == 2)


def test_streams_end_when_the_server_does(small: Listening) -> None:
    """Stopping is not held up by streams: each is told that it is over."""
    with small.connect() as connection:
        connection.sendall(small.head("GET", "/stream"))
        small.until(lambda: [one.waits_for for one in list(small.connections)] == ["work"])
        small.server.stop()
        assert reply(connection) == (200, "over")


def test_h11_parses_where_httptools_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are watched."""
    import sys

    assert protocol(QUICK).__name__ == "WatchedHttpTools"
    monkeypatch.delitem(sys.modules, "penchant.serve.httptools_connections", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn.protocols.http.httptools_impl", None)
    found = protocol(QUICK)
    assert issubclass(found, WatchedH11)
    assert found.limits is QUICK
