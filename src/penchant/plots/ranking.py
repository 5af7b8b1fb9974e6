"""Step four: a ranking as a picture. A Ranking in; an Altair chart of scores with their intervals out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penchant.plots.theme import GROUPS, INK, dressed

if TYPE_CHECKING:
    from penchant.ranking import Ranking

_ROW = 22


def ranking_chart(ranking: Ranking, *, most: int = 50) -> Any:
    """Draw scores and their intervals, best on top; items that cannot be told apart share a colour.

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
    rows = alt.Y("label:N", sort=None, title=None, axis=alt.Axis(labelLimit=260))
    scores = alt.X(
        "score:Q",
        title="score",
        scale=alt.Scale(zero=False, padding=8),
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
    chart = alt.layer(*layers).properties(
        width=460, height=_ROW * len(frame), title=_title(ranking, len(frame))
    )
    return dressed(chart)


def _title(ranking: Ranking, drawn: int) -> Any:
    import altair as alt

    told = [] if ranking.lower is None else [f"bars: {100 * ranking.level:g} % intervals"]
    if ranking.groups is not None:
        told.append("neighbours of one colour cannot be told apart")
    if drawn < len(ranking):
        told.append(f"the best {drawn} of {len(ranking):,}")
    return alt.TitleParams(ranking.model or "Ranking", subtitle="; ".join(told), color=INK)
