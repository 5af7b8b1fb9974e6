"""The measured rows told: a table for the terminal, and Markdown, JSON and an overview for the files."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from benchmarks.case import OURS
from benchmarks.harness import Question
from benchmarks.picture import draw
from benchmarks.rows import Row, ratios
from benchmarks.wording import between, figure, megabytes, seconds, times

FIGURES = ("CPU time", "least – most", "× Penchant", "first call", "wall time", "memory")
HEADINGS = ("task", "who", *FIGURES, "answer", "cannot")


def complete(question: Question, rows: list[Row]) -> None:
    """Add the figures that several rows make together, where the question defines ``completed``."""
    add = getattr(question.module, "completed", None)
    if add:
        add(
            [
                {"what": row.what, "who": row.who, "answer": row.answer, "cpu": row.cost.cpu}
                for row in rows
                if row.cost
            ]
        )


def write(
    question: Question, rows: list[Row], *, quick: bool, commit: str, folder: Path, minutes: float = 0.0
) -> list[Path]:
    """Write the Markdown table, the JSON record and the picture of one question; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    table, data, picture = (folder / f"{question.name}.{ending}" for ending in ("md", "json", "png"))
    table.write_text(markdown(question, rows, quick=quick), encoding="utf-8")
    told = record(question, rows, quick=quick, commit=commit) | {"minutes": round(minutes, 1)}
    facts = json.dumps(told, indent=1, ensure_ascii=False)
    data.write_text(facts + "\n", encoding="utf-8")
    draw(question.text, rows, picture, quick=quick)
    return [table, data, picture]


def write_overview(names: Iterable[str], folder: Path) -> Path:
    """Collect the tables that are there, each with its picture, into one page."""
    there = [name for name in names if (folder / f"{name}.md").exists()]
    tables = [(folder / f"{name}.md").read_text(encoding="utf-8") for name in there]
    parts = [
        f"{table}\n![CPU time of {name}]({name}.png)\n" for name, table in zip(there, tables, strict=True)
    ]
    overview = folder / "README.md"
    overview.write_text("\n".join(["# Benchmarks\n", *parts]), encoding="utf-8")
    return overview


def markdown(question: Question, rows: list[Row], *, quick: bool) -> str:
    """Return one question as a section of Markdown."""
    parts = [f"## {question.text}", "", markdown_table(rows), "", machine(rows, quick=quick), ""]
    return "\n".join(parts)


def markdown_table(rows: list[Row]) -> str:
    """Return measured rows as a table of Markdown."""
    headings, *body = table(rows)
    rule = ["--:" if heading in FIGURES else ":--" for heading in headings]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in (headings, rule, *body)
    )


def record(question: Question, rows: list[Row], *, quick: bool, commit: str) -> dict[str, Any]:
    """Return everything that was measured at a commit, for a program to read."""
    told = [
        asdict(row) | {"cost": asdict(row.cost) if row.cost else None, "ratio": ratio}
        for row, ratio in zip(rows, ratios(rows), strict=True)
    ]
    return {
        "question": question.text,
        "quick": quick,
        "commit": commit,
        "machine": machine(rows, quick=quick),
        "rows": told,
    }


def on_terminal(question: Question, rows: list[Row]) -> Table:
    """Return one question as a table for the terminal, a rule between its tasks."""
    headings, *body = table(rows)
    shown = Table(title=question.text, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for heading in headings:
        number = heading in FIGURES
        shown.add_column(heading, justify="right" if number else "left", no_wrap=number)
    for _, task in groupby(zip(rows, body, strict=True), key=lambda pair: pair[0].what):
        for row, cells in task:
            shown.add_row(*cells, style="green" if row.who == OURS else None)
        shown.add_section()
    return shown


def table(rows: list[Row]) -> list[list[str]]:
    """Return headings and cells as text, without the columns that no row fills."""
    body = [cells(row, ratio) for row, ratio in zip(rows, ratios(rows), strict=True)]
    filled = [column for column in range(len(HEADINGS)) if any(line[column] for line in body)]
    return [[line[column] for column in filled] for line in ([*HEADINGS], *body)]


def cells(row: Row, ratio: float | None) -> list[str]:
    """Return one row's cells as text."""
    cost = row.cost
    answer = ", ".join(f"{name} {figure(value)}" for name, value in row.answer.items())
    if cost is None and row.answer:  # measured once, by a call that takes long
        blank = [""] * len(FIGURES)
        blank[FIGURES.index("first call")] = seconds(row.samples[0].cpu)
        return [row.what, row.who, *blank, answer, row.cannot]
    if cost is None:
        return [row.what, row.who, *[""] * len(FIGURES), "", f"cannot: {row.cannot}"]
    return [
        row.what,
        row.who,
        seconds(cost.cpu),
        between(cost.least, cost.most),
        "" if ratio is None else times(ratio),
        seconds(row.samples[0].cpu),
        seconds(cost.wall),
        "" if cost.memory is None else megabytes(cost.memory),
        answer,
        row.cannot,
    ]


def machine(rows: list[Row], *, quick: bool) -> str:
    """Return one line on what all this ran on, and how the figures are to be read."""
    versions: dict[str, str] = {}
    for row in rows:
        versions |= row.versions
    libraries = "".join(f", {name} {version}" for name, version in sorted(versions.items()))
    calls = max(len(row.samples) - 1 for row in rows)
    return (
        f"{'Quick run, small sizes. ' if quick else ''}Median of {calls} warm calls; memory is the peak "
        f"above what was held before. {processor()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}{libraries}."
    )


def processor() -> str:
    """Return the name of the processor as the system knows it."""
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()
