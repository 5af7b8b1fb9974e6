"""Tables as CSV, JSONL and Parquet."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.formats.parsing.csv_rows import unprotected
from penchant.formats.tables import table_csv, table_jsonl, write_table

COLUMNS = {"item": str, "score": float, "count": int, "live": bool}
ROWS: list[dict[str, Any]] = [
    {"item": "=cmd()", "score": 0.1, "count": 2, "live": True, "not shown": 1},
    {"item": 'a "b", c\nd', "score": None, "count": None, "live": False},
    {"item": None, "score": -1e300, "count": -3, "live": None},
]


def test_a_table_is_the_same_in_every_format(tmp_path: Path) -> None:
    """Numbers, truth values and missing ones come back; a cell that a spreadsheet would run is text."""
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        write_table(iter(ROWS), COLUMNS, tmp_path / name)
    rows = [{name: row[name] for name in COLUMNS} for row in ROWS]
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist() == rows
    assert [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()] == rows
    with (tmp_path / "t.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["item", "score", "count", "live"],
            ["'=cmd()", "0.1", "2", "true"],
            ['a "b", c\nd', "", "", "false"],
            ["", "-1e+300", "-3", ""],
        ]
    assert (tmp_path / "t.csv").read_text() == table_csv(ROWS, COLUMNS)
    assert (tmp_path / "t.jsonl").read_text() == table_jsonl(ROWS, COLUMNS)


def test_an_empty_table_has_its_header(tmp_path: Path) -> None:
    """Columns and their types are known without rows."""
    parquet = pytest.importorskip("pyarrow.parquet")
    write_table([], COLUMNS, tmp_path / "t.parquet")
    assert parquet.read_table(tmp_path / "t.parquet").column_names == list(COLUMNS)
    assert table_csv([], COLUMNS) == "item,score,count,live\n"


def test_text_is_gzipped_by_its_ending(tmp_path: Path) -> None:
    """`.csv.gz` is CSV inside."""
    write_table(ROWS, COLUMNS, tmp_path / "t.csv.gz")
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()).decode() == table_csv(ROWS, COLUMNS)


def test_an_unknown_ending_or_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    """A file appears whole or not at all."""
    place = tmp_path / "t.csv"
    place.write_text("old")

    def rows() -> Any:
        yield ROWS[0]
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        write_table(rows(), COLUMNS, place)
    with pytest.raises(
        InvalidInput, match=r"the ending of .* must be one of .csv, .jsonl, .parquet, got '.xls'"
    ):
        write_table(ROWS, COLUMNS, tmp_path / "t.xls")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    assert place.read_text() == "old"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1))
def test_texts_come_back_from_csv(texts: list[str]) -> None:
    """What is protected on writing is read as it was."""
    rows = list(
        csv.reader(table_csv([{"item": text} for text in texts], {"item": str}).splitlines(keepends=True))
    )
    assert [unprotected(row[0]) for row in rows[1:]] == texts
