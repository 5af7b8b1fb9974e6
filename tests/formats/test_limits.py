"""Limits: what a file may demand of its reader, format by format."""

from __future__ import annotations

import csv
import gzip
import json
import os
import socket
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import penchant
from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import Limits, read_candidates, read_file, read_presentations
from penchant.study import read_items
from tests.formats.saying import file

VOTES = "winner,loser\ntea,coffee\ncoffee,water\n"
LOG = json.dumps(
    {
        "candidates": [{"id": "a", "features": [1]}, {"id": "b", "features": [2]}],
        "presented": ["a"],
        "clicked": [],
    }
)


def peak_memory(read: Callable[[], object]) -> int:
    """Return the most bytes that are held at once while a file is read or rejected."""
    tracemalloc.start()
    try:
        with suppress(InvalidInput):
            read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def only_reason(path: Path, **limits: int) -> str:
    """Return why the last row of a file is refused, the others being read."""
    reading = read_file(path, limits=Limits(**limits))
    (refusal,) = reading.refusals
    return refusal.reason


@pytest.mark.parametrize("packed", [False, True])
def test_bytes_are_counted_after_unpacking(packed: bool, tmp_path: Path) -> None:
    """A file beyond the limit is rejected with the limit and what raises it; one at the limit is read."""
    text = (VOTES + "tea,water\n" * 20_000).encode()
    path = file(tmp_path, "votes.csv", gzip.compress(text) if packed else text)
    assert read_file(path, limits=Limits(bytes=len(text))).n_rows == 20_002
    with pytest.raises(InvalidInput) as error:
        penchant.read(path, limits=Limits(bytes=len(text) - 1))
    assert str(error.value) == (
        f"bytes of {path}, unpacked, must be at most {len(text) - 1:,}, got more: "
        f"give less, or limits=Limits(bytes={2 * (len(text) - 1)})"
    )


def test_a_small_file_that_unpacks_to_much_takes_little_memory(tmp_path: Path) -> None:
    """250 MB in a few hundred kB of gzip are rejected at 20 MB, without ever being in memory."""
    path = tmp_path / "votes.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write(b"winner,loser\n")
        for _ in range(25):
            out.write(b"tea,coffee\n" * 1_000_000)
    small = Limits(bytes=20_000_000)
    assert peak_memory(lambda: read_file(path, limits=small)) < 10_000_000
    with pytest.raises(InvalidInput, match="must be at most 20,000,000"):
        read_file(path, limits=small)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_no_longer_than_the_limit(end: str, tmp_path: Path) -> None:
    """A line beyond the limit is named; many short ones are fine, whatever ends them."""
    short = end.join(["winner,loser", *["tea,coffee"] * 500, ""])
    assert read_file(file(tmp_path, "short.csv", short), limits=Limits(line=12)).n_rows == 500
    long = end.join(["winner,loser", "tea,coffee", f"tea,{'x' * 40}", "a,b"])
    with pytest.raises(InvalidInput, match=r"bytes of line 3 of .*long.csv must be at most 12, got more"):
        read_file(file(tmp_path, "long.csv", long), limits=Limits(line=12))


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("votes.csv", "winner,loser\na,b\na,{}\n"),
        ("votes.csv", 'winner,loser\na,b\na,"{}"\n'),
        ("votes.jsonl", '{{"winner": "a", "loser": "b"}}\n{{"winner": "a", "loser": "{}"}}\n'),
        ("votes.jsonl", '{{"winner": "a", "loser": "b"}}\n{{"winner": "a", "loser": "b", "judge": "{}"}}\n'),
        ("votes.jsonl", '{{"order": ["a", "b"]}}\n{{"order": ["a", "{}"]}}\n'),
        ("votes.jsonl", '{{"order": ["a", "b"]}}\n{{"order": ["a", "b"], "judge": "{}"}}\n'),
        ("ratings.dat", "1::2::3\n1::{}::4\n"),
    ],
)
def test_fields_are_no_longer_than_the_limit(name: str, row: str, tmp_path: Path) -> None:
    """A cell or id beyond the limit is one refused row, in every format; within a raised one it is read."""
    path = file(tmp_path, name, row.format("x" * 200_000))
    assert "must be at most 131,072" in only_reason(path)
    assert "limits=Limits(field=" in only_reason(path)
    before = csv.field_size_limit()
    assert not read_file(path, limits=Limits(field=200_000)).refusals
    assert csv.field_size_limit() == before


