"""Write, then read: the same preferences come back, up to what `lost` lists."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from penchant import Preferences
from penchant.formats import write_file
from tests.formats import strategies
from tests.formats.files import again, only_about_items
from tests.formats.strategies import pairs_of, rows_of

TABLES = st.sampled_from(["votes.csv", "votes.tsv", "votes.csv.gz", "votes.parquet", "votes.jsonl"])


@given(strategies.comparisons() | strategies.answers(), TABLES)
def test_comparisons_survive_every_table(preferences: Preferences, name: str) -> None:
    """Ids, ties, weights, judges, sides, periods and the bar come back from CSV, TSV, JSONL and Parquet."""
    with again(preferences, name) as (reading, written, _):
        pairs_of_the_bar = any("which pairs belong together" in what for what in written.lost)
        if pairs_of_the_bar:
            assert pairs_of(reading.preferences) == pairs_of(preferences)
            return
        assert rows_of(reading.preferences) == rows_of(preferences)
        assert only_about_items(written.lost)
        assert set(reading.preferences.items) == strategies.mentioned(preferences)
        assert reading.n_rows == written.n_rows == len(preferences)


def test_the_same_preferences_give_the_same_bytes(tmp_path: Path) -> None:
    """Writing has no clock in it, gzipped or not."""
    preferences = Preferences.from_pairs([("a", "b")])
    for name in ("votes.csv", "votes.csv.gz", "votes.jsonl", "votes.soi", "votes.penchant"):
        found = set()
        for _ in range(2):
            write_file(preferences, tmp_path / name)
            found.add((tmp_path / name).read_bytes())
        assert len(found) == 1
