"""The last step, inside: results as tables on a terminal. A Ranking in, a Rich table out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from penchant.ranking import Ranking


def ranking_table(ranking: Ranking) -> Table:
    """Return ``ranking`` as a table, one row an item."""
    rows = ranking.rows()
    table = Table(title=ranking.model, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(name, justify="left" if name in ("item", "ranks") else "right", overflow="fold")
    for row in rows:
        table.add_row(*row.values())
    return table
