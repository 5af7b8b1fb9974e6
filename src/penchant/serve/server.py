"""Serve studies until Ctrl-C, and print their links."""

from __future__ import annotations

import asyncio
import errno
import math
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI

from penchant.checks import check_number
from penchant.errors import Argument, InvalidInput, Text
from penchant.serve.address import Address
from penchant.serve.app import create_app
from penchant.serve.connections import protocol, sweep
from penchant.serve.garbage import Garbage
from penchant.serve.limits import Limits
from penchant.serve.logs import RequestLog, json_logs
from penchant.store import Place, PostgresAddress, located
from penchant.study import CompareStudy, Study
from penchant.study.tokens import Links
from penchant.text import visible

FIRST_JUDGE, FIRST_APP = "me", "app"
GRACE = 20
"""Seconds for requests under way to end in."""
_TICKS = 5
"""Tenths of a second between two looks for connections that have waited too long."""


def serve(
    paths: str | Place | Iterable[str | Place],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    url: str | None = None,
    certificate: str | Path | None = None,
    key: str | Path | None = None,
    allow_http: bool = False,
    allow_origins: Iterable[str] = (),
    proxies: Iterable[str] = (),
    log_json: bool = False,
    limits: Limits | None = None,
    links: bool = True,
    for_seconds: float | None = None,
    say: Callable[[str], None] | None = None,
) -> None:
    """Serve studies to browsers and programs, until Ctrl-C or a polite kill.

    Parameters
    ----------
    paths : str, Path, PostgresAddress or several of them
        The studies' files or addresses, made with ``penchant new`` or `Study.create`. A study in a database that
        another process is writing is read, and written as soon as that one has ended.
    host : str
        The address to listen on: 127.0.0.1 is this computer alone.
    port : int
        0 takes one that is free.
    url : str, optional
        The address under which others reach it, for instance ``https://rank.example``; links lead there.
    certificate, key : str or Path, optional
        PEM files with which it speaks HTTPS itself.
    allow_http : bool
        Whether plain HTTP may leave this computer.
    allow_origins : iterable of str
        Other sites whose pages may send feedback, for instance ``https://shop.example``.
    proxies : iterable of str
        Addresses of reverse proxies, whose forwarded headers are believed.
    log_json : bool
        Whether each request is a JSON line on the error output.
    limits : Limits, optional
    links : bool
        Whether new links are made and shown.
    for_seconds : float, optional
        Stop by itself after so long.
    say : callable, optional
        Gets each line that is to be shown; printed unless given.

    Examples
    --------
    >>> import tempfile
    >>> from penchant.study import Study
    >>> place = Path(tempfile.mkdtemp()) / "drinks.db"
    >>> Study.create(place, ["tea", "coffee"]).close()
    >>> serve(place, port=0, for_seconds=0.1, links=False, say=lambda line: None)
    """
    say, limits = say or _print, limits or Limits()
    if for_seconds is not None:
        check_number("for_seconds", for_seconds, above=0, remedy="leave it out to serve until Ctrl-C")
    files = _files(paths)
    tls = _tls(certificate, key)
    address = Address(
        host,
        port,
        url=url,
        allowed=allow_origins,
        proxies=proxies,
        secure=tls is not None,
        allow_http=allow_http,
    )
    with ExitStack() as stack:
        listener = stack.enter_context(_listening(address))
        address = address.at(listener.getsockname()[1])
        studies = [stack.enter_context(_opened(file)) for file in files]
        if log_json:
            stack.enter_context(json_logs(sys.stderr))
        server = Server(
            create_app(studies, address=address, limits=limits), limits, tls=tls, log_json=log_json
        )
        stack.enter_context(server.garbage.kept_short())
        stack.enter_context(_stopped_by_signals(server))
        stack.enter_context(_stopped_after(server, for_seconds))
        for study in studies:
            if isinstance(study, CompareStudy):
                # In the background, so that the first judge does not read that the study has just begun.
                study.settled(wait=False)
        for study in studies:
            if study.is_standby:
                say(
                    f"{visible(study.title)}: another process writes it; this one reads, and takes over when that ends."
                )
        if links:
            _announce(studies, Links(address.url), say)
        server.run(sockets=[listener])
        for study, file in zip(studies, files, strict=True):
            say(f"Stopped. {study.progress()}: kept in {file}")


def _files(paths: str | Place | Iterable[str | Place]) -> list[Place]:
    listed = [paths] if isinstance(paths, str | Path | PostgresAddress) else paths
    files = [located(path) for path in listed]
    if not files:
        raise InvalidInput.of("paths", "name at least one study", "none", "give the file of one")
    if len({file.resolve() if isinstance(file, Path) else file.shown for file in files}) < len(files):
        raise InvalidInput.of("paths", "name each study once", "one twice", "leave the repeat out")
    return files


def _opened(place: Place) -> Study:
    return Study.open(place, standby=isinstance(place, PostgresAddress))


