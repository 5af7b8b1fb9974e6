"""Draw judges: how reliable each is, and how far they lean to the left."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from penchant.checks import whole
from penchant.errors import InvalidInput
from penchant.plots.theme import ACCENT, INK, LOSES, PERCENT, SOFT, dressed

if TYPE_CHECKING:
    from penchant.worth.judges import Judges

_ROW = 20


def judges_chart(judges: Judges, *, most: int = 40) -> Any:
    """Draw the reliability and the share of left of each judge with intervals, least reliable on top.

    Judges with a finding are brown, programs are squares. Dashed lines are the average judge, answers at random, and a
    share of one half.

    Parameters
    ----------
    judges : Judges
    most : int
        How many are drawn at most, those with the least reliability; the subtitle says when there are more.

    Returns
    -------
    altair.Chart

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import CrowdBradleyTerry
    >>> agreed = [("tea", "water"), ("tea", "coffee"), ("coffee", "water")] * 4
    >>> prefs = Preferences.from_pairs(agreed * 2, judge=["ann"] * 12 + ["bob"] * 12)
    >>> sorted(judges_chart(CrowdBradleyTerry().fit(prefs).judges()).to_dict())[:2]
    ['$schema', 'config']
    """
    import altair as alt

    whole("most", most, 1, remedy="give the number of judges to draw")
    if not len(judges):
        raise InvalidInput("judges must be at least one to be drawn, got none: name them in the answers")
    rows = _rows(judges)[:most]
    chart = alt.hconcat(
        _panel(rows, "reliability", "reliability (1: the average judge, 0: at random)", [0, 1], names=True),
        _panel(rows, "share", "left, of two equal items", [0.5], names=False),
        spacing=24,
    ).properties(title=_title(judges, len(rows)))
    return dressed(chart)


def _rows(judges: Judges) -> list[dict[str, Any]]:
    """Return what is drawn of each judge."""
    import numpy as np

    width = NormalDist().inv_cdf((1 + judges.level) / 2)
    frame = judges.to_frame()
    low, high = (1 / (1 + np.exp(-(judges.bias + sign * width * judges.bias_error))) for sign in (-1.0, 1.0))
    frame = frame.assign(
        share=judges.left_share,
        share_low=low,
        share_high=high,
        reliability_low=judges.reliability - width * judges.reliability_error,
        reliability_high=judges.reliability + width * judges.reliability_error,
        kind=np.where(judges.is_program, "program", "person"),
        state=[finding or "nothing found" for finding in judges.findings],
        doubtful=[bool(finding) for finding in judges.findings],
    )
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _panel(rows: list[dict[str, Any]], name: str, title: str, lines: list[float], *, names: bool) -> Any:
    import altair as alt

    of_share = {"labelExpr": PERCENT} if name == "share" else {}
    data = alt.Chart(alt.Data(values=rows))
    y = alt.Y(
        "judge:N",
        sort=None,
        title=None,
        scale=alt.Scale(domain=[row["judge"] for row in rows]),
        axis=alt.Axis(labelLimit=220) if names else None,
    )
    x = alt.X(
        f"{name}_low:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5, **of_share)
    )
    colour = alt.condition("datum.doubtful", alt.value(LOSES), alt.value(ACCENT))
    tooltip = [
        alt.Tooltip("judge:N"),
        alt.Tooltip("answers:Q", format=","),
        alt.Tooltip(f"{name}:Q", format=".0%" if name == "share" else ".2f"),
        alt.Tooltip("state:N", title="found"),
    ]
    rule = data.mark_rule(strokeWidth=5, opacity=0.35, strokeCap="round").encode(
        x=x, x2=f"{name}_high:Q", y=y, color=colour, tooltip=tooltip
    )
    shape = alt.Shape(
        "kind:N", legend=None, scale=alt.Scale(domain=["person", "program"], range=["circle", "square"])
    )
    point = data.mark_point(filled=True, size=70, opacity=1).encode(
        x=f"{name}:Q", y=y, color=colour, shape=shape, tooltip=tooltip
    )
    marks = alt.Chart(alt.Data(values=[{"at": at} for at in lines]))
    dashed = marks.mark_rule(strokeDash=[4, 4], color=SOFT).encode(x="at:Q")
    return alt.layer(dashed, rule, point).properties(width=300, height=_ROW * len(rows))


def _title(judges: Judges, drawn: int) -> Any:
    import altair as alt

    parts = [f"bars: {100 * judges.level:g} % intervals; brown: look at these"]
    if judges.programs:
        parts.append("squares: programs")
    if drawn < len(judges):
        parts.append(f"the least reliable {drawn} of {len(judges):,}")
    total = f"{judges.answers.sum():,g}"
    return alt.TitleParams(f"{len(judges):,} judges, {total} answers", subtitle="; ".join(parts), color=INK)
