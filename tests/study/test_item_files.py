"""Items and links from files: tables, JSONL and plain lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from penchant.errors import InvalidInput
from penchant.formats.parsing.source import Limits
from penchant.study import Study
from penchant.study.item_files import read_items, read_links, read_pairs, sort_rows
from penchant.study.items import Item


def test_items_are_read_from_files(tmp_path: Path) -> None:
    """A CSV with a title column, or plain lines, with or without ids and texts."""
    table, lines = tmp_path / "items.csv", tmp_path / "items.txt"
    table.write_text('\ufeffid,Title,text\n7,"Tea, green",A cup\n8,Coffee,\n', encoding="utf-8")
    lines.write_text("Tea\n\n  Coffee \n", encoding="utf-8")
    assert read_items(table) == [Item("7", "Tea, green", "A cup"), Item("8", "Coffee")]
    assert read_items(lines) == [Item("Tea", "Tea"), Item("Coffee", "Coffee")]
    lines.write_text("\n")
    with pytest.raises(InvalidInput, match="empty file"):
        read_items(lines)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"caf\xe9\nthe\n", "must be text in UTF-8"),
        (b'title\n"tea\ncoffee\n', "cells cannot be separated"),
    ],
)
def test_files_that_cannot_be_read_are_rejected(tmp_path: Path, content: bytes, words: str) -> None:
    """Other encodings and open quotes are errors that name the file."""
    path = tmp_path / "items.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=words):
        read_items(path)


def test_a_line_longer_than_the_limit_is_rejected(tmp_path: Path) -> None:
    """The limit of a field holds for plain lines too."""
    path = tmp_path / "items.txt"
    path.write_text("tea\n" + "x" * 50 + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="characters of an item"):
        read_items(path, limits=Limits(field=40))


def test_all_other_columns_are_kept_as_they_are(tmp_path: Path) -> None:
    """Names keep their case, values stay text with leading zeros, and short rows are filled up."""
    path = tmp_path / "cars.tsv"
    path.write_text("Title\tRange\tCode\tLinks\tpicture\n'=1+1\t 310 \t007\tVan\tc.png\nVan\t420\n")
    assert read_items(path) == [
        Item("=1+1", "=1+1", "", tmp_path / "c.png", {"Range": "310", "Code": "007"}, {"Van": 1.0}),
        Item("Van", "Van", fields={"Range": "420", "Code": ""}),
    ]
    assert list(read_items(path)[0].fields) == ["Range", "Code"]


def test_items_are_read_from_jsonl(tmp_path: Path) -> None:
    """Objects keep the types of their values; a text is a title; the ending or the contents decide."""
    text = '{"id": "a", "title": "A", "x": 1.5, "new": true, "links": {"b": 2}}\n\n"b"\n'
    for name in ("items.jsonl", "items.txt", "items.jsonl.gz"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
        assert read_items(path) == [
            Item("a", "A", fields={"x": 1.5, "new": True}, links={"b": 2.0}),
            Item("b", "b"),
        ]
    path = tmp_path / "more.jsonl"
    path.write_text('{"title": "C", "links": "a"}\n')
    assert read_items(path, existing=["a"]) == [Item("C", "C", links={"a": 1.0})]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "a.csv",
            "label,x\na,1\n",
            "a.csv:1: a table must have a column title, name or item, got 'label, x'",
        ),
        ("a.csv", "title,x,x\na,1,2\nb,1,2\n", "a.csv:1: columns must have different names, got 'x' twice"),
        (
            "a.csv",
            "title,x\na,1\nb,1,2\n",
            "a.csv:3: a row must have at most 2 cells as the first one, got 3",
        ),
        ("a.jsonl", '"a"\n{"title": \n', "a.jsonl:2: not JSON"),
        ("a.jsonl", '"a"\n7\n', "a.jsonl:2: an item must be an object or a text, got 7"),
        ("a.jsonl", '"a"\n{"title": "b", "x": NaN}\n', "a.jsonl:2: not JSON"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, name: str, content: str, words: str) -> None:
    """The message has the file and the line."""
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InvalidInput, match=words):
        read_items(path)


ITEMS = [Item("a", "A", links={"c": 1.0}), Item("b", "B"), Item("c", "C")]


def test_links_are_read_from_a_table(tmp_path: Path) -> None:
    """Weights add up, either way round, and to the links that items have already."""
    path = tmp_path / "links.csv"
    path.write_text("source,target,weight\na,b,0.5\nb,a,1\n\nc,b,2\na,c,1\n")
    assert [item.links for item in read_links(path, ITEMS)] == [{"b": 1.5, "c": 2.0}, {}, {"b": 2.0}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\nb,c\n", "links.csv:1: the first line must name the columns source, target"),
        ("x\na\n", "links.csv:1: the first line"),
        ("x,y,z,w\na,b,1,1\n", "links.csv:1: the first line"),
        ("x,y\na,b\nb,d\n", "links.csv:3: pairs must be of items of the study, got 'd'"),
        ("x,y\na,b,1\n", "links.csv:2: a row must have 2 cells, got 3"),
        ("x,y,w\na,b,-1\n", "links.csv:2: weight must be a number above 0, got '-1'"),
        ("x,y,w\na,b,nan\n", "got 'nan'"),
        ('x,y\n"a,b\n', "cells cannot be separated"),
    ],
)
def test_wrong_links_are_named(tmp_path: Path, content: str, words: str) -> None:
    """Headers, unknown items and weights are rejected with their line."""
    path = tmp_path / "links.csv"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=words):
        read_links(path, ITEMS)


def test_pairs_are_read_from_a_table(tmp_path: Path) -> None:
    """In the order of the file, and as often as they stand there."""
    path = tmp_path / "never.tsv"
    path.write_text("one\ttwo\nb\ta\nc\ta\n")
    assert read_pairs(path, {"a", "b", "c"}) == [("b", "a"), ("c", "a")]
    with pytest.raises(InvalidInput, match=r"never.tsv:3: .* got 'c'"):
        read_pairs(path, {"a", "b"})


def test_rows_that_cannot_be_items_are_named_by_their_lines(tmp_path: Path) -> None:
    """Each with its reason; the others are read as before."""
    place = tmp_path / "things.csv"
    rows = (
        "id,title,text,links",
        '1,One,"two',
        'lines, one row",',
        "1,Again,,",
        ",,no title,",
        "old,Known,,",
        "5,Fine,,1",
        "6,Lost,,nowhere",
        "7,a\x07b,,",
    )
    place.write_text("\n".join(rows), encoding="utf-8")
    items, rejected = sort_rows(place, existing=["old"])
    assert [item.id for item in items] == ["1", "5"]
    assert [row.line for row in rejected] == [4, 5, 6, 8, 9]
    reasons = ("as in line 3", "title", "which the study has", "nowhere", "\\x07")
    assert all(part in row.reason for row, part in zip(rejected, reasons, strict=True))


def test_a_row_with_too_many_cells_ends_the_reading(tmp_path: Path) -> None:
    """Its line is named, without the place of the file."""
    place = tmp_path / "things.csv"
    place.write_text("title\nTea\nMilk,white\nWater\n", encoding="utf-8")
    items, rejected = sort_rows(place)
    assert [item.id for item in items] == ["Tea"]
    assert [row.line for row in rejected] == [3]
    assert str(tmp_path) not in rejected[0].reason


def test_an_import_takes_all_rows_or_none(tmp_path: Path) -> None:
    """The error names every wrong row, up to a number of them; the same under the same id changes nothing."""
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("title\nJuice\nWine\n", encoding="utf-8")
    bad.write_text("title\nBeer\n" + "Tea\n" * 30, encoding="utf-8")
    with Study.create(tmp_path / "s.db", ["Tea", "Milk"]) as study:
        with pytest.raises(InvalidInput, match="30 other rows") as error:
            study.import_items(bad)
        assert "line 3: " in str(error.value)
        assert "and 10 more" in str(error.value)
        assert list(study.items) == ["Tea", "Milk"]
        assert [item.id for item in study.import_items(good, event_id="once")] == ["Juice", "Wine"]
        last = study.last_event()
        study.import_items(good, event_id="once")
        assert study.last_event() == last
        (tmp_path / "none.csv").write_text("title\n", encoding="utf-8")
        with pytest.raises(InvalidInput, match="at least one item"):
            study.import_items(tmp_path / "none.csv")
