"""MovieLens: a user, an item and a rating a line; each user becomes one row."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.formats.parsing.columns import Columns, listed, plain
from penchant.formats.parsing.comparisons import Table, number
from penchant.formats.parsing.csv_rows import blocks, csv_rows, delimiter_of, header_row, quoted, unprotected
from penchant.formats.parsing.reading import Findings, Reading, Sieve, Written
from penchant.formats.parsing.rows import Part, assembled, distinct
from penchant.formats.parsing.source import Source, replaced_text
from penchant.formats.parsing.tabulated import has_shared_level, lost_columns, lost_items
from penchant.preferences import Preferences
from penchant.preferences.items import Vocabulary
from penchant.progress import with_progress

NAME = "movielens"
ROLES = {
    "user": ("userid", "user", "username"),
    "item": ("movieid", "itemid", "item", "movie", "title"),
    "rating": ("rating", "ratings", "stars"),
}
TITLES = {"movies.dat": "::", "u.item": "|", "movies.csv": ","}
FIRST_LINES = re.compile(r"\s*(?:\d+\t\d+\t[\d.]+(?:\t\d+)?|\d+::\d+::[\d.]+(?:::\d+)?)[^\S\n]*(?:\n|\Z)")


def read(source: Source, *, titles: bool = False) -> Reading:
    """Read ratings; of two items that one user rated, the higher rated is better, and the user is the judge.

    Parameters
    ----------
    titles : bool
        Whether to call the items by their titles in the movies.dat, movies.csv or u.item beside the file.
    """
    findings = Findings(source, NAME)
    table = _table(source, findings)
    n_rows = table.n_rows + len(findings.refusals)
    ids, judges = Vocabulary(), Vocabulary()
    part = _part(table, ids, judges, findings)
    named = _titled(ids, source.path, findings) if titles else ids
    ratings = part.members, -part.levels
    return findings.reading(assembled([part], named, judges, findings), n_rows, ratings=ratings)


def _table(source: Source, findings: Findings) -> Table:
    """Return the cells of users, items and ratings."""
    top = source.first_lines[0].strip().lstrip("\ufeff")
    has_header = not FIRST_LINES.fullmatch(top)
    between = "::" if "::" in top else delimiter_of(source)
    with csv_rows(source, between=between, quotes=between != "::") as reader:
        head = header_row(reader, source) if has_header else list(ROLES)
        names = [unprotected(name) for name in head]
        place_of = {plain(name): place for place, name in reversed(list(enumerate(names)))}
        found = {
            role: [place_of[name] for name in wanted if name in place_of] for role, wanted in ROLES.items()
        }
        absent = next((role for role in ROLES if not found[role]), None)
        if absent is not None:
            raise InvalidInput(
                f"{source.path} must have columns of users, items and ratings, got no {absent} in "
                f"{listed(names)}: call them user, item and rating"
            )
        places = {role: place[0] for role, place in found.items()}
        findings.columns.update({role: names[place] for role, place in places.items()})
        table = Table(Columns(findings.columns), places)
        for lines, rows in blocks(reader, len(names) if has_header else len(top.split(between)), findings):
            table.add(lines, rows)
    return table


def _part(table: Table, ids: Vocabulary, judges: Vocabulary, findings: Findings) -> Part:
    line, cells = table.cells(unprotected)
    users, items, ratings = (cells[role] for role in ROLES)
    sieve = Sieve(line, findings)
    sieve.reject(users.each(lambda text: not text.strip(), np.bool_), "the user is empty")
    sieve.reject(items.each(lambda text: not text.strip(), np.bool_), "the item is empty")
    rating = ratings.each(number)
    sieve.reject(np.isnan(rating), lambda row: f"the rating must be a number, got {shown(ratings[row])}")
    user = judges.codes(users.texts)[users.codes]
    item = ids.codes(items.texts)[items.codes]
    sieve.reject(
        _again(user, item, sieve.kept),
        lambda row: f"user {shown(users[row])} rates {shown(items[row])} a second time",
    )
    kept = np.flatnonzero(sieve.kept)
    different, first, rows = np.unique(user[kept], return_index=True, return_inverse=True)
    tied = np.zeros(len(different), dtype=bool)
    return Part(line[kept][first], rows, item[kept], -rating[kept], tied, judge=different)


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
    beside = Source.of(place, findings.source.limits)
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


def write(preferences: Preferences, path: Path) -> Written:
    """Write a user a row and its levels as ratings, as CSV with a header."""
    statements = preferences.statements
    users, lost = _users(preferences)
    lost += lost_columns(preferences, "judge")
    if (has_shared_level(preferences) & statements.tied).any():
        lost.append("ties: equal ratings say nothing")
    if (statements.sizes == 0).any():
        lost.append(f"rows that name no item: {int((statements.sizes == 0).sum()):,}")
    items = [quoted(item) for item in preferences.items]
    with replaced_text(path) as file:
        file.write("user,item,rating\n")
        rows = zip(users, statements.starts[:-1], statements.starts[1:], strict=True)
        for user, start, stop in with_progress(rows, len(statements)):
            most = int(statements.levels[start:stop].max(initial=0)) + 1
            for member, level in zip(
                statements.members[start:stop], statements.levels[start:stop], strict=True
            ):
                file.write(f"{user},{items[member]},{most - level}\n")
    return Written(path, NAME, len(statements.members), (*lost, *lost_items(preferences)))


def _users(preferences: Preferences) -> tuple[list[str], list[str]]:
    """Return a user for each row: its judge if each has one of its own, else its number."""
    codes, n_rows = preferences.judge, len(preferences)
    if codes is not None and (codes >= 0).all() and len(np.unique(codes)) == n_rows:
        return [quoted(preferences.judges[code]) for code in codes], []
    lost = "judges: each row gets a user of its own" if codes is not None else "that nobody is named as judge"
    return [str(row) for row in range(1, n_rows + 1)], [lost]
