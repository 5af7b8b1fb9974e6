"""Write, then read: the same preferences come back, up to what `lost` lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import FORMATS, Reading, Written, read_file, write_file
from penchant.formats.parsing.csv_rows import needs_apostrophe, protected, unprotected
from tests.formats import saying
from tests.formats.saying import pairs_said, said

ABOUT_ITEMS = ("item", "the order of the items", "that the items are")


@contextmanager
def again(
    preferences: Preferences, name: str, format: str | None = None
) -> Iterator[tuple[Reading, Written, Path]]:
    """Write and read again."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        written = write_file(preferences, path, format=format)
        assert [entry.name for entry in Path(folder).iterdir()] == [name], "no unfinished file is left"
        yield read_file(path, format=format, strict=True), written, path


def only_about_items(lost: tuple[str, ...]) -> bool:
    return all(any(words in what for words in ABOUT_ITEMS) for what in lost)


TABLES = st.sampled_from(["votes.csv", "votes.tsv", "votes.csv.gz", "votes.parquet", "votes.jsonl"])


@given(saying.comparisons() | saying.answers(), TABLES)
def test_comparisons_survive_every_table(preferences: Preferences, name: str) -> None:
    """Ids, ties, weights, judges, sides, periods and the bar come back from CSV, TSV, JSONL and Parquet."""
    with again(preferences, name) as (reading, written, _):
        pairs_of_the_bar = any("which pairs belong together" in what for what in written.lost)
        if pairs_of_the_bar:
            assert pairs_said(reading.preferences) == pairs_said(preferences)
            return
        assert said(reading.preferences) == said(preferences)
        assert only_about_items(written.lost)
        assert set(reading.preferences.items) == saying.mentioned(preferences)
        assert reading.n_rows == written.n_rows == len(preferences)


@settings(max_examples=25)
@given(saying.answers())
def test_answers_as_shown_lose_nothing_in_a_table(preferences: Preferences) -> None:
    """Answers with their sides are written as left, right, outcome, and both_bad stays one row."""
    with again(preferences, "votes.csv") as (reading, written, path):
        assert path.read_text(encoding="utf-8").startswith("left,right,outcome")
        assert said(reading.preferences) == said(preferences)
        assert only_about_items(written.lost)


EVERYTHING = st.one_of(
    saying.comparisons(),
    saying.answers(),
    saying.rankings(),
    saying.choices(),
    saying.grades(),
    saying.ratings(),
)


@given(EVERYTHING)
def test_everything_survives_jsonl(preferences: Preferences) -> None:
    """Comparisons, answers, rankings, choices, grades and ratings come back row by row."""
    with again(preferences, "votes.jsonl") as (reading, written, _):
        assert said(reading.preferences) == said(preferences)
        assert only_about_items(written.lost)


@settings(max_examples=25)
@given(EVERYTHING)
def test_everything_survives_saving_exactly(preferences: Preferences) -> None:
    """The lossless format gives equal preferences and loses nothing."""
    with again(preferences, "votes.penchant") as (reading, written, _):
        assert reading.preferences == preferences
        assert written.lost == ()


@settings(max_examples=25)
@given(saying.rankings() | saying.choices() | saying.grades())
def test_a_table_holds_the_pairs_of_rankings_and_says_so(preferences: Preferences) -> None:
    """Rankings become their pairs, each with the row's weight; that they belonged together is listed."""
    if not preferences.statements.n_comparisons:
        return
    with again(preferences, "votes.csv") as (reading, written, _):
        assert pairs_said(reading.preferences) == pairs_said(preferences)
        if (preferences.statements.sizes > 2).any():
            assert any("which pairs belong together" in what for what in written.lost)


@settings(max_examples=25)
@given(saying.rankings(), st.booleans())
def test_orders_survive_preflib_as_counts(preferences: Preferences, whole: bool) -> None:
    """Each different order comes back with its count; other weights, judges and periods are listed as lost."""
    if whole and preferences.weight is not None:
        from dataclasses import replace

        preferences = replace(preferences, weight=preferences.weight.round() + 1)
    with again(preferences, "votes.toi") as (reading, written, _):
        counts: Counter[object] = Counter()
        weights_kept = not any("whole numbers" in what for what in written.lost)
        for order, _, weight, *_ in said(preferences):
            counts[order] += round(weight) if weights_kept else 1
        if not any("ends of lines" in what for what in written.lost):
            found = {order: weight for order, _, weight, *_ in said(reading.preferences)}
            assert found == counts
            assert reading.preferences.items == preferences.items
        for name in ("judge", "period"):
            listed = any(name in what for what in written.lost)
            assert listed == (getattr(preferences, name) is not None)


@settings(max_examples=25)
@given(st.integers(2, 9).flatmap(lambda n: saying.rankings(ties=False, kinds=st.just(list(range(n))))))
def test_orders_of_numbers_survive_as_sushi(preferences: Preferences) -> None:
    """Strict orders of item numbers come back exactly, but for weights, judges and periods."""
    with again(preferences, "votes.order") as (reading, written, _):
        bare = preferences.without("weight", "judge", "period")
        assert reading.preferences == bare
        assert bool(written.lost) == (bare != preferences)


