"""Results for other programs. A Ranking or rows in; JSON, or CSV safe in a spreadsheet, out."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

import typer

from penchant.text import visible

if TYPE_CHECKING:
    from penchant.ranking import Ranking


def print_json(value: object, *, indent: int | None = None) -> None:
    """Print a value, or what is JSON already, with escapes for characters that a terminal would obey.

    JSON has no word for what is not a number; it becomes null.
    """
    text = value if isinstance(value, str) else json.dumps(_finite(value), ensure_ascii=False, indent=indent)
    typer.echo("\n".join(map(_escaped, text.split("\n"))))


def print_rows(text: str) -> None:
    """Print lines of data: exactly for another program, with visible escapes on a terminal."""
    if sys.stdout.isatty():
        text = "\n".join(map(visible, text.split("\n")))
    sys.stdout.write(text)
    sys.stdout.flush()


def _escaped(line: str) -> str:
    if visible(line) == line:
        return line
    return "".join(sign if visible(sign) == sign else f"\\u{ord(sign):04x}" for sign in line)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, list | tuple) else value


def ranking_csv(ranking: Ranking) -> str:
    """Return the whole ranking as CSV, one row an item, best first, numbers in full."""
    return table_csv(json.loads(ranking.to_json())["items"], text=("item",))


def table_csv(rows: Sequence[Mapping[str, Any]], text: Sequence[str]) -> str:
    """Return rows as CSV; the columns ``text`` hold what people wrote."""
    from penchant.formats.parsing.csv_rows import protected

    out = StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, **{name: protected(row[name]) for name in text}} for row in rows)
    return out.getvalue()
