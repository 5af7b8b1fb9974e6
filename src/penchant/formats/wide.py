"""Wide tables: one voter a row, and either a column an item with its rank, or a column a place with the item there.

``tea,coffee,water`` above ``1,3,2`` are ranks; ``first,second,third`` above ``tea,water,coffee`` are places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import shown
from penchant.counts import counted
from penchant.errors import Argument, InvalidInput, Text
from penchant.formats.parsing.columns import HEADERS, LABELS, SINGLE, listed, plain
from penchant.formats.parsing.comparisons import number
from penchant.formats.parsing.csv_rows import blocks, csv_rows, delimiter_of, header_row, quoted, unprotected
from penchant.formats.parsing.extra import extra_columns
from penchant.formats.parsing.reading import Findings, Reading, Written
from penchant.formats.parsing.rows import NOBODY, Part, assembled, first_twice
from penchant.formats.parsing.source import Source, ending_of, replaced_text
from penchant.formats.parsing.tabulated import has_shared_level, lost_columns, number_text
from penchant.preferences import Items, Preferences
from penchant.preferences.items import Vocabulary
from penchant.progress import with_progress

NAME = "wide"
RANKS, PLACES = "ranks", "places"
LAYOUTS = (RANKS, PLACES)
OPTIONS = ("layout", "weight", "judge", LABELS)
_ABSENT = {"", "0", "-", "–", "na", "n/a", "nan", "none", "null", "."}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PLACE = re.compile(
    r"(?:rank|choice|place|preference|pref|position|pos|pick|vote)?(\d{1,4})(?:st|nd|rd|th|choice)?"
)
_ROLES = {
    "weight": (*SINGLE["weight"], "freq", "frequency", "n", "voters", "number"),
    "judge": (*SINGLE["judge"], "respondent", "respondentid", "participant", "participantid", "id"),
}
_NOTHING = "voters who rank nothing"
_LOOKED_AT = 20


def looks_wide(source: Source) -> bool:
    """Whether the first lines are those of a wide table, whose layout is certain."""
    import csv

    try:
        top, *rows = csv.reader(source.first_lines, delimiter=delimiter_of(source), skipinitialspace=True)
    except (csv.Error, ValueError):
        return False
    names = [unprotected(name) for name in top]
    plain_names = set(map(plain, names))
    if any(all(plain_names.intersection(some) for some in header) for header in HEADERS):
        return False
    whole = rows[: _LOOKED_AT - 2] if len(rows) >= _LOOKED_AT - 1 else rows  # the last line may be cut
    return len(_layouts(names, whole)) == 1


def read(
    source: Source, *, layout: str | None = None, labels: str | Sequence[str] = (), **options: str
) -> Reading:
    """Read one ranking a row.

    Parameters
    ----------
    layout : {"ranks", "places"}, optional
        Whether a column is an item and holds its rank, 1 is best; or a place, best first, and holds the item there.
        Recognised unless given.
    weight, judge : str, optional
        Columns that say how many voters a row is, and who; recognised by their names unless given.
    labels : sequence of str
        Columns whose texts `Reading.labels` keeps; they are neither items nor places.
    """
    if layout not in (None, *LAYOUTS):
        raise InvalidInput.of("layout", f"be one of {', '.join(LAYOUTS)}", repr(layout), "correct it")
    findings = Findings(source, NAME)
    lines: list[int] = []
    rows: list[list[str]] = []
    with csv_rows(source) as reader:
        names = [unprotected(name) for name in header_row(reader, source)]
        for some_lines, some in blocks(reader, len(names), findings):
            lines += some_lines
            rows += [list(map(unprotected, row)) for row in some]
    n_rows = len(rows) + len(findings.refusals)
    if not rows:
        raise findings.no_rows()
    layout = layout or _only_layout(names, rows, source.path)
    roles = _roles(names, options)
    findings.extra = extra_columns(names, {LABELS: labels})
    carried = findings.extra.labels
    columns = _columns(names, rows, layout, {*roles.values(), *carried}, source.path)
    _describe(findings, names, columns, roles, layout)
    part, ids, judges = _part(names, rows, lines, columns, roles, layout, findings)
    items = Items.named([names[column] for column in columns]) if layout == RANKS else None
    return findings.reading(assembled([part], ids, judges, findings, items=items), n_rows)


def _only_layout(names: Sequence[str], rows: Sequence[Sequence[str]], path: Path) -> str:
    layouts = _layouts(names, rows[:_LOOKED_AT])
    if len(layouts) == 1:
        return layouts[0]
    got = "ranks and places alike" if layouts else "neither"
    remedy = Text(
        "give ", Argument("layout", RANKS), " if each column is an item with its rank, or ",
        Argument("layout", PLACES), " if each column is a place with the item there",
    )  # fmt: skip
    what = f"{got} in {listed(names)}"
    raise InvalidInput.of(f"the columns of {path}", "hold ranks of items or items by place", what, remedy)


def _layouts(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the layouts that a table may have: ranks are 1, 2, 3 … in each row, places are named so."""
    rows = [row for row in rows if len(row) == len(names)]
    if not rows:
        return []
    taken = set(_roles(names, {}).values())
    numbers = _rank_columns(names, rows, taken)
    ranked = len(numbers) > 1 and _are_rankings([[row[place] for place in numbers] for row in rows])
    places = _place_columns(names)
    found = []
    if ranked:
        found.append(RANKS)
    bare = all(names[place].isdigit() for place in places)
    items = [row[place] for row in rows for place in places]
    named = not bare or not any(
        number(cell) > 0 for cell in items
    )  # a table without a header starts with numbers
    if len(places) > 1 and (numbers == places if ranked else named):
        found.append(PLACES)
    return found


