"""Draw a ranking: scores with their intervals, and the ranks that each item may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Ints, whole
from penchant.counts import Count, as_counts, counted, shown_count
from penchant.plots.axis_range import axis_range
from penchant.plots.theme import ACCENT, BAND, INK, SOFT, dressed

if TYPE_CHECKING:
    from penchant.ranking import Ranking, Threshold

_WIDTH = 460
_ROW, _LOW_ROW = 22, 14
_HIGH_ROWS = 60
"""Up to so many items have rows of full height."""
_MOST = 200
"""More rows would be no picture but a table, which the HTML page has."""
_MOST_LISTED = 10_000
_LONGEST_MODEL = 90
_FARTHEST_BAR = 1.0
"""The bar is drawn up to so many times the items' range beside it: farther off, it would squeeze the items."""
_UNITS = {
    "Thurstone": "score (standard deviations of one judgement)",
    "Elo": "rating (points)",
    "Glicko": "rating (points)",
    "Glicko2": "rating (points)",
    "LinkedGP": "utility",
    "PreferenceGP": "utility",
    "MonotoneGP": "utility",
}
"""What the axis says of scores without a scale, by the first word of the model."""


def ranking_chart(ranking: Ranking, *, most: int = 50, n_answers: Count | None = None) -> Any:
    """Draw scores and their intervals, best on top, and beside them the ranks that each item may have.

    All items have one colour: which of two is better is certain only where their ranks do not overlap. An item or an
    interval that is so far off that the others could not be told apart ends in an arrow at the edge. Of a long ranking
    the first and the last are drawn; as a page (`save_chart` to ``.html``) the picture has a table of all items below
    it that can be searched. The bar of both-bad answers is a dashed line in a band that is its interval, unless it is
    far from the items; the subtitle then says where it is.

    Parameters
    ----------
    ranking : Ranking
    most : int
        How many items are drawn at most, up to 200: two thirds of them are the first, the others the last.
    n_answers : int or float, optional
        From how many answers the ranking was made; without it the title counts comparisons, where they are known.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> from penchant.ranking import Ranking
    >>> chart = ranking_chart(Ranking.from_scores(["tea", "water"], [1.0, -1.0], variance=[0.1, 0.1]))
    >>> sorted(chart.to_dict())[:2]
    ['$schema', 'config']
    """
    import altair as alt

    whole("most", most, 1, _MOST, remedy="the HTML page lists all items")
    drawn = _drawn(len(ranking), most)
    low, high = _ends(ranking, drawn)
    near = _is_near(ranking, low, high)
    if near and ranking.bar is not None:
        low, high = min(low, ranking.bar), max(high, ranking.bar)
    rows = [_row(ranking, place, low, high) for place in drawn.tolist()]
    labels = [row["label"] for row in rows]
    if len(drawn) < len(ranking):
        labels.insert(_first(most), _gap(len(ranking) - len(drawn)))
    scale = alt.Scale(domain=[low, high] if high > low else [low - 1, high + 1], nice=False, padding=10)
    across = {"title": _unit(ranking), "scale": scale, "axis": alt.Axis(tickCount=6, labelFlush=False)}
    tooltip = [
        alt.Tooltip(f"{name}:N", title=name)
        for name in ("item", "rank", "score", "answers")
        if name in rows[0]
    ]
    height = (_ROW if len(labels) <= _HIGH_ROWS else _LOW_ROW) * len(labels)
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y(
            "label:N",
            title=None,
            sort=None,
            scale=alt.Scale(domain=labels),
            axis=alt.Axis(labelLimit=260, labelFontSize=12 if len(labels) <= _HIGH_ROWS else 10),
        ),
        tooltip=tooltip,
    )
    layers = _bar_layers(ranking.threshold, across) if near and ranking.threshold is not None else []
    if ranking.lower is not None:
        layers.append(
            base.mark_rule(strokeWidth=5, opacity=0.3, strokeCap="round", color=ACCENT).encode(
                x=alt.X("from:Q", **across), x2="to:Q"
            )
        )
    layers.append(
        base.transform_filter("!datum.far")
        .mark_circle(size=70, opacity=1, color=ACCENT)
        .encode(x=alt.X("at:Q", **across))
    )
    layers += _arrows(base, rows, across)
    if ranking.rank_low is not None:
        layers += _ranges(base, ranking)
    title = alt.TitleParams(_title(ranking, n_answers), subtitle=_subtitle(ranking, rows, near), color=INK)
    chart = alt.layer(*layers).properties(
        width=_WIDTH, height=height, title=title, usermeta={"table": ranking.rows(_MOST_LISTED)}
    )
    return dressed(chart)


def _first(most: int) -> int:
    return most - most // 3


def _drawn(n_items: int, most: int) -> Ints:
    """Return the places of the items that are drawn: all of them, or the first and the last."""
    if n_items <= most:
        return np.arange(n_items)
    last = most // 3
    return np.concatenate([np.arange(_first(most)), np.arange(n_items - last, n_items)])


def _gap(n_left_out: int) -> str:
    return f"… {n_left_out:,} more"


def _ends(ranking: Ranking, drawn: Ints) -> tuple[float, float]:
    lower, upper = (None if side is None else side[drawn] for side in (ranking.lower, ranking.upper))
    return axis_range(ranking.scores[drawn], lower, upper)


def _is_near(ranking: Ranking, low: float, high: float) -> bool:
    """Whether the bar of both-bad answers, if there is one, is near enough to be drawn."""
    room = _FARTHEST_BAR * (high - low)
    return ranking.bar is not None and low - room <= ranking.bar <= high + room


