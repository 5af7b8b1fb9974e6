"""The table of the docs, made from the recorded figures."""

from __future__ import annotations

import json
from pathlib import Path

BEGIN, END = "<!-- reliability -->", "<!-- end -->"


def table(figures: Path) -> str:
    """Return the recorded figures as a Markdown table."""
    rows = ["| part | guarantee | trials | outcomes | at commit |", "|---|---|---|---|---|"]
    for name, part in sorted(json.loads(figures.read_text()).items()):
        outcomes = ", ".join(f"{count:,} {what}" for what, count in sorted(part["outcomes"].items()))
        trials = f"{part['count']:,} {part['unit']}"
        rows.append(f"| {name} | {part['claim']} | {trials} | {outcomes} | {part['commit']} |")
    return "\n".join(rows)


def write_table(figures: Path) -> None:
    """Put the table into ``reliability.md``, in the folder above the figures, between its two marks."""
    if not figures.exists():  # no part is complete yet
        return
    page = figures.parents[1] / "reliability.md"
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{table(figures)}\n{END}{after}")