class Server(uvicorn.Server):
    """A uvicorn server of one application whose connections are watched, and whose streams end when it stops."""

    def __init__(
        self, app: FastAPI, limits: Limits, *, tls: ssl.SSLContext | None = None, log_json: bool = False
    ) -> None:
        self._studies, self._limits, self._tls = app.state.studies, limits, tls
        self._stopping = False
        self.garbage = Garbage()
        super().__init__(
            uvicorn.Config(
                RequestLog(app, sys.stderr) if log_json else app,
                http=protocol(limits),
                interface="asgi3",
                lifespan="off",
                ws="none",
                log_config=None if log_json else uvicorn.config.LOGGING_CONFIG,
                log_level="error",  # a warning for each request that is no HTTP would let anybody fill the log
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=math.ceil(limits.idle_seconds) + 1,
                timeout_graceful_shutdown=GRACE,
                h11_max_incomplete_event_size=limits.head_bytes + 2**20,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections; whoever does not finish the TLS handshake is closed as soon as half a request is."""
        loop = asyncio.get_running_loop()
        made: Any = self.config.http_protocol_class

        def connection() -> asyncio.Protocol:
            watched: asyncio.Protocol = made(
                config=self.config, server_state=self.server_state, app_state={}, _loop=loop
            )
            return watched

        handshake = None if self._tls is None else self._limits.head_seconds
        self.servers = [
            await loop.create_server(
                connection,
                sock=listener,
                ssl=self._tls,
                backlog=self.config.backlog,
                ssl_handshake_timeout=handshake,
            )
            for listener in sockets or ()
        ]
        self.started = True

    def stop(self) -> None:
        """Stop soon, from any thread, also before it has started: it then starts, and stops in good order."""
        self._stopping = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop on Ctrl-C and on a polite kill; on a second Ctrl-C without waiting for anybody."""
        self.force_exit = self.force_exit or (self._stopping and sig == signal.SIGINT)
        self.stop()

    async def on_tick(self, counter: int) -> bool:
        """Close connections that have waited too long, and collect garbage if that is due; return whether to stop."""
        if counter % _TICKS == 0:
            now = asyncio.get_running_loop().time()
            sweep(self.server_state.connections, now)
            busy = any(len(served.worker) for served in self._studies.all)
            self.garbage.collect_if_due(self.server_state.total_requests, now, busy=busy)
        return await super().on_tick(counter) or self._stopping

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, which would hold it up, and wait for the requests under way."""
        self._studies.stop()
        await super().shutdown(sockets)


def _announce(studies: Sequence[Study], links: Links, say: Callable[[str], None]) -> None:
    for study in studies:
        owner = study.tokens.make("owner", "serve")
        say(visible(study.title))
        if isinstance(study, CompareStudy):
            judge = study.tokens.make("judge", FIRST_JUDGE)
            say(f"  the ranking, for you:  {links.to('owner', 'serve', owner)}")
            say(f"  a judge's page:        {links.to('judge', FIRST_JUDGE, judge)}")
        else:
            say(f"  the study, for you:    {links.to('owner', 'serve', owner)}")
            if study.items:
                reader = study.tokens.make("app", FIRST_JUDGE)
                say(f"  a page to search on:   {links.to('app', FIRST_JUDGE, reader, kind=study.kind)}")
            say(f"  an app's token:        {study.tokens.make('app', FIRST_APP)}")
    say("These links are shown once and stay good; penchant tokens lists and revokes them.")
    say("Every answer is on disk before the next question shows. Ctrl-C stops.")


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _tls(certificate: str | Path | None, key: str | Path | None) -> ssl.SSLContext | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        lacking = "certificate" if certificate is None else "key"
        raise InvalidInput.of(lacking, "be given with the other", "none", "give the PEM files of both")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as trouble:
        remedy = Text("give the PEM files of a certificate with its chain, and of its ", Argument("key"))
        why = trouble.strerror or "files that cannot be used"
        raise InvalidInput.of("certificate", "fit its key", f"{certificate}: {why}", remedy) from None
    return context


@contextmanager
def _listening(address: Address) -> Iterator[socket.socket]:
    """Take the port before anything else is done, so that a port in use is an error message."""
    number = str(address.number)
    with socket.socket(socket.AF_INET6 if ":" in number else socket.AF_INET, socket.SOCK_STREAM) as listener:
        if sys.platform != "win32":  # there it would share the port with whoever has it
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((number, address.port))
        except OSError as trouble:
            raise InvalidInput(_why_not(trouble, number, address.port)) from None
        listener.listen()  # whoever opens a link at once waits, and is not turned away
        yield listener


def _why_not(trouble: OSError, number: str, port: int) -> str:
    if trouble.errno == errno.EADDRINUSE:
        return f"port {port} must be free, got one in use: stop what uses it, or take --port {_free(number)}"
    if trouble.errno == errno.EADDRNOTAVAIL:
        return f"host must be an address of this computer, got {number!r}: 127.0.0.1 is usual"
    return f"port {port} must be ours to listen on, got {trouble.strerror}: take another with --port 0"


def _free(number: str) -> int:
    with socket.socket(socket.AF_INET6 if ":" in number else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((number, 0))
        return int(probe.getsockname()[1])


@contextmanager
def _stopped_by_signals(server: Server) -> Iterator[None]:
    """Let Ctrl-C and a polite kill end the serving, not the process: the study is still to be closed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        server.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _stopped_after(server: Server, seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, server.stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
