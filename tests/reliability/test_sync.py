"""Sync before acknowledgement: what the process asks of the system, in the order in which it asks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reliability.acknowledging import N_APPENDS

CHILD = Path(__file__).with_name("acknowledging.py")
CALL = re.compile(r"(?P<thread>\d+) +(?P<name>\w+)\(\d+<(?P<file>[^>]*)>(?P<rest>.*)")
RESUMED = re.compile(r"(?P<thread>\d+) +<\.\.\. (?P<name>\w+) resumed>(?P<rest>.*)")
WRITES = {"write", "writev", "pwrite64", "pwritev"}
SYNCS = {"fsync", "fdatasync"}


def unsynced(trace: str) -> tuple[int, list[str]]:
    """How many acknowledgements a trace has, and those that came before the WAL was written and synced.

    A sync covers the writes that ended before it began, once it has ended well. The child appends one batch
    after another, so that all that was written to the WAL before an acknowledgement belongs to it.
    """
    begun: dict[str, tuple[str, str, int]] = {}
    written = synced = told = acknowledged = 0
    early = []
    for line in trace.splitlines():
        if match := CALL.match(line):
            begun[match["thread"]] = match["name"], match["file"], written
            if match["name"] in WRITES and "acknowledged " in match["rest"]:
                acknowledged += 1
                early += [line] if written == told or synced < written else []
                told = written
        elif match := RESUMED.match(line):
            pass
        else:
            continue
        if "<unfinished ...>" in match["rest"]:
            continue
        name, file, before = begun[match["thread"]]
        if file.endswith("-wal") and name in WRITES:
            written += 1
        elif file.endswith("-wal") and name in SYNCS and match["rest"].endswith("= 0"):
            synced = max(synced, before)
    return acknowledged, early


def traced(folder: Path, synchronous: str) -> str:
    trace = folder / "trace"
    calls = ",".join(sorted(WRITES | SYNCS))
    watch = ["strace", "-f", "-y", "-e", f"trace={calls}", "-o", str(trace)]
    done = subprocess.run(
        [*watch, sys.executable, str(CHILD), str(folder / "study.db"), synchronous],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return trace.read_text(encoding="utf-8", errors="replace")


@pytest.mark.needs("strace")
def test_every_append_is_synced_before_it_is_acknowledged(tmp_path: Path) -> None:
    """Between the last write to the WAL and the acknowledgement lies a sync of the WAL that went well."""
    assert unsynced(traced(tmp_path, "FULL")) == (N_APPENDS, [])


@pytest.mark.needs("strace")
@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_the_trace_shows_when_sync_is_off(tmp_path: Path, synchronous: str) -> None:
    """With less than full sync the same check finds that every acknowledgement comes too early."""
    acknowledged, early = unsynced(traced(tmp_path, synchronous))
    assert (acknowledged, len(early)) == (N_APPENDS, N_APPENDS)


WRITE = '7 pwrite64(5</x/study.db-wal>, "…", 4096, 0) = 4096'
SYNC = "7 fdatasync(5</x/study.db-wal>) = 0"
TOLD = '6 write(1<pipe:[1]>, "acknowledged 0\\n", 15) = 15'


@pytest.mark.parametrize(
    ("lines", "n_early"),
    [
        ([WRITE, SYNC, TOLD], 0),
        ([WRITE, TOLD, SYNC], 1),
        ([SYNC, WRITE, TOLD], 1),
        ([WRITE, SYNC, WRITE, TOLD], 1),
        ([TOLD], 1),
        ([WRITE, SYNC, TOLD, TOLD], 1),
        ([WRITE, SYNC.replace("= 0", "= -1 EIO (Input/output error)"), TOLD], 1),
        ([WRITE, SYNC.replace("study.db-wal", "other"), TOLD], 1),
        (
            [
                WRITE,
                "7 fdatasync(5</x/study.db-wal> <unfinished ...>",
                TOLD,
                "7 <... fdatasync resumed>) = 0",
            ],
            1,
        ),
        (
            [
                WRITE,
                "7 fdatasync(5</x/study.db-wal> <unfinished ...>",
                "7 <... fdatasync resumed>) = 0",
                TOLD,
            ],
            0,
        ),
    ],
)
def test_the_check_knows_early_from_late(lines: list[str], n_early: int) -> None:
    """A sync that comes late, fails, is of another file or covers too little does not count."""
    assert len(unsynced("\n".join(lines))[1]) == n_early
