"""Draw regret curves with their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, numbers, one_of, shown
from penchant.errors import InvalidInput
from penchant.plots.series import colour_of, shape_of, spaced
from penchant.plots.theme import GROUPS, INK, dressed

_POINTS = 200  # more cannot be told apart in one line

Band = Literal["error", "deviation"]


def regret_chart(
    curves: Mapping[str, ArrayLike],
    *,
    bounds: Mapping[str, ArrayLike] | None = None,
    log_time: bool = True,
    log_regret: bool = False,
    band: Band = "error",
    y: str = "regret",
    title: str = "Regret",
    subtitle: str = "",
) -> Any:
    """Draw regret over time: the mean over runs, one standard error around it, and what theory allows.

    Parameters
    ----------
    curves : dict of name → array-like of shape (T,) or (runs, T)
        For each learner the regret after t rounds, for instance from `penchant.coactive.utility_regret`. One
        run alone has no standard error.
    bounds : dict of name → array-like of shape (T,), optional
        Drawn dashed, in the colour of the curve of the same name, in grey without one.
    log_time, log_regret : bool
        Whether an axis is logarithmic; a mean that is not above 0 cannot be shown on such an axis and is left
        out, and a band that reaches 0 ends at the lowest point of its curve.
    band : {"error", "deviation"}
        What is drawn around the mean: one standard error of it, or one standard deviation of the runs.
    y : str
        What the curves are, where they are not regret.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> curves, bounds = {"perceptron": [[1.0, 0.7, 0.5], [1.0, 0.6, 0.4]]}, {"Theorem 1": [4.0, 2.8, 2.3]}
    >>> regret_chart(curves, bounds=bounds).to_dict()["title"]["text"]
    'Regret'
    """
    import altair as alt

    one_of("band", band, get_args(Band))
    if not 1 <= len(curves) <= len(GROUPS):
        raise InvalidInput(
            f"curves must be from 1 to {len(GROUPS)}, got {len(curves)}: draw the others in another chart"
        )
    runs = {name: _runs(name, given) for name, given in curves.items()}
    allowed = {name: _runs(name, given) for name, given in (bounds or {}).items()}
    rows = [row for name, given in runs.items() for row in _rows(name, given, log_time, log_regret, band)]
    dashes = [
        row for name, given in allowed.items() for row in _rows(name, given, log_time, log_regret, band)
    ]
    time = alt.X(
        "t:Q",
        title="rounds",
        scale=alt.Scale(type="log" if log_time else "linear", nice=False),
        axis=alt.Axis(format=",d", tickCount=6),
    )
    regret = alt.Y(
        "mean:Q",
        title=y,
        scale=alt.Scale(type="log" if log_regret else "linear"),
        axis=alt.Axis(format=",~r", tickCount=6),
    )
    extra = [name for name in allowed if name not in runs]
    colour, shape = colour_of([*runs], grey=extra), shape_of([*runs], grey=extra)
    tooltip = ["name:N", "t:Q", alt.Tooltip("mean:Q", format=".4g"), alt.Tooltip("error:Q", format=".2g")]
    drawn = alt.Chart(alt.Data(values=rows)).encode(x=time, color=colour)
    layers = [
        drawn.mark_area(opacity=0.2).encode(y="low:Q", y2="high:Q"),
        drawn.mark_line(strokeWidth=2).encode(y=regret, tooltip=tooltip),
        alt.Chart(alt.Data(values=spaced(rows)))
        .mark_point(filled=True, size=60, opacity=1)
        .encode(x=time, y=regret, color=colour, shape=shape, tooltip=tooltip),
    ]
    if dashes:
        over = alt.Chart(alt.Data(values=dashes)).mark_line(strokeDash=[5, 4], strokeWidth=1.5)
        layers.append(over.encode(x=time, y=regret, color=colour, tooltip=["name:N", "t:Q", "mean:Q"]))
    heading = alt.TitleParams(title, subtitle=subtitle or _subtitle(runs, band, bool(dashes)), color=INK)
    return dressed(alt.layer(*layers).properties(width=460, height=300, title=heading))


def _runs(name: str, given: ArrayLike) -> Floats:
    array = np.atleast_2d(numbers(f"regret of {name}", given))
    if array.ndim != 2 or not array.size:
        raise InvalidInput(
            f"curve {shown(name)} must be of shape (rounds,) or (runs, rounds), got {np.shape(given)}: "
            "give one value a round"
        )
    return array


def _rows(name: str, runs: Floats, log_time: bool, log_regret: bool, band: Band) -> list[dict[str, Any]]:
    t = _times(runs.shape[1], log_time)
    mean = runs.mean(axis=0)[t - 1]
    error = np.zeros_like(mean)
    if len(runs) > 1:
        error = runs.std(axis=0, ddof=1)[t - 1] / (np.sqrt(len(runs)) if band == "error" else 1.0)
    low, high = mean - error, mean + error
    if log_regret:
        above = np.concatenate([mean, low])
        low = np.where(low > 0, low, above[above > 0].min(initial=np.inf))
    columns = (t.tolist(), mean.tolist(), error.tolist(), low.tolist(), high.tolist())
    rows = [
        {"name": name, "t": at, "mean": middle, "error": around, "low": below, "high": above}
        for at, middle, around, below, above in zip(*columns, strict=True)
    ]
    return [row for row in rows if not log_regret or row["mean"] > 0]


def _times(n_rounds: int, log_time: bool) -> Ints:
    """Return the rounds that are drawn, evenly spread on the axis."""
    space = np.geomspace if log_time else np.linspace
    return np.unique(np.round(space(1, n_rounds, min(n_rounds, _POINTS))).astype(np.int64))


def _subtitle(runs: Mapping[str, Floats], band: Band, bounded: bool) -> str:
    n_runs = {len(given) for given in runs.values()}
    parts = []
    if max(n_runs) > 1:
        parts.append(f"mean ± one standard {band} of {min(n_runs)}" + _to(n_runs) + " runs")
    if bounded:
        parts.append("dashed: the bound")
    return "; ".join(parts)


def _to(n_runs: set[int]) -> str:
    return f" to {max(n_runs)}" if len(n_runs) > 1 else ""
