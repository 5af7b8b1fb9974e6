"""Which commit a recorded figure is of."""

from __future__ import annotations

import subprocess
from pathlib import Path


def current_commit() -> str:
    """Return the name of the checked out commit, with "-dirty" where files differ from it."""
    asked = ["git", "describe", "--always", "--abbrev=12", "--dirty"]
    found = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"
