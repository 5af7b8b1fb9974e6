"""Which commit figures belong to."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def current_commit() -> str:
    """Return the commit that is checked out, marked where source, tests or benchmarks differ from it.

    Pages and figures in ``docs`` do not count: recording a figure changes them.
    """
    commit = _git("rev-parse", "--short=12", "HEAD") or "unknown"
    changed = _git("status", "--porcelain", "--", "src", "tests", "benchmarks", "pyproject.toml")
    return f"{commit}-dirty" if changed else commit


def _git(*words: str) -> str:
    found = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip()
