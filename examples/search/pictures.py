"""The pictures of the week: who wins, how regret fell, and what each person's own model gains."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import altair as alt

from penchant.plots.saving import save_chart
from penchant.plots.theme import ACCENT, BAND, GROUPS, INK, SOFT, dressed

ORDERS = {"text match": "text match", "one for all": "one model for all", "own": "their own model"}
"""The orders that are compared for each person, and what the picture calls them."""


def draw(figures: Mapping[str, Any], folder: Path, ending: str = ".svg") -> list[Path]:
    """Draw all pictures into a folder."""
    charts = {"wins": wins(figures), "regret": regret(figures), "people": people(figures)}
    return [save_chart(chart, folder / f"search-{name}{ending}") for name, chart in charts.items()]


def wins(figures: Mapping[str, Any]) -> Any:
    """Draw the share of interleaved searches that the learned order won, day by day."""
    rows = [{"day": day, **row} for day, row in enumerate(figures["interleaving"], 1)]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("day:O", title="after day", axis=alt.Axis(labelAngle=0))
    )
    scale, title = alt.Scale(domain=[0.2, 0.9], clamp=True), "share won by the learned order"
    even = alt.Chart(alt.Data(values=[{"even": 0.5}])).mark_rule(color=SOFT, strokeDash=[5, 4])
    layers = [
        base.mark_rule(color=BAND, strokeWidth=8).encode(
            y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q"
        ),
        even.encode(y=alt.Y("even:Q", title=title, scale=scale)),
        base.mark_point(color=ACCENT, filled=True, size=70, opacity=1).encode(
            y=alt.Y("share:Q", title=title, scale=scale)
        ),
    ]
    subtitle = "team drafts with the text match; bands: 95 % intervals that hold on all days together"
    return _titled(alt.layer(*layers), "Who wins", subtitle)


def regret(figures: Mapping[str, Any]) -> Any:
    """Draw the mean regret so far beside the bound of Theorem 1."""
    found = figures["regret"]
    names = {"regret": "regret", "bound": "bound of Theorem 1"}
    rows = [
        {"round": round, "name": name, "value": value}
        for key, name in names.items()
        for round, value in zip(found["rounds"], found[key], strict=True)
        if value > 0
    ]
    lines = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(
                "round:Q", title="searches", scale=alt.Scale(type="log", nice=False), axis=_numbers(",d")
            ),
            y=alt.Y("value:Q", title="mean regret so far", scale=alt.Scale(type="log"), axis=_numbers(",~r")),
            color=alt.Color(
                "name:N",
                title=None,
                scale=alt.Scale(domain=list(names.values()), range=[ACCENT, SOFT]),
                legend=alt.Legend(orient="bottom", symbolType="stroke", symbolStrokeWidth=3),
            ),
            strokeDash=alt.StrokeDash(
                "name:N", scale=alt.Scale(domain=list(names.values()), range=[[1, 0], [5, 4]]), legend=None
            ),
        )
    )
    subtitle = (
        f"one model for all, utility of all people together; the best order is worth {found['largest']:.2f}"
    )
    return _titled(lines, "Regret", subtitle)


def people(figures: Mapping[str, Any]) -> Any:
    """Draw the regret of three orders for each person."""
    rows = [
        {"person": row["person"], "order": name, "regret": row[key]}
        for row in figures["people"]
        for key, name in ORDERS.items()
    ]
    names = list(ORDERS.values())
    bars = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            y=alt.Y("person:N", title=None, sort=None, scale=alt.Scale(paddingInner=0.3)),
            yOffset=alt.YOffset("order:N", sort=names),
            x=alt.X(
                "regret:Q",
                title="mean regret over all queries, by the person's own utility",
                axis=alt.Axis(tickCount=6),
            ),
            color=alt.Color(
                "order:N",
                title=None,
                sort=names,
                scale=alt.Scale(domain=names, range=[SOFT, GROUPS[2], ACCENT]),
                legend=alt.Legend(orient="bottom", symbolType="square"),
            ),
        )
    )
    return _titled(bars, "What a model of one's own gains", "after the week")


def _numbers(format: str) -> Any:
    return alt.Axis(format=format, tickCount=5)


def _titled(chart: Any, title: str, subtitle: str) -> Any:
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(chart.properties(width=460, height=260, title=heading))
