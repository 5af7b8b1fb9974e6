"""Counting the comparisons of files, against reading them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penchant
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import count_files, counting, read_file, write
from penchant.preferences import PairCounts, Preferences
from penchant.worth import BradleyTerry

ANSWERS = """left,right,outcome,weight,judge
tea,coffee,left,1,ann
tea,coffee,tie,2.5,ann
water,tea,both_bad,1,bob
water,coffee,skip,1,bob
coffee,tea,right,3,
water,water,left,1,bob
"""
SMALL = 1
"""Bytes of memory, so that everything goes to disk."""


def same_scores(counts: PairCounts, preferences: Preferences) -> None:
    """Counts and preferences have the same items and give the same scores under a given prior."""
    counted, read = BradleyTerry(0.1).fit(counts), BradleyTerry(0.1).fit(preferences)
    assert counted.items_ == read.items_
    np.testing.assert_allclose(counted.scores_, read.scores_, atol=1e-7)
    np.testing.assert_allclose(counted.variance(), read.variance(), rtol=1e-5)
    np.testing.assert_allclose(counted.counts_, read.counts_)


@pytest.mark.parametrize("memory", [SMALL, 10**8])
def test_each_answer_counts_as_in_memory(tmp_path: Path, memory: int) -> None:
    """Ties, both-bad answers and weights count, skips are left out, judges noted, and wrong rows rejected."""
    place = tmp_path / "votes.csv"
    place.write_text(ANSWERS)
    found = count_files(place, memory=memory)
    assert found.counts.on_disk == (memory == SMALL)
    assert [row.line for row in found.refusals] == [7]
    assert found.skipped == {"skip": 1}
    assert found.n_rows == 6
    assert any("judges are not kept" in note for note in found.notes)
    with pytest.warns(PenchantWarning, match="compared with itself"):
        same_scores(found.counts, penchant.read(place))


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("sides", [False, True])
def test_formats_count_as_they_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, sides: bool
) -> None:
    """In chunks of a few rows, from pandas' blocks or row by row."""
    for name in ("_ROWS", "_OBJECTS"):
        monkeypatch.setattr(counting, name, 7)
    monkeypatch.setattr(counting, "SMALL", 100)
    rng = np.random.default_rng(0)
    pairs = np.array([rng.permutation(8)[:2] for _ in range(60)])
    preferences = Preferences.from_pairs(
        pairs,
        items=range(8),
        tie=rng.random(60) < 0.2,
        weight=rng.integers(1, 4, 60),
        better_on_left=(rng.random(60) < 0.5).tolist() if sides else None,
    )
    place = tmp_path / f"votes{ending}"
    with pytest.warns(PenchantWarning):
        write(preferences, place)
    same_scores(penchant.count(place, memory=SMALL), penchant.read(place))


LINES = st.sampled_from(
    [
        "a,b,left,1",
        "b,a,tie,2.5",
        "10,9,right,1",
        "9,b,both_bad,3",
        "a,10,skip,1",
        "a,a,left,1",
        ",b,left,1",
        "a,b,perhaps,1",
        "b,a,left,-1",
        "a,b",
        '"a",b,left,1',
        '"x, y",b,left,1',
        " a ,b,left,1",
        "",
        "b,9,right,007",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=30), st.integers(0, 12), st.integers(1, 9), st.booleans())
def test_any_file_counts_as_it_reads(lines: list[str], cut: int, size: int, plain: bool) -> None:
    """Also where it ends in the middle of a row: the same items, sums, rejected lines and skipped rows."""
    text = "\n".join(["left,right,outcome,weight", *lines]) + "\n"
    text = text[: len(text) - min(cut, len(lines[-1]))]
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(counting, "_ROWS", size)
        patch.setattr(counting, "SMALL", 0 if plain else 10**6)
        place = Path(folder) / "votes.csv"
        place.write_text(text)
        try:
            reading = read_file(place)
        except InvalidInput as error:
            with pytest.raises(InvalidInput, match=re.escape(str(error))):
                count_files(place)
            return
        found = count_files(place, memory=SMALL)
    assert found.refusals == reading.refusals
    assert (found.n_rows, found.skipped, found.columns) == (reading.n_rows, reading.skipped, reading.columns)
    expected = PairCounts.of(reading.preferences)
    assert found.counts.catalogue == expected.catalogue
    for there, here in zip(found.counts.arrays(), expected.arrays(), strict=True):
        np.testing.assert_allclose(there, here)


def test_a_packed_file_that_ends_early_is_an_error(tmp_path: Path) -> None:
    """As in reading, since nobody knows what is missing."""
    place = tmp_path / "votes.csv.gz"
    place.write_bytes(gzip.compress(b"winner,loser\n" + b"tea,coffee\n" * 500)[:-12])
    with pytest.raises(InvalidInput, match="votes"):
        penchant.count(place)


def test_progress_is_reported_to_the_end(tmp_path: Path) -> None:
    """In bytes of a text and in rows of a Parquet file."""
    for ending in (".csv", ".parquet"):
        place, seen = tmp_path / f"votes{ending}", []
        write(Preferences.from_pairs([("tea", "coffee"), ("coffee", "tea")]), place)
        count_files(place, progress=lambda done, total, seen=seen: seen.append((done, total)))
        assert seen[-1][0] == seen[-1][1] > 0


def test_a_pattern_names_several_files(tmp_path: Path) -> None:
    """They count as one file with all rows, and a rejected row names its file."""
    (tmp_path / "a.csv").write_text("winner,loser\ntea,coffee\ncoffee,tea\ntea,\n")
    with gzip.open(tmp_path / "b.jsonl.gz", "wt") as file:
        file.write(json.dumps({"winner": "tea", "loser": "water"}) + "\n")
    found = count_files(f"{tmp_path}/*")
    assert len(found.paths) == 2
    assert found.counts.n_comparisons == 3
    assert found.refusals[0].reason.startswith("a.csv: ")
    with pytest.raises(InvalidInput, match="match at least one file"):
        penchant.count(f"{tmp_path}/*.parquet")
    with pytest.raises(InvalidInput, match="1 row rejected"):
        penchant.count(tmp_path / "a.csv", strict=True)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("votes.jsonl", '{"order": ["a", "b", "c"]}\n', "a ranking, choice or page of results in line 1"),
        ("votes.csv", "left,right,outcome\na,b,b\nb,a,b\n", "outcome_is"),
        ("votes.csv", "winner,loser\n,a\n", "at least one usable row"),
        ("votes.soi", "# FILE NAME: x\n1: 1,2\n", "to be counted"),
    ],
)
def test_what_cannot_be_counted_is_rejected(tmp_path: Path, name: str, text: str, message: str) -> None:
    """Each with what to do instead."""
    place = tmp_path / name
    place.write_text(text)
    with pytest.raises(InvalidInput, match=message):
        penchant.count(place)


def test_covariates_are_rejected(tmp_path: Path) -> None:
    """Counts keep no rows, and so nothing about a row."""
    place = tmp_path / "votes.csv"
    place.write_text("winner,loser,length\na,b,1\n")
    with pytest.raises(InvalidInput, match="covariates"):
        penchant.count(place, covariates=["length"])
