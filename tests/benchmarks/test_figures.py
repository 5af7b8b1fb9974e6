"""Tables of the docs, made from the figures of a benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.figures import DOCS, publish, table, with_tables

RECORD: dict[str, Any] = {
    "quick": False,
    "commit": "abc",
    "rows": [
        {
            "what": "sorting",
            "who": "Penchant",
            "answer": {"questions": 1234.5, "runs": 52},
            "samples": [{"cpu": 30.0}, {"cpu": 60.0}],
            "cost": {"cpu": 1.0},
        },
        {"what": "sorting", "who": "absent", "answer": {}, "samples": [], "cost": None},
        {
            "what": "stopping",
            "who": "Penchant",
            "answer": {"right": "97%"},
            "samples": [{"cpu": 6.0}],
            "cost": {"cpu": 1.0},
        },
    ],
}


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_tables_in_the_docs_are_those_of_the_figures(page: Path) -> None:
    """Every marked table equals what the JSON beside it says."""
    text = page.read_text(encoding="utf-8")
    assert with_tables(text) == text


def test_publishing_writes_figures_and_tables(tmp_path: Path) -> None:
    """A record becomes a file of figures with commit and CPU time; marked tables are replaced, all else stays."""
    (tmp_path / "asking.json").write_text(json.dumps(RECORD))
    docs = tmp_path / "docs"
    docs.mkdir()
    page = docs / "page.md"
    page.write_text("before\n<!-- figures asking: stop -->\nold\n<!-- end of figures -->\nafter\n")
    publish("asking", records=tmp_path, docs=docs)
    figures = json.loads((docs / "asking.json").read_text())
    assert (figures["commit"], figures["cpu minutes"], len(figures["rows"])) == ("abc", 1.6, 2)
    lines = page.read_text().splitlines()
    assert lines[2:5] == ["| task | who | right |", "| :-- | :-- | --: |", "| stopping | Penchant | 97% |"]
    assert lines[-3:] == ["Measured at commit abc.", "<!-- end of figures -->", "after"]
    assert with_tables(page.read_text(), docs) == page.read_text()


def test_a_quick_run_is_not_published(tmp_path: Path) -> None:
    """Figures of small sizes do not reach the docs."""
    (tmp_path / "asking.json").write_text(json.dumps(RECORD | {"quick": True}))
    with pytest.raises(SystemExit, match="was quick"):
        publish("asking", records=tmp_path, docs=tmp_path)


def test_a_mark_that_no_task_fits_is_an_error() -> None:
    """A renamed task does not leave an empty table."""
    with pytest.raises(ValueError, match="no task contains 'other'"):
        table({"rows": RECORD["rows"], "commit": "abc"}, "other")


def test_figures_without_a_commit_name_the_version() -> None:
    """The verdicts of the papers are written by an installed package, which knows no commit."""
    made = table({"rows": RECORD["rows"], "version": "0.1.0"}, "sorting")
    assert made.endswith("Measured with Penchant 0.1.0.")


def test_a_mark_without_figures_says_how_to_measure_them(tmp_path: Path) -> None:
    """The page can be written before the benchmark was run."""
    marked = "<!-- figures growth -->\n<!-- end of figures -->"
    found = with_tables(marked, tmp_path)
    assert "Not measured yet: `make bench NAME=growth`." in found
    assert with_tables(found, tmp_path) == found
