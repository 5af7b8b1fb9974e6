"""PrefLib files: counted orders, with ties or without."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import read_file, write_file
from tests.formats import strategies
from tests.formats.files import again, refused
from tests.formats.strategies import file, rows_of

PREFLIB = """# FILE NAME: x.toi
# TITLE: x
# DATA TYPE: {kind}
# NUMBER ALTERNATIVES: 3
# ALTERNATIVE NAME 1: Zoë
# ALTERNATIVE NAME 2: b: with colon, and comma
# ALTERNATIVE NAME 3: c
"""


def test_preflib_orders(tmp_path: Path) -> None:
    """Counts are weights, groups are ties, alternatives keep their names and their order."""
    text = PREFLIB.format(kind="toi") + "5: 2,1,3\n2: 3, {1, 2}\n1: {2,3}\n0: 1,2,3\n"
    reading = read_file(file(tmp_path, "x.toi", text), strict=True)
    names = ["Zoë", "b: with colon, and comma", "c"]
    orders = [[names[1], names[0], names[2]], [names[2], names[:2]], [names[1:]]]
    assert reading.preferences == Preferences.from_rankings(orders, weight=[5, 2, 1], items=names)
    assert (reading.n_rows, reading.skipped) == (4, {"orders that nobody gave (count 0)": 1})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1,2,3", "a line must be like '3: 1,{2,4},3', got '1,2,3'"),
        ("2: 1,,2", "a line must be like '3: 1,{2,4},3', got '2: 1,,2'"),
        ("2: 1,{}", "a line must be like '3: 1,{2,4},3', got '2: 1,{}'"),
        ("2: 1,{2,3", "a line must be like '3: 1,{2,4},3', got '2: 1,{2,3'"),
        ("2:", "a line must be like '3: 1,{2,4},3', got '2:'"),
        ("-2: 1,2", "a line must be like '3: 1,{2,4},3', got '-2: 1,2'"),
        ("2: 1,7", "alternative 7 is not one of the 3 named"),
        ("2: 1,{2,1}", "alternative 1 is ranked twice"),
    ],
)
def test_a_bad_line_of_preflib_is_rejected(line: str, reason: str, tmp_path: Path) -> None:
    """Each bad line is named, the others are read."""
    text = PREFLIB.format(kind="toi") + f"5: 2,1,3\n{line}\n"
    reading = read_file(file(tmp_path, "x.toi", text))
    assert refused(reading) == [(9, reason)]
    assert len(reading.preferences) == 1


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.wmd", PREFLIB.format(kind="wmd") + "1,2,0.5\n", "got weighted matchings"),
        ("x.soc", "5: 1,2\n", "must name its alternatives in lines like"),
        (
            "x.soc",
            "3\n1,a\n2,b\n3,c\n5;5;1\n5,1,2\n",
            "after 3 named alternatives, a line with the numbers of voters",
        ),
        ("x.soc", PREFLIB.format(kind="soc"), "at least one usable row"),
    ],
)
def test_other_files_of_preflib_are_rejected(name: str, text: str, words: str, tmp_path: Path) -> None:
    """Matchings, a header with gaps and a file without orders are rejected with a message."""
    with pytest.raises(InvalidInput, match=words):
        read_file(file(tmp_path, name, text))


def test_categories_are_levels_that_are_not_compared_inside(tmp_path: Path) -> None:
    """Alternatives of one category are neither better nor equal; empty categories say nothing."""
    text = (
        PREFLIB.format(kind="cat") + "# NUMBER CATEGORIES: 3\n4: 1,{2,3}\n2: {},{3},{1,2}\n1: {1,2,3},{},{}\n"
    )
    preferences = read_file(file(tmp_path, "x.cat", text), strict=True).preferences
    names = ["Zoë", "b: with colon, and comma", "c"]
    assert preferences.to_orders()[:2] == [["Zoë", names[1:]], ["c", names[:2]]]
    assert preferences.weight is not None
    assert preferences.weight.tolist() == [4, 2, 1]
    assert (preferences.n_pairs, preferences.n_ties) == (4, 0)


def test_the_former_format_is_read(tmp_path: Path) -> None:
    """The same orders as in the present format, with a note."""
    text = "3\n1,Zoë\n2,b, with comma\n3,c\n8,8,3\n5,2,1,3\n2,3,{1,2}\n1,{2,3}\n"
    reading = read_file(file(tmp_path, "x.toi", text), strict=True)
    names = ["Zoë", "b, with comma", "c"]
    orders = [[names[1], names[0], names[2]], [names[2], names[:2]], [names[1:]]]
    assert reading.preferences == Preferences.from_rankings(orders, weight=[5, 2, 1], items=names)
    assert reading.notes == ("the file is in PrefLib's former format, without metadata",)
    assert reading.doubts == ()


def test_the_former_format_is_not_specified_for_categories(tmp_path: Path) -> None:
    """With the header of orders they are read, and the note says so; with any other the error says where to go."""
    names, rows = "3\n1,a\n2,b\n3,c\n", "2,2,1\n2,1,{2,3}\n"
    reading = read_file(file(tmp_path, "x.cat", names + rows))
    assert reading.preferences.to_orders() == [["a", ["b", "c"]]]
    assert reading.notes[-1] == "that format is not specified for categories: they were read as orders are"
    path = file(tmp_path, "y.cat", names + "2\n1,good\n2,bad\n" + rows)
    with pytest.raises(
        InvalidInput, match=r"not specified for categories, got '2' .* get the file anew from preflib"
    ):
        read_file(path)


@pytest.mark.parametrize(
    ("kind", "more", "doubt"),
    [
        ("toi", "# NUMBER ALTERNATIVES: 4\n", "the header declares 4 alternatives, and there are 3"),
        ("toi", "# NUMBER VOTERS: 9\n", "the header declares 9 voters, and there are 8"),
        ("toi", "# NUMBER UNIQUE ORDERS: 1\n", "the header declares 1 different order, and there are 3"),
        ("soi", "", "the kind is soi, strict orders, and 2 orders with ties are there"),
        ("toc", "", "the kind is toc, complete orders, and 1 order that rank not all are there"),
    ],
)
def test_a_header_that_contradicts_its_rows_is_doubted(
    kind: str, more: str, doubt: str, tmp_path: Path
) -> None:
    """The rows are read as they are; `read_file` reports it and `read` warns."""
    path = file(tmp_path, "x.toi", PREFLIB.format(kind=kind) + more + "5: 2,1,3\n2: 3,{1,2}\n1: {2,3}\n")
    assert read_file(path).doubts == (doubt,)
    with pytest.warns(PenchantWarning, match=doubt):
        penchant.read(path)


def test_preflib_alternatives_without_names_of_their_own(tmp_path: Path) -> None:
    """Names that are empty or there twice get their number, with a note."""
    text = "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: a\n# ALTERNATIVE NAME 3:\n1: 1,2,3\n"
    reading = read_file(file(tmp_path, "x.soc", text))
    assert reading.preferences.items == ("a (1)", "a (2)", "(3)")
    assert reading.notes == ("3 alternatives without a name of their own are called by their number",)


def test_preflib_is_written_as_the_specification_wants(tmp_path: Path) -> None:
    """Equal orders stand once with their count, and the metadata counts voters and orders."""
    preferences = Preferences.from_rankings([["a", "b"], ["b", "a"], ["a", "b"]])
    written = write_file(preferences, tmp_path / "x.soc")
    told = (tmp_path / "x.soc").read_text().splitlines()
    assert told[-2:] == ["2: 1,2", "1: 2,1"]
    assert {"# DATA TYPE: soc", "# NUMBER VOTERS: 3", "# NUMBER UNIQUE ORDERS: 2"} <= set(told)
    assert written.lost == ("rows of their own: 3 rows are 2 different orders",)


@settings(max_examples=25)
@given(strategies.rankings(), st.booleans())
def test_orders_survive_preflib_as_counts(preferences: Preferences, whole: bool) -> None:
    """Each different order comes back with its count; other weights, judges and periods are listed as lost."""
    if whole and preferences.weight is not None:
        from dataclasses import replace

        preferences = replace(preferences, weight=preferences.weight.round() + 1)
    with again(preferences, "votes.toi") as (reading, written, _):
        counts: Counter[object] = Counter()
        weights_kept = not any("whole numbers" in what for what in written.lost)
        for order, _, weight, *_ in rows_of(preferences):
            counts[order] += round(weight) if weights_kept else 1
        if not any("ends of lines" in what for what in written.lost):
            found = {order: weight for order, _, weight, *_ in rows_of(reading.preferences)}
            assert found == counts
            assert reading.preferences.items == preferences.items
        for name in ("judge", "period"):
            listed = any(name in what for what in written.lost)
            assert listed == (getattr(preferences, name) is not None)