@settings(max_examples=25)
@given(saying.grades())
def test_grades_survive_as_letor(preferences: Preferences) -> None:
    """Each query's documents come back on their levels, with their ids."""
    with again(preferences, "votes.letor") as (reading, _, _):
        assert Counter(said(reading.preferences)) == Counter(said(preferences))
        assert set(reading.ids or ()) == set(preferences.items)


@settings(max_examples=25)
@given(saying.ratings())
def test_ratings_survive_as_movielens(preferences: Preferences) -> None:
    """Each user's items come back on their levels."""
    with again(preferences, "ratings.csv", "movielens") as (reading, written, _):
        assert Counter(said(reading.preferences)) == Counter(said(preferences))
        assert only_about_items(written.lost)


@given(saying.ids)
def test_no_cell_runs_in_a_spreadsheet_and_each_comes_back(text: str) -> None:
    """A cell never starts like a formula unless it is a number, and loses exactly its own apostrophe."""
    cell = protected(text)
    assert unprotected(cell) == text
    if cell[0] in "=+-@\t\r":
        float(cell)
    assert needs_apostrophe(text) == (cell != text)


def test_formulas_are_quoted_in_the_file(tmp_path: Path) -> None:
    """What a spreadsheet would execute stands behind an apostrophe; numbers stand as they are."""
    pairs = [("=cmd()", "-1"), ("@SUM(A1)", "+1.5"), ("-x", "\t=1")]
    penchant.write(Preferences.from_pairs(pairs), tmp_path / "votes.csv")
    text = (tmp_path / "votes.csv").read_text(encoding="utf-8")
    assert text == "better,worse\n'=cmd(),-1\n'@SUM(A1),+1.5\n'-x,\"'\t=1\"\n"
    assert said(penchant.read(tmp_path / "votes.csv")) == said(Preferences.from_pairs(pairs))


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    """`write` warns with the same list that `write_file` returns."""
    preferences = Preferences.from_rankings([["b", "a", "c"]], judge=["ann"], items=["c", "a", "b", "z"])
    with pytest.warns(PenchantWarning, match="pairs cannot carry everything: which pairs belong together"):
        written = penchant.write(preferences, tmp_path / "votes.csv")
    assert written.lost == (
        "which pairs belong together: 1 row written out as pairs",
        "1 item that no row mentions",
        "the order of the items: they are sorted on reading",
    )
    clicks = Preferences.from_clicks(["x", "y"], ["y"])
    assert write_file(clicks, tmp_path / "clicks.jsonl").lost == (
        "source: which rows came from one page of results",
    )


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_lists_sides_and_sources_it_cannot_carry(name: str, tmp_path: Path) -> None:
    """For each format: either the sides come back or they are listed."""
    preferences = Preferences.from_pairs([("a", "b")], better_on_left=[False])
    written = write_file(preferences, tmp_path / "votes", format=name)
    reading = read_file(tmp_path / "votes", format=name)
    kept = reading.preferences.better_on_left is not None
    assert kept != any("sides" in what for what in written.lost)


def test_the_same_preferences_give_the_same_bytes(tmp_path: Path) -> None:
    """Writing has no clock in it, gzipped or not."""
    preferences = Preferences.from_pairs([("a", "b")])
    for name in ("votes.csv", "votes.csv.gz", "votes.jsonl", "votes.soi", "votes.penchant"):
        found = set()
        for _ in range(2):
            write_file(preferences, tmp_path / name)
            found.add((tmp_path / name).read_bytes())
        assert len(found) == 1


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    """What stood there stays if writing fails, and nothing unfinished is left behind."""
    path = saying.file(tmp_path, "votes.soc", "old")
    with pytest.raises(InvalidInput, match=r"must be one that holds these orders, got .soc: call it .toi"):
        write_file(Preferences.from_rankings([["a", ["b", "c"]], ["a"]]), path)
    with pytest.raises(InvalidInput, match="an order without ties"):
        write_file(Preferences.from_rankings([["a", "b"], [["a", "b"]]])[1:], path, format="sushi")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("votes.xyz", "ending of .* must be known, for instance .csv, .jsonl"),
        (
            "nowhere/votes.csv",
            "must be a file that can be written, got a file in .*nowhere, which is no folder",
        ),
        (".", "ending of|got a folder"),
    ],
)
def test_places_that_cannot_be_written_are_refused(path: str, words: str, tmp_path: Path) -> None:
    """An unknown ending, a folder and a missing folder are refused in words."""
    with pytest.raises(InvalidInput, match=words):
        write_file(Preferences.from_pairs([("a", "b")]), tmp_path / path)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """Not preferences, no rows, an id with a NUL: each refused in words."""
    with pytest.raises(InvalidInput, match="must be a Preferences, got list"):
        write_file([("a", "b")], tmp_path / "votes.csv")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="at least one row"):
        write_file(Preferences.from_pairs([("a", "b")])[:0], tmp_path / "votes.csv")
    with pytest.raises(InvalidInput, match="without NUL to be written as pairs, got 'a\\\\x00': rename it"):
        write_file(Preferences.from_pairs([("a\0", "b")]), tmp_path / "votes.csv")