def _are_rankings(rows: list[list[str]]) -> bool:
    """Whether each row ranks from 1 without gaps but those that ties leave, and some row ranks two."""
    longest = 0
    for row in rows:
        ranks = sorted(number(cell) for cell in row if cell.strip().lower() not in _ABSENT)
        values = sorted(set(ranks))
        dense = values == list(range(1, len(values) + 1))
        usual = all(ranks.index(rank) + 1 == rank for rank in values)
        if not dense and not usual:
            return False
        longest = max(longest, len(values))
    return longest > 1


def _rank_columns(
    names: Sequence[str], rows: Sequence[Sequence[str]], taken: set[str], most: float | None = None
) -> list[int]:
    """Return the columns that hold nothing but ranks, up to the number of columns unless ``most`` is given."""
    largest = len(names) if most is None else most

    def is_rank(cell: str) -> bool:
        return cell.strip().lower() in _ABSENT or 1 <= number(cell) <= largest

    return [
        place
        for place, name in enumerate(names)
        if name.strip()
        and name not in taken
        and all(is_rank(row[place]) for row in rows)
        and any(row[place].strip().lower() not in _ABSENT for row in rows)
    ]


def _place_columns(names: Sequence[str]) -> list[int]:
    """Return the columns called first, second …, 1st, 2nd … or rank 1, rank 2 …, in the order of their places."""
    found: dict[int, int] = {}
    for column, name in enumerate(names):
        word = plain(name)
        stem = word.removesuffix("choice").removesuffix("preference")
        numbered = _PLACE.fullmatch(word)
        if stem in _ORDINALS:
            found.setdefault(_ORDINALS.index(stem) + 1, column)
        elif numbered is not None:
            found.setdefault(int(numbered[1]), column)
    places = [found[place] for place in range(1, len(found) + 1) if place in found]
    return places if len(places) == len(found) else []


