"""Put the figures of benchmarks into the docs: ``python -m benchmarks.figures [NAME…]``, or ``all`` that were run.

The record of the last full run, ``out/bench/NAME.json``, is cut down to ``docs/figures/NAME.json``: tasks, samples,
answers, the machine, and the commit that was measured. From that file the tables in ``docs/*.md`` are made, between two
marks::

    <!-- figures NAME: TEXT -->
    <!-- end of figures -->

Without a name only the tables are made anew, for instance after ``penchant papers report docs/figures/papers.json``.

A table has the rows whose task contains TEXT, all of them where ``: TEXT`` is left out, and a column for every figure
that one of them has; with ``costs`` in place of ``figures`` it has what calls cost too, and rows that could not be
measured. The mark ``<!-- standing -->`` stands for one table of all questions that were asked beside peers.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.peers import ROOT
from benchmarks.rows import Row, Sample
from benchmarks.standing import standing
from benchmarks.wording import figure

DOCS = ROOT / "docs"
FIGURES = "figures"
"""The folder of the figures in the docs."""
_MARKED = re.compile(
    r"(<!-- (figures|costs|standing)(?: (\w+)(?:: (.+?))?)? -->\n).*?(<!-- end of \2 -->)", re.DOTALL
)


def publish(name: str, *, records: Path = ROOT / "out" / "bench", docs: Path = DOCS) -> None:
    """Write ``docs/figures/NAME.json`` from the record of the last run, and the tables of all pages from it."""
    record = json.loads((records / f"{name}.json").read_text(encoding="utf-8"))
    if record["quick"]:
        raise SystemExit(f"the last run of {name} was quick: make bench NAME={name} without QUICK")
    cpu = sum(sample["cpu"] for row in record["rows"] for sample in row["samples"])
    figures = {
        "commit": record["commit"],
        "machine": record["machine"],
        "cpu minutes": round(cpu / 60, 1),
        "minutes": record["minutes"],
        "question": record["question"],
        "rows": [
            {
                **{key: row[key] for key in ("what", "who", "answer", "cannot")},
                "samples": [[_short(value) for value in sample.values()] for sample in row["samples"]],
            }
            for row in record["rows"]
        ],
    }
    folder = docs / FIGURES
    folder.mkdir(exist_ok=True)
    text = json.dumps(figures, indent=1, ensure_ascii=False)
    (folder / f"{name}.json").write_text(_flat(text) + "\n", encoding="utf-8")
    write_tables(docs)


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _flat(text: str) -> str:
    """Return JSON with each list of numbers on one line."""
    return re.sub(r"\[\s+((?:[\d.e+-]+|null)(?:,\s+(?:[\d.e+-]+|null))*)\s+\]", _joined, text)


def _joined(numbers: re.Match[str]) -> str:
    return "[" + ", ".join(numbers[1].replace(",", " ").split()) + "]"


def write_tables(docs: Path = DOCS) -> None:
    """Make every marked table of the pages in ``docs`` anew from the figures below them."""
    for page in docs.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        made = with_tables(text, docs)
        if made != text:
            page.write_text(made, encoding="utf-8")


def with_tables(text: str, docs: Path = DOCS) -> str:
    """Return a page with every marked table made anew from the figures in ``docs``."""

    def made(found: re.Match[str]) -> str:
        begin, kind, name, part, end = found.groups()
        if kind == "standing":
            return f"{begin}{standing(read_all(docs))}\n{end}"
        source = docs / FIGURES / f"{name}.json"
        if not source.exists():
            return f"{begin}Not measured yet: `make bench NAME={name}`.\n{end}"
        figures = json.loads(source.read_text(encoding="utf-8"))
        return f"{begin}{TABLES[kind](figures, part or '')}\n{end}"

    return _MARKED.sub(made, text)


def read_all(docs: Path = DOCS) -> dict[str, dict[str, Any]]:
    """Return the figures of all benchmarks that were published, by name."""
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((docs / FIGURES).glob("*.json"))
    }
    return {name: figures for name, figures in found.items() if "question" in figures}


def table(figures: dict[str, Any], text: str = "") -> str:
    """Return the rows whose task contains ``text`` as a Markdown table, and below it the code that was measured."""
    rows = [row for row in figures["rows"] if text in row["what"] and row["answer"]]
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


def costs(figures: dict[str, Any], text: str = "") -> str:
    """Return the rows whose task contains ``text`` with their costs as a Markdown table, and what they were run on."""
    rows = [row_of(row) for row in figures["rows"] if text in row["what"]]
    if not rows:
        raise ValueError(f"no task contains {text!r}: correct the mark")
    return f"{report.markdown_table(rows)}\n\n{figures['machine']} Measured at commit {figures['commit']}."


def row_of(row: dict[str, Any]) -> Row:
    """Return a published row as it was measured."""
    samples = [Sample(*values) for values in row["samples"]]
    return Row(row["who"], row["what"], row["cannot"], samples, row["answer"])


TABLES: dict[str, Callable[[dict[str, Any], str], str]] = {"figures": table, "costs": costs}


if __name__ == "__main__":
    names = sys.argv[1:]
    if names == ["all"]:
        names = sorted(path.stem for path in (ROOT / "out" / "bench").glob("*.json"))
    for name in names:
        publish(name)
    write_tables()
