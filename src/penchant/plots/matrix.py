"""Draw the win probabilities of a fitted model as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.plots.contrast import colour_scale, ink_on, shade
from penchant.plots.theme import INK, LOSES, PAPER, PERCENT, WINS, dressed
from penchant.text import percent

if TYPE_CHECKING:
    from penchant.worth.worth_model import WorthModel

_NUMBERED = 12  # more items than that leave no room for numbers in the cells
_DRAWN = 60  # Altair takes 5,000 cells
_SHARES, _GROUNDS = (0.0, 0.5, 1.0), (LOSES, PAPER, WINS)


def win_matrix_chart(model: WorthModel, items: Sequence[str] | None = None, *, most: int = 20) -> Any:
    """Draw the probability with which each item (a row) is preferred to each other one (a column).

    Parameters
    ----------
    model : WorthModel
        Any fitted model of worth.
    items : sequence of ids, optional
        Which ones to draw; without it the best ``most``. They are drawn in the order of their scores.
    most : int
        How many are drawn at most, up to 60; the subtitle says when there are more.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import BradleyTerry
    >>> model = BradleyTerry().fit(Preferences.from_pairs([("tea", "water"), ("tea", "coffee"), ("coffee", "water")]))
    >>> win_matrix_chart(model).to_dict()["title"]["text"]
    'How often is the row preferred to the column?'
    """
    import altair as alt

    if not 1 <= most <= _DRAWN:
        raise InvalidInput(f"most must be from 1 to {_DRAWN}, got {most}: more cells cannot be told apart")
    chosen, total = _chosen(model, items)
    drawn = chosen[:most]
    n = len(drawn)
    size = int(np.clip(460 / n, 14, 44))
    small = 9 if n > 20 else 12
    axis = alt.Axis(labelAngle=0, orient="top", labelFontSize=small)
    cells = alt.Chart(alt.Data(values=_cells(model, drawn))).encode(
        x=alt.X("column:O", title=None, sort=None, axis=axis, scale=alt.Scale(domain=list(range(1, n + 1)))),
        y=alt.Y(
            "row:N",
            title=None,
            axis=alt.Axis(labelLimit=260, labelFontSize=max(small, 11)),
            scale=alt.Scale(domain=_labels(drawn)),
        ),
        tooltip=[alt.Tooltip("words:N", title="how often")],
    )
    colour = alt.Color(
        "probability:Q",
        scale=colour_scale(_SHARES, _GROUNDS),
        legend=alt.Legend(title=None, labelExpr=PERCENT, values=[0, 0.25, 0.5, 0.75, 1], gradientLength=120)
        if n > 1
        else None,
    )
    layers = [cells.mark_rect(stroke="white", strokeWidth=1 if n <= 30 else 0).encode(color=colour)]
    if n <= _NUMBERED:
        layers.append(
            cells.mark_text(fontSize=11).encode(
                text=alt.Text("percent:N"), color=alt.Color("ink:N", scale=None)
            )
        )
    title = alt.TitleParams(
        "How often is the row preferred to the column?", subtitle=_subtitle(model, n, total), color=INK
    )
    return dressed(
        alt.layer(*layers)
        .resolve_scale(color="independent")
        .properties(width=size * n, height=size * n, title=title)
    )


def _chosen(model: WorthModel, items: Sequence[str] | None) -> tuple[list[str], int]:
    """Return the ids to draw, best first, and how many items there are to choose from."""
    scores, ids = model.scores_, model.catalogue_.ids
    if items is None:
        indices = np.arange(len(model.mean))
    else:
        indices = model.catalogue_.encode(list(items))
        if len(np.unique(indices)) < len(indices) or not len(indices):
            raise InvalidInput(
                f"items must be different and at least one, got {shown(list(items))}: correct them"
            )
    best_first = indices[np.argsort(-scores[indices], kind="stable")]
    return [ids[item] for item in best_first], len(indices)


def _labels(drawn: list[str]) -> list[str]:
    return [f"{place}  {item}" for place, item in enumerate(drawn, 1)]


def _cells(model: WorthModel, drawn: list[str]) -> list[dict[str, Any]]:
    labels, n = _labels(drawn), len(drawn)
    rows, columns = np.nonzero(~np.eye(n, dtype=bool))
    first, second = [drawn[i] for i in rows], [drawn[j] for j in columns]
    probability = np.asarray(model.win_probability(first, second)) if n > 1 else np.zeros(0)
    return [
        {
            "row": labels[i],
            "column": int(j) + 1,
            "a": a,
            "b": b,
            "probability": p,
            "percent": f"{100 * p:.0f}",
            "words": f"{a} is preferred to {b} with {percent(p, 1)}",
            "ink": ink_on(shade(p, _SHARES, _GROUNDS)),
        }
        for i, j, a, b, p in zip(rows, columns, first, second, probability.tolist(), strict=True)
    ]


def _subtitle(model: WorthModel, drawn: int, total: int) -> str:
    parts = [repr(model), "in percent" if drawn <= _NUMBERED else "columns are numbered as the rows"]
    if drawn < total:
        parts.append(f"the best {drawn} of {total:,}")
    return "; ".join(parts)
