"""Draw the posterior of linked items, and matrices over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, numbers, square, vector
from penchant.errors import InvalidInput
from penchant.plots.contrast import colour_scale, ink_on, shade
from penchant.plots.theme import ACCENT, GROUPS, INK, LOSES, PAPER, SHAPES, SOFT, WINS, dressed

_MOST = 12
"""More items leave no room for numbers in the cells."""
_SIDE = 44
_ROW = 30
_SHORT = 5  # letters that fit above a cell
_UNIT = 88  # pixels of the radius of the circle of a graph
_BESIDE = 1.14  # where names stand
_MIDDLE = 0.2  # items that are no farther from the middle have their names above or below
_LONGEST_NAME, _LETTER = 160, 8  # pixels
_ZERO = "#d1d5db"
_GROUNDS = (LOSES, PAPER, WINS)


def belief_chart(
    names: Sequence[str],
    mean: ArrayLike,
    variance: ArrayLike,
    *,
    draws: ArrayLike | None = None,
    title: str = "What is believed",
    subtitle: str = "",
) -> Any:
    """Draw the utility of each item as a forest plot: a row an item, the mean, and where it lies with 95 %.

    Parameters
    ----------
    names : sequence of str of shape (n,)
    mean, variance : array-like of shape (n,)
    draws : array-like of shape (k, n), optional
        Utilities drawn from the belief, one dashed line with points of its own shape each.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> belief_chart("abc", [1.0, 0.0, -1.0], [1.0, 4.0, 0.5]).to_dict()["title"]["text"]
    'What is believed'
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
        {
            "item": item,
            "mean": at,
            "low": at - off,
            "high": at + off,
            "words": f"{at:z.2f}, with 95 % between {at - off:z.2f} and {at + off:z.2f}",
        }
        for item, at, off in zip(labels, middle.tolist(), half.tolist(), strict=True)
    ]
    down = alt.Y(
        "item:N", title=None, sort=None, axis=alt.Axis(labelLimit=260), scale=alt.Scale(domain=labels)
    )
    drawn = alt.Chart(alt.Data(values=rows)).encode(
        y=down, tooltip=["item:N", alt.Tooltip("words:N", title="utility")]
    )
    across = {"title": "utility", "scale": alt.Scale(zero=False, padding=10)}
    layers = [
        alt.Chart(alt.Data(values=[{"zero": 0.0}]))
        .mark_rule(color=_ZERO)
        .encode(x=alt.X("zero:Q", **across)),
        drawn.mark_rule(color=ACCENT, opacity=0.3, strokeWidth=5, strokeCap="round").encode(
            x=alt.X("low:Q", **across), x2="high:Q"
        ),
        drawn.mark_circle(color=ACCENT, size=70, opacity=1).encode(x=alt.X("mean:Q", **across)),
    ]
    if draws is not None:
        layers += _draws(labels, draws, down, across)
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(alt.layer(*layers).properties(width=300, height=_ROW * len(labels), title=heading))


def _draws(labels: list[str], draws: ArrayLike, down: Any, across: dict[str, Any]) -> list[Any]:
    """Return a dashed line for each draw from the belief, from item to item, with a shape of its own."""
    import altair as alt

    lines = np.atleast_2d(numbers("draws", draws))
    if lines.shape[1] != len(labels):
        raise InvalidInput(f"draws must have {len(labels)} columns, got {lines.shape[1]}: give one an item")
    values = [
        {"item": item, "place": place, "draw": str(number), "value": value}
        for number, line in enumerate(lines)
        for place, (item, value) in enumerate(zip(labels, line.tolist(), strict=True))
    ]
    names = [str(number) for number in range(len(lines))]
    colours = [GROUPS[1:][number % (len(GROUPS) - 1)] for number in range(len(lines))]
    shapes = [SHAPES[1:][number % (len(SHAPES) - 1)] for number in range(len(lines))]
    drawn = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("value:Q", **across),
        y=down,
        color=alt.Color("draw:N", legend=None, scale=alt.Scale(domain=names, range=colours)),
    )
    return [
        drawn.mark_line(strokeDash=[5, 4], strokeWidth=1.2).encode(order="place:Q"),
        drawn.mark_point(filled=True, size=35, opacity=1).encode(
            shape=alt.Shape("draw:N", legend=None, scale=alt.Scale(domain=names, range=shapes))
        ),
    ]


