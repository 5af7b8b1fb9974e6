"""Draw the posterior of linked items, and matrices over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, numbers, square, vector
from penchant.errors import InvalidInput
from penchant.plots.theme import ACCENT, BAND, GROUPS, INK, PAPER, SOFT, dressed

_MOST = 12
"""More items leave no room for numbers in the cells."""
_SIDE = 44


def belief_chart(
    names: Sequence[str],
    mean: ArrayLike,
    variance: ArrayLike,
    *,
    draws: ArrayLike | None = None,
    title: str = "What is believed",
    subtitle: str = "",
) -> Any:
    """Draw the utility of each item: the mean, and where it lies with 95 %.

    Parameters
    ----------
    names : sequence of str of shape (n,)
    mean, variance : array-like of shape (n,)
    draws : array-like of shape (k, n), optional
        Utilities drawn from the belief, one dashed line each.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart
    """
    import altair as alt

    labels = _labels(names)
    middle, spread = vector("mean", mean), vector("variance", variance)
    if not len(labels) == len(middle) == len(spread):
        raise InvalidInput(
            f"names, mean and variance must be equally many, got {len(labels)}, {len(middle)} and "
            f"{len(spread)}: give one an item"
        )
    half = 1.96 * np.sqrt(np.maximum(spread, 0.0))
    rows = [
        {"item": item, "mean": at, "low": at - off, "high": at + off}
        for item, at, off in zip(labels, middle.tolist(), half.tolist(), strict=True)
    ]
    along = alt.X(
        "item:N", title=None, sort=None, axis=alt.Axis(labelAngle=0), scale=alt.Scale(domain=labels)
    )
    drawn = alt.Chart(alt.Data(values=rows)).encode(x=along)
    layers = [
        drawn.mark_bar(color=BAND, size=22).encode(y=alt.Y("low:Q", title="utility"), y2="high:Q"),
        drawn.mark_line(
            color=ACCENT, strokeWidth=2, point={"size": 50, "filled": True, "color": ACCENT}
        ).encode(y=alt.Y("mean:Q", title="utility")),
    ]
    if draws is not None:
        lines = np.atleast_2d(numbers("draws", draws))
        if lines.shape[1] != len(labels):
            raise InvalidInput(
                f"draws must have {len(labels)} columns, got {lines.shape[1]}: give one an item"
            )
        values = [
            {"item": item, "draw": str(number), "value": value}
            for number, line in enumerate(lines)
            for item, value in zip(labels, line.tolist(), strict=True)
        ]
        layers.append(
            alt.Chart(alt.Data(values=values))
            .mark_line(strokeDash=[5, 4], strokeWidth=1.5)
            .encode(
                x=along,
                y="value:Q",
                color=alt.Color("draw:N", legend=None, scale=alt.Scale(range=[*GROUPS[1:]])),
            )
        )
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(alt.layer(*layers).properties(width=300, height=260, title=heading))


def linked_matrix_chart(
    names: Sequence[str],
    matrix: ArrayLike,
    *,
    links: ArrayLike | None = None,
    marked: Sequence[tuple[int, int]] = (),
    title: str = "Covariance",
    subtitle: str = "",
) -> Any:
    """Draw a symmetric matrix of up to 12 items as a map with numbers, and beside it the graph of their links.

    Parameters
    ----------
    names : sequence of str of shape (n,)
    matrix : array-like of shape (n, n)
    links : array-like of shape (n, n), optional
        Weights of the graph; the thicker a line, the larger the weight.
    marked : sequence of pairs
        Cells with a frame, both ways round.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart or altair.HConcatChart
    """
    import altair as alt

    labels, values = _labels(names), square("matrix", matrix)
    weights = None if links is None else square("links", links)
    if any(len(part) != len(labels) for part in (values, weights) if part is not None):
        raise InvalidInput(f"matrix and links must have {len(labels)} rows, one an item: give one for each")
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    cells = _cells(labels, values, {*marked, *((j, i) for i, j in marked)})
    if weights is None:
        return dressed(cells.properties(title=heading))
    return dressed(alt.hconcat(_graph(labels, weights), cells, spacing=30).properties(title=heading))


def _cells(labels: list[str], values: Floats, marked: set[tuple[int, int]]) -> Any:
    import altair as alt

    low, high = float(values.min()), float(values.max())
    span = high - low or 1.0
    rows = [
        {
            "row": labels[i],
            "column": labels[j],
            "value": float(values[i, j]),
            "told": f"{values[i, j]:.2f}",
            "strong": bool(values[i, j] > low + 0.75 * span),
            "marked": (i, j) in marked,
        }
        for i in range(len(labels))
        for j in range(len(labels))
    ]
    domain = alt.Scale(domain=labels)
    drawn = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("column:N", title=None, sort=None, scale=domain, axis=alt.Axis(labelAngle=0, orient="top")),
        y=alt.Y("row:N", title=None, sort=None, scale=domain),
    )
    colour = alt.Color(
        "value:Q", legend=None, scale=alt.Scale(domain=[low, high], range=[PAPER, ACCENT], interpolate="lab")
    )
    layers = [
        drawn.mark_rect(stroke="white").encode(color=colour),
        drawn.mark_text(fontSize=11).encode(
            text="told:N", color=alt.condition("datum.strong", alt.value("white"), alt.value(INK))
        ),
    ]
    if marked:
        frame = drawn.transform_filter("datum.marked").mark_rect(
            fillOpacity=0, stroke=GROUPS[2], strokeWidth=3
        )
        layers.append(frame)
    side = _SIDE * len(labels)
    return alt.layer(*layers).properties(width=side, height=side)


def _graph(labels: list[str], weights: Floats) -> Any:
    """Draw items on a circle, with a line for each link."""
    import altair as alt

    angle = 2 * np.pi * np.arange(len(labels)) / len(labels)
    x, y = np.sin(angle), np.cos(angle)
    most = float(weights.max()) or 1.0
    lines = [
        {"x": x[i], "y": y[i], "x2": x[j], "y2": y[j], "weight": float(weights[i, j] / most)}
        for i, j in zip(*np.nonzero(np.triu(weights, 1)), strict=True)
    ]
    scale, none = alt.Scale(domain=[-1.25, 1.25]), None
    across, up = alt.X("x:Q", axis=none, scale=scale), alt.Y("y:Q", axis=none, scale=scale)
    dots = alt.Chart(
        alt.Data(values=[{"x": a, "y": b, "item": item} for a, b, item in zip(x, y, labels, strict=True)])
    ).encode(x=across, y=up)
    layers = [
        alt.Chart(alt.Data(values=lines))
        .mark_rule(color=SOFT)
        .encode(
            x=across,
            y=up,
            x2="x2:Q",
            y2="y2:Q",
            strokeWidth=alt.StrokeWidth(
                "weight:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0, 3])
            ),
        ),
        dots.mark_circle(color=BAND, size=700, opacity=1),
        dots.mark_text(color=INK, fontSize=13).encode(text="item:N"),
    ]
    return alt.layer(*layers).properties(width=220, height=220)


def _labels(names: Sequence[str]) -> list[str]:
    labels = [str(name) for name in names]
    if not 1 <= len(labels) <= _MOST or len(set(labels)) < len(labels):
        raise InvalidInput(
            f"names must be from 1 to {_MOST} and different, got {len(labels)}: draw fewer items"
        )
    return labels
