"""Paths, patterns and folders name files, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.errors import InvalidInput
from penchant.formats.parsing.paths import is_pattern, paths_of


def test_a_file_that_is_named_twice_is_one(tmp_path: Path) -> None:
    """By its path, by a pattern and by its folder."""
    place = tmp_path / "a.parquet"
    place.touch()
    assert paths_of([place, str(tmp_path / "*.parquet"), tmp_path]) == [place]


def test_the_own_files_of_engines_are_left_out_of_a_folder(tmp_path: Path) -> None:
    """Such as the log of Delta Lake, and what a job writes before it is done."""
    for name in ("b.parquet", "day=2/a.parquet", "_delta_log/c.parquet", ".part.parquet", "x.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert paths_of(tmp_path) == [tmp_path / "b.parquet", tmp_path / "day=2" / "a.parquet"]


def test_what_names_no_file_is_an_error(tmp_path: Path) -> None:
    """With what to do: a folder of other files needs a pattern."""
    with pytest.raises(InvalidInput, match=r"data must name a folder that holds Parquet files.*\*\.csv"):
        paths_of(tmp_path, "data")
    with pytest.raises(InvalidInput, match=r"files must match at least one file, got '.*none-\*'"):
        paths_of(f"{tmp_path}/none-*")
    with pytest.raises(InvalidInput, match="files must name at least one file"):
        paths_of([])


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path: Path) -> None:
    """Where it exists."""
    place = tmp_path / "votes[1].csv"
    assert is_pattern(place)
    place.touch()
    assert not is_pattern(place)
    assert paths_of(str(place)) == [place]