def linked_matrix_chart(
    names: Sequence[str],
    matrix: ArrayLike,
    *,
    links: ArrayLike | None = None,
    marked: Sequence[tuple[int, int]] = (),
    marked_as: str = "marked",
    title: str = "Covariance",
    subtitle: str = "",
) -> Any:
    """Draw a symmetric matrix of up to 12 items as a map with numbers, and beside it the graph of their links.

    Blue cells are above 0 and brown ones below, the stronger the farther from it.

    Parameters
    ----------
    names : sequence of str of shape (n,)
    matrix : array-like of shape (n, n)
    links : array-like of shape (n, n), optional
        Weights of the graph; the thicker a line, the larger the weight.
    marked : sequence of pairs
        Cells with a frame, both ways round.
    marked_as : str
        What the frames mean, for the subtitle.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart or altair.HConcatChart

    Examples
    --------
    >>> linked_matrix_chart("ab", [[2.0, -0.5], [-0.5, 1.0]]).to_dict()["title"]["text"]
    'Covariance'
    """
    import altair as alt

    labels, values = _labels(names), square("matrix", matrix)
    weights = None if links is None else square("links", links)
    if any(len(part) != len(labels) for part in (values, weights) if part is not None):
        raise InvalidInput(f"matrix and links must have {len(labels)} rows, one an item: give one for each")
    key = [subtitle] if subtitle else []
    key += [f"frames: {marked_as}"] if len(marked) else []
    key += [] if weights is None else ["lines: links, the thicker the larger their weight"]
    heading = alt.TitleParams(title, subtitle=key, color=INK)
    cells = _cells(labels, values, {*marked, *((j, i) for i, j in marked)})
    if weights is None:
        return dressed(cells.properties(title=heading))
    return dressed(alt.hconcat(_graph(labels, weights), cells, spacing=30).properties(title=heading))


def _cells(labels: list[str], values: Floats, marked: set[tuple[int, int]]) -> Any:
    import altair as alt

    largest = float(np.abs(values).max()) or 1.0
    domain = (-largest, 0.0, largest)
    rows = [
        {
            "row": labels[i],
            "column": labels[j],
            "value": float(values[i, j]),
            "text": f"{values[i, j]:z.2f}",
            "ink": ink_on(shade(float(values[i, j]), domain, _GROUNDS)),
            "marked": (i, j) in marked,
        }
        for i in range(len(labels))
        for j in range(len(labels))
    ]
    names = alt.Scale(domain=labels)
    angle = 0 if max(map(len, labels)) <= _SHORT else -45
    drawn = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "column:N",
            title=None,
            sort=None,
            scale=names,
            axis=alt.Axis(labelAngle=angle, orient="top", labelLimit=160),
        ),
        y=alt.Y("row:N", title=None, sort=None, scale=names, axis=alt.Axis(labelLimit=200)),
        tooltip=["row:N", "column:N", alt.Tooltip("text:N", title="value")],
    )
    ends = [-largest, 0.0, largest] if values.min() < 0 else [0.0, largest]
    colour = alt.Color(
        "value:Q",
        scale=colour_scale(domain, _GROUNDS),
        legend=alt.Legend(title=None, gradientLength=100, values=ends, format=".2~f"),
    )
    layers = [
        drawn.mark_rect(stroke="white").encode(color=colour),
        drawn.mark_text(fontSize=11).encode(text="text:N", color=alt.Color("ink:N", scale=None)),
    ]
    if marked:
        frame = drawn.transform_filter("datum.marked").mark_rect(fillOpacity=0, stroke=INK, strokeWidth=3)
        layers.append(frame)
    side = _SIDE * len(labels)
    return alt.layer(*layers).resolve_scale(color="independent").properties(width=side, height=side)


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
    reach = 1.25 + min(_LONGEST_NAME, _LETTER * max(map(len, labels))) / _UNIT
    across = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-reach, reach], nice=False))
    up = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-1.4, 1.4], nice=False))
    places = [
        {"x": a, "y": b, "item": item, "side": "center" if abs(a) < _MIDDLE else "left" if a > 0 else "right"}
        for a, b, item in zip(x.tolist(), y.tolist(), labels, strict=True)
    ]
    dots = alt.Chart(alt.Data(values=places)).encode(x=across, y=up)
    beside = alt.Chart(
        alt.Data(values=[place | {"x": _BESIDE * place["x"], "y": _BESIDE * place["y"]} for place in places])
    ).encode(x=across, y=up, text="item:N")
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
        dots.mark_circle(color=ACCENT, size=130, opacity=1).encode(tooltip=["item:N"]),
        *(
            beside.transform_filter(f"datum.side == '{side}'").mark_text(
                align=side, color=INK, fontSize=13, limit=_LONGEST_NAME
            )
            for side in sorted({place["side"] for place in places})
        ),
    ]
    return alt.layer(*layers).properties(width=2 * reach * _UNIT, height=2.8 * _UNIT)


def _labels(names: Sequence[str]) -> list[str]:
    labels = [str(name) for name in names]
    if not 1 <= len(labels) <= _MOST or len(set(labels)) < len(labels):
        raise InvalidInput(
            f"names must be from 1 to {_MOST} and different, got {len(labels)}: draw fewer items"
        )
    return labels
