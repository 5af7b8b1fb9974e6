"""The last step, inside: results for other programs. A Ranking in; CSV that is safe in a spreadsheet out."""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penchant.ranking import Ranking


def ranking_csv(ranking: Ranking) -> str:
    """Return the whole ranking as CSV, one row an item, best first, numbers in full."""
    from penchant.formats.cells import protected

    rows = json.loads(ranking.to_json())["items"]
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "item": protected(row["item"])} for row in rows)
    return text.getvalue()
