"""Where Penchant stands: one row for each task that was measured beside peers, with their ratios and spread."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from benchmarks.case import OURS
from benchmarks.rows import Row, Sample
from benchmarks.wording import seconds, times

HEADINGS = (
    "question",
    "task",
    "Penchant",
    "CPU time of peers, as multiples of Penchant's (range over the calls)",
)


def standing(figures: dict[str, dict[str, Any]]) -> str:
    """Return a Markdown table with a row for each task of each question that has a peer, and what was measured."""
    body = [line for name, found in figures.items() for line in _lines(name, found["rows"])]
    lines = [HEADINGS, (":--", ":--", "--:", ":--"), *body]
    commits = sorted({found["commit"] for found in figures.values()})
    minutes = sum(found.get("minutes", 0) for found in figures.values())
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    asked = f"{len(figures)} questions, asked in {minutes:.0f} minutes"
    return f"{table}\n\n{asked}; measured at commit {', '.join(commits)}."


def _lines(name: str, rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    lines = []
    for what, task in groupby(rows, key=lambda row: str(row["what"])):
        beside = list(task)
        own = next((row for row in beside if row["who"] == OURS), None)
        peers = [row for row in beside if not row["who"].startswith(OURS)]
        if own is None or not _warm(own) or not peers:
            continue
        ratios = "; ".join(f"{row['who']} {_ratio(own, row)}" for row in peers)
        lines.append((name, what, seconds(_cpu(own)), ratios.replace("|", "/")))
    return lines


def _warm(row: dict[str, Any]) -> list[list[float]]:
    """Return the samples of warm calls: CPU and wall seconds, and memory."""
    return list(row["samples"][1:])


def _cpu(row: dict[str, Any]) -> float:
    cost = Row("", samples=[Sample(*values) for values in row["samples"]]).cost
    return cost.cpu if cost else float("nan")


def _ratio(own: dict[str, Any], peer: dict[str, Any]) -> str:
    """Return how many times a peer's CPU time is ours: of the medians, and the range of calls made in the same turn."""
    if not _warm(peer):
        return f"cannot: {peer['cannot']}" if peer["cannot"] else "measured once"
    each = [theirs[0] / ours[0] for theirs, ours in zip(_warm(peer), _warm(own), strict=False) if ours[0]]
    ratio = times(_cpu(peer) / _cpu(own))
    spread = f" ({times(min(each))}–{times(max(each))})" if len(each) > 1 else ""
    return f"**{ratio}**{spread}"