def test_an_unclosed_quote_is_an_error_in_every_table(tmp_path: Path) -> None:
    """Ratings, titles beside them and items with a quote that is never closed are rejected with a message."""
    with pytest.raises(InvalidInput, match="first line must be one of a table"):
        read_file(file(tmp_path, "ratings.csv", 'user,item,"rating\n1,2,3\n'), format="movielens")
    with pytest.raises(InvalidInput, match="a quote must be closed again"):
        read_file(file(tmp_path, "ratings.csv", 'user,item,rating\n1,2,3\n1,"3,4\n'))
    ratings = file(tmp_path, "u.data", "1\t2\t3\n1\t3\t4\n")
    file(tmp_path, "movies.csv", 'movieId,title\n2,"Heat\n')
    with pytest.raises(InvalidInput, match=r"movies\.csv must hold titles"):
        read_file(ratings, titles=True)
    with pytest.raises(InvalidInput, match="cells cannot be told apart"):
        read_items(file(tmp_path, "items.csv", 'title,text\ntea,hot\n"coffee,hot\n'))


def test_features_are_numbered_no_higher_than_the_file_is_large(tmp_path: Path) -> None:
    """A feature number far beyond the values that a file holds is rejected; a dense file may number more."""
    sparse = file(tmp_path, "sparse.letor", "1 qid:1 999999999:1\n0 qid:1 1:1\n")
    with pytest.raises(
        InvalidInput, match=r"highest feature of .* must be at most 100,000, got 999,999,999: give"
    ):
        read_file(sparse)
    rows = "".join(f"{i % 2} qid:1 {' '.join(f'{j}:1' for j in range(1, 13))}\n" for i in range(4))
    dense = file(tmp_path, "dense.letor", rows)
    assert read_file(dense, limits=Limits(columns=1, density=1)).features.shape == (4, 12)  # type: ignore[union-attr]
    with pytest.raises(InvalidInput, match="must be at most 11, got 12"):
        read_file(
            dense.with_name(file(tmp_path, "x.letor", "1 qid:1 12:1\n").name),
            limits=Limits(columns=11, density=1),
        )


def test_items_are_numbered_no_higher_than_the_file_is_large(tmp_path: Path) -> None:
    """An order file of two items out of 999,999,999 is rejected before memory is taken for all of them."""
    path = file(tmp_path, "x.order", "999999999 1\n0 2 1 2\n")
    with pytest.raises(InvalidInput, match=r"number of items of .* must be at most 100,000, got 999,999,999"):
        read_file(path)


@pytest.mark.parametrize("name", ["votes.csv", "ratings.csv"])
def test_columns_are_no_more_than_the_limit(name: str, tmp_path: Path) -> None:
    """A header with too many columns is rejected, and the message lists none of them."""
    head = "winner,loser," if name == "votes.csv" else "user,item,rating,"
    path = file(tmp_path, name, head + "," * 200_000 + "\n1,2,3\n")
    with pytest.raises(InvalidInput, match=r"columns of .* must be at most 100,000, got 200,00") as error:
        read_file(path, format="pairs" if name == "votes.csv" else "movielens")
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("deep", [101, 900, 20_000, 2_000_000])
def test_nesting_is_no_deeper_than_the_limit(deep: int, tmp_path: Path) -> None:
    """Lists inside lists are one refused line, in answers and in logs; brackets inside text count nothing."""
    inside = "[" * deep + "]" * deep
    good = '{"order": ["a", "b"]}\n{"order": ["' + "[{" * 300 + '", "\\"[", "c"]}\n'
    path = file(tmp_path, "x.jsonl", f'{good}{{"order": {inside}}}\n')
    assert only_reason(path).startswith(
        "lists and objects inside one another must be at most 100"
        if deep < 500_000
        else "values of a line must be at most 1,000,000"
    )
    log = file(tmp_path, "log.jsonl", f'{LOG}\n{{"candidates": {inside}}}\n')
    with pytest.warns(penchant.errors.PenchantWarning, match="1 row refused"):
        assert len(list(read_presentations(log))) == 1


