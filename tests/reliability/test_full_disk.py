"""A full disk: a refusal in words, nothing acknowledged lost, and on it goes when there is room."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

CHILD = Path(__file__).with_name("filling.py")


def test_a_full_disk_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """The append that found no room says so, later ones too; opened again, all is there and it takes more."""
    path = tmp_path / "study.db"
    done = subprocess.run(
        [sys.executable, str(CHILD), str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    acknowledged = said["acknowledged"]
    assert len(acknowledged) > 10
    assert len(said["refusals"]) == 2
    for refusal in said["refusals"]:
        assert "could not be written" in refusal
        assert "make room or repair the disk, open the log again" in refusal
    assert said["readable"] == acknowledged
    in_doubt = f"e{len(acknowledged)}"
    assert said["kept"] in (acknowledged, [*acknowledged, in_doubt])
    assert said["again"] == len(acknowledged) + 1
    with closing(sqlite3.connect(path)) as driver:
        assert driver.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
