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
        assert folded == state
    assert len(acknowledged) > KILLS