def test_values_of_a_line_are_no_more_than_the_limit(tmp_path: Path) -> None:
    """A line of millions of empty lists is refused before it is decoded; commas inside text count nothing."""
    good = json.dumps({"order": ["a" + "," * 100, "b"]})
    path = file(tmp_path, "x.jsonl", f'{good}\n{{"order": [{"[]," * 40}"a"]}}\n')
    assert only_reason(path, values=50).startswith("values of a line must be at most 50, got 8")
    assert "order must be a list of items" in only_reason(path)
    path.write_text('{"order": [' + "[]," * 5_000_000 + '"a"]}\n')
    assert peak_memory(lambda: read_file(path)) < 200_000_000
    with pytest.raises(InvalidInput, match="values of a line must be at most 1,000,000"):
        read_file(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.jsonl", '{{"winner": "a", "loser": "b"}}\n{{"winner": "a", "loser": "b", "weight": {}}}\n'),
        ("x.jsonl", '{{"order": ["a", "b"]}}\n{{"order": ["a", {}]}}\n'),
        ("x.letor", "1 qid:1 1:1\n0 qid:1 1:{}\n"),
        ("x.letor", "1 qid:1 1:1\n{} qid:1 1:1\n"),
    ],
)
@pytest.mark.parametrize("length", [1001, 5000])
def test_numbers_have_no_more_digits_than_the_limit(
    name: str, text: str, length: int, tmp_path: Path
) -> None:
    """A number of thousands of digits is one refused row, also where Python itself would read it."""
    reason = only_reason(file(tmp_path, name, text.format("9" * length)))
    assert reason.startswith("digits of a number must be at most 1,000")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "winner,loser\na,b\na,{}\n"),
        ("x.csv", "winner,loser,weight\na,b,1\na,b,{}\n"),
        ("x.csv", "winner,loser,period\na,b,1\na,b,{}\n"),
        ("x.csv", "winner,loser\n{},{}\n7,8\n"),
        ("x.order", "3 1\n0 2 1 2\n0 2 1 {}\n"),
        ("x.toi", "# FILE NAME: x\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: 1,2\n2: 1,{}\n"),
        ("x.toi", "# FILE NAME: x\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME {}: b\n1: 1\n"),
        ("x.dat", "1::2::3\n1::4::{}\n"),
        ("x.dat", "1::2::3\n1::{}::4\n"),
    ],
)
def test_long_numbers_do_no_harm_elsewhere(name: str, text: str, tmp_path: Path) -> None:
    """Where digits are ids they stay such; where a number is wanted, the row is refused."""
    for value in ("9" * 5000, "1e400", "٣"):
        reading = read_file(file(tmp_path, name, text.format(value, value + "1")))
        assert len(reading.refusals) <= 1


@pytest.mark.parametrize("row", ["1e400 qid:1 1:1", "1 qid:1 1:1e400", "1 qid:1 1:-1e999 2:0"])
def test_numbers_of_letor_are_finite(row: str, tmp_path: Path) -> None:
    """A grade or feature beyond every number is one refused row."""
    reading = read_file(
        file(tmp_path, "x.letor", f"1 qid:1 1:1 #docid = a\n{row} #docid = b\n0 qid:1 1:2 #docid = c\n")
    )
    assert [(refusal.line, "finite" in refusal.reason) for refusal in reading.refusals] == [(2, True)]
    assert reading.grades is not None
    assert (reading.grades.tolist(), reading.ids) == ([1, 0], ("a", "c"))


@pytest.mark.parametrize("comments", [(True, False, True), (False, True, False), (False, False, True)])
def test_comments_may_stand_on_some_lines_of_letor(comments: tuple[bool, ...], tmp_path: Path) -> None:
    """Rows with and without comments, in any order, stay rows of their own."""
    lines = [
        f"{i} qid:1 1:{i}" + (" #docid = x" if commented else "") for i, commented in enumerate(comments)
    ]
    reading = read_file(file(tmp_path, "x.letor", "\n".join(lines)), strict=True)
    assert reading.grades is not None
    assert reading.grades.tolist() == [0, 1, 2]


def test_rows_that_cannot_be_used_are_no_more_than_the_limit(tmp_path: Path) -> None:
    """A file of another kind is given up at some point instead of being listed row by row."""
    path = file(tmp_path, "x.csv", VOTES + "a,a\n" * 50)
    assert len(read_file(path, limits=Limits(refused=50)).refusals) == 50
    with pytest.raises(InvalidInput, match="that cannot be used as pairs must be at most 49, got more"):
        read_file(path, limits=Limits(refused=49))
    log = file(tmp_path, "log.jsonl", LOG + "\n{}" * 50)
    with pytest.raises(InvalidInput, match="that cannot be used must be at most 49"):
        list(read_candidates(log, limits=Limits(refused=49)))


