"""A computer that is gone without a word: the server notices by TCP keepalives, and another process takes over.

The computer is a network namespace of Linux, whose cable is pulled; making one takes root's rights.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.log import PostgresLog
from penchant.store.postgres.session import Session
from tests.postgresql import PASSWORD, ROLE, Server

pytestmark = pytest.mark.needs("postgres")
NAME = f"penchant{os.getpid()}"
NETWORK = f"10.213.{os.getpid() % 250}"
HOLD = """
import contextlib, sys
from penchant.store.postgres.address import PostgresAddress
from penchant.store.postgres.session import Session
session = Session(PostgresAddress.parse(sys.argv[1]))
print(session.acquire(), flush=True)
if sys.argv[2] == "waiting":
  with contextlib.suppress(Exception):  # this side notices too
    session.connected().exec_driver_sql("SELECT pg_sleep(1.5)")
sys.stdin.read()
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def cable() -> Iterator[None]:
    """A second computer: a network namespace at the other end of a virtual cable."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("a network namespace takes root's rights and the program ip")
    here, there = f"h{os.getpid()}", f"t{os.getpid()}"
    try:
        ip("netns", "add", NAME)
        ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", NAME)
        ip("addr", "add", f"{NETWORK}.1/30", "dev", here)
        ip("link", "set", here, "up")
        ip("-n", NAME, "addr", "add", f"{NETWORK}.2/30", "dev", there)
        ip("-n", NAME, "link", "set", there, "up")
    except subprocess.CalledProcessError as error:
        subprocess.run(["ip", "netns", "del", NAME], check=False, capture_output=True)
        pytest.skip(f"no network namespace can be made here: {error.stderr.decode().strip()}")
    yield
    subprocess.run(["ip", "netns", "del", NAME], check=False, capture_output=True)


@pytest.mark.parametrize("doing", ["nothing", "waiting"])
def test_the_lock_of_a_lost_computer_is_free(doing: str, cable: None) -> None:
    """Without keepalives the server would hold it for hours; a reply on its way to the computer holds them back."""
    with Server(f"{NETWORK}.1/30") as server:
        made = PostgresAddress.parse(server.address("study"))
        PostgresLog.create(made).close()
        far = f"postgresql://{ROLE}:{PASSWORD}@{NETWORK}.1/postgres?study=study"
        command = ["ip", "netns", "exec", NAME, sys.executable, "-c", HOLD, far, doing]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "True\n"
            session = Session(made)
            assert not session.acquire(0.5)
            ip("-n", NAME, "link", "set", f"t{os.getpid()}", "down")
            assert session.acquire(60.0)
            assert other.poll() is None
            session.close()
            other.kill()
