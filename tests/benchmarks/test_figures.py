"""Tables of the docs, made from the figures of a benchmark."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchmarks.figures import DOCS, costs, publish, read_all, table, with_tables
from benchmarks.rows import Sample
from benchmarks.standing import standing


def samples(*cpu: float) -> list[dict[str, float | None]]:
    return [asdict(Sample(seconds, 2 * seconds, None)) for seconds in cpu]


RECORD: dict[str, Any] = {
    "question": "How many questions?",
    "quick": False,
    "commit": "abc",
    "machine": "Two cores.",
    "minutes": 3.0,
    "rows": [
        {
            "what": "sorting",
            "who": "Penchant",
            "answer": {"questions": 1234.5, "runs": 52},
            "cannot": "",
            "samples": samples(30.0, 60.0, 50.0),
        },
        {"what": "sorting", "who": "slower", "answer": {}, "cannot": "", "samples": samples(9, 90, 125)},
        {"what": "sorting", "who": "absent", "answer": {}, "cannot": "not installed", "samples": []},
        {
            "what": "stopping",
            "who": "Penchant",
            "answer": {"right": "97%"},
            "cannot": "",
            "samples": samples(6.0),
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
    figures = json.loads((docs / "figures" / "asking.json").read_text())
    assert (figures["commit"], figures["cpu minutes"], figures["minutes"]) == ("abc", 6.2, 3.0)
    assert figures["rows"][1]["samples"] == [[9, 18, None], [90, 180, None], [125, 250, None]]
    assert read_all(docs) == {"asking": figures}
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


def published(folder: Path) -> dict[str, Any]:
    (folder / "asking.json").write_text(json.dumps(RECORD))
    publish("asking", records=folder, docs=folder / "docs")
    return read_all(folder / "docs")


def test_a_table_of_costs_has_every_row_and_what_it_was_measured_on(tmp_path: Path) -> None:
    """Medians of the warm calls, their range, the ratio, and the reason of a row that could not be measured."""
    (tmp_path / "docs").mkdir()
    made = costs(published(tmp_path)["asking"], "sorting").splitlines()
    assert made[0].startswith("| task | who | CPU time | least – most | × Penchant |")
    assert "| sorting | slower | 108 s | 90.0 – 125 s | 2.0 |" in made[3]
    assert "cannot: not installed" in made[4]
    assert made[-1] == "Two cores. Measured at commit abc."


def test_the_standing_has_a_line_for_each_task_that_a_peer_does_too(tmp_path: Path) -> None:
    """The ratio is that of the medians; its range is over calls of the same turn."""
    (tmp_path / "docs").mkdir()
    lines = standing(published(tmp_path)).splitlines()
    assert (
        lines[2] == "| asking | sorting | 55.0 s | slower **2.0** (1.5–2.5); absent cannot: not installed |"
    )
    assert lines[-1] == "1 questions, asked in 3 minutes; measured at commit abc."


def test_the_mark_of_the_standing_is_filled(tmp_path: Path) -> None:
    """Also before anything was measured."""
    found = with_tables("<!-- standing -->\n<!-- end of standing -->", tmp_path)
    assert found.startswith("<!-- standing -->\n| question |")
    assert with_tables(found, tmp_path) == found
