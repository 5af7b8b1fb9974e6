"""Draw a matrix of preferences as a graph."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, same_length, square, vector
from penchant.errors import InvalidInput
from penchant.plots.theme import ACCENT, INK, PAPER, SOFT, dressed

_DRAWN = 8  # the arrows of more items cannot be followed
_UNIT = 131  # pixels of the circle's radius
_MIDDLE = 0.2  # items that are no farther from the middle have their names above or below
_NODE = 0.1  # radius of a vertex where the circle has 1
_BESIDE = 1.21  # where names stand
_LONGEST_NAME = 200  # pixels
_LETTER = 8  # pixels of a letter of a name, about
_BEND = 0.16
_STEPS = 24
_LABELLED = 20  # with more arrows their labels would cover one another: tooltips have them in any case
_LABELLED_AT = 0.36  # of the way: half-way the arrows cross


def preference_graph_chart(
    preference: ArrayLike,
    names: Sequence[str],
    *,
    scores: ArrayLike | None = None,
    chosen: int | None = None,
    gone: Collection[int] = (),
    title: str = "Preferences",
    subtitle: str = "",
) -> Any:
    """Draw items on a circle, with an arrow to each item that they are preferred to, as thick as the preference.

    Names stand outside the circle, scores below them.

    Parameters
    ----------
    preference : array-like of shape (n, n)
        The preference for each row's item over each column's, at least 0, at most 8 items; 0 has no arrow and
        the diagonal is ignored.
    names : sequence of str of shape (n,)
    scores : array-like of shape (n,), optional
        Of each item, written below its name; those of items that are gone may be NaN.
    chosen : int, optional
        The item that is marked with its arrows.
    gone : collection of int
        Items that are drawn pale, without arrows and scores.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> preference = [[0, 0.8, 0.6], [0.2, 0, 0.9], [0.4, 0.1, 0]]
    >>> preference_graph_chart(preference, ["tea", "coffee", "water"]).to_dict()["title"]["text"]
    'Preferences'
    """
    import altair as alt

    F = square("preference", preference)
    _check(F, names, chosen, gone)
    values = None if scores is None else _left(scores, gone, len(F))
    arrows = [
        (i, j)
        for i in range(len(F))
        for j in range(len(F))
        if i != j and F[i, j] > 0 and not {i, j} & {*gone}
    ]
    at = _places(len(F))
    high = _BESIDE * float(np.abs(at).max()) + 0.25
    wide = high + min(_LONGEST_NAME, _LETTER * max(map(len, names))) / _UNIT
    x, y = (
        channel(f"{axis}:Q", scale=alt.Scale(domain=[-end, end], nice=False), axis=None)
        for channel, axis, end in ((alt.X, "x", wide), (alt.Y, "y", high))
    )
    strength = alt.Scale(domain=[0, float(F.max(initial=0)) or 1.0], range=[0.75, 3])
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=["chosen", "other"], range=[ACCENT, "#9ca3af"]), legend=None
    )
    shafts = [row for i, j in arrows for row in _shaft(F, at, i, j, chosen)]
    heads, weights = (
        [
            _on_arrow(F, at, i, j, chosen, place) | {"words": f"{names[i]} over {names[j]}: {F[i, j]:.3g}"}
            for i, j in arrows
        ]
        for place in (1.0, _LABELLED_AT)
    )
    nodes = [_node(at, i, names[i], values, chosen, gone) for i in range(len(F))]
    lines = alt.Chart(alt.Data(values=shafts)).mark_line(interpolate="linear")
    tips, labels, drawn, beside = (
        alt.Chart(alt.Data(values=rows)).encode(x=x, y=y)
        for rows in (
            heads,
            weights,
            nodes,
            [node | {axis: _BESIDE * node[axis] for axis in "xy"} for node in nodes],
        )
    )
    layers = [
        lines.encode(
            x=x,
            y=y,
            detail="arrow:N",
            order="step:Q",
            color=colour,
            strokeWidth=alt.StrokeWidth("weight:Q", scale=strength, legend=None),
        ),
        tips.mark_point(shape="triangle", filled=True, size=110, opacity=1).encode(
            angle=alt.Angle("angle:Q", scale=alt.Scale(domain=[0, 360], range=[0, 360])),
            color=colour,
            tooltip=[alt.Tooltip("words:N", title="preference")],
        ),
        *(
            []
            if len(arrows) > _LABELLED
            else [
                labels.mark_circle(size=900, color="white", opacity=1),
                labels.mark_text(fontSize=11).encode(text=alt.Text("weight:Q", format=".3~g"), color=colour),
            ]
        ),
        drawn.mark_circle(size=420, opacity=1, strokeWidth=1.5).encode(
            fill=alt.Fill("fill:N", scale=None), stroke=alt.Stroke("ink:N", scale=None), tooltip=["name:N"]
        ),
        *(
            beside.transform_filter(f"datum.side == '{side}'")
            .mark_text(align=side, limit=_LONGEST_NAME, **look)
            .encode(text=f"{field}:N", color=alt.Color("text:N", scale=None))
            for side in _sides(nodes)
            for field, look in (
                ("name", {"fontSize": 14, "fontWeight": "bold", "dy": -7 if values is not None else 0}),
                ("score", {"fontSize": 12, "dy": 9}),
            )
        ),
    ]
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(
        alt.layer(*layers)
        .resolve_scale(color="independent")
        .properties(width=2 * wide * _UNIT, height=2 * high * _UNIT, title=heading)
    )


def _check(F: Floats, names: Sequence[str], chosen: int | None, gone: Collection[int]) -> None:
    if not 1 <= len(F) <= _DRAWN:
        raise InvalidInput(f"preference must be of 1 to {_DRAWN} items, got {len(F)}: draw fewer of them")
    if len(names) != len(F):
        raise InvalidInput(f"names must be {len(F)}, one an item, got {len(names)}: correct them")
    if (F < 0).any():
        raise InvalidInput(f"preference must be at least 0, got {F.min():g}: scale it")
    wrong = [item for item in (*gone, *(() if chosen is None else (chosen,))) if not 0 <= item < len(F)]
    if wrong or chosen in gone:
        raise InvalidInput(
            f"chosen and gone must be different items from 0 to {len(F) - 1}, got {chosen} and {sorted(gone)}: "
            "correct them"
        )


def _left(scores: ArrayLike, gone: Collection[int], n: int) -> Floats:
    """Return clean scores; those of items that are gone may be missing."""
    left = np.isin(np.arange(n), list(gone), invert=True)
    values = np.atleast_1d(np.asarray(scores, dtype=np.float64))
    same_length("score", values, n)
    return vector("score", np.where(left, values, 0.0))


def _places(n: int) -> Floats:
    """Return where the items stand, the first at the upper left and on clockwise, shape (n, 2)."""
    angle = 3 * np.pi / 4 - 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _curve(at: Floats, i: int, j: int) -> Floats:
    """Return points from the rim of item i to that of j, bent to the left, shape (steps, 2)."""
    apart = at[j] - at[i]
    bend = (at[i] + at[j]) / 2 + 2 * _BEND * np.array([-apart[1], apart[0]]) / 2
    t = np.linspace(0, 1, 4 * _STEPS)[:, None]
    points = (1 - t) ** 2 * at[i] + 2 * t * (1 - t) * bend + t**2 * at[j]
    outside = np.linalg.norm(points - at[i], axis=1) > _NODE
    free = outside & (np.linalg.norm(points - at[j], axis=1) > 1.6 * _NODE)
    return np.asarray(points[free])


def _kind(i: int, j: int, chosen: int | None) -> str:
    return "chosen" if chosen in (i, j) else "other"


def _shaft(F: Floats, at: Floats, i: int, j: int, chosen: int | None) -> list[dict[str, Any]]:
    shared = {"arrow": f"{i} {j}", "weight": float(F[i, j]), "kind": _kind(i, j, chosen)}
    return [
        shared | {"x": float(x), "y": float(y), "step": step} for step, (x, y) in enumerate(_curve(at, i, j))
    ]


def _on_arrow(F: Floats, at: Floats, i: int, j: int, chosen: int | None, place: float) -> dict[str, Any]:
    """Return a point on an arrow, 1 being its end, and where the arrow points to there."""
    points = _curve(at, i, j)
    step = max(1, round(place * (len(points) - 1)))
    along = points[step] - points[step - 1]
    return {
        "x": float(points[step][0]),
        "y": float(points[step][1]),
        "angle": float(np.degrees(np.arctan2(along[0], along[1])) % 360),
        "weight": float(F[i, j]),
        "kind": _kind(i, j, chosen),
    }


def _node(
    at: Floats, i: int, name: str, scores: Floats | None, chosen: int | None, gone: Collection[int]
) -> dict[str, Any]:
    look = {"fill": "white", "ink": INK, "text": INK}
    if i == chosen:
        look = {"fill": ACCENT, "ink": ACCENT, "text": ACCENT}
    elif i in gone:
        look = {"fill": PAPER, "ink": "#e5e7eb", "text": SOFT}
    score = "" if scores is None or i in gone else f"{scores[i]:.3g}".replace("-", "−")
    x, y = at[i].tolist()
    side = "center" if abs(x) < _MIDDLE else ("left" if x > 0 else "right")
    return {"x": x, "y": y, "name": name, "score": score, "side": side} | look


def _sides(nodes: list[dict[str, Any]]) -> list[str]:
    """Return the sides of the circle on which there are items, by how their names are aligned."""
    return sorted({node["side"] for node in nodes})
