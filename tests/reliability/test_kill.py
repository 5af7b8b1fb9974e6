"""kill −9 under load: nothing that was acknowledged is lost, nothing is there by halves.

`PENCHANT_KILLS=1000` kills that many times.
"""

from __future__ import annotations

import os
import random
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from penchant.store import SQLiteLog

KILLS = int(os.environ.get("PENCHANT_KILLS", "20"))
CHILD = Path(__file__).with_name("appending.py")
THREADS = 6
PER_LOG = 25  # kills; reading all of one log after each of a thousand would take hours


def kill_while_appending(path: Path, turn: int, luck: random.Random) -> dict[str, int]:
    """What a child acknowledged, with its numbers, before it was killed: early by time, late by progress."""
    command = [sys.executable, str(CHILD), str(path), str(THREADS), str(turn)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        if luck.random() < 0.2:
            time.sleep(luck.uniform(0.1, 0.6))
            lines = []
        else:
            lines = [child.stdout.readline() for _ in range(luck.randrange(1, 400))]
        child.kill()
        lines += child.stdout.readlines()
    assert child.returncode == -9, "it ended by itself"
    told = [line.decode().split() for line in lines if line.endswith(b"\n")]
    return {id: int(number) for id, number in told}


def check(path: Path, acknowledged: dict[str, int]) -> int:
    """Open the log as the next process would; return how many events it holds."""
    with SQLiteLog.open(path) as log:
        kept = {event.id: event.number for event in log.events()}
        assert list(kept.values()) == list(range(1, len(kept) + 1))
        lost = {id: number for id, number in acknowledged.items() if kept.get(id) != number}
        assert lost == {}
        appends = Counter(re.sub(r"-\d$", "", id) for id in kept)
        parts = {append for append, n in appends.items() if n != (3 if append.split("-")[1] == "0" else 1)}
        assert parts == set(), "half a batch was kept"
        unsaid = Counter(
            re.sub(r"-\d+$", "", id.rsplit("-", 1)[0]) for id in kept.keys() - acknowledged.keys()
        )
        assert all(n <= (3 if thread.endswith("-0") else 1) for thread, n in unsaid.items())
        assert log.append(f"after-1-{len(kept)}-0", "note", {}).event.number == len(kept) + 1
    with closing(sqlite3.connect(path)) as driver:
        assert driver.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return len(kept)


@pytest.mark.slow("starts and kills a process twenty times")
def test_kill_9_under_load_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """After each kill at a random moment: every acknowledged event, gapless numbers, whole batches, a sound file.

    A log goes on through many kills. Of what was not acknowledged, at most the append that each thread was
    waiting for is there.
    """
    luck = random.Random(20)
    total = 0
    acknowledged: dict[str, int] = {}
    for turn in range(KILLS):
        path = tmp_path / f"study-{turn // PER_LOG}.db"
        if turn % PER_LOG == 0:
            SQLiteLog.create(path).close()
            acknowledged = {}
        before = len(acknowledged)
        acknowledged |= kill_while_appending(path, turn, luck)
        total += len(acknowledged) - before
        kept = check(path, acknowledged)
        acknowledged[f"after-1-{kept}-0"] = kept + 1
    assert total > 20 * KILLS


def test_the_check_finds_what_is_lost_or_halved(tmp_path: Path) -> None:
    """A log without an acknowledged event, with another number for it, or with half a batch, does not pass."""
    path = tmp_path / "study.db"
    with SQLiteLog.create(path) as log:
        log.append("0-1-0-0", "answer", {})
    assert check(path, {"0-1-0-0": 1}) == 1
    for wrong in ({"0-1-1-0": 2}, {"0-1-0-0": 2}):
        with pytest.raises(AssertionError):
            check(path, wrong)
    with SQLiteLog.open(path) as log:
        log.append("0-0-0-0", "answer", {})
    with pytest.raises(AssertionError, match="half a batch"):
        check(path, {"0-1-0-0": 1})
