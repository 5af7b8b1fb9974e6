"""JSONL: one object a line, a comparison, a ranking, a choice or a page with its clicks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from penchant.errors import InvalidInput
from penchant.formats.parsing.json_text import JsonDecoder
from penchant.formats.parsing.objects import Objects
from penchant.formats.parsing.reading import Findings, Reading, Written, Wrong
from penchant.formats.parsing.source import Source, replaced_text
from penchant.formats.parsing.tabulated import both_bad, compares_two, lost_items, lost_source, places
from penchant.preferences import Preferences
from penchant.progress import with_progress

NAME = "jsonl"
FIRST_LINES = re.compile(
    r"\s*\{(?:.*\}[^\S\n]*(?:\n|\Z)|.*\Z)"
)  # an object, or the start of a single long line
REJECTED = object()
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def read(source: Source, **options: Any) -> Reading:
    """Read objects: ``{"order": [...]}``, ``{"choice", "offered"}``, ``{"presented", "clicked"}``, or comparisons.

    Parameters
    ----------
    better, worse, left, right, outcome, … : str
        Names of keys, as those of columns in a table.
    """
    findings = Findings(source, NAME)
    objects, decoder = Objects(findings, options), JsonDecoder(source.limits)
    with source.open_text() as file:
        for number, value in objects_in(file, decoder, findings):
            if value is REJECTED:
                objects.n_rows += 1
            else:
                objects.add(number, value)
    return findings.reading(objects.preferences(), objects.n_rows)


def objects_in(file: Iterable[str], decoder: JsonDecoder, findings: Findings) -> Iterator[tuple[int, Any]]:
    """Yield the values of the lines that are not blank, with their numbers; `REJECTED` for one that is no JSON."""
    for number, line in enumerate(file, 1):
        if number == 1 and line.lstrip().startswith("["):
            raise InvalidInput(
                f"{findings.source.path} must hold one JSON object a line, got a list: write each entry on its own line"
            )
        if not line.strip():
            continue
        try:
            value = decoder.decode(line)
        except Wrong as reason:
            findings.reject(number, reason.args[0])
            yield number, REJECTED
        else:
            yield number, value


def write(preferences: Preferences, path: Path) -> Written:
    """Write one object a row; only pages of results and items that no row mentions are lost."""
    sizes = preferences.statements.sizes
    empty = int((sizes == 0).sum())
    lost = [f"rows that name no item: {empty:,}"] if empty else []
    n_rows = 0
    with replaced_text(path) as file:
        for fields in with_progress(_objects(preferences), len(sizes)):
            file.write(_ENCODER.encode(fields) + "\n")
            n_rows += 1
    return Written(path, NAME, n_rows, (*lost, *lost_source(preferences), *lost_items(preferences)))


def _objects(preferences: Preferences) -> Iterator[dict[str, Any]]:
    bad, plain, tied = both_bad(preferences), compares_two(preferences), preferences.statements.tied
    kinds = zip(bad.tolist(), plain.tolist(), tied.tolist(), strict=True)
    rows = zip(places(preferences), kinds, _extra(preferences), strict=True)
    for order, (is_bad, is_plain, is_tied), extra in rows:
        if not order:
            continue
        if is_bad or not is_plain:
            extra.pop("better_on_left", None)
        yield _statement(order, is_bad, is_plain, is_tied) | extra


def _statement(order: list[list[str]], is_bad: bool, is_plain: bool, is_tied: bool) -> dict[str, Any]:
    if is_bad:
        return {"left": order[1][0], "right": order[1][1], "outcome": "both_bad"}
    if is_plain and len(order) == 1:
        return {"better": order[0][0], "worse": order[0][1], "tie": True}
    if is_plain:
        return {"better": order[0][0], "worse": order[1][0]}
    if not is_tied and len(order) == 2 and len(order[0]) == 1:
        return {"choice": order[0][0], "offered": [*order[0], *order[1]]}
    nested = [level if len(level) > 1 else level[0] for level in order]
    return {"order": nested} if is_tied else {"order": nested, "tied": False}


def _extra(preferences: Preferences) -> Iterator[dict[str, Any]]:
    """Yield the other columns of each row, by the keys that `read` accepts."""
    columns: dict[str, list[Any]] = {}
    if preferences.weight is not None:
        weights = preferences.weight.tolist()
        columns["weight"] = [int(weight) if weight.is_integer() else weight for weight in weights]
    if preferences.judge is not None:
        names = [*preferences.judges, None]
        columns["judge"] = [names[code] for code in preferences.judge.tolist()]
    if preferences.better_on_left is not None:
        columns["better_on_left"] = [
            (False, True, None)[side] for side in preferences.better_on_left.tolist()
        ]
    if preferences.period is not None:
        columns["period"] = preferences.period.tolist()
    for row in range(len(preferences)):
        yield {name: column[row] for name, column in columns.items() if column[row] is not None}
