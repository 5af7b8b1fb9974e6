"""Draw a ranking: scores with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penchant.plots.theme import BAND, GROUPS, INK, SOFT, dressed

if TYPE_CHECKING:
    from penchant.ranking import Ranking, Threshold

_ROW = 22
_FARTHEST_BAR = 1.0
"""The bar is drawn up to so many times the items' range beside it: farther off, it would squeeze the items."""


def ranking_chart(ranking: Ranking, *, most: int = 50) -> Any:
    """Draw scores and their intervals, best on top; items that cannot be told apart share a colour.

    The bar of both-bad answers is a dashed line in a band that is its interval, unless it is so far from the items
    that a scale with both would hide their differences; the subtitle then says where it is.

    Parameters
    ----------
    ranking : Ranking
    most : int
        How many items are drawn at most; the subtitle says when there are more.

    Returns
    -------
    altair.LayerChart
    """
    import altair as alt

    frame = ranking.to_frame().head(most)
    frame["label"] = [f"{rank}  {item}" for rank, item in zip(frame["rank"], frame["item"], strict=True)]
    domain, near = _domain(ranking, frame)
    rows = alt.Y("label:N", sort=None, title=None, axis=alt.Axis(labelLimit=260))
    scores = alt.X(
        "score:Q",
        title=ranking.unit,
        scale=alt.Scale(zero=False, padding=8, **({"domain": domain} if near else {})),
        axis=alt.Axis(tickCount=6, labelFlush=False),
    )
    colour: Any = alt.value(GROUPS[0])
    if "group" in frame:
        frame["shade"] = (frame["group"] - 1) % len(GROUPS)
        colour = alt.Color(
            "shade:O", scale=alt.Scale(domain=list(range(len(GROUPS))), range=list(GROUPS)), legend=None
        )
    tooltip = [
        name
        for name in ("rank", "item", "score", "lower", "upper", "rank_low", "rank_high", "answers")
        if name in frame
    ]
    drawn = alt.Chart(frame).encode(y=rows, color=colour)
    layers = [drawn.mark_circle(size=70, opacity=1).encode(x=scores, tooltip=tooltip)]
    if "lower" in frame:
        layers.insert(
            0,
            drawn.mark_rule(strokeWidth=5, opacity=0.3, strokeCap="round").encode(x="lower:Q", x2="upper:Q"),
        )
    if near and ranking.threshold is not None:
        layers = [*_bar_layers(ranking.threshold), *layers]
    chart = alt.layer(*layers).properties(
        width=460, height=_ROW * len(frame), title=_title(ranking, len(frame), near)
    )
    return dressed(chart)


def _domain(ranking: Ranking, frame: Any) -> tuple[list[float], bool]:
    """Return the range of the scores that are drawn, and whether the bar is near enough to be among them."""
    columns = [frame[name] for name in ("score", "lower", "upper") if name in frame]
    low, high = min(map(min, columns)), max(map(max, columns))
    if ranking.bar is None:
        return [low, high], False
    room = _FARTHEST_BAR * (high - low)
    near = low - room <= ranking.bar <= high + room
    return ([min(low, ranking.bar), max(high, ranking.bar)] if near else [low, high]), near


def _bar_layers(bar: Threshold) -> list[Any]:
    """Return the bar of both-bad answers as a dashed line and, behind it, its interval, cut off where the axis ends."""
    import altair as alt
    from pandas import DataFrame

    known = {"bar": bar.score}
    if bar.lower is not None and bar.upper is not None:
        known |= {"from": bar.lower, "to": bar.upper}
    drawn = alt.Chart(DataFrame([known]))
    line = drawn.mark_rule(strokeDash=[5, 4], strokeWidth=1.5, color=SOFT).encode(x="bar:Q")
    if "from" not in known:
        return [line]
    band = drawn.mark_rect(color=BAND, opacity=0.35, clip=True).encode(x="from:Q", x2="to:Q")
    return [band, line]


def _title(ranking: Ranking, drawn: int, near: bool) -> Any:
    import altair as alt

    parts = [] if ranking.lower is None else [f"bars: {100 * ranking.level:g} % intervals"]
    if ranking.groups is not None:
        parts.append("the order of neighbours of one colour is not certain")
    if ranking.bar is not None:
        side = "right" if ranking.bar > ranking.scores[0] else "left"
        far = f"bar of both-bad answers: {ranking.bar:z.2f}, off to the {side}"
        parts.append("dashed: bar of both-bad answers" if near else far)
    if drawn < len(ranking):
        parts.append(f"the best {drawn} of {len(ranking):,}")
    return alt.TitleParams(ranking.model or "Ranking", subtitle="; ".join(parts), color=INK)
