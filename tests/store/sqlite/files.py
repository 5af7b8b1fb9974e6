"""Change the file of a log behind its back, and run code in another process."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        for statement in statements:
            driver.execute(statement)


def force(path: Path, trigger: str, statement: str) -> None:
    """Do what a trigger forbids, and put the trigger back as it was."""
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        (text,) = driver.execute("SELECT sql FROM sqlite_schema WHERE name=?", (trigger,)).fetchone()
    change(path, f"DROP TRIGGER {trigger}", statement, text)


def python(code: str, *arguments: Any) -> str:
    """What a fresh interpreter prints that runs ``code``."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
