"""The picture of the leaderboard: the models with their intervals, and the judges with theirs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import altair as alt

from examples.leaderboard.board import WIDTH
from penchant.plots.saving import save_chart
from penchant.plots.theme import ACCENT, INK, SOFT, dressed

NAME = "leaderboard"
_DOUBT = "#be123c"


def draw(figures: Mapping[str, Any], folder: Path, ending: str = ".svg") -> Path:
    """Draw the picture into a folder."""
    both = alt.hconcat(models(figures), judges(figures), spacing=36)
    return save_chart(dressed(both), folder / f"{NAME}{ending}")


def models(figures: Mapping[str, Any]) -> Any:
    """Draw the score of each model with its interval, best on top."""
    rows = [
        {
            "name": f"{row['rank']}  {row['model']}",
            "value": row["score"],
            "low": row["lower"],
            "high": row["upper"],
        }
        for row in figures["board"]
    ]
    subtitle = f"after {figures['counted']} answers that count; 95 % intervals"
    return _titled(_with_intervals(rows, "score", [ACCENT]), "The board", subtitle)


def judges(figures: Mapping[str, Any]) -> Any:
    """Draw the reliability of each judge with its interval, as the owner saw it when setting somebody aside."""
    aside = {row["judge"] for row in figures["aside"]}
    rows = [
        {
            "name": row["judge"],
            "value": row["reliability"],
            "low": row["reliability"] - WIDTH * row["error"],
            "high": row["reliability"] + WIDTH * row["error"],
            "aside": row["judge"] in aside,
        }
        for row in reversed(figures["doubted"] or figures["judges"])
    ]
    title = "reliability: 0 is at random, 1 is average"
    zero = (
        alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=SOFT, strokeDash=[5, 4]).encode(x="zero:Q")
    )
    chart = alt.layer(zero, _with_intervals(rows, title, [ACCENT, _DOUBT]))
    subtitle = "95 % intervals; set aside: " + (", ".join(sorted(aside)) or "nobody")
    return _titled(chart, "The judges", subtitle)


def _with_intervals(rows: list[dict[str, Any]], title: str, colours: list[str]) -> Any:
    """Draw a point and an interval a row, those set aside in the second colour."""
    colour = alt.condition("datum.aside", alt.value(colours[-1]), alt.value(colours[0]))
    drawn = alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("name:N", sort=None, title=None), color=colour)
    axis = alt.Axis(tickCount=6, labelFlush=False)
    scale = alt.Scale(zero=False, padding=8)
    return alt.layer(
        drawn.mark_rule(strokeWidth=5, opacity=0.3, strokeCap="round").encode(
            x=alt.X("low:Q", title=title, axis=axis, scale=scale), x2="high:Q"
        ),
        drawn.mark_circle(size=70, opacity=1).encode(x=alt.X("value:Q", title=title, axis=axis, scale=scale)),
    )


def _titled(chart: Any, title: str, subtitle: str) -> Any:
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK, anchor="start")
    return chart.properties(width=330, height=200, title=heading)
