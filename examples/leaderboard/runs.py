"""Play the leaderboard by two rules and with other seeds: ``python -m examples.leaderboard.runs``.

It writes ``docs/figures/leaderboard-runs.json`` and puts its table into the page; this takes about five minutes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from examples.leaderboard.board import play
from examples.leaderboard.page import RUNS, write_page

SEEDS = range(1, 7)


def again(seeds: Iterable[int] = SEEDS, **size: int) -> list[dict[str, Any]]:
    """Return how the leaderboard ended by each rule with each seed."""
    rows = []
    for cautious, seed in product((False, True), seeds):
        with TemporaryDirectory() as folder:
            found = play(Path(folder), seed=seed, cautious=cautious, **size)
        kept = {name: found[name] for name in ("answers", "counted", "enough", "pairs in order")}
        rows.append(
            {
                "cautious": cautious,
                "seed": seed,
                **kept,
                "pairs": found["models"] * (found["models"] - 1) // 2,
                "first": found["board"][0]["model"],
                "aside": [row["judge"] for row in found["aside"]],
            }
        )
    return rows


if __name__ == "__main__":
    RUNS.write_text(json.dumps({"runs": again()}, indent=1) + "\n", encoding="utf-8")
    write_page()
