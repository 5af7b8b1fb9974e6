"""The raw client reads replies as they come, and says so where none comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from benchmarks.wire import Connection, Reply, got, parsed, posted

LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKS = b"HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=1\r\n world\r\n0\r\n\r\n"
UNTIL_THE_END = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nhello"


@pytest.mark.parametrize("data", [LENGTH, CHUNKS])
def test_a_reply_is_whole_with_its_last_byte_and_not_before(data: bytes) -> None:
    """However it is cut, it is given out once all of it is there."""
    end = len(data) - (2 if data is CHUNKS else 0)  # the line that ends the trailers adds nothing
    assert all(parsed(data[:place]) is None for place in range(end - 2))
    reply = parsed(data)
    assert reply is not None
    assert (reply.status, reply.body) == ((200, b"hello") if data is LENGTH else (503, b"hello world"))


def test_a_reply_without_a_length_ends_with_the_connection() -> None:
    """It is whole only when nothing more can come."""
    assert parsed(UNTIL_THE_END) is None
    assert parsed(UNTIL_THE_END, whole=True) == Reply(400, UNTIL_THE_END[:-9], b"hello")
    assert parsed(b"HTTP/1.1 200", whole=True) is None


def talk(replies: list[bytes], sent: Callable[[Connection], list[bytes]]) -> list[Reply | str]:
    """Send requests to a server that gives these replies, one a request, and then hangs up."""

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in replies:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply)
            await writer.drain()
        writer.close()

    async def run() -> list[Reply | str]:
        server = await asyncio.start_server(hear, "127.0.0.1", 0)
        async with server:
            connection = await Connection.open(server.sockets[0].getsockname()[1])
            found: list[Reply | str] = []
            for request in sent(connection):
                try:
                    found.append(await connection.send(request))
                except ConnectionError as error:
                    found.append(str(error))
            connection.close()
        return found

    return asyncio.run(run())


def test_requests_follow_one_another_on_one_connection() -> None:
    """Each gets its own reply; the last one, which states no length, ends with the connection."""
    found = talk([LENGTH, CHUNKS, UNTIL_THE_END], lambda _: [got(1, "/", "token")] * 4)
    assert [reply.status for reply in found[:3] if isinstance(reply, Reply)] == [200, 503, 400]
    assert found[3] == "the connection has ended"


def test_a_connection_that_ends_before_the_reply_is_an_error() -> None:
    """Nothing, or half a reply, is no reply."""
    assert talk([b""], lambda _: [got(1, "/", "token")]) == ["the connection ended before the reply"]
    assert talk([LENGTH[:-1]], lambda _: [got(1, "/", "token")]) == ["the connection ended before the reply"]


def test_a_request_names_host_token_and_length() -> None:
    """What the server checks stands in the head."""
    lines = posted(80, "/v1/answers", "secret", b'{"a":1}').split(b"\r\n")
    assert lines[0] == b"POST /v1/answers HTTP/1.1"
    assert {b"Host: 127.0.0.1:80", b"Authorization: Bearer secret", b"Content-Length: 7"} <= set(lines)
    assert lines[-1] == b'{"a":1}'
