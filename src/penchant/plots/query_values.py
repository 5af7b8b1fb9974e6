"""Draw one value a query: a measure, or the difference of two rankings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import same_length, vector
from penchant.errors import InvalidInput
from penchant.plots.theme import GROUPS, INK, dressed

_WIDTH, _HEIGHT = 520, 260


def query_values_chart(
    queries: Sequence[object], values: ArrayLike, *, metric: str, title: str = "", subtitle: str = ""
) -> Any:
    """Draw the values of all queries as bars, the largest first, with their mean as a line.

    Parameters
    ----------
    queries : sequence of shape (n,)
        What the queries are called.
    values : array-like of shape (n,)
        Of each query. Where some are below 0, bars above and below 0 have different colours.
    metric : str
        The title of the axis.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> chart = query_values_chart(["q1", "q2"], [0.2, -0.1], metric="difference in MAP")
    >>> [bar["query"] for bar in chart.to_dict()["layer"][0]["data"]["values"]]
    ['q1', 'q2']
    """
    import altair as alt

    heights = vector("value", values)
    same_length("queries", queries, len(heights))
    if not len(heights):
        raise InvalidInput("values must be of at least one query, got none: give some")
    order = np.argsort(-heights, kind="stable").tolist()
    rows = [
        {"place": place, "next": place + 1, "query": str(queries[row]), "value": float(heights[row])}
        for place, row in enumerate(order)
    ]
    across = alt.X(
        "place:Q",
        title=f"{len(rows):,} queries, the largest first",
        axis=alt.Axis(labels=False, ticks=False, grid=False),
        scale=alt.Scale(domain=[0, len(rows)], nice=False),
    )
    bars = (
        alt.Chart(alt.Data(values=rows))
        .mark_rect()
        .encode(
            x=across,
            x2="next:Q",
            y=alt.Y("value:Q", title=metric),
            y2=alt.datum(0),
            color=alt.condition("datum.value < 0", alt.value(GROUPS[1]), alt.value(GROUPS[0])),
            tooltip=[alt.Tooltip("query:N"), alt.Tooltip("value:Q", title=metric, format="+.4f")],
        )
    )
    mean = (
        alt.Chart(alt.Data(values=[{"mean": float(heights.mean())}]))
        .mark_rule(strokeDash=[5, 3], color=INK)
        .encode(y="mean:Q", tooltip=[alt.Tooltip("mean:Q", title="mean", format="+.4f")])
    )
    heading = alt.TitleParams(title or metric, subtitle=subtitle, color=INK)
    return dressed(alt.layer(bars, mean).properties(width=_WIDTH, height=_HEIGHT, title=heading))
