"""Read items and the links between them from files: tables, JSONL, or one item a line."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from penchant.checks import shown
from penchant.counts import counted
from penchant.errors import InvalidInput, UnknownItem
from penchant.formats import jsonl
from penchant.formats.parsing.comparisons import number
from penchant.formats.parsing.csv_rows import csv_rows, first_cells, header_row, unprotected
from penchant.formats.parsing.json_text import JsonDecoder
from penchant.formats.parsing.reading import Wrong
from penchant.formats.parsing.source import Limits, Source, ending_of
from penchant.study.items import NAMES, Item, checked_item, checked_items
from penchant.study.pictures import picture_path

_JSONL = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
MOST_NAMED = 20
"""So many of the rows that are wrong are named; the others are counted."""


def read_items(
    path: str | Path,
    *,
    limits: Limits | None = None,
    existing: Collection[str] = (),
    pictures: Path | bool = True,
) -> list[Item]:
    r"""Read items from a table with a column title, name or item, from JSONL, or from a text file with one a line.

    Columns id, text (or description, abstract, body), picture (or image) and links are optional; all others are kept
    as fields, which `field_names` lists. Links are ids separated by semicolons, or by spaces where there is no
    semicolon; in JSONL they may be an object of weights.

    Parameters
    ----------
    path : str or Path
        Text in UTF-8, gzipped or not.
    limits : Limits, optional
        The most that the file may hold.
    existing : collection of str
        The ids of a study's items, where these are to be added to it.
    pictures : Path or bool
        The folder to which the files in the column picture are relative; True is that of ``path``. With False the
        column is kept as text.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "cars.csv"
    >>> _ = place.write_text("title,range\nCompact,310\nEstate,420\n")
    >>> read_items(place)[0].fields
    {'range': '310'}
    """
    items = checked_items((given for _, given in _numbered(_source(path, limits))), existing)
    return _with_pictures(items, path, pictures)


def _with_pictures(items: list[Item], path: str | Path, pictures: Path | bool) -> list[Item]:
    """Return the items with the files of their pictures, in the folder that the parameter of `read_items` means."""
    if pictures is False:
        return items
    folder = Path(path).parent if pictures is True else pictures
    return [
        replace(item, picture=picture_path(str(item.picture), folder, f"the picture of item {row}"))
        if item.picture
        else item
        for row, item in enumerate(items)
    ]


class RejectedRow(NamedTuple):
    """A row that cannot be an item: the number of its line, and why."""

    line: int
    reason: str


def sort_rows(
    path: str | Path, *, limits: Limits | None = None, existing: Collection[str] = ()
) -> tuple[list[Item], list[RejectedRow]]:
    r"""Read items as `read_items` does, and return those that can be used and the rows that cannot.

    A row that cannot be separated from the next ends the reading.

    Parameters
    ----------
    path, limits, existing
        As in `read_items`.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "cars.csv"
    >>> _ = place.write_text("title,doors\nCompact,3\nCompact,5\n,4\n")
    >>> for row in sort_rows(place)[1]:
    ...     print(row.line, row.reason)
    3 the id must be new, got 'Compact', as in line 2: keep one
    4 the item must have a title, got {'title': ''}: fill the column title, name or item
    """
    source = _source(path, limits)
    items: list[Item] = []
    lines: dict[str, int] = {}
    rejected: list[RejectedRow] = []
    rows = _numbered(source)
    while True:
        line = 0
        try:
            line, given = next(rows)
            item = checked_item(given)
            _check_new(item, lines, existing)
        except StopIteration:
            break
        except InvalidInput as error:
            rejected.append(_rejected(error, line, source))
            continue
        items.append(item)
        lines[item.id] = line
    targets = {*lines, *existing}
    for item in items:
        unknown = next((linked for linked in item.links if linked not in targets), None)
        if unknown is not None:
            reason = (
                f"links must lead to items of the study, got {shown(unknown)}: add it, or remove the link"
            )
            rejected.append(RejectedRow(lines[item.id], reason))
    wrong = {row.line for row in rejected}
    return [item for item in items if lines[item.id] not in wrong], sorted(rejected)


def usable_items(
    path: str | Path,
    existing: Collection[str] = (),
    *,
    limits: Limits | None = None,
    pictures: Path | bool = False,
) -> list[Item]:
    """Return the items of a file, or raise an error that names every row that is wrong by its line.

    ``pictures`` is that of `read_items`; unless it is given, no file that the items name is opened.
    """
    items, rejected = sort_rows(path, limits=limits, existing=existing)
    name = Path(path).name
    if rejected:
        listed = "\n".join(f"line {row.line}: {row.reason}" for row in rejected[:MOST_NAMED])
        more = len(rejected) - MOST_NAMED
        listed += f"\nand {more:,} more" if more > 0 else ""
        raise InvalidInput.of(
            name,
            "hold rows that can be items only",
            f"{counted(len(rejected), 'other row')}:\n{listed}",
            "correct the file and import it again; nothing was added",
        )
    if not items:
        raise InvalidInput.of(name, "hold at least one item", "none", "add a row")
    return _with_pictures(items, path, pictures)


def _check_new(item: Item, lines: Mapping[str, int], existing: Collection[str]) -> None:
    if item.id in lines:
        raise InvalidInput(f"the id must be new, got {shown(item.id)}, as in line {lines[item.id]}: keep one")
    if item.id in existing:
        raise InvalidInput(
            f"the id must be new, got {shown(item.id)}, which the study has: edit that item, or leave it out"
        )


def _rejected(error: InvalidInput, line: int, source: Source) -> RejectedRow:
    """Return the row of an error; that of one that cannot be read stands in its message."""
    reason = str(error)
    place = re.match(re.escape(str(source.path)) + r":(\d+): ", reason)
    if place is not None:
        return RejectedRow(int(place[1]), reason[place.end() :])
    return RejectedRow(line, reason)


def _source(path: str | Path, limits: Limits | None) -> Source:
    source = Source.of(path, limits)
    if source.encoding == "latin-1":
        raise InvalidInput(f"{path} must be text in UTF-8, got something else: save it as CSV in UTF-8")
    return source


def _numbered(source: Source) -> Iterator[tuple[int, Any]]:
    """Return what a file holds as items, each with the number of its line."""
    if ending_of(source.path) in _JSONL or jsonl.FIRST_LINES.match("\n".join(source.first_lines)):
        return _objects(source)
    header = _header(first_cells(source))
    if any(cell.lower() in NAMES for cell in header):
        return _rows(source)
    if len(header) > 1 and ending_of(source.path) in _TABLES:
        raise InvalidInput(
            f"{source.path}:1: a table must have a column title, name or item, got {shown(', '.join(header))}: "
            "name the column with the titles, or save one item a line as .txt"
        )
    return _lines(source)


def read_links(path: str | Path, items: Iterable[Item], *, limits: Limits | None = None) -> list[Item]:
    r"""Return the items with the links of a table: two columns of ids, and perhaps one of weights.

    The first line names the columns. A link that is given twice, either way round, counts twice.

    Examples
    --------
    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "links.csv"
    >>> _ = place.write_text("source,target\na,b\nb,a\na,c\n")
    >>> [dict(item.links) for item in read_links(place, [Item("a", "A"), Item("b", "B"), Item("c", "C")])]
    [{'b': 2.0, 'c': 1.0}, {}, {}]
    """
    listed = list(items)
    found: dict[tuple[str, str], float] = {}
    for first, second, weight in _pairs(Source.of(path, limits), {item.id for item in listed}):
        pair = (second, first) if (second, first) in found else (first, second)
        found[pair] = found.get(pair, 0.0) + weight
    links: dict[str, dict[str, float]] = {item.id: dict(item.links) for item in listed}
    for (first, second), weight in found.items():
        links[first][second] = links[first].get(second, 0.0) + weight
    return [replace(item, links=links[item.id]) for item in listed]


def read_pairs(
    path: str | Path, items: Collection[str], *, limits: Limits | None = None
) -> list[tuple[str, str]]:
    """Return the pairs of items that a table lists: two columns of ids, which its first line names."""
    return [(first, second) for first, second, _ in _pairs(Source.of(path, limits), items)]


def _pairs(source: Source, items: Collection[str]) -> Iterator[tuple[str, str, float]]:
    """Yield the rows of a table: two ids and a weight, which is 1 where there is no third column."""
    with _table(source) as (header, rows):
        if not 2 <= len(header) <= 3 or all(name in items for name in header[:2]):
            raise InvalidInput(
                f"{source.path}:1: the first line must name the columns source, target and perhaps weight, got "
                f"{shown(header)}: add it"
            )
        for row in rows:
            if not any(map(str.strip, row)):
                continue
            place = f"{source.path}:{rows.line_num}"
            if len(row) != len(header):
                raise InvalidInput(f"{place}: a row must have {len(header)} cells, got {len(row)}: repair it")
            first, second = map(unprotected, row[:2])
            for name in (first, second):
                if name not in items:
                    raise UnknownItem(
                        f"{place}: pairs must be of items of the study, got {shown(name)}: add that item, "
                        "or remove the pair"
                    )
            weight = number(row[2]) if len(row) == 3 else 1.0
            if not weight > 0:
                raise InvalidInput(
                    f"{place}: weight must be a number above 0, got {shown(row[2])}: correct it"
                )
            yield first, second, weight


def _rows(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    with _table(source) as (header, rows):
        twice = next((name for place, name in enumerate(header) if name and name in header[:place]), None)
        if twice is not None:
            raise InvalidInput(
                f"{source.path}:1: columns must have different names, got {shown(twice)} twice: rename one"
            )
        for row in rows:
            if any(map(str.strip, row[len(header) :])):
                raise InvalidInput(
                    f"{source.path}:{rows.line_num}: a row must have at most {len(header)} cells as the first one, "
                    f"got {len(row)}: put cells with commas into quotes"
                )
            if any(map(str.strip, row)):
                cells = [*map(unprotected, row), *[""] * (len(header) - len(row))]
                yield rows.line_num, {name: cell for name, cell in zip(header, cells, strict=False) if name}


@contextmanager
def _table(source: Source) -> Iterator[tuple[list[str], Any]]:
    """Give the names of the columns and the reader of the rows below them."""
    with csv_rows(source) as rows:
        header = _header(header_row(rows, source))
        try:
            yield header, rows
        except csv.Error as error:
            raise InvalidInput(
                f"{source.path}:{rows.line_num}: cells cannot be separated ({error}): close quotes and shorten cells"
            ) from None


def _objects(source: Source) -> Iterator[tuple[int, Any]]:
    decoder = JsonDecoder(source.limits)
    with source.open_text() as file:
        for line, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                value = decoder.decode(text)
            except Wrong as reason:
                raise InvalidInput(f"{source.path}:{line}: {reason.args[0]}: repair the line") from None
            if not isinstance(value, dict | str):
                raise InvalidInput(
                    f"{source.path}:{line}: an item must be an object or a text, got {shown(value)}: repair the line"
                )
            yield line, value


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    with source.open_text() as file:
        for line, text in enumerate(file, 1):
            if len(text.strip()) > source.limits.field:
                raise source.limits.reject(
                    "field", f"characters of an item in {source.path}", len(text.strip())
                )
            if text.strip():
                yield line, text.strip()


def _header(cells: Iterable[str]) -> list[str]:
    return [unprotected(cell.strip().lstrip("\ufeff")) for cell in cells]
