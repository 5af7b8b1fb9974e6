"""Servers that start in a moment and are killed: forked off a process that has loaded everything."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

QUEUE = 1_000
ROOT = Path(__file__).parents[2]
_PORT = re.compile(r"http://127\.0\.0\.1:(\d+)")


class Forked:
    """One server of a study after the other, on one port."""

    def __init__(self, path: Path | str, *, for_seconds: float = 60) -> None:
        self._path, self._seconds = path, for_seconds
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.serving"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.port = self.pid = 0

    def start(self) -> None:
        """Start a server; the first takes a free port, and those after it the same."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(f"{self.port} {self._seconds} {QUEUE} {self._path}\n")
        self._parent.stdin.flush()
        port = None
        self.pid = 0
        while not (self.pid and port):
            line = self._line()
            self.pid = int(line.split()[1]) if line.startswith("pid ") else self.pid
            port = port or _PORT.search(line)
        self.port = int(port[1])

    def kill(self) -> None:
        """Kill the server, and return when it is gone."""
        os.kill(self.pid, signal.SIGKILL)
        while not (line := self._line()).startswith("gone "):
            pass
        assert line.split()[1] == "-9", "it ended by itself"

    def _line(self) -> str:
        assert self._parent.stdout is not None
        line = self._parent.stdout.readline()
        assert line, "the process that starts the servers has ended"
        assert not line.startswith("gone ") or line.split()[1] == "-9", "the server ended by itself"
        return line

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the parent; a server that is left stops by itself."""
        self._parent.kill()
        self._parent.communicate()
