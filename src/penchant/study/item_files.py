"""Read items and the links between them from files: tables, JSONL, or one item a line."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from penchant.checks import shown
from penchant.errors import InvalidInput, UnknownItem
from penchant.formats import jsonl
from penchant.formats.parsing.comparisons import number
from penchant.formats.parsing.csv_rows import csv_rows, first_cells, header_row, unprotected
from penchant.formats.parsing.json_text import JsonDecoder
from penchant.formats.parsing.reading import Wrong
from penchant.formats.parsing.source import Limits, Source, ending_of
from penchant.study.items import NAMES, Item, checked_items
from penchant.study.pictures import picture_path

_JSONL = (".jsonl", ".ndjson")


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
    source = Source.of(path, limits)
    if source.encoding == "latin-1":
        raise InvalidInput(f"{path} must be text in UTF-8, got something else: save it as CSV in UTF-8")
    things: Iterable[object]
    if ending_of(source.path) in _JSONL or jsonl.FIRST_LINES.match("\n".join(source.first_lines)):
        things = _objects(source)
    elif any(cell.lower() in NAMES for cell in _header(first_cells(source))):
        things = _rows(source)
    else:
        return checked_items(_lines(source), existing)
    items = checked_items(things, existing)
    if pictures is False:
        return items
    folder = Path(path).parent if pictures is True else pictures
    return [
        replace(item, picture=picture_path(str(item.picture), folder, f"the picture of item {row}"))
        if item.picture
        else item
        for row, item in enumerate(items)
    ]


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


def _rows(source: Source) -> Iterator[dict[str, str]]:
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
                yield {name: cell for name, cell in zip(header, cells, strict=False) if name}


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


def _objects(source: Source) -> Iterator[Any]:
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
            yield value


def _lines(source: Source) -> list[str]:
    with source.open_text() as file:
        lines = [line.strip() for line in file if line.strip()]
    longest = max(map(len, lines), default=0)
    if longest > source.limits.field:
        raise source.limits.reject("field", f"characters of an item in {source.path}", longest)
    return lines


def _header(cells: Iterable[str]) -> list[str]:
    return [unprotected(cell.strip().lstrip("\ufeff")) for cell in cells]
