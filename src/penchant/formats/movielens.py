"""Ratings as MovieLens keeps them. User, item and rating a line in, one row a user out; and back."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.formats.cells import quoted, unprotected
from penchant.formats.columns import listed, plain
from penchant.formats.csv_rows import blocks, csv_rows, delimiter_of, first_cells, header_row
from penchant.formats.draft import Part, Sieve, Vocabulary, assembled, distinct
from penchant.formats.files import Source, replaced_text
from penchant.formats.format import Format
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
TITLES = {"movies.dat": "::", "u.item": "|", "movies.csv": ","}
_HEADERLESS = re.compile(r"\d+\t\d+\t[\d.]+(\t\d+)?|\d+::\d+::[\d.]+(::\d+)?")


def read(source: Source, *, titles: bool = False) -> Reading:
    """Read ratings; of two items that one user rated, the higher rated is better, and the user is the judge.

    Parameters
    ----------
    titles : bool
        Whether to call the items by their titles in the movies.dat, movies.csv or u.item beside the file.
    """
    findings = Findings(source, NAME)
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
    between = "::" if "::" in top else delimiter_of(source)
    with csv_rows(source, between=between, quotes=between != "::") as table:
        head = header_row(table, source) if has_header else ["user", "item", "rating"]
        names = [unprotected(name) for name in head]
        wanted = itemgetter(*_places(names, findings))
        width = len(names) if has_header else len(top.split(between))
        for lines, rows in blocks(table, width, findings):
            yield lines, list(map(wanted, rows))


def _places(names: list[str], findings: Findings) -> tuple[int, int, int]:
    there = {plain(name): place for place, name in reversed(list(enumerate(names)))}
    found = []
    for role, wanted in _ROLES.items():
        place = next((there[name] for name in wanted if name in there), None)
        if place is None:
            raise InvalidInput(
                f"{findings.path} must have columns of users, items and ratings, got no {role} in "
                f"{listed(names)}: call them user, item and rating"
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
        _again(user, item, sieve.kept),
        lambda row: f"user {shown(users[row])} rates {shown(items[row])} a second time",
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
    place = next((path.with_name(name) for name in TITLES if path.with_name(name).exists()), None)
    if place is None:
        raise InvalidInput(
            f"titles must stand in one of {', '.join(TITLES)} beside {path}: leave titles=False"
        )
    findings.note(f"titles come from {place.name}")
    beside = Source.of(place, findings.limits)
    title: dict[str, str] = {}
    between = TITLES[place.name]
    with csv_rows(beside, between=between, quotes=between == ",") as rows:
        try:
            title.update((cells[0], cells[1].strip()) for cells in rows if len(cells) > 1)
        except csv.Error as error:
            raise InvalidInput(
                f"{place} must hold titles ({error}): repair it, or leave titles=False"
            ) from None
    # All titles together, so that what an item is called does not depend on the items that were rated.
    names = distinct({**title, **{name: title.get(name, "") for name in ids}})
    return Vocabulary({names[name]: code for name, code in ids.items()})


def looks_like(source: Source) -> bool:
    """Whether the first line is a rating, or names columns of users, items and ratings."""
    first = source.first_lines[0].strip()
    names = set(map(plain, first_cells(source)))
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
