"""Backups, restored ones, and what `check` reports about a damaged study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penchant.study import CompareStudy
from tests.cli.typed import run
from tests.store.sqlite.test_copies import mounts, read_only


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with CompareStudy.create(tmp_path / "drinks.db", ["tea", "coffee", "milk"], seed=1) as study:
        for number in range(6):
            study.tell(study.ask("ann"), "left", event_id=f"mark-{number}")
    return tmp_path / "drinks.db"


def test_a_study_is_copied_and_put_back(path: Path) -> None:
    """The copy has all answers; it replaces only when told to, and what it replaced is kept."""
    copy = path.with_name("copy.db")
    assert "6 answers" in run("backup", path, copy).out
    again = run("backup", path, copy)
    assert again.status == 2
    assert "copy.db must not exist yet, got a file: choose another name, or give --replace" in again.err
    told = run("backup", path, copy, "--replace", "--json")
    assert json.loads(told.out)["file"] == str(copy)
    with CompareStudy.open(path) as study:
        study.tell(study.ask("ann"), "right")
    assert run("restore", copy, path).status == 2
    assert "6 answers" in run("restore", copy, path, "--replace").out
    assert path.with_name("drinks.db.replaced").exists()


def test_check_reports_damage(path: Path) -> None:
    """A damaged event is named, the others are counted, and the next step is to restore; status 1."""
    sound = run("check", path)
    assert sound.status == 0
    assert "File: sound: all 14 events match their checksums" in sound.out
    content = bytearray(path.read_bytes())
    content[content.index(b'"choice":"left"') + 3] ^= 1
    path.write_bytes(content)
    done = run("check", path)
    assert done.status == 1
    assert "drinks.db is damaged: 13 of 14 events can be read" in done.out
    assert "does not match its checksum" in done.out
    assert "penchant restore" in done.out
    found = json.loads(run("check", path, "--json").out)
    assert (found["sound"], found["expected"]) == (False, 14)
    ranked = run("rank", path)
    assert ranked.status == 2
    assert "must" in ranked.err
    assert "Traceback" not in ranked.err


def test_a_file_that_others_can_read_is_warned_of_in_one_line(path: Path) -> None:
    """The warning is a line on the error output with the command that helps, not a Python warning."""
    path.chmod(0o644)
    done = run("ask", path)
    assert done.status == 0
    assert "chmod 600" in done.err
    assert ".py:" not in done.err


@mounts
def test_a_study_on_a_read_only_file_system_is_ranked_checked_and_exported(tmp_path: Path) -> None:
    """Each command reads a copy; what would write says why it cannot."""
    disk = tmp_path / "disk"
    disk.mkdir()
    with CompareStudy.create(disk / "drinks.db", ["tea", "coffee", "milk"], seed=1) as study:
        for _ in range(6):
            study.tell(study.ask("ann"), "left")
    with read_only(disk) as place:
        path = place / "drinks.db"
        assert "tea" in run("rank", path).out
        assert "drinks.db" in run("check", path).out
        assert run("convert", path, tmp_path / "answers.csv").status == 0
        assert "6 answers" in run("backup", path, tmp_path / "copy.db").out
        done = run("ask", path)
        assert done.status == 2
        assert "read-only" in done.err
    assert sorted(file.name for file in disk.iterdir()) == ["drinks.db", "drinks.db.lock"]