def _roles(names: Sequence[str], options: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of weights and judges, given or by their names."""
    roles = {}
    for role, wanted in _ROLES.items():
        if role in options:
            if options[role] not in names:
                raise InvalidInput.of(
                    role, "name a column", shown(options[role]), f"the file has {listed(names)}"
                )
            roles[role] = options[role]
        else:
            by_name = {plain(name): name for name in reversed(names)}
            found = next((by_name[name] for name in wanted if name in by_name), None)
            if found is not None:
                roles[role] = found
    return roles


def _columns(
    names: Sequence[str], rows: Sequence[Sequence[str]], layout: str, taken: set[str], path: Path
) -> list[int]:
    """Return the columns of the ranking: the items, or the places best first."""
    if layout == RANKS:
        some = rows[:_LOOKED_AT]
        columns = _rank_columns(names, some, taken)
        if len(columns) < 2:  # ranks with gaps
            columns = _rank_columns(names, some, taken, most=np.inf)
    else:
        columns = _place_columns(names) or [i for i, name in enumerate(names) if name not in taken]
    if len(columns) < 2:
        raise InvalidInput.of(
            f"the table {path}",
            f"have two columns of {layout} at least",
            f"{len(columns)}",
            "correct the header",
        )
    twice = [names[column] for column in columns]
    if len(set(twice)) < len(twice):
        raise InvalidInput(f"column {shown(first_twice(twice))} must be there once: rename the others")
    return columns


def _describe(
    findings: Findings, names: Sequence[str], columns: Sequence[int], roles: Mapping[str, str], layout: str
) -> None:
    """Record how the table was understood."""
    findings.columns.update(roles)
    inner = [names[column] for column in columns]
    if layout == RANKS:
        how = f"a row is a voter, and {len(inner):,} columns are items with their ranks, 1 is best"
    else:
        how = f"a row is a voter, and {len(inner):,} columns are places, {shown(inner[0])} is the best"
    findings.note(
        Text(how, " (", Argument("layout", PLACES if layout == RANKS else RANKS), " reads it otherwise)")
    )
    used = {*inner, *roles.values(), *findings.extra.labels}
    others = [name for name in names if name not in used]
    if others:
        findings.note(f"{counted(len(others), 'column')} not used: {listed(others)}")


def _part(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    lines: Sequence[int],
    columns: Sequence[int],
    roles: Mapping[str, str],
    layout: str,
    findings: Findings,
) -> tuple[Part, Vocabulary, Vocabulary]:
    """Return the rows that can be used; reject the others."""
    ids, judges = Vocabulary(), Vocabulary()
    if layout == RANKS:
        ids.codes([names[column] for column in columns])
    place = {role: names.index(name) for role, name in roles.items()}
    kept: list[int] = []
    flat: list[tuple[int, int, float]] = []
    weight: list[float] = []
    judge: list[int] = []
    carried = [names.index(name) for name in findings.extra.labels]
    texts: list[list[str]] = []
    for line, row in zip(lines, rows, strict=True):
        cells = [row[column] for column in columns]
        found = _ranked(cells, names, columns, ids) if layout == RANKS else _placed(cells, ids)
        times = number(row[place["weight"]]) if "weight" in place else 1.0
        if isinstance(found, str):
            findings.reject(line, found)
        elif not times > 0:
            findings.reject(line, f"weight must be a number above 0, got {shown(row[place['weight']])}")
        elif not found:
            findings.skipped[_NOTHING] += 1
        else:
            flat += [(len(kept), member, level) for member, level in found]
            kept.append(line)
            weight.append(times)
            texts.append([row[column].strip() for column in carried])
            who = row[place["judge"]].strip() if "judge" in place else ""
            judge.append(judges[who] if who else NOBODY)
    if not kept:
        raise findings.no_rows()
    of_row, members, levels = (np.array(column) for column in zip(*flat, strict=True))
    part = Part(np.array(kept), of_row, members, levels, np.ones(len(kept), dtype=bool))
    part.weight = np.array(weight) if "weight" in place else None
    part.judge = np.array(judge, dtype=np.int64) if "judge" in place else None
    part.labels = np.array(texts, dtype=object).reshape(len(kept), -1) if carried else None
    return part, ids, judges


def _ranked(
    cells: Sequence[str], names: Sequence[str], columns: Sequence[int], ids: Vocabulary
) -> list[tuple[int, float]] | str:
    """Return the items of a row with their ranks, or the reason why the row cannot be used."""
    found = []
    for cell, column in zip(cells, columns, strict=True):
        if cell.strip().lower() in _ABSENT:
            continue
        rank = number(cell)
        if not rank > 0:
            return f"the rank of {shown(names[column])} must be a number from 1, or empty, got {shown(cell)}"
        found.append((ids[names[column]], rank))
    return found


def _placed(cells: Sequence[str], ids: Vocabulary) -> list[tuple[int, float]] | str:
    """Return the items of a row with their places, or the reason why the row cannot be used."""
    words = [cell for cell in cells if cell.strip() and cell.strip().lower() not in _ABSENT - {"0"}]
    if len(set(words)) < len(words):
        return f"{shown(first_twice(words))} has two places"
    return [
        (ids[cell], float(place))
        for place, cell in enumerate(cells)
        if cell.strip() and cell.strip().lower() not in _ABSENT - {"0"}
    ]


def write(preferences: Preferences, path: Path) -> Written:
    """Write one row a statement and one column an item with its rank, which is empty where it is not ranked."""
    statements = preferences.statements
    extra: dict[str, list[Any]] = {}
    lost = lost_columns(preferences, "weight", "judge")
    if preferences.judge is not None:
        extra["judge"] = [quoted(preferences.judges[code]) if code >= 0 else "" for code in preferences.judge]
    if preferences.weight is not None:
        extra["weight"] = list(map(number_text, preferences.weight.tolist()))
    if (has_shared_level(preferences) & ~statements.tied).any():
        lost.append("items that were not told apart, as in grades and choices: they are written as ties")
    if (statements.sizes == 0).any():
        lost.append(f"rows that name no item: {int((statements.sizes == 0).sum()):,}")
    if preferences.catalogue.names is None:
        lost.append("that the items are the rows of a table: their numbers become names")
    between = "\t" if ending_of(path) == ".tsv" else ","
    with replaced_text(path) as file:
        file.write(between.join([*extra, *map(quoted, preferences.items)]) + "\n")
        for row in with_progress(range(len(statements)), len(statements)):
            cells = [""] * preferences.n_items
            for at in range(statements.starts[row], statements.starts[row + 1]):
                cells[statements.members[at]] = str(statements.levels[at] + 1)
            file.write(between.join([*(column[row] for column in extra.values()), *cells]) + "\n")
    return Written(path, NAME, len(statements), tuple(lost))
