"""A process that has loaded everything and forks off servers, to be killed: each starts in a moment.

    python -m tests.reliability.serving

A line ``PORT SECONDS QUEUE PATH`` on standard input starts a server. Standard output has ``pid NUMBER``, whatever the
server prints, and ``gone STATUS`` when it has ended; then the next line is read.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.served import serve_studies
from penchant.study import Study


def load() -> None:
    """Load what a study compiles, so that a server that is forked off has it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Study.create(Path(folder) / "s.db", ["a", "b", "c"]) as study,
    ):
        question = study.ask("ann")
        for _ in range(3):
            question = study.turn(question, "left").question


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def main() -> None:
    load()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            serve_studies(*line.split())
            os._exit(0)
        say(f"pid {child}")
        _, status = os.waitpid(child, 0)
        say(f"gone {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main()
