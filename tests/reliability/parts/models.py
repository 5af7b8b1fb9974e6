"""Files of models from strangers: every saved file is altered at random, loaded, and used where it loads."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Thread

from tests.reliability.part import Part

ROOT = Path(__file__).parents[3]
SECONDS = 120.0
"""The longest that one trial may take; most take a few milliseconds."""


class Worker:
    """A process that runs trials and is started again when one of them ends it."""

    def __init__(self, *command: str) -> None:
        self._command = command or (sys.executable, "-m", "tests.reliability.loading")
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader: Thread | None = None

    def run(self, number: int) -> Mapping[str, str]:
        """Return the outcome of trial ``number``, or what is broken."""
        process = self._started()
        assert process.stdin is not None
        process.stdin.write(f"{number}\n")
        process.stdin.flush()
        try:
            line = self._lines.get(timeout=SECONDS)
        except queue.Empty:
            self.stop()
            return {"broken": f"the trial took more than {SECONDS:g} s"}
        if not line:
            return {"broken": f"the trial ended the process with code {self.stop(ended=True)}"}
        found: dict[str, str] = json.loads(line)
        return found

    def stop(self, *, ended: bool = False) -> int | None:
        """End the process if it runs, and return its exit code."""
        if self._process is None:
            return None
        process, self._process = self._process, None
        if not ended:
            process.kill()
        code = process.wait()
        if self._reader is not None:
            self._reader.join()
        with contextlib.suppress(OSError), process:  # closes its pipes
            pass
        return code

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
                cwd=ROOT,
            )
            self._lines = queue.Queue()
            self._reader = Thread(target=_read, args=(self._process, self._lines), daemon=True)
            self._reader.start()
            assert self._lines.get(timeout=SECONDS).strip() == "ready", "the examples cannot be built"
        return self._process


def _read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put("")


WORKER = Worker()
atexit.register(WORKER.stop)


def trial(number: int, folder: Path) -> Mapping[str, int]:
    """Alter a file, load it, and use what is loaded."""
    found = WORKER.run(number)
    assert "broken" not in found, found["broken"]
    return {found["outcome"]: 1}


PART = Part(
    name="models",
    claim="A tampered model file is rejected with a message, or loads as a model that gives finite numbers.",
    unit="tampered files",
    full=12_000,
    trial=trial,
)
