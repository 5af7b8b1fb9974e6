"""`penchant users`, `forget` and `erase`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penchant.study.coactive import CoactiveStudy
from tests.cli.test_learn import log_lines
from tests.cli.test_weights import weights
from tests.cli.typed import run, written


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Sixty presentations, of which forty are for one of two users."""
    lines = [json.loads(line) | {"user": f"user {min(1, n % 3)}"} for n, line in enumerate(log_lines(60))]
    return written(tmp_path / "log.jsonl", "\n".join(map(json.dumps, lines)))


def test_users_are_listed(log: Path) -> None:
    """Those with the most presentations first: as a table, as CSV and as JSON; without any it says so."""
    study = log.with_name("search.db")
    run("new", study, "--coactive", "--per-user")
    assert run("users", study).out.startswith("No user is named.")
    assert run("users", study, "--csv", "-").out == "user,presentations,answered,rounds,last\n"
    assert json.loads(run("users", study, "--json").out) == []
    run("learn", log, "--into", study)
    run("present", study, log)  # which is not answered
    lines = run("users", study).out.splitlines()
    assert lines[0].split() == ["user", "presentations", "answered", "rounds", "last"]
    assert lines[1].split()[:5] == ["user", "1", "80", "40", "40"]
    assert lines[2].split()[:5] == ["user", "0", "40", "20", "20"]
    assert lines[3] == f"Next: penchant weights {study} --user 'user 1'"
    assert "… and 1 users more" in run("users", study, "--top", 1).out
    assert len(run("users", study, "--csv", "-").out.splitlines()) == 3
    rows = json.loads(run("users", study, "--json").out)
    assert [(row["user"], row["rounds"]) for row in rows] == [("user 1", 40), ("user 0", 20)]
    run("forget", study, "user 1")
    assert [row["user"] for row in json.loads(run("users", study, "--json").out)] == ["user 0"]


def test_other_studies_have_no_users(study: Path) -> None:
    """Judges are listed there."""
    assert run("users", study).err.endswith(f"use penchant judges {study}\n")


def test_a_forgotten_user_is_gone(log: Path) -> None:
    """The name is in no file, the shared weights stay, and undo of what came before is rejected."""
    study = log.with_name("search.db")
    run("new", study, "--coactive", "--per-user")
    run("learn", log, "--into", study)
    before = weights(study)
    done = run("forget", study, "user 0")
    assert done.out.startswith("user 0: forgotten (1 user left; 60 presentations")
    assert weights(study) == before
    assert run("weights", study, "--user", "user 0").status == 2
    assert b"user 0" not in study.read_bytes()
    assert (
        "must be newer than what was erased" in run("undo", study, "f").err or run("undo", study).status == 2
    )
    assert "from the checkpoint" in run("check", study).out
    assert json.loads(run("forget", study, "user 1", "--json").out)["users"] == 0


def test_old_candidates_are_erased_once(log: Path) -> None:
    """The last ones stay, and the setting is as it was."""
    study = log.with_name("search.db")
    run("new", study, "--coactive")
    run("learn", log, "--into", study)
    before = weights(study)
    assert "be a number of days or rounds=N" in run("erase", study, "none").err
    assert run("erase", study, "soon").status == 2
    done = run("erase", study, "rounds=10")
    assert done.out.startswith("Erased: the candidates of 50 presentations (60 presentations")
    assert json.loads(run("erase", study, "rounds=10", "--json").out)["erased"] == 0
    assert weights(study) == before
    with CoactiveStudy.open(study) as opened:
        assert len(opened._state.citing) == 10
        assert opened.settings["retention"] is None
    assert "from the checkpoint" in run("check", study).out
