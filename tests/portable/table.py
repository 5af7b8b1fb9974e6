"""The table of the docs, made from the recorded figures."""

from __future__ import annotations

import json
from pathlib import Path

BEGIN, END = "<!-- portability -->", "<!-- end of portability -->"


def table(figures: Path) -> str:
    """Return the recorded figures as a Markdown table, one row a configuration."""
    rows = [
        "| Python | BLAS kernels, compiled for, threads | tests passed | seconds | at commit |",
        "|---|---|---|---|---|",
    ]
    every = json.loads(figures.read_text())
    for python in sorted(every, key=lambda version: [int(part) for part in version.split(".")]):
        for name, run in sorted(every[python].items()):
            core, compiled, threads = name.rsplit("-", 2)
            told = f"{core} ({run['blas']}), {compiled}, {threads}"
            rows.append(f"| {python} | {told} | {run['passed']:,} | {run['seconds']:,} | {run['commit']} |")
    return "\n".join(rows)


def write_table(figures: Path) -> None:
    """Put the table into ``reliability.md``, in the folder above the figures, between its two marks."""
    page = figures.parents[1] / "reliability.md"
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{table(figures)}\n{END}{after}")
