"""kill −9 while people click: what was acknowledged counts, and the models are the fold of the log."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from penchant.study.coactive import CoactiveStudy

CHILD = Path(__file__).with_name("presenting.py")
KILLS = 4


def killed(path: Path, turn: int, luck: random.Random) -> list[list[str]]:
    """What a child said was acknowledged before it was killed."""
    with subprocess.Popen(
        [sys.executable, str(CHILD), str(path), str(turn)], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(luck.randrange(1, 120))]
        child.kill()
        lines += child.stdout.readlines()
    assert child.returncode == -9, "it ended by itself"
    return [line.decode().split() for line in lines if line.endswith(b"\n")]


def made(path: Path) -> None:
    """Make the study that a child clicks in."""
    items = [{"id": f"i{k}", "title": "item", "x": float(k)} for k in range(3)]
    CoactiveStudy.create(path, items, seed=1, per_user=True).close()


def check(path: Path, acknowledged: list[list[str]]) -> None:
    """Open the study as the next process would, look for all that was acknowledged, and go on."""
    said = {kind: {event for found, event in acknowledged if found == kind} for kind, _ in acknowledged}
    with CoactiveStudy.open(path) as study:
        state = study._state
        assert said.get("presented", set()) <= set(state.presentations), "a presentation is lost"
        assert said.get("given", set()) <= set(state.feedback), "feedback is lost"
        assert said.get("undone", set()) <= set(state.undos), "an undo is lost"
        taken_back = {state.undos[event] for event in said.get("undone", ())}
        assert not any(state.feedback[event].standing for event in taken_back), "an undo has no effect"
        left = {user.replace(" ", "_") for user in study.users}
        assert not said.get("forgotten", set()) & left, "a forgotten user is back"
        assert study.check().ok, "the models are not the fold of the log"
        shown = study.present(["i0", "i1"])
        study.feedback(shown, better="i1")
    assert CoactiveStudy.inspect(path).sound, "the file is damaged"
    for user in said.get("forgotten", ()):
        name = user.replace("_", " ").encode()
        assert b'"' + name + b" " not in path.read_bytes(), "a forgotten user's candidates are in the file"


@pytest.mark.slow("starts and kills a process that loads the learners, four times")
def test_no_acknowledged_click_is_lost(tmp_path: Path) -> None:
    """After each kill all acknowledged feedback and undos count, forgotten users are gone, and the study goes on."""
    path, luck = tmp_path / "study.db", random.Random(3)
    made(path)
    acknowledged: list[list[str]] = []
    for turn in range(KILLS):
        acknowledged += killed(path, turn, luck)
        check(path, acknowledged)
    assert len(acknowledged) > KILLS
