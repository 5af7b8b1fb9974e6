"""Draw the feature weights of a fitted ranker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penchant.checks import Floats, vector, whole
from penchant.errors import InvalidInput
from penchant.plots.theme import INK, LOSES, PERCENT, WINS, dressed
from penchant.text import percent

_ROW = 20


def coefficients_chart(ranker: Any, names: Sequence[str] | None = None, *, most: int = 25) -> Any:
    """Draw the weights of the features, largest in size on top; blue ones raise a score, brown ones lower it.

    A weight is what one unit of its feature adds to a score: compare weights of features on one scale. Of a
    model without weights, such as RankBoost, the share of each feature in what was learned is drawn.

    Parameters
    ----------
    ranker : fitted estimator
        With ``coef_`` of shape (n_features,) or ``feature_importances_``.
    names : sequence of str, optional
        What the features are called; the names that the ranker was taught with, else their numbers from 1.
    most : int
        How many are drawn at most; the subtitle says when there are more.

    Returns
    -------
    altair.Chart

    Examples
    --------
    >>> from penchant.rankers import RankSVM
    >>> model = RankSVM().fit([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [0, 1, 2])
    >>> coefficients_chart(model, ["match", "age"]).to_dict()["title"]["text"]
    'What it looks at'
    """
    whole("most", most, 1, remedy="give the number of features to draw")
    weights, signed = _weights(ranker)
    called = _names(ranker, names, len(weights))
    axis = "weight of one unit" if signed else "share in what was learned"
    return _bars(
        called, weights, most, axis=axis, title="What it looks at", subtitle=repr(ranker), signed=signed
    )


def weights_chart(
    weights: Mapping[str, float],
    *,
    most: int = 25,
    title: str = "Weights of the features",
    subtitle: str = "",
) -> Any:
    """Draw named weights, largest in size on top; blue ones raise a score, brown ones lower it.

    Parameters
    ----------
    weights : dict of name → float
        For instance those of a study that presents orders.
    most : int
        How many are drawn at most; the subtitle says when there are more.
    title, subtitle : str

    Returns
    -------
    altair.Chart

    Examples
    --------
    >>> weights_chart({"match": 0.5, "age": -2.0}).to_dict()["title"]["text"]
    'Weights of the features'
    """
    whole("most", most, 1, remedy="give the number of features to draw")
    values = vector("weight", list(weights.values()))
    return _bars(
        [*weights], values, most, axis="weight of one unit", title=title, subtitle=subtitle, signed=True
    )


def _bars(
    called: Sequence[str], weights: Floats, most: int, *, axis: str, title: str, subtitle: str, signed: bool
) -> Any:
    import altair as alt

    largest = np.argsort(-np.abs(weights), kind="stable")
    drawn = largest[weights[largest] != 0][:most]
    rows = [
        {
            "feature": called[j],
            "weight": float(weights[j]),
            "words": f"{weights[j]:.4g}" if signed else percent(float(weights[j]), 1),
        }
        for j in drawn
    ]
    look = {} if signed else {"labelExpr": PERCENT}
    if len(drawn) < len(weights):
        subtitle = "; ".join(filter(None, [subtitle, f"the largest {len(drawn)} of {len(weights):,}"]))
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(height={"band": 0.7})
        .encode(
            y=alt.Y(
                "feature:N",
                title=None,
                sort=None,
                scale=alt.Scale(domain=[called[j] for j in drawn]),
                axis=alt.Axis(labelLimit=260),
            ),
            x=alt.X("weight:Q", title=axis, axis=alt.Axis(tickCount=6, **look)),
            color=alt.condition("datum.weight > 0", alt.value(WINS), alt.value(LOSES)),
            tooltip=["feature:N", alt.Tooltip("words:N", title=axis)],
        )
    )
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(chart.properties(width=420, height=_ROW * max(1, len(drawn)), title=heading))


def _weights(ranker: Any) -> tuple[Floats, bool]:
    """Return a number for each feature, and whether its sign means something."""
    for name, signed in (("coef_", True), ("feature_importances_", False)):
        weights = getattr(ranker, name, None)
        if weights is not None and np.ndim(weights) == 1:
            return np.asarray(weights, dtype=np.float64), signed
    raise InvalidInput(
        f"ranker must be fitted and have one weight a feature, got {type(ranker).__name__}: "
        "fit RankSVM with the linear kernel, RankBoost or OrdinalRegression"
    )


def _names(ranker: Any, names: Sequence[str] | None, n_features: int) -> list[str]:
    """Return a different name for each feature, since bars of one name would fall on one another."""
    known = getattr(ranker, "feature_names_in_", None) if names is None else names
    if known is None:
        return [f"feature {number}" for number in range(1, n_features + 1)]
    called = [str(name) for name in known]
    if len(called) != n_features or len(set(called)) < n_features:
        raise InvalidInput(
            f"names must be {n_features} different ones, one a feature, got {len(called)} of which "
            f"{len(set(called))} differ: name each feature"
        )
    return called
