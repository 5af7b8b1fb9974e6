"""The last step, inside: results for other programs. A Ranking or rows in; CSV that is safe in a spreadsheet out."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penchant.ranking import Ranking


def ranking_csv(ranking: Ranking) -> str:
    """Return the whole ranking as CSV, one row an item, best first, numbers in full."""
    return table_csv(json.loads(ranking.to_json())["items"], text=("item",))


def table_csv(rows: Sequence[Mapping[str, Any]], text: Sequence[str]) -> str:
    """Return rows as CSV; the columns ``text`` hold what people wrote."""
    from penchant.formats.cells import protected

    out = StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, **{name: protected(row[name]) for name in text}} for row in rows)
    return out.getvalue()
