"""Parquet files."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import InvalidInput, PenchantError
from penchant.formats import Limits, Reading, read_file
from penchant.formats.parsing.objects import Objects
from tests.formats.strategies import file, rows_of


def test_a_parquet_file_is_counted_as_it_unpacks(tmp_path: Path) -> None:
    """One text in millions of rows takes few bytes in the file, and is stopped at the limit all the same."""
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = arrow.table({"winner": ["x" * 1000] * 20_000, "loser": ["y"] * 20_000})
    parquet.write_table(table, tmp_path / "x.parquet")
    assert (tmp_path / "x.parquet").stat().st_size < 100_000
    with pytest.raises(InvalidInput, match="unpacked, must be at most 1,000,000"):
        read_file(tmp_path / "x.parquet", limits=Limits(bytes=1_000_000))


def table(folder: Path, rows: list[dict[str, Any]]) -> Path:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "votes.parquet")
    return folder / "votes.parquet"


def test_parquet_holds_the_same_objects(tmp_path: Path) -> None:
    """Columns of text, numbers, dates and lists are read; others are not even loaded."""
    from datetime import date

    def read(*rows: dict[str, Any], **options: str) -> Reading:
        return read_file(table(tmp_path, list(rows)), **options)

    reading = read(
        {"Winner": "a", "Loser": "b", "day": date(2024, 1, 31), "note": b"x", "weight": 2.0},
        {"Winner": "b", "Loser": None, "day": date(2024, 2, 1), "note": b"y", "weight": 1.0},
        period="day",
    )
    assert [(refusal.line, refusal.reason) for refusal in reading.refusals] == [(2, "Loser is empty")]
    assert rows_of(reading.preferences)[0][2:] == (2.0, None, None, 738916)
    assert read({"order": ["a", "b", "c"]}).preferences.to_orders() == [["a", "b", "c"]]
    assert read({"choice": 1, "offered": [1, 2]}).preferences.to_orders() == [["1", "2"]]
    assert read({"winner": 1, "loser": 2}, {"winner": None, "loser": 1}).refusals[0].line == 2
    with pytest.raises(InvalidInput, match="columns must say who was preferred"):
        read({"this": 1, "that": 2})


def test_a_broken_parquet_file_is_rejected(tmp_path: Path) -> None:
    """Damage is told in words."""
    with pytest.raises(InvalidInput, match="must be a Parquet file"):
        read_file(file(tmp_path, "votes.parquet", b"PAR1 and then nothing of the kind"))


def test_without_pyarrow_the_command_to_install_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra is named where it is missing."""
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(PenchantError, match=r"pip install 'penchant\[parquet\]'"):
        read_file(file(tmp_path, "votes.parquet", b"PAR1"))


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"winner": ["a", "b", None, "a", " "], "loser": ["b", "c", "a", "a", "c"]}, {}),
        ({"winner": [1, 2, None], "loser": [2, 10, 1]}, {}),
        ({"winner": [1.0, 2.0], "loser": [2.0, 1.0]}, {}),
        ({"left": ["a", "b", "c"], "right": ["b", "c", "a"], "outcome": ["tie", "both_bad", "huh"]}, {}),
        ({"winner": ["x" * 300, "y" * 9999, "z"], "loser": ["w", "v", "y"], "judge": ["j", None, "j"]}, {}),
        ({"x": ["a", "b"], "y": ["b", "a"], "w": [0.5, None]}, {"better": "x", "worse": "y", "weight": "w"}),
        ({"winner": ["a", "b"], "loser": ["b", "a"]}, {"better": "nobody", "worse": "loser"}),
        (
            {"winner": ["a", "b"], "loser": ["b", "a"], "len": [1.5, None], "lang": ["en", None]},
            {"covariates": ["len"], "labels": ["lang"]},
        ),
    ],
)
def test_columns_are_read_as_their_rows_would_be(
    columns: dict[str, list[Any]], options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole columns at once, and row by row: the same preferences, and the same reasons for what is left out."""
    import pyarrow
    from pyarrow import parquet

    place = tmp_path / "votes.parquet"
    parquet.write_table(pyarrow.table(columns), place, row_group_size=2)
    found = []
    for by_column in (True, False):
        if not by_column:
            monkeypatch.setattr(Objects, "add_columns", lambda *_: False)
        try:
            reading = read_file(place, limits=Limits(field=1000), **options)
        except InvalidInput as error:
            found.append(repr(error))
            continue
        labels = {name: texts.tolist() for name, texts in reading.labels.items()}
        facts = reading.columns, reading.skipped, reading.notes, reading.refusals, reading.n_rows, labels
        found.append(repr((rows_of(reading.preferences), reading.preferences.covariates, *facts)))
    assert found[0] == found[1]