def test_limits_reach_every_reader(tmp_path: Path) -> None:
    """Logs, candidates, items, titles, Parquet and saved files are all read within the limits that are given."""
    small = Limits(bytes=40)
    log = file(tmp_path, "log.jsonl", LOG)
    for read in (read_presentations, read_candidates):
        with pytest.raises(InvalidInput, match="must be at most 40"):
            list(read(log, limits=small))
    with pytest.raises(InvalidInput, match="must be at most 40"):
        read_items(file(tmp_path, "items.txt", "tea\n" * 20), limits=small)
    file(tmp_path, "movies.dat", "1::x::y\n" * 20)
    with pytest.raises(InvalidInput, match=r"movies\.dat, unpacked, must be at most 40"):
        read_file(file(tmp_path, "r.dat", "1::2::3\n1::3::4\n"), titles=True, limits=small)
    votes = Preferences.from_pairs([("a", "b")] * 100)
    for name in ("x.penchant", "x.parquet"):
        penchant.write(votes, tmp_path / name)
        with pytest.raises(penchant.errors.PenchantError, match="at most 40"):
            read_file(tmp_path / name, limits=small)


def test_a_parquet_file_is_counted_as_it_unpacks(tmp_path: Path) -> None:
    """One text in millions of rows takes few bytes in the file, and is stopped at the limit all the same."""
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = arrow.table({"winner": ["x" * 1000] * 20_000, "loser": ["y"] * 20_000})
    parquet.write_table(table, tmp_path / "x.parquet")
    assert (tmp_path / "x.parquet").stat().st_size < 100_000
    with pytest.raises(InvalidInput, match="unpacked, must be at most 1,000,000"):
        read_file(tmp_path / "x.parquet", limits=Limits(bytes=1_000_000))


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder"])
def test_what_is_no_regular_file_is_rejected_before_reading(kind: str, tmp_path: Path) -> None:
    """A pipe, a socket, a device and a folder, also behind a link, are named and never opened."""
    path = tmp_path / "x.csv"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        bound = socket.socket(socket.AF_UNIX)
        bound.bind(str(path)[-100:] if len(str(path)) < 100 else os.path.relpath(path))
        bound.close()
    for read in (read_file, read_items, lambda path: list(read_presentations(path))):
        with pytest.raises(InvalidInput, match=f"must be a (regular )?file, got a {kind}"):
            read(path)


def test_a_repeated_item_is_found_in_one_walk(tmp_path: Path) -> None:
    """The item that stands twice at the end of a long order is named without comparing all with all."""
    names = [str(i) for i in range(100_000)]
    path = file(
        tmp_path, "x.jsonl", '{"order": ["a", "b"]}\n' + json.dumps({"order": [*names, names[-1]]}) + "\n"
    )
    assert only_reason(path) == "an order must name each item once, got '99999' twice"


def test_rows_with_keys_of_their_own_share_a_table(tmp_path: Path) -> None:
    """Keys that play no part may differ on every line."""
    lines = [json.dumps({"winner": "a", "loser": "b", f"key {i}": i}) for i in range(5000)]
    assert len(read_file(file(tmp_path, "x.jsonl", "\n".join(lines))).preferences) == 5000


def test_titles_and_names_that_look_like_numbered_ones_stay_apart(tmp_path: Path) -> None:
    """A name that another gets by its number is no reason to mix the two up."""
    file(tmp_path, "movies.dat", "1::X (2)\n2::X\n3::X\n")
    reading = read_file(file(tmp_path, "r.dat", "7::1::3\n7::2::4\n7::3::5\n"), titles=True)
    assert reading.preferences.to_orders() == [["X (3)", "X (2) (2)", "X (2) (1)"]]
    text = "# FILE NAME: x\n# ALTERNATIVE NAME 1: X (2)\n# ALTERNATIVE NAME 2: X\n# ALTERNATIVE NAME 3: X\n1: 3,2,1\n"
    assert len(set(read_file(file(tmp_path, "x.soc", text)).preferences.items)) == 3


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"bytes": 0}, "limit bytes must be a whole number above 0, got 0"),
        ({"line": 1.5}, "limit line must be a whole number above 0, got 1.5"),
        ({"digits": 5000}, "limit digits must be at most 4300, got 5000"),
    ],
)
def test_limits_are_whole_numbers(settings: dict[str, Any], words: str) -> None:
    """A limit of nothing, of a half, or beyond what Python converts is rejected."""
    with pytest.raises(InvalidInput, match=words):
        Limits(**settings)


def test_every_limit_is_in_the_docs() -> None:
    """The page about files names each limit with its usual value."""
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text()
    for name, field in Limits.__dataclass_fields__.items():
        assert f"| `{name}` | {field.default:,} |" in page
