"""A server in a process of its own, on a free port of this computer, which stops by itself if forgotten."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

PROGRAM = """
import sys
from penchant.serve import serve
serve(sys.argv[1], port=int(sys.argv[2]), for_seconds=float(sys.argv[3]))
"""


class Running:
    """``penchant serve`` as a person runs it: links read from what it prints, ended by a signal."""

    def __init__(self, path: Path, *, port: int = 0, for_seconds: float = 120) -> None:
        words = [sys.executable, "-W", "error", "-c", PROGRAM, str(path), str(port), str(for_seconds)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        printed = [self.process.stdout.readline() for _ in range(5)]
        links = [line.split()[-1] for line in printed if "http://" in line]
        if len(links) != 2:
            raise AssertionError(f"no links: {printed} {self.process.communicate(timeout=30)}")
        self.owner, self.judge = links
        self.url = self.owner.partition("/owner")[0]
        self.port = int(self.url.rpartition(":")[2])

    def stop(self, number: signal.Signals = signal.SIGINT) -> str:
        """End it politely, see that it ends well, and return the last that it said."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        message, complained = self.process.communicate(timeout=30)
        assert (self.process.returncode, complained) == (0, ""), complained
        return message

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate(timeout=30)
