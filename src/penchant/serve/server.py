"""Serve a study until Ctrl-C, and print its links."""

from __future__ import annotations

import errno
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import uvicorn

from penchant.checks import check_number
from penchant.errors import InvalidInput
from penchant.serve.address import LOOPBACK, Address
from penchant.serve.app import create_app
from penchant.study import CompareStudy
from penchant.study.tokens import Links
from penchant.text import visible

FIRST_JUDGE = "me"
GRACE = 20
"""Seconds for requests under way to end in."""


def serve(
    path: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    for_seconds: float | None = None,
    say: Callable[[str], None] | None = None,
) -> None:
    """Serve a study to browsers on this computer, until Ctrl-C or a polite kill.

    Parameters
    ----------
    path : str or Path
        The study's file, made with ``penchant new`` or `Study.create`.
    host : {"127.0.0.1", "localhost", "::1"}
        What to listen on; nothing that other computers can reach.
    port : int
        0 takes one that is free.
    for_seconds : float, optional
        Stop by itself after so long.
    say : callable, optional
        Gets each line that is to be shown; printed unless given.
    """
    say = say or _print
    if for_seconds is not None:
        check_number("for_seconds", for_seconds, above=0, remedy="leave it out to serve until Ctrl-C")
    with _listening(Address(host, port)) as listener, CompareStudy.open(path) as study:
        address = Address(host, listener.getsockname()[1])
        server = uvicorn.Server(_config(study, address))
        with _stopped_by_signals(server), _stopped_after(server, for_seconds):
            _announce(study, Links(address.url), say)
            server.run(sockets=[listener])
        say(f"Stopped. {study.progress()}: kept in {path}")


def _config(study: CompareStudy, address: Address) -> uvicorn.Config:
    return uvicorn.Config(
        create_app(study, host=address.host, port=address.port),
        lifespan="off",
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
    )


def _announce(study: CompareStudy, links: Links, say: Callable[[str], None]) -> None:
    owner, judge = study.tokens.make("owner", "serve"), study.tokens.make("judge", FIRST_JUDGE)
    say(visible(study.title))
    say(f"  the ranking, for you:  {links.to('owner', 'serve', owner)}")
    say(f"  a judge's page:        {links.to('judge', FIRST_JUDGE, judge)}")
    say("These links are shown once and stay good; penchant tokens lists and revokes them.")
    say("Every answer is on disk before the next question shows. Ctrl-C stops.")


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextmanager
def _listening(address: Address) -> Iterator[socket.socket]:
    """Take the port before anything else is done, so that a port in use is an error message."""
    number = LOOPBACK[address.host]
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
    return f"port {port} must be ours to listen on, got {trouble.strerror}: take another with --port 0"


def _free(number: str) -> int:
    with socket.socket(socket.AF_INET6 if ":" in number else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((number, 0))
        return int(probe.getsockname()[1])


@contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let Ctrl-C and a polite kill end the serving, not the process: the study is still to be closed.

    Uvicorn raises a signal again once it has stopped; it then lands here, where it changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _stopped_after(server: uvicorn.Server, seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, setattr, (server, "should_exit", True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
