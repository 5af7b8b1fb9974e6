"""The benchmark of the service: what its load counts, and how its figures are put together."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks import echo, served
from benchmarks.case import OURS
from benchmarks.load import App, Judge, Rejected, Waits, finished, first_bytes, together
from benchmarks.service import ANSWERS, BARE, CPU, EACH, SPEED, answered, cases, completed


def test_shares_of_waits() -> None:
    """Of a hundred turns, 99 are within the 99th."""
    waits = Waits([number / 100 for number in range(100, 0, -1)], seconds=50.0)
    assert (waits.rate, waits.within(0.5), waits.within(0.99), waits.within(1.0)) == (2.0, 0.5, 0.99, 1.0)
    assert Waits([7.0], 1.0).within(0.5) == 7.0


def test_the_load_runs_beside_the_bare_service(tmp_path: Path) -> None:
    """Judges, applications and readers get replies, each body is in the file, and a rejection is an error."""
    with served.Server(echo.PROGRAM, tmp_path / "echo.db", for_seconds=60) as server:
        judges = [Judge(server.port, "token", str(k), [0.0] * 200) for k in range(3)]
        answers = finished(together(judges, 0.1))
        apps = [App(server.port, "token", str(k), lambda: b'["a", "b", "c"]') for k in range(2)]
        pairs = finished(together(apps, 0.1))
        changed = []

        async def change() -> None:
            changed.append(1)

        cold, warm, size = finished(first_bytes(server.port, "token", change, 2))
        with pytest.raises(Rejected, match="422"):
            finished(together([App(server.port, "token", "wrong", lambda: b"1}{")], 0.1))
        assert server.stop() == -signal.SIGTERM  # uvicorn ends as it was told to
    with closing(sqlite3.connect(tmp_path / "echo.db")) as file:
        (kept,) = file.execute("SELECT COUNT(*) FROM rows").fetchone()
    assert kept == len(answers.turns) + 2 * len(pairs.turns)
    assert len(answers.turns) >= 3
    assert len(pairs.turns) >= 2
    assert (len(cold), len(warm), len(changed)) == (2, 2, 2)
    assert min(cold + warm) > 0
    assert size > 10_000


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    """The last line of what it wrote is the reason."""
    with pytest.raises(RuntimeError, match="did not start: no room"):
        served.Server("raise SystemExit('no room')", tmp_path / "x.db")


def test_figures_are_medians_without_the_first_run() -> None:
    """The first run loads and compiles."""
    runs = [{"rate": rate, "half": 0.01, "most": 0.05, "cpu": 0.001} for rate in (1.0, 10.0, 30.0, 20.0)]
    assert answered("≥ 5/s", runs) == {
        "a second": 20,
        "p50, ms": 10.0,
        "p99, ms": 50.0,
        "server's CPU, ms each": 1.0,
        "goal": "≥ 5/s",
    }
    assert "goal" not in answered("", runs)


def test_speeds_stand_beside_the_bare_service() -> None:
    """A rate is divided by the bare one, a time divides it; twice is the same as once."""
    rows = [
        {"what": "answers", "who": OURS, "answer": {"a second": 800, EACH: 0.9, "goal": "≥ 500/s"}},
        {"what": "answers", "who": BARE, "answer": {"a second": 2000, EACH: 0.3}},
        {"what": "ranking", "who": OURS, "answer": {"unchanged, ms": 4.0}},
        {"what": "ranking", "who": BARE, "answer": {"unchanged, ms": 1.0}},
        {"what": "alone", "who": OURS, "answer": {"a second": 1}},
    ]
    completed(rows)
    once = json.dumps(rows)
    completed(rows)
    assert json.dumps(rows) == once
    assert rows[0]["answer"] == {
        "a second": 800,
        EACH: 0.9,
        SPEED: "0.40",
        CPU: "3.0",
        "goal": "≥ 500/s",
    }
    assert rows[2]["answer"][SPEED] == "0.25"
    assert SPEED not in rows[4]["answer"]


def test_every_task_stands_beside_the_bare_service() -> None:
    """Each has two rows, and the tasks differ."""
    for quick in (True, False):
        made = cases(quick)
        assert [case.who for case in made] == [OURS, BARE] * (len(made) // 2)
        assert len({case.what for case in made}) == len(made) // 2
    assert len(made) // 2 == len(ANSWERS) + 3
