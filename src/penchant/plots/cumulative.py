"""Draw the cumulative distributions of groups of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import vector
from penchant.errors import InvalidInput
from penchant.plots.series import colour_of, shape_of, spaced
from penchant.plots.theme import GROUPS, INK, PERCENT, SOFT, dressed

_POINTS = 200  # more cannot be told apart in one line


def cumulative_chart(
    values: Mapping[str, ArrayLike], *, x: str = "value", title: str = "Distribution", subtitle: str = ""
) -> Any:
    """Draw for each group which share of its values is at most x, and a line at 0.

    Parameters
    ----------
    values : dict of name → array-like of shape (n,)
    x : str
        What the axis says.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> cumulative_chart({"ours": [0.1, 0.2, -0.1]}, x="gain").to_dict()["title"]["text"]
    'Distribution'
    """
    import altair as alt

    if not 1 <= len(values) <= len(GROUPS):
        raise InvalidInput(
            f"values must be of 1 to {len(GROUPS)} groups, got {len(values)}: draw the others in another chart"
        )
    sorted_values = {name: np.sort(vector("value", given)) for name, given in values.items()}
    if empty := [name for name, given in sorted_values.items() if not given.size]:
        raise InvalidInput(f"values of {empty[0]} must hold at least 1, got none: leave the group out")
    ticks = np.linspace(
        min(given[0] for given in sorted_values.values()),
        max(given[-1] for given in sorted_values.values()),
        _POINTS,
    )
    ticks = np.unique(
        np.concatenate([ticks, [-1e-9, 0.0]])
    )  # many values are 0, and the step must stand there
    rows = [
        {"name": name, "x": at, "share": share}
        for name, given in sorted_values.items()
        for at, share in zip(
            ticks.tolist(),
            (np.searchsorted(given, ticks, side="right") / len(given)).tolist(),
            strict=True,
        )
    ]
    drawn = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("x:Q", title=x, axis=alt.Axis(format=",~r", tickCount=6)),
        y=alt.Y("share:Q", title="share", axis=alt.Axis(labelExpr=PERCENT, tickCount=6)),
        color=colour_of([*values]),
    )
    line = drawn.mark_line(strokeWidth=2, interpolate="step-after")
    points = (
        drawn.mark_point(filled=True, size=60, opacity=1)
        .encode(shape=shape_of([*values]))
        .properties(data=alt.Data(values=spaced(rows)))
    )
    zero = alt.Chart(alt.Data(values=[{"x": 0.0}])).mark_rule(color=SOFT, strokeDash=[5, 4]).encode(x="x:Q")
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(alt.layer(zero, line, points).properties(width=460, height=300, title=heading))
