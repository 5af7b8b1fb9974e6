"""Tell several series of one chart apart: each has a colour and, for those who cannot see it, a shape of its points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penchant.plots.theme import GROUPS, SHAPES, SOFT

_POINTS = 7
"""Points of a line that carry its shape: enough to follow it, too few to hide it."""


def colour_of(names: Sequence[str], *, grey: Sequence[str] = (), **legend: Any) -> Any:
    """Return the colours of up to six series by the field ``name``; series that are ``grey`` share that colour."""
    import altair as alt

    return alt.Color(
        "name:N",
        title=None,
        sort=None,
        scale=alt.Scale(domain=[*names, *grey], range=[*GROUPS[: len(names)], *[SOFT] * len(grey)]),
        legend=_legend(**legend),
    )


def shape_of(names: Sequence[str], *, grey: Sequence[str] = (), **legend: Any) -> Any:
    """Return the shapes of the same series, in the legend that `colour_of` has too."""
    import altair as alt

    return alt.Shape(
        "name:N",
        title=None,
        sort=None,
        scale=alt.Scale(domain=[*names, *grey], range=[*SHAPES[: len(names)], *["stroke"] * len(grey)]),
        legend=_legend(**legend),
    )


def spaced(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a few rows of each series, evenly spread and beginning at different places, to carry its shape."""
    series: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        series.setdefault(row["name"], []).append(row)
    chosen = []
    for number, own in enumerate(series.values()):
        if len(own) <= _POINTS:
            chosen += own
            continue
        step = (len(own) - 1) / _POINTS
        first = step * (number + 0.5) / len(series)
        chosen += [own[round(first + step * k)] for k in range(_POINTS)]
    return chosen


def _legend(**given: Any) -> Any:
    import altair as alt

    return alt.Legend(**{"orient": "right", "symbolOpacity": 1, "symbolSize": 70, "labelLimit": 260} | given)
