"""Draw the outcomes of runs over the number of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, numbers, vector
from penchant.errors import InvalidInput
from penchant.plots.series import colour_of, shape_of, spaced
from penchant.plots.theme import GROUPS, INK, dressed

_WHISKER = 1.5  # boxes' lengths from a box at which a value stands alone
_KEY = "boxes: the middle half of the runs; thick line: the median; points: runs beyond 1.5 boxes' lengths"


def answered_chart(
    answers: Sequence[float] | ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    y: str = "mean average precision",
    log: bool = False,
    title: str = "What answers bring",
    subtitle: str = "",
) -> Any:
    """Draw the mean over runs after each number of answers, with one standard error around it.

    Parameters
    ----------
    answers : array-like of shape (n,)
    curves : dict of name → array-like of shape (runs, n)
        Up to 6.
    y : str
        What the axis says.
    log : bool
        Whether that axis is logarithmic; what is not above 0 is left out there.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> answered_chart([0, 10, 20], {"ours": [[0.5, 0.6, 0.7], [0.4, 0.6, 0.8]]}, y="MAP").to_dict()["title"]["text"]
    'What answers bring'
    """
    import altair as alt

    at, tables = _checked(answers, curves, len(GROUPS))
    rows = [row for name, table in tables.items() for row in _points(name, at, table, log)]
    drawn = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "at:Q", title="answers", scale=alt.Scale(nice=False), axis=alt.Axis(format=",d", tickCount=6)
        ),
        color=colour_of([*tables]),
    )
    scale = alt.Scale(type="log" if log else "linear", zero=False)
    up = alt.Y("mean:Q", title=y, scale=scale, axis=alt.Axis(format=",~g", tickCount=6))
    tooltip = ["name:N", "at:Q", alt.Tooltip("mean:Q", format=".4g"), alt.Tooltip("error:Q", format=".2g")]
    layers = [
        drawn.mark_area(opacity=0.13).encode(y=alt.Y("low:Q", title=y, scale=scale), y2="high:Q"),
        drawn.mark_line(strokeWidth=2).encode(y=up, tooltip=tooltip),
        drawn.mark_point(filled=True, size=60, opacity=1)
        .encode(y=up, shape=shape_of([*tables]), tooltip=tooltip)
        .properties(data=alt.Data(values=spaced(rows))),
    ]
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(alt.layer(*layers).properties(width=460, height=300, title=heading))


def answered_boxes_chart(
    answers: Sequence[float] | ArrayLike,
    groups: Mapping[str, ArrayLike],
    *,
    y: str = "average precision",
    title: str = "How the runs spread",
    subtitle: str = "",
) -> Any:
    """Draw how runs spread after each number of answers: a box from the first to the third quartile, side by side.

    Whiskers reach to the last value within 1.5 lengths of the box; values beyond are points.

    Parameters
    ----------
    answers : array-like of shape (n,)
    groups : dict of name → array-like of shape (runs, n)
        Up to 3, one panel each.
    y : str
    title, subtitle : str

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> answered_boxes_chart([50], {"ours": [[0.5], [0.6], [0.7]]}).to_dict()["title"]["text"]
    'How the runs spread'
    """
    import altair as alt

    at, tables = _checked(answers, groups, 3)
    everything = np.concatenate([table.ravel() for table in tables.values()])
    scale = alt.Scale(domain=[float(everything.min()), float(everything.max())], nice=True, zero=False)
    panels = [
        _boxes(name, at, table, GROUPS[number], scale, y if number == 0 else None)
        for number, (name, table) in enumerate(tables.items())
    ]
    heading = alt.TitleParams(title, subtitle=[*([subtitle] if subtitle else []), _KEY], color=INK)
    return dressed(alt.hconcat(*panels, spacing=18).properties(title=heading))


def _boxes(name: str, at: Floats, table: Floats, colour: str, scale: Any, y: str | None) -> Any:
    import altair as alt

    boxes, beyond = _quartiles(at, table)
    along = alt.X("at:O", title="answers", axis=alt.Axis(format=",d", labelAngle=0))
    # Hidden labels keep the room of shown ones, so that panels and their titles stand in line.
    axis = alt.Axis(labelOpacity=float(y is not None), format=",~g", tickCount=6)
    drawn = alt.Chart(alt.Data(values=boxes)).encode(x=along)
    up = {"scale": scale, "title": y, "axis": axis}
    layers = [
        drawn.mark_rule(color=colour).encode(y=alt.Y("low:Q", **up), y2="high:Q"),
        drawn.mark_bar(color="white", opacity=1, size=18).encode(y=alt.Y("first:Q", **up), y2="third:Q"),
        drawn.mark_bar(color=colour, opacity=0.35, size=18).encode(y=alt.Y("first:Q", **up), y2="third:Q"),
        drawn.mark_tick(color=colour, thickness=2.5, size=18).encode(y=alt.Y("middle:Q", **up)),
        alt.Chart(alt.Data(values=beyond))
        .mark_circle(color=colour, size=12, opacity=0.6)
        .encode(x=along, y=alt.Y("value:Q", **up)),
    ]
    titled = alt.TitleParams(name, fontSize=13, color=INK)
    return alt.layer(*layers).properties(width=max(120, 34 * len(at)), height=280, title=titled)


def _quartiles(at: Floats, table: Floats) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    boxes, beyond = [], []
    for place, values in zip(at.tolist(), table.T, strict=True):
        first, middle, third = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
        reach = _WHISKER * (third - first)
        inside = values[(values >= first - reach) & (values <= third + reach)]
        boxes.append(
            {
                "at": place,
                "first": first,
                "middle": middle,
                "third": third,
                "low": float(inside.min()),
                "high": float(inside.max()),
            }
        )
        alone = values[(values < inside.min()) | (values > inside.max())]
        beyond += [{"at": place, "value": value} for value in alone.tolist()]
    return boxes, beyond


def _points(name: str, at: Floats, table: Floats, log: bool) -> list[dict[str, Any]]:
    mean = table.mean(axis=0)
    error = table.std(axis=0, ddof=1) / np.sqrt(len(table)) if len(table) > 1 else np.zeros_like(mean)
    low = np.maximum(mean - error, 0.01 * mean) if log else mean - error
    return [
        {"name": name, "at": place, "mean": middle, "error": off, "low": below, "high": middle + off}
        for place, middle, off, below in zip(
            at.tolist(), mean.tolist(), error.tolist(), low.tolist(), strict=True
        )
        if middle > 0 or not log
    ]


def _checked(answers: Any, given: Mapping[str, ArrayLike], most: int) -> tuple[Floats, dict[str, Floats]]:
    at = vector("answers", answers)
    if not 1 <= len(given) <= most:
        raise InvalidInput(f"names must be from 1 to {most}, got {len(given)}: draw the others elsewhere")
    tables = {name: np.atleast_2d(numbers(name, values)) for name, values in given.items()}
    for name, table in tables.items():
        if table.ndim != 2 or table.shape[1] != len(at) or not table.size:
            raise InvalidInput(
                f"{name} must have one column for each of {len(at)} numbers of answers, got shape {table.shape}: "
                "give one row a run"
            )
    return at, tables
