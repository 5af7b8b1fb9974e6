"""A server on a thread of this process, and connections that send it raw bytes."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from penchant.serve import Address, Limits
from penchant.serve.connections import WatchedH11
from penchant.serve.guards import guard_layers
from penchant.serve.served import Served
from penchant.serve.server import Server

PATIENCE = 20
"""Seconds after which a test gives up; none waits so long unless it fails."""
LARGE = 8_000_000


class Listening:
    """A running server; what it counts is read from outside."""

    def __init__(self, server: Server, port: int) -> None:
        self.server, self.port = server, port

    @property
    def connections(self) -> set[Any]:
        return self.server.server_state.connections

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until something holds, and fail where it never does."""
        end = time.monotonic() + PATIENCE
        while not reached():
            assert time.monotonic() < end, f"never reached with {len(self.connections)} connections"
            time.sleep(0.01)

    def connect(self) -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def head(self, method: str = "GET", path: str = "/", *headers: str) -> bytes:
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *headers]
        return "\r\n".join([*lines, "", ""]).encode()

    def post(self, length: int) -> bytes:
        return self.head("POST", "/", "Content-Type: application/json", f"Content-Length: {length}")


def rest(connection: socket.socket) -> bytes:
    """Read until the server closes; a reset ends it too."""
    taken = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(2**20):
            taken += part
    return taken


def reply(connection: socket.socket) -> tuple[int, Any]:
    """Read one reply with a length: its status and its JSON."""
    taken = b""
    while b"\r\n\r\n" not in taken:
        part = connection.recv(2**16)
        assert part, f"closed after {taken!r}"
        taken += part
    head, _, body = taken.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(2**16)
    return int(head.split()[1]), json.loads(body)


class Stopped:
    """Stands for the studies of a server, which it tells that it stops."""

    all: Sequence[Served] = ()

    def __init__(self) -> None:
        self.over = asyncio.Event()

    def stop(self) -> None:
        self.over.set()


def application(address: Address, limits: Limits) -> FastAPI:
    """Behind all guards: an echo, a long reply, and a request that ends when the server stops."""
    app = FastAPI(middleware=guard_layers(address, limits), openapi_url=None)
    app.state.studies = Stopped()

    @app.get("/")
    async def root() -> str:
        return "here"

    @app.post("/")
    async def echo(request: Request) -> int:
        return len(await request.body())

    @app.get("/large")
    async def large() -> Response:
        return Response(b"x" * LARGE)

    @app.get("/stream")
    async def stream() -> str:
        await asyncio.wait_for(app.state.studies.over.wait(), PATIENCE)
        return "over"

    return app


@contextmanager
def listening(limits: Limits, *, pure: bool = False) -> Iterator[Listening]:
    """Serve until the block ends; ``pure`` with h11 and asyncio's own loop."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        server = Server(application(Address(port=port), limits), limits)
        if pure:
            server.config.http = type("Pure", (WatchedH11,), {"limits": limits})
            server.config.loop = "asyncio"
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Listening(server, port)
        finally:
            server.stop()
            thread.join(PATIENCE)
            assert not thread.is_alive(), "it did not stop"
