"""One case and the process that runs it: a case in, its measured row out, or the words why there is none."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from benchmarks.case import Cannot, Case
from benchmarks.peers import ROOT, interpreter
from benchmarks.rows import Row, Sample

# One thread each unless a case says otherwise, so that seconds of CPU compare.
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)


class Worker:
    """One case, the process that runs it, and what has been measured so far."""

    def __init__(self, module: str, number: int, case: Case, *, quick: bool) -> None:
        self.case = case
        self.row = Row(case.who, case.what, case.cannot)
        self.arguments = [module, str(number), *(["--quick"] if quick else [])]
        self.process: subprocess.Popen[str] | None = None
        self.able = case.prepare is not None

    def attempt(self, action: Callable[[], None]) -> None:
        """Do one thing; a row that fails says so in words, and the run goes on."""
        if not self.able:
            return
        try:
            action()
        except Cannot as reason:
            self.able = False
            self.row.cannot = str(reason)
            self.row.samples.clear()
            self.stop()

    def start(self) -> None:
        """Start the process and wait until its data is there."""
        python = interpreter(self.case.requires)
        environment = os.environ | dict.fromkeys(THREADS, str(self.case.threads))
        if self.case.requires:
            environment.pop("PYTHONPATH", None)
        self.complaints = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (stop closes it)
        self.process = subprocess.Popen(
            [str(python), "-m", "benchmarks.child", *self.arguments],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            text=True,
        )
        self.listen()

    def measure(self) -> None:
        """Have one call made and measured."""
        if self.process is None:
            self.start()
        self.row.samples.append(Sample(**self.ask("measure")))
        if self.case.fresh:
            self.finish()

    def finish(self) -> None:
        """Fetch the answer and the versions, and end the process."""
        if self.process is not None:
            told = self.ask("finish")
            self.row.answer, self.row.versions = told["answer"], told["versions"]
            self.stop()

    def stop(self) -> None:
        """End the process, if there is one."""
        if self.process is None:
            return
        try:
            self.process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        self.complaints.close()
        self.process = None

    def ask(self, word: str) -> dict[str, Any]:
        """Send one word and return the line that answers it."""
        assert self.process is not None
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # the process is gone, and listening tells why
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
        return self.listen()

    def listen(self) -> dict[str, Any]:
        """Read one line, within the limit."""
        assert self.process is not None
        assert self.process.stdout is not None
        with time_limit(self.process, self.case.limit) as late:
            line = self.process.stdout.readline()
        if late.is_set():
            raise Cannot(f"not done in {self.case.limit:g} s")
        if not line:
            raise Cannot(self.last_words())
        message: dict[str, Any] = json.loads(line)
        if "cannot" in message:
            raise Cannot(message["cannot"])
        return message

    def last_words(self) -> str:
        """Say how a process ended that should not have."""
        assert self.process is not None
        status = self.process.wait()
        self.complaints.seek(0)
        lines = self.complaints.read().split("\n")
        told = next((line.strip() for line in reversed(lines) if line.strip()), "it left no word")
        return f"killed by signal {-status}: {told}" if status < 0 else f"ended with status {status}: {told}"


@contextmanager
def time_limit(process: subprocess.Popen[str], seconds: float) -> Iterator[threading.Event]:
    """Kill the process when the time is over, and set the event."""
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
