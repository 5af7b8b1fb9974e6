"""A server in a process of its own, on a free port of this computer, which stops by itself if forgotten."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PROGRAM = """
import json, sys
options = json.loads(sys.argv[2])
if options.pop("pure"):
    sys.modules["httptools"] = sys.modules["uvloop"] = None
from penchant.serve import Limits, serve
serve(sys.argv[1], limits=Limits(**options.pop("limits", {})), **options)
"""


class Running:
    """``penchant serve`` as a person runs it: links read from what it prints, ended by a signal.

    ``pure`` hides httptools and uvloop from it; ``options`` are those of `penchant.serve.serve`.
    """

    def __init__(
        self, path: Path, *, port: int = 0, for_seconds: float = 120, pure: bool = False, **options: Any
    ) -> None:
        given = {"port": port, "for_seconds": for_seconds, "pure": pure, **options}
        words = [sys.executable, "-W", "error", "-c", PROGRAM, str(path), json.dumps(given)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        printed = [self.process.stdout.readline() for _ in range(5)]
        links = [line.split()[-1] for line in printed if "://" in line]
        if len(links) != 2:
            raise AssertionError(f"no links: {printed} {self.process.communicate(timeout=30)}")
        self.owner, self.judge = links
        self.url = self.owner.partition("/owner")[0]
        self.port = port or int(self.url.rpartition(":")[2])

    def stop(self, number: signal.Signals = signal.SIGINT, *, logged: bool = False) -> str:
        """End it politely, see that it ends well, and return the last that it said, or else what it ``logged``."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        message, complained = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, complained
        assert logged or complained == "", complained
        return complained if logged else message

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate(timeout=30)
