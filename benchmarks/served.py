"""A server in a process of its own, on a free port of this computer, which stops by itself if forgotten."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[1]
STUDY = "import sys; from benchmarks.served import serve_studies; serve_studies(*sys.argv[1:])"
"""Serves studies as ``penchant serve`` does."""
_PORT = re.compile(r"http://127\.0\.0\.1:(\d+)")


def serve_studies(port: str, seconds: str, queue: str, *paths: str) -> None:
    """Serve studies on this computer until told to stop, or until the seconds are over.

    At most ``queue`` requests may wait; how many one client may send in a second is not limited.
    """
    from penchant.serve import Limits, serve

    rates = dict.fromkeys(("token_rate", "token_burst", "address_rate", "address_burst"), 10**9)
    serve(paths, port=int(port), for_seconds=float(seconds), limits=Limits(queue=int(queue), **rates))


class Server:
    """A running server; it prints its address when it listens.

    Parameters
    ----------
    program : str
        Python whose arguments are the port, the seconds, the queue and the files.
    paths : Path
        The files that it serves or writes to.
    port : int
        0 takes one that is free.
    for_seconds : float
        After which it stops by itself.
    more : str
        Further arguments of the program.
    """

    def __init__(
        self, program: str, *paths: Path, port: int = 0, for_seconds: float = 900, queue: int = 1_000
    ) -> None:
        self._said = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (stop closes it)
        words = [sys.executable, "-c", program, str(port), str(for_seconds), str(queue), *map(str, paths)]
        self.process = subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.PIPE, stderr=self._said, text=True, errors="replace"
        )
        self.port = self._listening()

    def _listening(self) -> int:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = _PORT.search(line)
            if found:
                return int(found[1])
        lines = self.complaints().strip().splitlines()
        self.kill()
        self._said.close()
        raise RuntimeError(f"the server did not start: {lines[-1] if lines else 'it left no word'}")

    def complaints(self) -> str:
        """Return what it has written to standard error."""
        self._said.seek(0)
        return self._said.read()

    def stop(self) -> int:
        """End it politely, and return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._gone()

    def kill(self) -> int:
        """End it at once, as a lost machine would."""
        self.process.kill()
        return self._gone()

    def _gone(self) -> int:
        try:
            self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        return self.process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._said.close()
