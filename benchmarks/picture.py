"""The measured rows seen: bars of CPU time on a logarithmic scale, with whiskers from least to most."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from benchmarks.case import OURS
from benchmarks.rows import Row, ratios
from benchmarks.wording import seconds, times

INK, QUIET, GRID = "#1f2933", "#7b8794", "#e4e7eb"
OUR_BAR, THEIR_BAR = "#2a9d8f", "#c3cad3"
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
WIDTH, STEP = 560, 34
TICKS = (
    "datum.value < 1e-3 ? format(datum.value * 1e6, ',') + ' µs' : "
    "datum.value < 1 ? format(datum.value * 1e3, ',') + ' ms' : format(datum.value, ',') + ' s'"
)


def draw(title: str, rows: list[Row], path: Path, *, quick: bool = False) -> None:
    """Draw the rows into a PNG file."""
    chart(title, rows, quick=quick).save(path, scale_factor=2)


def chart(title: str, rows: list[Row], *, quick: bool = False) -> alt.VConcatChart:
    """Return the picture: one panel for each task, all on the same scale."""
    decades = scale(rows)
    frame = pd.DataFrame(marks(rows, low=decades[0]))
    tasks = list(dict.fromkeys(row.what for row in rows))
    left = max(
        150, 8 * max(len(row.who) for row in rows)
    )  # one margin for all panels, wide enough for the names
    panels = [
        panel(frame[frame["what"] == task], decades, left=left, last=task == tasks[-1]) for task in tasks
    ]
    subtitle = "CPU time of a call: median, least and most" + (" · quick run, small sizes" if quick else "")
    heading = alt.Title(title, subtitle=subtitle, anchor="start")
    return (
        alt.vconcat(*panels, spacing=12, title=heading, background="white", padding=24)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=12, labelPadding=9)
        .configure_title(color=INK, fontSize=17, offset=14, subtitleColor=QUIET, subtitleFontSize=13)
    )


def scale(rows: list[Row]) -> list[float]:
    """Return the powers of ten around all whiskers, with room for the shortest bar and the last words."""
    costs = [row.cost for row in rows if row.cost]
    low = math.floor(min((math.log10(cost.least) for cost in costs), default=-3) - 0.3)
    high = math.ceil(max((math.log10(cost.most) for cost in costs), default=0) + 0.2)
    return [10.0**power for power in range(low, high + 1)]


def marks(rows: list[Row], low: float) -> list[dict[str, Any]]:
    """Return one bar for each row: its ends, its whiskers, and the words beside it."""
    return [
        {
            "who": row.who,
            "what": row.what,
            "low": low,
            "cpu": row.cost.cpu if row.cost else low,
            "least": row.cost.least if row.cost else None,
            "most": row.cost.most if row.cost else None,
            "end": row.cost.most if row.cost else low,
            "words": words(row, ratio),
            "bar": OUR_BAR if row.who.startswith(OURS) else THEIR_BAR,
            "ink": INK if row.cost else QUIET,
        }
        for row, ratio in zip(rows, ratios(rows), strict=True)
    ]


def words(row: Row, ratio: float | None, limit: int = 64) -> str:
    """Return what stands at the end of a bar."""
    if row.cost is None:
        text = f"cannot: {row.cannot}"
        return text if len(text) <= limit else text[: limit - 1] + "…"
    return seconds(row.cost.cpu) + ("" if ratio is None or row.who == OURS else f" · {times(ratio)}×")


def panel(frame: pd.DataFrame, decades: list[float], *, left: int, last: bool) -> alt.LayerChart:
    """Return the bars of one task; only the last panel carries the scale's labels."""
    bare = {"title": None, "domain": False, "ticks": False}
    times = alt.Axis(
        values=decades,
        gridColor=GRID,
        labels=last,
        labelFlush=False,
        labelExpr=TICKS,
        labelColor=QUIET,
        **bare,
    )
    names = alt.Axis(labelColor=INK, labelFontSize=13, labelLimit=300, minExtent=left, **bare)
    x = alt.X("cpu:Q", scale=alt.Scale(type="log", domain=[decades[0], decades[-1]], nice=False), axis=times)
    y = alt.Y("who:N", sort=None, axis=names, scale=alt.Scale(paddingInner=0.3, paddingOuter=0.15))

    rows = alt.Chart(frame).encode(y=y)
    bars = rows.mark_bar(cornerRadiusTopRight=3, cornerRadiusBottomRight=3).encode(
        x=x, x2="low:Q", color=alt.Color("bar:N", scale=None)
    )
    whiskers = rows.mark_rule(color=INK, strokeWidth=1.5).encode(x="least:Q", x2="most:Q")
    ends = rows.mark_tick(color=INK, thickness=1.5, size=9)
    told = rows.mark_text(align="left", dx=10, fontSize=13).encode(
        x="end:Q", text="words:N", color=alt.Color("ink:N", scale=None)
    )
    layers = alt.layer(bars, whiskers, ends.encode(x="least:Q"), ends.encode(x="most:Q"), told)
    heading = alt.Title(frame["what"].iloc[0], anchor="start", fontSize=13, color=QUIET, offset=4)
    return layers.properties(width=WIDTH, height=alt.Step(STEP), title=heading)
