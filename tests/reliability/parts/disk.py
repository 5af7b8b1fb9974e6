"""A full disk: writes are rejected with a clear error, nothing is lost, and it goes on when there is room."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.reliability.part import Part

ROOT = Path(__file__).parents[3]


def trial(number: int, folder: Path) -> Counter[str]:
    """Let a small disk of its own fill up and get room again three times."""
    alone = ["unshare", "--mount", "--propagation", "private"]  # the mount goes with the process
    child = [sys.executable, "-m", "tests.reliability.filling", str(folder), str(number)]
    done = subprocess.run(
        [*alone, *child], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return Counter(json.loads(done.stdout))


PART = Part(
    name="disk",
    claim="On a full disk answers are rejected with 507 and nothing is lost; with room it goes on by itself.",
    unit="disks, each filled three times",
    full=50,
    trial=trial,
    needs=("unshare", "mount"),
    root=True,
)
