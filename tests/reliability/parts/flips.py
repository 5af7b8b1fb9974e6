"""A damaged byte in a study's file is reported, or changes nothing."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from penchant.errors import PenchantError, PenchantWarning
from penchant.preferences import Preferences
from penchant.store import Inspection, SQLiteLog, inspect
from penchant.study import Study
from tests.reliability.part import Part
from tests.reliability.states import facts

ANSWERS = 40
KILLED = """
import os, sys
from penchant.study import Study
study = Study.open(sys.argv[1])
for number in range(12):
    study.tell(study.ask("ann"), "left", event_id=f"late-{number}")
os.kill(os.getpid(), 9)
"""


@cache
def sound() -> tuple[Path, Path]:
    """Return a closed study, and one whose writer was killed and left its last answers in the WAL."""
    folder = Path(tempfile.mkdtemp(prefix="penchant-flips-"))
    closed, killed = folder / "closed" / "study.db", folder / "killed" / "study.db"
    for path in (closed, killed):
        path.parent.mkdir()
    items = [{"title": f"item {k}", "text": "some text " * k} for k in range(8)]
    with Study.create(closed, items, title="Study", seed=1) as study:
        for number in range(ANSWERS):
            study.tell(study.ask(f"judge {number % 3}"), "left", event_id=f"answer-{number}")
        study.undo("answer-7", undo_id="undo-1")
        (new,) = study.add_items([{"title": "late"}])
        study.edit_item(new.id, text="edited")
        study.retire(new.id)
        study.set_aside("judge 2")
        study.change(title="New title")
        study.import_answers(Preferences.from_pairs([tuple(study.items)[:2]]), source="other")
        for name in ("ann", "bob"):
            study.tokens.make("judge", name)
    shutil.copy(closed, killed)
    done = subprocess.run([sys.executable, "-c", KILLED, str(killed)], check=False, timeout=120)
    assert done.returncode == -9
    return closed, killed


@cache
def held(path: Path) -> tuple[Any, ...]:
    """Return what a sound study holds, read from a copy."""
    with tempfile.TemporaryDirectory() as folder:
        return contents(copied(path, Path(folder)))


def copied(path: Path, folder: Path) -> Path:
    for suffix in ("", "-wal"):
        if Path(f"{path}{suffix}").exists():
            shutil.copy(f"{path}{suffix}", folder / f"study.db{suffix}")
    return folder / "study.db"


def contents(path: Path, *, write: bool = True) -> tuple[Any, ...]:
    with Study.open(path, write=write) as study:
        tokens = [vars(row) for row in study._log.tokens.list()]
        return facts(study._state), tokens, list(study._log.events())


def trial(number: int, folder: Path) -> Counter[str]:
    """Flip bits of one byte of the database or the WAL, then open, read, inspect and write it."""
    luck = random.Random(number)
    source = sound()[number % 2]
    path = copied(source, folder)
    target = Path(f"{path}-wal") if number % 4 == 1 else path
    content = bytearray(target.read_bytes())
    place = luck.randrange(len(content))
    content[place] ^= luck.randrange(1, 256)
    target.write_bytes(content)
    what = f"byte {place} of {target.name}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = inspect(path)
        except PenchantError:
            found = None
        try:
            now = contents(path, write=luck.random() < 0.7)
        except PenchantError:
            return _rejected(found, what)
    warned = [warning for warning in caught if issubclass(warning.category, PenchantWarning)]
    before = held(source)
    if warned:
        assert now[2] == before[2][: len(now[2])], f"{what}: other events than before"
        return Counter({"opened with a warning": 1})
    assert now == before, f"{what}: opened with other contents than before"
    assert found is not None, f"{what}: could be opened and not inspected"
    try:
        with SQLiteLog.open(path) as log:
            for event in before[2]:
                again = log.append_all([(event.id, event.kind, event.content, event.version)])
                assert not again[0].new, f"{what}: event {event.number} would count twice"
    except PenchantError:  # it could be read, and may not be written
        return _rejected(found, what)
    return Counter({"not affected": 1})


def _rejected(found: Inspection | None, what: str) -> Counter[str]:
    assert found is None or not found.sound, f"{what}: rejected, though the inspection finds nothing"
    return Counter({"rejected with a message": 1})


PART = Part(
    name="flips",
    claim="A damaged byte in a study's file or its WAL is reported, or changes nothing.",
    unit="flipped bytes",
    full=2000,
    trial=trial,
)