def _unit(ranking: Ranking) -> str:
    """Return what the axis says: the unit of the scale that the ranking has, else that of its model."""
    return ranking.unit if ranking.scale else _UNITS.get(ranking.model.partition("(")[0], "score")


def _row(ranking: Ranking, place: int, low: float, high: float) -> dict[str, Any]:
    """Return an item as it is drawn: inside the axis, with what its tooltip says."""
    score, rank, item = float(ranking.scores[place]), int(ranking.ranks[place]), ranking.items[place]
    level = f"{100 * ranking.level:g} %"
    row: dict[str, Any] = {
        "label": f"{rank}  {item}",
        "item": item,
        "rank": f"{rank:,}",
        "score": ranking.shown_score(score),
    }
    row |= {"at": min(max(score, low), high), "far": not low <= score <= high}
    edges = [score]
    if ranking.lower is not None and ranking.upper is not None:
        edges = [float(ranking.lower[place]), float(ranking.upper[place])]
        row |= {"from": min(max(edges[0], low), high), "to": min(max(edges[1], low), high)}
        row["score"] += (
            f", with {level} between {ranking.shown_score(edges[0])} and {ranking.shown_score(edges[1])}"
        )
    if ranking.rank_low is not None and ranking.rank_high is not None:
        best, worst = int(ranking.rank_low[place]), int(ranking.rank_high[place])
        row["ranks"] = f"{best:,}" if best == worst else f"{best:,}–{worst:,}"
        row["rank"] += f", with {level} " + (
            "this one" if best == worst else f"between {best:,} and {worst:,}"
        )
    if ranking.answers is not None:
        row["answers"] = f"took part in {counted(ranking.answers[place].item(), 'comparison')}"
    return row | {"left": min(edges) < low, "right": max(edges) > high}


def _arrows(base: Any, rows: list[dict[str, Any]], across: dict[str, Any]) -> list[Any]:
    """Return a triangle at each end of the axis where a score or an interval goes on, larger for a score."""
    import altair as alt

    return [
        base.transform_filter(f"datum.{side}")
        .mark_point(shape=f"triangle-{side}", filled=True, opacity=1, color=ACCENT)
        .encode(
            x=alt.X(datum=across["scale"].domain[side == "right"], **across),
            size=alt.condition("datum.far", alt.value(130), alt.value(40)),
        )
        for side in ("left", "right")
        if any(row[side] for row in rows)
    ]


def _ranges(base: Any, ranking: Ranking) -> list[Any]:
    """Return the column of rank ranges at the right, with its heading."""
    import altair as alt

    text = {"align": "left", "color": SOFT, "fontSize": 11, "dx": 14}
    heading = alt.Data(values=[{"heading": f"ranks, {100 * ranking.level:g} %"}])
    return [
        base.mark_text(**text).encode(x=alt.value(_WIDTH), text="ranks:N"),
        alt.Chart(heading)
        .mark_text(**text, baseline="bottom")
        .encode(x=alt.value(_WIDTH), y=alt.value(-2), text="heading:N"),
    ]


def _bar_layers(bar: Threshold, across: dict[str, Any]) -> list[Any]:
    """Return the bar of both-bad answers as a dashed line and, behind it, its interval, cut off where the axis ends."""
    import altair as alt

    place = {"bar": bar.score}
    if bar.lower is not None and bar.upper is not None:
        place |= {"from": bar.lower, "to": bar.upper}
    drawn = alt.Chart(alt.Data(values=[place]))
    line = drawn.mark_rule(strokeDash=[5, 4], strokeWidth=1.5, color=SOFT).encode(x=alt.X("bar:Q", **across))
    if "from" not in place:
        return [line]
    band = drawn.mark_rect(color=BAND, opacity=0.35, clip=True).encode(x=alt.X("from:Q", **across), x2="to:Q")
    return [band, line]


def _title(ranking: Ranking, n_answers: Count | None) -> str:
    ranked = f"{counted(len(ranking), 'item')} ranked"
    if n_answers is not None:
        return f"{ranked} from {counted(n_answers, 'answer')}"
    if ranking.answers is None:
        return ranked
    comparisons = as_counts(np.array([ranking.answers.sum() / 2]), whole=ranking.answers.dtype.kind == "i")
    return f"{ranked} from {counted(comparisons[0].item(), 'comparison')}"


def _subtitle(ranking: Ranking, rows: list[dict[str, Any]], near: bool) -> list[str]:
    lines = [_cut(ranking.model)] if ranking.model else []
    if ranking.lower is not None:
        parts = [f"lines: {100 * ranking.level:g} % intervals"]
        if ranking.rank_low is not None:
            parts.append("right: the ranks that each item may have")
        lines.append("; ".join(parts))
    if any(row["left"] or row["right"] for row in rows):
        far = [row for row in rows if row["far"]]
        named = "; ".join(f"{row['item'][:20]} at {row['score'].partition(',')[0]}" for row in far[:3])
        more = f" and {len(far) - 3} more" if len(far) > 3 else ""
        lines.append("arrows: beyond the axis" + (f" ({named}{more})" if far else ""))
    if ranking.bar is not None:
        side = "right" if ranking.bar > ranking.scores[0] else "left"
        far_bar = f"bar of both-bad answers: {ranking.shown_score(ranking.bar)}, off to the {side}"
        lines.append("dashed: bar of both-bad answers" if near else far_bar)
    if len(rows) < len(ranking):
        lines.append(
            f"the first {_first(len(rows))} and the last {len(rows) // 3} of {shown_count(len(ranking))}"
        )
    return lines


def _cut(model: str) -> str:
    return model if len(model) <= _LONGEST_MODEL else f"{model[: _LONGEST_MODEL - 1]}…"
