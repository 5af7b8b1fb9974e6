"""Draw the outcomes of several methods on several data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import vector
from penchant.errors import InvalidInput
from penchant.plots.series import colour_of, shape_of
from penchant.plots.theme import GROUPS, INK, dressed

_HEIGHT = 640
_LEAST, _MOST = 5, 9  # pixels from one method to the next


def comparison_chart(
    outcomes: Mapping[str, Mapping[str, ArrayLike]],
    *,
    x: str = "value",
    title: str = "Comparison",
    subtitle: str = "",
) -> Any:
    """Draw for each set the mean outcome of each method, with one standard error to both sides.

    Parameters
    ----------
    outcomes : dict of set → dict of method → array-like of shape (runs,)
        At most six methods; one run alone has no standard error.
    x : str
        What is measured.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> comparison_chart({"MQ2008": {"ours": [0.5, 0.6], "theirs": [0.4, 0.5]}}, x="NDCG").to_dict()["title"]["text"]
    'Comparison'
    """
    import altair as alt

    methods = list(dict.fromkeys(method for given in outcomes.values() for method in given))
    if not 1 <= len(methods) <= len(GROUPS):
        raise InvalidInput(
            f"outcomes must be of 1 to {len(GROUPS)} methods, got {len(methods)}: draw the others in another chart"
        )
    rows = [_row(name, method, runs) for name, given in outcomes.items() for method, runs in given.items()]
    drawn = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("set:N", title=None, sort=None, axis=alt.Axis(grid=True, labelLimit=200, tickBand="extent")),
        yOffset=alt.YOffset("name:N", sort=methods, scale=alt.Scale(paddingOuter=0.6)),
        color=colour_of(methods, orient="top", columns=3),
    )
    along = alt.Scale(zero=False)
    step = int(np.clip(_HEIGHT / (len(outcomes) * (len(methods) + 1)), _LEAST, _MOST))
    layers = [
        drawn.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q", title=x, scale=along), x2="high:Q"),
        drawn.mark_point(filled=True, size=4 * step + 10, opacity=1).encode(
            x=alt.X("mean:Q", title=x, scale=along),
            shape=shape_of(methods, orient="top", columns=3),
            tooltip=[
                "set:N",
                alt.Tooltip("name:N", title="method"),
                alt.Tooltip("mean:Q", format=".4f"),
                alt.Tooltip("error:Q", format=".4f"),
            ],
        ),
    ]
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(
        alt.layer(*layers).properties(width=420, height=alt.Step(step, **{"for": "offset"}), title=heading)
    )


def _row(name: str, method: str, given: ArrayLike) -> dict[str, Any]:
    runs = vector(f"outcome of {method} on {name}", given)
    if not len(runs):
        raise InvalidInput(f"outcomes of {method} on {name} must be at least 1, got 0: leave the set out")
    mean = float(runs.mean())
    error = float(runs.std(ddof=1) / np.sqrt(len(runs))) if len(runs) > 1 else 0.0
    return {
        "set": name,
        "name": method,
        "mean": mean,
        "error": error,
        "low": mean - error,
        "high": mean + error,
    }
