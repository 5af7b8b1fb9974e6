"""Put the figures of a benchmark into the docs: ``python -m benchmarks.figures [NAME…]``.

The record of the last full run, ``out/bench/NAME.json``, is cut down to ``docs/NAME.json``: tasks, answers, the commit
that was measured and the CPU time. From that file the tables in ``docs/*.md`` are made, between two marks::

    <!-- figures NAME: TEXT -->
    <!-- end of figures -->

Without a name only the tables are made anew, for instance after ``penchant papers report docs/papers.json``.

A table has the rows whose task contains TEXT, all of them where ``: TEXT`` is left out, and a column for every figure
that one of them has. A benchmark may define ``completed(rows)`` to add figures that several rows make together.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from benchmarks.harness import discover
from benchmarks.peers import ROOT
from benchmarks.wording import figure

DOCS = ROOT / "docs"
_MARKED = re.compile(r"(<!-- figures (\w+)(?:: (.+?))? -->\n).*?(<!-- end of figures -->)", re.DOTALL)


def publish(name: str, *, records: Path = ROOT / "out" / "bench", docs: Path = DOCS) -> None:
    """Write ``docs/NAME.json`` from the record of the last run, and the tables of all pages from it."""
    record = json.loads((records / f"{name}.json").read_text(encoding="utf-8"))
    if record["quick"]:
        raise SystemExit(f"the last run of {name} was quick: make bench NAME={name} without QUICK")
    rows = [
        {"what": row["what"], "who": row["who"], "answer": row["answer"]}
        for row in record["rows"]
        if row["answer"]
    ]
    complete = getattr(discover()[name].module, "completed", None)
    if complete:
        complete(rows)
    cpu = sum(sample["cpu"] for row in record["rows"] for sample in row["samples"])
    figures = {"commit": record["commit"], "cpu minutes": round(cpu / 60, 1), "rows": rows}
    (docs / f"{name}.json").write_text(
        json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    write_tables(docs)


def write_tables(docs: Path = DOCS) -> None:
    """Make every marked table of the pages in ``docs`` anew from the figures beside them."""
    for page in docs.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        made = with_tables(text, docs)
        if made != text:
            page.write_text(made, encoding="utf-8")


def with_tables(text: str, docs: Path = DOCS) -> str:
    """Return a page with every marked table made anew from the figures in ``docs``."""

    def made(found: re.Match[str]) -> str:
        source = docs / f"{found[2]}.json"
        if not source.exists():
            return f"{found[1]}Not measured yet: `make bench NAME={found[2]}`.\n{found[4]}"
        figures = json.loads(source.read_text(encoding="utf-8"))
        return f"{found[1]}{table(figures, found[3] or '')}\n{found[4]}"

    return _MARKED.sub(made, text)


def table(figures: dict[str, Any], text: str = "") -> str:
    """Return the rows whose task contains ``text`` as a Markdown table, and below it the code that was measured."""
    rows = [row for row in figures["rows"] if text in row["what"]]
    if not rows:
        raise ValueError(f"no task contains {text!r}: correct the mark")
    names = list(dict.fromkeys(name for row in rows for name in row["answer"]))
    lines = [
        ["task", "who", *names],
        [":--", ":--", *["--:"] * len(names)],
        *(
            [row["what"], row["who"], *(figure(row["answer"].get(name, "")) for name in names)]
            for row in rows
        ),
    ]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    code = f"at commit {figures['commit']}" if "commit" in figures else f"with Penchant {figures['version']}"
    return f"{body}\n\nMeasured {code}."


if __name__ == "__main__":
    for name in sys.argv[1:]:
        publish(name)
    write_tables()
