"""Draw a learning curve."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from penchant.plots.theme import ACCENT, INK, SHAPES, SOFT, dressed

if TYPE_CHECKING:
    from penchant.rankers import LearningCurve

_LINES = {"unseen queries": ("unseen", ACCENT), "learned from": ("seen", SOFT)}


def learning_curve_chart(curve: LearningCurve) -> Any:
    """Draw NDCG on unseen queries and on those learned from, with bands of one standard error.

    Where both lines meet, more data will not help; where they are far apart, it will, or more regularisation.

    Parameters
    ----------
    curve : LearningCurve
        From `penchant.rankers.learning_curve` or `rounds_curve`.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.rankers import RankBoost, rounds_curve
    >>> X, qid = np.random.default_rng(0).normal(size=(200, 4)), np.arange(200) // 10
    >>> learning_curve_chart(rounds_curve(RankBoost(8), X, X[:, 0] > 0.5, qid=qid)).to_dict()["title"]["text"]
    'Does another round still help?'
    """
    import altair as alt

    colours = alt.Scale(domain=list(_LINES), range=[colour for _, colour in _LINES.values()])
    drawn = alt.Chart(alt.Data(values=_points(curve))).encode(
        x=alt.X(
            "at:Q",
            title=curve.along,
            scale=alt.Scale(nice=False, padding=8),
            axis=alt.Axis(tickMinStep=1, format=",d", grid=False),
        ),
        color=alt.Color(
            "line:N", scale=colours, legend=alt.Legend(title=None, orient="top", symbolOpacity=1)
        ),
    )
    score = alt.Y("score:Q", title=f"NDCG@{curve.k}", scale=alt.Scale(zero=False))
    tooltip = [
        alt.Tooltip("line:N", title="queries"),
        alt.Tooltip("at:Q", title=curve.along, format=","),
        alt.Tooltip("score:Q", title=f"NDCG@{curve.k}", format=".4f"),
        alt.Tooltip("error:Q", title="standard error", format=".4f"),
    ]
    layers = [
        drawn.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=alt.Scale(zero=False)), y2="high:Q"),
        drawn.mark_line(strokeWidth=2).encode(y=score),
        drawn.mark_point(filled=True, size=55, opacity=1).encode(
            y=score,
            shape=alt.Shape(
                "line:N",
                scale=alt.Scale(domain=list(_LINES), range=[*SHAPES[: len(_LINES)]]),
                legend=alt.Legend(title=None, orient="top", symbolOpacity=1),
            ),
            tooltip=tooltip,
        ),
    ]
    return dressed(alt.layer(*layers).properties(width=460, height=300, title=_title(curve)))


def _points(curve: LearningCurve) -> list[dict[str, Any]]:
    return [
        _point(line, at, score, error)
        for line, (name, _) in _LINES.items()
        for at, score, error in zip(
            curve.steps.tolist(),
            getattr(curve, name).tolist(),
            getattr(curve, f"{name}_error").tolist(),
            strict=True,
        )
    ]


def _point(line: str, at: int, score: float, error: float) -> dict[str, Any]:
    known = isfinite(error)  # one query has no standard error
    band = error if known else 0.0
    point = {"line": line, "at": at, "score": score, "low": score - band, "high": score + band}
    return point | ({"error": error} if known else {})


def _title(curve: LearningCurve) -> Any:
    import altair as alt

    grows = "another round" if curve.along == "rounds" else "more data"
    subtitle = f"{curve.model}; {curve.n_unseen:,} unseen queries; bands: one standard error over queries"
    return alt.TitleParams(f"Does {grows} still help?", subtitle=subtitle, color=INK)
