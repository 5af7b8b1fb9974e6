"""Step one: ratings as MovieLens keeps them. User, item and rating a line in, one row a user out; and back."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.formats.cells import quoted, unprotected
from penchant.formats.columns import plain
from penchant.formats.draft import Part, Sieve, Vocabulary, assembled
from penchant.formats.files import Source, replaced_text
from penchant.formats.format import Format
from penchant.formats.pairs import blocks, delimiter_of, top_names
from penchant.formats.reading import Findings, Reading, Written
from penchant.formats.table import Cells, number
from penchant.formats.tabulated import has_shared_level, lost_columns, lost_items
from penchant.preferences import Preferences

NAME = "movielens"
_ROLES = {
    "user": ("userid", "user", "username"),
    "item": ("movieid", "itemid", "item", "movie", "title"),
    "rating": ("rating", "ratings", "stars"),
}
_TITLES = {"movies.dat": "::", "u.item": "|", "movies.csv": ","}
_HEADERLESS = re.compile(r"\d+\t\d+\t[\d.]+(\t\d+)?|\d+::\d+::[\d.]+(::\d+)?")


def read(source: Source, *, titles: bool = False) -> Reading:
    """Read ratings; of two items that one user rated, the higher rated is better, and the user is the judge.

    Parameters
    ----------
    titles : bool
        Whether to call the items by their titles in the movies.dat, movies.csv or u.item beside the file.
    """
    findings = Findings(source.path, NAME)
    findings.note(*source.notes)
    lines: list[int] = []
    columns: list[list[str]] = [[], [], []]
    for found, rows in _blocks(source, findings):
        lines += found
        for column, cells in zip(columns, zip(*rows, strict=True), strict=False):
            column += cells
    n_rows = len(lines) + len(findings.refusals)
    ids, judges = Vocabulary(), Vocabulary()
    part = _part(lines, columns, ids, judges, findings)
    named = _titled(ids, source.path, findings) if titles else ids
    return findings.reading(assembled([part], named, judges, findings), n_rows)


def _blocks(source: Source, findings: Findings) -> Iterator[tuple[list[int], list[tuple[str, ...]]]]:
    """Walk users, items and ratings in blocks, with the line of each."""
    top = source.first_lines[0].strip().lstrip("\ufeff")
    has_header = not _HEADERLESS.fullmatch(top)
    with source.open_text(newline="") as file:
        if "::" in top:
            table: Any = _DoubleColons(file)
        else:
            table = csv.reader(file, delimiter=delimiter_of(source), skipinitialspace=True, strict=True)
        names = [unprotected(name) for name in next(table)] if has_header else ["user", "item", "rating"]
        wanted = itemgetter(*_places(names, findings))
        width = len(names) if has_header else len(top.split("::" if "::" in top else delimiter_of(source)))
        for lines, rows in blocks(table, width, findings):
            yield lines, list(map(wanted, rows))


class _DoubleColons:
    """Lines with two colons between cells, walked as the csv module walks others."""

    def __init__(self, file: Iterable[str]) -> None:
        self._file = iter(file)
        self.line_num = 0

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        line = next(self._file).rstrip("\r\n")
        self.line_num += 1
        return line.split("::") if line else []


def _places(names: list[str], findings: Findings) -> tuple[int, int, int]:
    there = {plain(name): place for place, name in reversed(list(enumerate(names)))}
    found = []
    for role, wanted in _ROLES.items():
        place = next((there[name] for name in wanted if name in there), None)
        if place is None:
            raise InvalidInput(
                f"{findings.path} must have columns of users, items and ratings, got no {role} in "
                f"{', '.join(map(repr, names))}: call them user, item and rating"
            )
        found.append(place)
    findings.columns.update(zip(_ROLES, [names[place] for place in found], strict=True))
    return found[0], found[1], found[2]


def _part(
    lines: list[int], columns: list[list[str]], ids: Vocabulary, judges: Vocabulary, findings: Findings
) -> Part:
    users, items, ratings = (Cells(*_coded(column)) for column in columns)
    line = np.array(lines, dtype=np.int64)
    sieve = Sieve(line, findings)
    sieve.refuse(users.where(lambda text: not text), lambda row: "the user is empty")
    sieve.refuse(items.where(lambda text: not text), lambda row: "the item is empty")
    rating = ratings.each(number)
    sieve.refuse(np.isnan(rating), lambda row: f"the rating must be a number, got {shown(ratings[row])}")
    user = judges.codes(users.texts)[users.codes]
    item = ids.codes(items.texts)[items.codes]
    sieve.refuse(
        _again(user, item, sieve.kept), lambda row: f"user {users[row]!r} rates {items[row]!r} a second time"
    )
    kept = np.flatnonzero(sieve.kept)
    different, first, rows = np.unique(user[kept], return_index=True, return_inverse=True)
    tied = np.zeros(len(different), dtype=bool)
    return Part(line[kept][first], rows, item[kept], -rating[kept], tied, judge=different)


def _coded(column: list[str]) -> tuple[list[str], Any]:
    texts = Vocabulary()
    codes = texts.codes(column)
    return list(map(unprotected, texts)), codes


def _again(user: Any, item: Any, kept: Any) -> Any:
    """Return which rows repeat the user and item of an earlier one that is kept."""
    again = np.zeros(len(user), dtype=bool)
    order = np.flatnonzero(kept)
    order = order[np.lexsort((item[order], user[order]))]
    again[order[1:]] = (user[order][1:] == user[order][:-1]) & (item[order][1:] == item[order][:-1])
    return again


def _titled(ids: Vocabulary, path: Path, findings: Findings) -> Vocabulary:
    place = next((path.with_name(name) for name in _TITLES if path.with_name(name).exists()), None)
    if place is None:
        raise InvalidInput(
            f"titles must stand in one of {', '.join(_TITLES)} beside {path}: leave titles=False"
        )
    findings.note(f"titles come from {place.name}")
    with Source.of(place).open_text(newline="") as file:
        between = _TITLES[place.name]
        if between == ",":
            rows: Any = csv.reader(file)
        else:
            rows = (line.split(between) for line in file)
        title = {cells[0]: cells[1].strip() for cells in rows if len(cells) > 1}
    times = Counter(title.values())
    named = Vocabulary()
    for name in ids:
        told = title.get(name, "")
        named[told if times[told] == 1 else f"{told} ({name})".strip()]
    return named


def looks_like(source: Source) -> bool:
    """Whether the first line is a rating, or names columns of users, items and ratings."""
    first = source.first_lines[0].strip()
    names = set(map(plain, top_names(source)))
    return bool(_HEADERLESS.fullmatch(first)) or all(names & set(wanted) for wanted in _ROLES.values())


def write(preferences: Preferences, path: Path) -> Written:
    """Write a user a row and its levels as ratings, as CSV with a header."""
    told = preferences.statements
    users, lost = _users(preferences)
    lost += lost_columns(preferences, "judge")
    if (has_shared_level(preferences) & told.tied).any():
        lost.append("ties: equal ratings say nothing")
    if (told.sizes == 0).any():
        lost.append(f"rows that name no item: {int((told.sizes == 0).sum()):,}")
    items = [quoted(item) for item in preferences.items]
    with replaced_text(path) as file:
        file.write("user,item,rating\n")
        for user, start, stop in zip(users, told.starts[:-1], told.starts[1:], strict=True):
            most = int(told.levels[start:stop].max(initial=0)) + 1
            for member, level in zip(told.members[start:stop], told.levels[start:stop], strict=True):
                file.write(f"{user},{items[member]},{most - level}\n")
    return Written(path, NAME, len(told.members), (*lost, *lost_items(preferences)))


def _users(preferences: Preferences) -> tuple[list[str], list[str]]:
    """Return a user for each row: its judge if each has one of its own, else its number."""
    codes, n_rows = preferences.judge, len(preferences)
    if codes is not None and (codes >= 0).all() and len(np.unique(codes)) == n_rows:
        return [quoted(preferences.judges[code]) for code in codes], []
    told = "judges: each row gets a user of its own" if codes is not None else "that nobody is named as judge"
    return [str(row) for row in range(1, n_rows + 1)], [told]


FORMAT = Format(
    NAME,
    "ratings of users (MovieLens: u.data, ratings.dat, ratings.csv)",
    (".dat", ".data", ".csv", ".tsv", ".txt"),
    looks_like,
    read,
    write,
    ("titles",),
)
