"""LETOR, PrefLib, MovieLens, order files and saved files: small literal ones, line by line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penchant
from penchant import Preferences
from penchant.errors import CannotLoad, InvalidInput
from penchant.formats import Reading, read_file, write_file
from tests.formats.saying import file


def refused(reading: Reading) -> list[tuple[int, str]]:
    return [(refusal.line, refusal.reason) for refusal in reading.refusals]


LETOR = """2 qid:7 1:0.5 3:0.25 #docid = GX-1 inc = 1 prob = 0.5
0 qid:7 2:-1e-3 #docid = GX-2 inc = 0
1 qid:8 1:1 #docid = GX-3
"""


def test_letor_gives_features_grades_queries_and_ids(tmp_path: Path) -> None:
    """Features count from 1, comments carry the documents, and grades become preferences inside a query."""
    reading = read_file(file(tmp_path, "S1.txt", LETOR), strict=True)
    assert reading.features is not None
    assert reading.features.toarray().tolist() == [[0.5, 0, 0.25], [0, -0.001, 0], [1, 0, 0]]
    assert reading.grades is not None
    assert reading.grades.tolist() == [2, 0, 1]
    assert reading.qid is not None
    assert reading.qid.tolist() == [7, 7, 8]
    assert reading.ids == ("GX-1", "GX-2", "GX-3")
    assert reading.preferences == Preferences.from_grades([2, 0, 1], [7, 7, 8], items=reading.ids)


def test_letor_items_can_be_the_rows_of_the_features(tmp_path: Path) -> None:
    """With ids=False, or where lines name no document, items are rows, which an array of features matches."""
    path = file(tmp_path, "S1.txt", LETOR)
    reading = read_file(path, ids=False)
    assert reading.preferences == Preferences.from_grades([2, 0, 1], [7, 7, 8])
    assert reading.preferences.match(reading.features).tolist() == [0, 1, 2]
    bare = read_file(file(tmp_path, "bare.txt", "1 qid:1 1:1\n0 qid:1 1:2\n"))
    assert (bare.ids, bare.preferences) == (None, Preferences.from_grades([1, 0]))


def test_letor_documents_of_several_queries_are_different_items(tmp_path: Path) -> None:
    """A document that two queries found is an item in each; one found twice by one query has no name."""
    reading = read_file(file(tmp_path, "S.txt", "1 qid:1 1:1 # docid = x\n0 qid:2 1:1 # docid = x\n"))
    assert reading.preferences.items == ("1/x", "2/x")
    reading = read_file(file(tmp_path, "S.txt", "1 qid:1 1:1 # docid = x\n0 qid:1 1:1 # docid = x\n"))
    assert reading.preferences.items == ("0", "1")
    assert reading.notes == (
        "documents stand in one query several times: their items are called by row number",
    )


@pytest.mark.parametrize("comment", ['"x', '"x\\y"', '""', '"\\ud800"'])
def test_odd_comments_of_letor_do_no_harm(comment: str, tmp_path: Path) -> None:
    """A comment that is no proper id is taken as it stands, or the line has none."""
    reading = read_file(file(tmp_path, "S.txt", f"1 qid:1 1:1 #docid = {comment}\n"))
    assert reading.ids in ((comment,), None)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 1:0.5", "a line must have a query like qid:7, got '1 1:0.5'"),
        ("x qid:1 1:0.5", "a line must be like '2 qid:7 1:0.5 3:0.25', got 'x qid:1 1:0.5'"),
        ("1 qid:1 1:0.5 2:oops", "a line must be like '2 qid:7 1:0.5 3:0.25', got '2:oops'"),
        ("nan qid:1 1:0.5", "a line must be like '2 qid:7 1:0.5 3:0.25', got 'nan qid:1 1:0.5'"),
        ("1 qid:1 1:nan", "a line must be like '2 qid:7 1:0.5 3:0.25', got '1:nan'"),
        ("1 qid:1 0:1", "features must count from 1, got 0"),
        ("1 qid:1 2:1 1:1", "features must be in rising order, each once"),
        ("1 qid:1 2:1 2:1", "features must be in rising order, each once"),
    ],
)
def test_a_bad_line_of_letor_is_refused(line: str, reason: str, tmp_path: Path) -> None:
    """Each bad line is named, the others are read."""
    reading = read_file(file(tmp_path, "S1.txt", f"# a comment\n{LETOR}{line} # docid = z\n"))
    assert refused(reading) == [(5, reason)]
    assert reading.n_rows == 4
    assert len(reading.ids or ()) == 3


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
def test_a_bad_line_of_preflib_is_refused(line: str, reason: str, tmp_path: Path) -> None:
    """Each bad line is named, the others are read."""
    text = PREFLIB.format(kind="toi") + f"5: 2,1,3\n{line}\n"
    reading = read_file(file(tmp_path, "x.toi", text))
    assert refused(reading) == [(9, reason)]
    assert len(reading.preferences) == 1


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.cat", PREFLIB.format(kind="cat") + "5: 1,{2,3}\n", "must hold orders .*, got categories"),
        ("x.wmd", PREFLIB.format(kind="wmd") + "1,2,0.5\n", "got weighted matchings"),
        ("x.soc", "3\n1,a\n2,b\n3,c\n5,5,1\n5,1,2,3\n", "must name its alternatives in lines like"),
        ("x.soc", PREFLIB.format(kind="soc"), "at least one usable row"),
    ],
)
def test_other_files_of_preflib_are_refused(name: str, text: str, words: str, tmp_path: Path) -> None:
    """Categories, matchings, the old format and a file without orders are refused in words."""
    with pytest.raises(InvalidInput, match=words):
        read_file(file(tmp_path, name, text))


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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("u.data", "1\t10\t5\t88\n1\t9\t3\t88\n2\t10\t1\t88\n"),
        ("ratings.dat", "1::10::5::88\n1::9::3::88\n2::10::1::88\n"),
        ("ratings.csv", "userId,movieId,rating,timestamp\n1,10,5,88\n1,9,3,88\n2,10,1,88\n"),
        ("ratings.csv", "rating;item;user\r\n5;10;1\r\n3;9;1\r\n1;10;2\r\n"),
    ],
)
def test_ratings(name: str, text: str, tmp_path: Path) -> None:
    """All three files of MovieLens, and any table of users, items and ratings, give one row a user."""
    reading = read_file(file(tmp_path, name, text), strict=True)
    assert reading.format == "movielens"
    assert reading.n_rows == 3
    assert reading.preferences == Preferences.from_ratings([1, 1, 2], [10, 9, 10], [5, 3, 1])


def test_titles_come_from_beside(tmp_path: Path) -> None:
    """With titles=True items are called by their titles; one that two movies share gets its number."""
    path = file(tmp_path, "ratings.dat", "1::10::5::88\n1::9::3::88\n1::8::4::88\n1::7::2::88\n")
    with pytest.raises(InvalidInput, match=r"titles must stand in one of movies.dat, u.item, movies.csv"):
        read_file(path, titles=True)
    file(tmp_path, "movies.dat", "10::Amélie (2001)::x\n9::Heat\n8::Heat\n".encode("latin-1"))
    assert read_file(path, titles=True).preferences.to_orders() == [
        ["Amélie (2001)", "Heat (8)", "Heat (9)", "(7)"]
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1,10,2,88", "user '1' rates '10' a second time"),
        (",10,2,88", "the user is empty"),
        ("1, ,2,88", "the item is empty"),
        ("1,11,many,88", "the rating must be a number, got 'many'"),
        ("1,11,nan,88", "the rating must be a number, got 'nan'"),
        ("1,11,2", "3 cells where the first line has 4"),
    ],
)
def test_a_bad_rating_is_refused(row: str, reason: str, tmp_path: Path) -> None:
    """Each bad line is named, the others are read."""
    reading = read_file(
        file(tmp_path, "r.csv", f"userId,movieId,rating,timestamp\n1,10,5,88\n{row}\n1,9,3,88\n")
    )
    assert refused(reading) == [(3, reason)]
    assert (reading.n_rows, reading.preferences.n_pairs) == (3, 1)


def test_ratings_without_their_columns_are_refused(tmp_path: Path) -> None:
    """The message says which column is absent."""
    with pytest.raises(
        InvalidInput, match="got no rating in 'user', 'item': call them user, item and rating"
    ):
        read_file(file(tmp_path, "r.csv", "user,item\n1,2\n"), format="movielens")


def test_order_files(tmp_path: Path) -> None:
    """Item numbers from 0 are the items, also those that nobody ranked."""
    reading = read_file(file(tmp_path, "s.order", "4 1\n0 3 2 0 1\n0 2 1 2\n"), strict=True)
    assert reading.preferences == Preferences.from_rankings([[2, 0, 1], [1, 2]], items=range(4))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0 3 2 0", "the second number must be that of the items after it, got '0 3 2 0'"),
        ("0 0", "the second number must be that of the items after it, got '0 0'"),
        ("0 2 2 x", "a line must hold whole numbers of up to nine digits, got '0 2 2 x'"),
        ("0 2 2 4", "items must be below 4, got 4"),
        ("0 2 2 2", "an order must name each item once"),
    ],
)
def test_a_bad_order_is_refused(line: str, reason: str, tmp_path: Path) -> None:
    """Each bad line is named, the others are read."""
    assert refused(read_file(file(tmp_path, "s.order", f"4 1\n0 2 1 2\n{line}\n"))) == [(3, reason)]


def test_an_order_file_needs_its_first_line(tmp_path: Path) -> None:
    """Without the number of items the file is refused."""
    with pytest.raises(InvalidInput, match="the first line must be the number of items and a 1"):
        read_file(file(tmp_path, "s.order", "0 2 1 2\n"))


def test_saved_preferences_and_nothing_else(tmp_path: Path) -> None:
    """What penchant.save wrote is read; a saved model is refused with the way to open it; damage is told."""
    preferences = Preferences.from_clicks(["x", "y"], ["y"])
    penchant.save(preferences, tmp_path / "votes.penchant")
    assert penchant.read(tmp_path / "votes.penchant") == preferences
    penchant.save({"scores": np.arange(3)}, tmp_path / "model.penchant")
    with pytest.raises(
        InvalidInput, match=r"must hold saved preferences, got a dict: open it with penchant.load"
    ):
        read_file(tmp_path / "model.penchant")
    with pytest.raises(CannotLoad):
        read_file(file(tmp_path, "broken.penchant", b"PK\x03\x04 broken"))


def test_a_reading_tells_what_it_found(tmp_path: Path) -> None:
    """The repr has the rows, the columns, the skips, the refusals and the notes."""
    path = file(tmp_path, "votes.csv", b"left,right,outcome\na,b,left\na,b,skip\na,a,left\n")
    assert repr(read_file(path)).splitlines() == [
        "votes.csv: 3 rows read as pairs, Preferences: 1 comparison of 2 items, connected",
        "columns: left = left, right = right, outcome = outcome",
        "1 row skipped: skip",
        "1 row refused: line 4: 'a' is compared with itself",
    ]
