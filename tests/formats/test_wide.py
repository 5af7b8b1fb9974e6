"""Tables with one voter a row: ranks by item, or items by place."""

from __future__ import annotations

from pathlib import Path

import pytest

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import read_file, write_file
from tests.formats.files import refused
from tests.formats.strategies import file

RANKS = "tea,coffee,water\n1,2,3\n2,1,3\n1,3,2\n"
PLACES = "first,second,third\ntea,coffee,water\ncoffee,tea,water\ntea,water,coffee\n"
ORDERS = [["tea", "coffee", "water"], ["coffee", "tea", "water"], ["tea", "water", "coffee"]]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (RANKS, "a row is a voter, and 3 columns are items with their ranks, 1 is best"),
        (PLACES, "a row is a voter, and 3 columns are places, 'first' is the best"),
        (PLACES.replace("first,second,third", "1st,2nd,3rd"), "3 columns are places, '1st' is the best"),
        (PLACES.replace("first,second,third", "Choice 1;Choice 2;Choice 3").replace(",", ";"), "'Choice 1'"),
        (PLACES.replace("first,second,third", "1,2,3"), "3 columns are places, '1' is the best"),
    ],
)
def test_both_layouts_are_recognised(text: str, note: str, tmp_path: Path) -> None:
    """The same three voters, however their table is laid out, with a note about how it was understood."""
    reading = read_file(file(tmp_path, "votes.csv", text), strict=True)
    expected = Preferences.from_rankings(ORDERS, items=reading.preferences.items)
    assert reading.format == "wide"
    assert reading.preferences == expected
    assert note in reading.notes[0]


def test_columns_can_be_kept_as_labels(tmp_path: Path) -> None:
    """Of the rows that are used; a column of small numbers that is a label is no item."""
    text = "tea,coffee,group\n1,2,1\n2,1,2\n1,2,2\n"
    reading = read_file(file(tmp_path, "votes.csv", text), layout="ranks", labels=["group"])
    assert reading.labels["group"].tolist() == ["1", "2", "2"]
    assert reading.preferences.items == ("tea", "coffee")
    text = "first,second,group\ntea,coffee,x\ntea,tea,y\ncoffee,tea,z\n"
    reading = read_file(file(tmp_path, "votes.csv", text), labels=["group"])
    assert reading.labels["group"].tolist() == ["x", "z"]
    with pytest.raises(InvalidInput, match="labels must name columns, got 'age'"):
        read_file(file(tmp_path, "votes.csv", RANKS), labels=["age"])


def test_voters_weights_ties_and_items_that_are_not_ranked(tmp_path: Path) -> None:
    """Empty, 0 and NA are not ranked; equal ranks are ties; other columns are named as not used."""
    text = "respondent,n,tea,coffee,water,age\nann,3,1,2,2,31\nbob,1,2,,1,45\ncyd,2,0,1,NA,28\ndan,1,,,,50\n"
    reading = read_file(file(tmp_path, "votes.csv", text))
    orders = [["tea", ["coffee", "water"]], ["water", "tea"], ["coffee"]]
    expected = Preferences.from_rankings(
        orders, weight=[3, 1, 2], judge=["ann", "bob", "cyd"], items=["tea", "coffee", "water"]
    )
    assert reading.preferences == expected
    assert reading.columns == {"weight": "n", "judge": "respondent"}
    assert reading.skipped == {"voters who rank nothing": 1}
    assert "1 column not used: 'age'" in reading.notes


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        (RANKS + "1,x,2\n", {}, "the rank of 'coffee' must be a number from 1, or empty, got 'x'"),
        (RANKS + "1,-2,2\n", {}, "the rank of 'coffee' must be a number from 1, or empty, got '-2'"),
        (PLACES + "tea,tea,water\n", {}, "'tea' has two places"),
        (
            "n," + RANKS.replace("\n", "\n1,")[:-2] + "zero,1,2,3\n",
            {"layout": "ranks"},
            "weight must be a number",
        ),
        (RANKS + "1,2\n", {}, "2 cells where the first line has 3"),
    ],
)
def test_a_bad_row_is_rejected(text: str, options: dict[str, str], reason: str, tmp_path: Path) -> None:
    """It is named with its line, and the others are read."""
    padded = text.replace(RANKS, RANKS + "1,2,3\n" * 20)  # so that the first lines are whole
    reading = read_file(file(tmp_path, "votes.csv", padded), format="wide", **options)
    assert len(refused(reading)) == 1
    assert reason in refused(reading)[0][1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2,3\n1,2,3\n3,1,2\n", "got ranks and places alike in '1', '2', '3': give layout='ranks' if"),
        ("tea,coffee\n5,4\n3,5\n", "got neither in 'tea', 'coffee': give layout='ranks' if each column"),
        ("tea,tea\n1,2\n2,1\n", "column 'tea' must be there once"),
    ],
)
def test_an_ambiguous_table_is_rejected_with_what_to_give(text: str, words: str, tmp_path: Path) -> None:
    """Numbers below numbers may be ranks or items; ratings are no ranks."""
    with pytest.raises(InvalidInput, match=words):
        read_file(file(tmp_path, "votes.csv", text), format="wide")


def test_a_table_of_ratings_is_no_wide_table_unless_that_is_asked_for(tmp_path: Path) -> None:
    """Without ranks from 1 in each row the error of comparisons says what to give; a layout settles it."""
    path = file(tmp_path, "votes.csv", "tea,coffee,milk\n2,2,3\n1,3,3\n")
    with pytest.raises(InvalidInput, match="format='wide' if each row is a voter's ranking"):
        penchant.read(path)
    with pytest.raises(InvalidInput, match="layout must be one of ranks, places, got 'tall'"):
        penchant.read(path, format="wide", layout="tall")
    assert penchant.read(path, layout="ranks").to_orders()[0] == [["tea", "coffee"], "milk"]
    gaps = file(tmp_path, "gaps.csv", "tea,coffee\n5,4\n3,9\n")
    assert penchant.read(gaps, layout="ranks").to_orders() == [["coffee", "tea"], ["tea", "coffee"]]


def test_rankings_survive(tmp_path: Path) -> None:
    """Orders, ties, weights and judges come back from what is written; what is lost is listed."""
    orders = [["=tea", ["b, c", "water"]], ["water", "=tea"], ["b, c"]]
    judges = ["ann", None, "'bob"]
    preferences = Preferences.from_rankings(orders, weight=[3, 1, 2.5], judge=judges, period=[1, 2, 3])
    written = write_file(preferences, tmp_path / "votes.csv", format="wide")
    assert len(written.lost) == 1
    assert "period" in written.lost[0]
    found = read_file(tmp_path / "votes.csv", strict=True).preferences
    assert found == preferences.without("period")
    grades = Preferences.from_grades([2, 1, 1], items=["a", "b", "c"])
    assert "not told apart" in write_file(grades, tmp_path / "grades.csv", format="wide").lost[0]
