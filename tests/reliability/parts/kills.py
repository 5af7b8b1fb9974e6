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
from penchant.study.state import State
from tests.reliability.part import Part
from tests.reliability.states import facts
from tests.reliability.test_kill import check, kill_while_appending

HERE = Path(__file__).parents[1]
FIRST = HERE.parent / "store" / "sqlite" / "schema-1.sql"
EVENTS = 4000


def trial(number: int, folder: Path) -> Counter[str]:
    """Kill a process while it appends events, changes a study, changes tokens, or moves a log of the first schema."""
    return (appending, editing, admitting, moving)[number % 4](number, folder)


def appending(number: int, folder: Path) -> Counter[str]:
    path = folder / "study.db"
    SQLiteLog.create(path).close()
    acknowledged = kill_while_appending(path, number, random.Random(number))
    check(path, acknowledged)
    return Counter({"acknowledged events, all there": len(acknowledged)})


def editing(number: int, folder: Path) -> Counter[str]:
    path, luck = folder / "study.db", random.Random(number)
    items = [{"id": f"item-{k}", "title": f"item {k}"} for k in range(6)]
    Study.create(path, items, seed=1, title="title").close()
    lines: list[tuple[str, str]] = []
    for turn in range(2):
        lines += _killed(["editing.py", str(path), f"turn{turn}"], lines=luck.randrange(1, 60))
        check_edits(path, lines)
    return Counter({"acknowledged changes of a study, all there": len(lines)})


def check_edits(path: Path, lines: list[tuple[str, str]]) -> None:
    """Open the study as the next process would, and look for every change that was acknowledged."""
    made: dict[str, list[str]] = {}
    for what, name in lines:
        made.setdefault(what, []).append(name)
    with Study.open(path) as study:
        state = study._state
        assert set(made.get("added", ())) <= set(study.items), "an item is lost"
        for name in made.get("edited", ()):
            assert study.items[name].text == f"text {name}", "an edit is lost"
        # Whoever came back without the line of it, in the last round before a kill, is not there any more.
        for gone, back, now in (("retired", "returned", study.retired), ("aside", "back", study.aside)):
            in_doubt = {names[-1] for turn in ("turn0", "turn1") if (names := _of(turn, made.get(gone, [])))}
            assert set(made.get(gone, ())) - set(made.get(back, ())) - in_doubt <= set(now), (
                f"{gone}: one is lost"
            )
            assert not set(made.get(back, ())) & set(now), f"{back}: one is lost"
        titles = made.get("titled", [])
        assert not titles or _place(study.title.split()[1]) >= _place(titles[-1]), (
            "a change of settings is lost"
        )
        answers = {answer.id for answer in study.answers()}
        assert set(made.get("answered", ())) <= answers, "an answer is lost"
    with SQLiteLog.open(path, write=False) as log:
        folded, ids = State(), set()
        for event in log.events():
            folded.apply(event)
            ids.add(event.id)
    assert set(made.get("imported", ())) <= ids, "imported answers are lost"
    assert facts(folded) == facts(state), "the state is not the fold of the log"


def _place(name: str) -> tuple[str, int]:
    """Return the turn and the round of a name, which are in order where the names are not."""
    turn, _, number = name.partition("-")
    return turn, int(number)


def _of(turn: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(f"{turn}-")]


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
    full=1000,
    trial=trial,
)
