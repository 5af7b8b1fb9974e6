"""Run the reliability parts in full: ``python -m tests.reliability [NAME …]``, which ``make reliability`` calls.

A run stops after ``--minutes`` and continues where it stopped when it is started again. The figures of each part that
is complete are written to ``docs/figures/reliability.json``, from which the table in ``docs/reliability.md`` is made.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.commit import current_commit
from tests.reliability.part import Part, discover
from tests.reliability.table import write_table

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures" / "reliability.json"
UNFINISHED = ROOT / "out" / "reliability"
STEP = 30.0  # seconds of trials between two saves


def main(arguments: list[str] | None = None) -> int:
    """Run the named parts, or all, and return 1 if one of them failed."""
    parts = discover()
    parser = argparse.ArgumentParser(
        prog="make reliability", description="Test the guarantees at full counts."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(parts)}; none: all")
    parser.add_argument("--minutes", type=float, default=18.0, help="stop after this long; 18 unless given")
    parser.add_argument(
        "--count", type=int, help="so many trials of each instead of the full number; not recorded"
    )
    parser.add_argument("--list", action="store_true", help="list the parts, and end")
    options = parser.parse_args(arguments)
    console = Console()
    unknown = [name for name in options.names if name not in parts]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}: choose from {', '.join(parts)}")
    if options.list:
        for part in parts.values():
            console.print(
                f"[bold]{part.name:10}[/bold] {part.full} {part.unit}: {part.claim}", highlight=False
            )
        return 0
    end = time.monotonic() + 60 * options.minutes
    failed = [name for name in options.names or parts if not run(parts[name], end, options.count, console)]
    write_table(FIGURES)
    return 1 if failed else 0


def run(part: Part, end: float, count: int | None, console: Console) -> bool:
    """Run what is left of a part until ``end``; return whether every trial kept the guarantee."""
    reason = part.missing()
    if reason is not None:
        console.print(f"{part.name}: {reason}", highlight=False)
        return False
    total = part.full if count is None else count
    kept = UNFINISHED / f"{part.name}.json"
    figures = _read(kept) if count is None else _start()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(part.name, total=total, completed=figures["done"])
        while figures["done"] < total and time.monotonic() < end:
            try:
                _some(part, figures, total, min(end, time.monotonic() + STEP))
            except AssertionError as broken:
                console.print(f"{part.name}: trial {figures['done']} failed: {broken}", highlight=False)
                return False
            if count is None:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(figures))
            progress.update(task, completed=figures["done"])
    outcome = ", ".join(f"{number} {what}" for what, number in sorted(figures["counts"].items()))
    console.print(f"{part.name}: {figures['done']} of {total} {part.unit}: {outcome}", highlight=False)
    if count is None and figures["done"] == total:
        _record(part, figures)
        kept.unlink()
    return True


def _some(part: Part, figures: dict[str, Any], total: int, until: float) -> None:
    """Run trials until the time is up, one by one, and add them to the figures."""
    begun = time.monotonic()
    while figures["done"] < total and time.monotonic() < until:
        with tempfile.TemporaryDirectory() as folder:
            counts = part.run(range(figures["done"], figures["done"] + 1), Path(folder))
        figures["counts"] = dict(Counter(figures["counts"]) + counts)
        figures["done"] += 1
    figures["seconds"] += time.monotonic() - begun


def _start() -> dict[str, Any]:
    return {"commit": current_commit(), "done": 0, "seconds": 0.0, "counts": {}}


def _read(kept: Path) -> dict[str, Any]:
    """Return the figures of an unfinished run of this very commit, or fresh ones."""
    if kept.exists():
        figures: dict[str, Any] = json.loads(kept.read_text())
        if figures["commit"] == current_commit():
            return figures
    return _start()


def _record(part: Part, figures: dict[str, Any]) -> None:
    every = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    every[part.name] = {
        "claim": part.claim,
        "unit": part.unit,
        "count": figures["done"],
        "outcomes": figures["counts"],
        "seconds": round(figures["seconds"]),
        "commit": figures["commit"],
        "python": platform.python_version(),
    }
    FIGURES.write_text(json.dumps(every, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
