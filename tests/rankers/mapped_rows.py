"""Fit and apply RankSVM to a memory-mapped matrix in a process of its own, and print what that took in MB.

``python -m tests.rankers.mapped_rows FILE``: FILE is a .npy matrix. The first number is what the process
holds once it has mapped the file and loaded the code, the second the most that it has held: the pages of the file that
were read are part of it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from penchant.rankers import RankSVM


def held(name: str) -> float:
    """Return a figure of the kernel about this process, in MB."""
    found = re.search(rf"{name}:\s*(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def learn(X: Any) -> None:
    """Fit to rows, a hundred a query, and score them."""
    number = np.arange(len(X))
    RankSVM(tol=0.1).fit(X, number % 3, qid=number // 100).predict(X)


def main(path: str) -> None:
    """Load and compile the code on a few rows; then learn from those of the file."""
    warm = np.random.default_rng(0).standard_normal((20_000, 4), dtype=np.float32)
    learn(warm)
    X = np.load(path, mmap_mode="r")
    before = held("VmRSS")
    learn(X)
    print(before, held("VmHWM"))


if __name__ == "__main__":
    main(sys.argv[1])
