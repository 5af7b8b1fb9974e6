"""Draw outcomes over the values of a setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import vector
from penchant.errors import InvalidInput
from penchant.plots.series import colour_of, shape_of
from penchant.plots.theme import GROUPS, INK, dressed


def sweep_chart(
    values: Sequence[float],
    outcomes: Mapping[str, ArrayLike],
    *,
    references: Mapping[str, float] | None = None,
    log: bool = True,
    x: str = "value",
    y: str = "regret",
    title: str = "Sensitivity",
    subtitle: str = "",
) -> Any:
    """Draw an outcome over the values of a setting, which stand on a logarithmic axis.

    Parameters
    ----------
    values : sequence of float of shape (n,)
        Of the setting, above 0.
    outcomes : dict of name → array-like of shape (n,) or (n, runs)
        Above 0; the mean over runs is drawn with one standard error around it.
    references : dict of name → float, optional
        What does not depend on the setting, drawn dashed in the colour of the line of the same name.
    log : bool, default True
        Whether the axis of the outcome is logarithmic too; otherwise it need not begin at 0.
    x, y : str
        What the axes say.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> sweep_chart([0.1, 1.0, 10.0], {"RankSVM": [[0.4], [0.3], [0.35]]}, x="C").to_dict()["title"]["text"]
    'Sensitivity'
    """
    import altair as alt

    at = vector("value", values)
    if not 1 <= len(outcomes) <= len(GROUPS):
        raise InvalidInput(
            f"outcomes must be from 1 to {len(GROUPS)}, got {len(outcomes)}: draw the others in another chart"
        )
    if unknown := sorted(set(references or {}) - set(outcomes)):
        raise InvalidInput(f"references must be named as outcomes, got {', '.join(unknown)}: rename them")
    rows = [row for name, given in outcomes.items() for row in _rows(name, at, given)]
    dashes = [
        {"name": name, "x": float(end), "mean": value}
        for name, value in (references or {}).items()
        for end in (at.min(), at.max())
    ]
    along = alt.X(
        "x:Q",
        title=x,
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(format=",~r", tickCount=len(at)),
    )
    scale = alt.Scale(type="log") if log else alt.Scale(zero=False)
    up = alt.Y("mean:Q", title=y, scale=scale, axis=alt.Axis(format=",~r", tickCount=6))
    colour, shape = colour_of([*outcomes]), shape_of([*outcomes])
    drawn = alt.Chart(alt.Data(values=rows)).encode(x=along, color=colour)
    layers = [
        drawn.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", title=y), y2="high:Q"),
        drawn.mark_line(strokeWidth=2).encode(y=up),
        drawn.mark_point(filled=True, size=60, opacity=1).encode(y=up, shape=shape),
    ]
    if dashes:
        over = alt.Chart(alt.Data(values=dashes)).mark_line(strokeDash=[5, 4], strokeWidth=1.5)
        layers.append(over.encode(x=along, y=up, color=colour))
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(alt.layer(*layers).properties(width=460, height=300, title=heading))


def _rows(name: str, values: Any, given: ArrayLike) -> list[dict[str, Any]]:
    table = np.asarray(given, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or len(table) != len(values) or not (table.mean(axis=1) > 0).all():
        raise InvalidInput(
            f"outcomes of {name} must be {len(values)} rows of numbers with a mean above 0, "
            f"got shape {table.shape}: give one row a value"
        )
    mean = table.mean(axis=1)
    error = table.std(axis=1, ddof=1) / np.sqrt(table.shape[1]) if table.shape[1] > 1 else np.zeros_like(mean)
    low = np.maximum(mean - error, 0.01 * mean)  # a log axis has no 0
    columns = values.tolist(), mean.tolist(), low.tolist(), (mean + error).tolist()
    return [
        {"name": name, "x": at, "mean": middle, "low": below, "high": above}
        for at, middle, below, above in zip(*columns, strict=True)
    ]
