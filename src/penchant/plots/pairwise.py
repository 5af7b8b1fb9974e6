"""Draw which share of the voters prefers each item to each other one, in the order of a consensus."""

from __future__ import annotations

from typing import Any

import numpy as np

from penchant.counts import counted, shown_count
from penchant.errors import InvalidInput
from penchant.plots.contrast import colour_scale, ink_on, shade
from penchant.plots.theme import INK, LOSES, PAPER, PERCENT, SOFT, WINS, dressed
from penchant.text import percent

_NUMBERED = 12  # more items than that leave no room for numbers in the cells
_DRAWN = 60  # Altair takes 5,000 cells
_SHARES, _GROUNDS = (0.0, 0.5, 1.0), (LOSES, PAPER, WINS)


def pairwise_chart(consensus: Any, *, most: int = 30) -> Any:
    """Draw the share of the voters who prefer each item (a row) to each other one (a column), best first.

    A voter counts for a pair if it prefers one of the two. Where the order agrees with all majorities, all cells above
    the diagonal show half or more; a frame marks those that do not.

    Parameters
    ----------
    consensus : penchant.consensus.Consensus
    most : int, default 30
        How many items are drawn at most, up to 60; the subtitle says when there are more.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.consensus import consensus
    >>> votes = Preferences.from_rankings([["tea", "coffee", "water"], ["coffee", "tea", "water"], ["tea", "water"]])
    >>> pairwise_chart(consensus(votes)).to_dict()["title"]["text"]
    '3 items in one order for 3 voters'
    """
    import altair as alt

    if not 1 <= most <= _DRAWN:
        raise InvalidInput(f"most must be from 1 to {_DRAWN}, got {most}: more cells cannot be told apart")
    n = min(most, len(consensus.order))
    size = int(np.clip(460 / n, 14, 44))
    small = 9 if n > 20 else 12
    labels = [f"{place}  {item}" for place, item in enumerate(consensus.order[:n], 1)]
    axis = alt.Axis(labelAngle=0, orient="top", labelFontSize=small)
    values = _cells(consensus, labels)
    cells = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("column:O", title=None, sort=None, axis=axis, scale=alt.Scale(domain=list(range(1, n + 1)))),
        y=alt.Y(
            "row:N",
            title=None,
            axis=alt.Axis(labelLimit=260, labelFontSize=max(small, 11)),
            scale=alt.Scale(domain=labels),
        ),
        tooltip=[alt.Tooltip("words:N", title=" ")],
    )
    colour = alt.Color(
        "share:Q",
        scale=colour_scale(_SHARES, _GROUNDS),
        legend=alt.Legend(
            title="prefer the row", labelExpr=PERCENT, values=[0, 0.25, 0.5, 0.75, 1], gradientLength=120
        ),
    )
    against = cells.transform_filter("datum.against").mark_rect(fill=None, stroke=INK, strokeWidth=2)
    layers = [cells.mark_rect(stroke="white", strokeWidth=1 if n <= 30 else 0).encode(color=colour), against]
    if n <= _NUMBERED:
        layers.append(
            cells.mark_text(fontSize=11).encode(
                text=alt.Text("percent:N"), color=alt.Color("ink:N", scale=None)
            )
        )
    title = alt.TitleParams(
        f"{counted(len(consensus.order), 'item')} in one order for {counted(consensus.voters, 'voter')}",
        subtitle=_subtitle(consensus, n, complete=len(values) == n * (n - 1)),
        color=INK,
        subtitleColor=SOFT,
    )
    return dressed(
        alt.layer(*layers)
        .resolve_scale(color="independent")
        .properties(width=size * n, height=size * n, title=title)
    )


def _cells(consensus: Any, labels: list[str]) -> list[dict[str, Any]]:
    """Return the cells of the pairs that some voter decides."""
    n, counts = len(labels), consensus.pairwise
    cells = []
    for i in range(n):
        for j in range(n):
            both = float(counts[i, j] + counts[j, i])
            if i == j or not both:
                continue
            share, (a, b) = float(counts[i, j]) / both, (consensus.order[i], consensus.order[j])
            cells.append(
                {
                    "row": labels[i],
                    "column": j + 1,
                    "share": share,
                    "percent": f"{100 * share:.0f}",
                    "ink": ink_on(shade(share, _SHARES, _GROUNDS)),
                    "against": i < j and share < 0.5,
                    "words": f"{shown_count(counts[i, j])} prefer {a} to {b}, {shown_count(counts[j, i])} {b} to {a}",
                }
            )
    return cells


def _subtitle(consensus: Any, drawn: int, *, complete: bool) -> list[str]:
    contradicts = percent(float(consensus.distance) / max(float(consensus.total), 1e-300), 1)
    least = "the least possible" if consensus.proven else "not proven to be the least"
    how = f"{consensus.method.capitalize()}: contradicts {contradicts} of the preferences, {least}"
    what = "Cells: voters who prefer the row to the column" + (", in percent" if drawn <= _NUMBERED else "")
    what += "; framed: the order contradicts the majority"
    what += "" if complete else "; blank: no voter decides"
    if drawn < len(consensus.order):
        what += f"; the first {drawn} of {len(consensus.order):,}"
    return [how, what]
