"""kill −9 while judges answer: every acknowledged answer and undo counts, and the state is the fold of the log."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from penchant.store import SQLiteLog
from penchant.study import Study
from penchant.study.state import State
from tests.reliability.parts.kills import check_edits
from tests.reliability.states import facts

CHILD = Path(__file__).with_name("answering.py")
KILLS = 5


def killed(path: Path, turn: int, luck: random.Random) -> list[list[str]]:
    """What a child said was acknowledged before it was killed."""
    with subprocess.Popen(
        [sys.executable, str(CHILD), str(path), str(turn)], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(luck.randrange(1, 60))]
        child.kill()
        lines += child.stdout.readlines()
    assert child.returncode == -9, "it ended by itself"
    return [line.decode().split() for line in lines if line.endswith(b"\n")]


@pytest.mark.slow("starts and kills a process that loads the models, five times")
def test_no_acknowledged_answer_is_lost(tmp_path: Path) -> None:
    """After each kill all acknowledged answers and undos are there, in the same study, which goes on."""
    path, luck = tmp_path / "study.db", random.Random(7)
    Study.create(path, [f"item {i}" for i in range(12)], seed=1).close()
    acknowledged: list[list[str]] = []
    for turn in range(KILLS):
        acknowledged += killed(path, turn, luck)
        with Study.open(path) as study:
            state = study._state
            assert {event for kind, event in acknowledged if kind == "answered"} <= set(state.answers)
            assert {event for kind, event in acknowledged if kind == "undone"} <= set(state.undos)
            taken_back = {state.undos[event] for kind, event in acknowledged if kind == "undone"}
            assert not taken_back & {answer.id for answer in study.answers()}
        with SQLiteLog.open(path, write=False) as log:
            folded = State()
            for event in log.events():
                folded.apply(event)
        assert facts(folded) == facts(state)
    assert len(acknowledged) > KILLS


@pytest.mark.parametrize("what", ["added", "edited", "retired", "aside", "titled", "answered", "imported"])
def test_the_check_finds_a_lost_change(tmp_path: Path, what: str) -> None:
    """A change that was acknowledged and is not there does not pass, whatever its kind."""
    path = tmp_path / "study.db"
    items = [{"id": name, "title": name} for name in ("turn0-0", "turn0-1", "other")]
    with Study.create(path, items, title="title turn0-0") as study:
        study.tell(study.ask("turn0-0"), "left")
    check_edits(path, [("titled", "turn0-0"), ("added", "turn0-0")])
    lost = {"added": ["turn0-2"], "titled": ["turn0-1"]}.get(what, ["turn0-0", "turn0-1"])
    with pytest.raises(AssertionError, match="lost"):
        check_edits(path, [(what, name) for name in lost])


@pytest.mark.parametrize(("gone", "back"), [("retired", "returned"), ("aside", "back")])
def test_the_check_finds_who_should_be_back(tmp_path: Path, gone: str, back: str) -> None:
    """An item or a judge whose return was acknowledged must not be out."""
    path = tmp_path / "study.db"
    items = [{"id": name, "title": name} for name in ("turn0-0", "turn0-1", "other")]
    with Study.create(path, items) as study:
        study.tell(study.ask("turn0-0"), "left")
        study.retire("turn0-0")
        study.set_aside("turn0-0")
    check_edits(path, [(gone, "turn0-0")])
    with pytest.raises(AssertionError, match="lost"):
        check_edits(path, [(gone, "turn0-0"), (back, "turn0-0")])
