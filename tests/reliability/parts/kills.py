"""A killed process loses nothing that it acknowledged: events, tokens, and a log that is moved to a new schema."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from penchant.store import SQLiteLog
from penchant.store.sqlite.schema import SCHEMA
from penchant.study import Study
from tests.reliability.part import Part
from tests.reliability.test_kill import check, kill_while_appending

HERE = Path(__file__).parents[1]
FIRST = HERE.parent / "store" / "sqlite" / "schema-1.sql"
EVENTS = 4000


def trial(number: int, folder: Path) -> Counter[str]:
    """Kill a process while it appends events, changes tokens, or moves a log of the first schema."""
    return (appending, admitting, moving)[number % 3](number, folder)


def appending(number: int, folder: Path) -> Counter[str]:
    path = folder / "study.db"
    SQLiteLog.create(path).close()
    acknowledged = kill_while_appending(path, number, random.Random(number))
    check(path, acknowledged)
    return Counter({"acknowledged events, all there": len(acknowledged)})


def admitting(number: int, folder: Path) -> Counter[str]:
    path, luck = folder / "study.db", random.Random(number)
    Study.create(path, [f"item {k}" for k in range(5)], seed=1).close()
    lines = _killed(["admitting.py", str(path)], lines=luck.randrange(1, 80))
    with Study.open(path) as study:
        tokens = {token for what, token in lines if what == "made"}
        revoked = {token for what, token in lines if what == "revoked"}
        in_doubt = max((place for place, line in enumerate(lines) if line[0] == "made"), default=-1)
        for token in tokens - revoked:
            if study.tokens.find(token) is None:  # revoked, though the word of it did not arrive
                assert ("made", token) == lines[in_doubt], "a token that was made is unknown"
        for token in revoked:
            assert study.tokens.find(token) is None, "a token that was revoked is good again"
        answers = {answer.id for answer in study.answers()}
        assert {id for what, id in lines if what == "answered"} <= answers, "an answer is lost"
        study.tokens.make("judge", "after")
    return Counter({"tokens made, all known": len(tokens), "tokens revoked, none known": len(revoked)})


def moving(number: int, folder: Path) -> Counter[str]:
    path, luck = folder / "study.db", random.Random(number)
    with closing(sqlite3.connect(path)) as driver:
        driver.executescript(FIRST.read_text(encoding="utf-8"))
        rows = [(k, f"e{k}", "note", 0.5, f'{{"number":{k}}}') for k in range(3, EVENTS + 1)]
        driver.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
        driver.commit()
    path.chmod(0o600)
    _killed(["moving.py", str(path)], lines=1, then=luck.uniform(0, 0.5))
    with closing(sqlite3.connect(path)) as driver:
        (schema,) = driver.execute("PRAGMA user_version").fetchone()
        columns = len(driver.execute("PRAGMA table_info(events)").fetchall())
        assert (schema, columns) in ((1, 5), (SCHEMA, 7)), "it is between two schemas"
    with SQLiteLog.open(path) as log:
        events = list(log.events())
    assert [event.number for event in events] == list(range(1, EVENTS + 1))
    assert all(event.content == {"number": event.number} for event in events[2:])
    return Counter({f"moves cut off in schema {schema}": 1})


def _killed(command: list[str], *, lines: int, then: float = 0.0) -> list[tuple[str, str]]:
    """Run a child of this folder, kill it after so many lines and seconds, and return its whole lines."""
    words = [sys.executable, str(HERE / command[0]), *command[1:]]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        read = [child.stdout.readline() for _ in range(lines)]
        time.sleep(then)
        child.kill()
        read += child.stdout.readlines()
    assert child.returncode == -9, "it ended by itself"
    whole = [line.decode().split() for line in read if line.endswith(b"\n")]
    return [(words[0], words[-1]) for words in whole]


PART = Part(
    name="kills",
    claim="A process that is killed at any moment loses no acknowledged event or token, and leaves a log of the old "
    "schema or of the new.",
    unit="kills",
    full=201,
    trial=trial,
)
