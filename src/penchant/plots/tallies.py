"""Draw what preferences hold: how often each item was better, equal and worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import whole
from penchant.counts import are_whole, as_counts, counted, shown_count
from penchant.plots.theme import INK, LOSES, SOFT, WINS, dressed

if TYPE_CHECKING:
    from penchant.preferences.rows import Rows

_ROW = 20
_OUTCOMES = {"better": WINS, "equal": "#d1d5db", "worse": LOSES}


def tallies_chart(preferences: Rows, *, most: int = 12) -> Any:
    """Draw in how many comparisons each item was better, equal and worse, the most compared items on top.

    Parameters
    ----------
    preferences : Preferences
    most : int
        How many items are drawn at most, up to 100; the subtitle says when there are more.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> from penchant import Preferences
    >>> tallies_chart(Preferences.from_pairs([("tea", "water"), ("tea", "coffee")])).to_dict()["title"]["text"]
    'How often items were preferred'
    """
    import altair as alt

    whole("most", most, 1, 100, remedy="more items cannot be told apart")
    n_items = preferences.n_items - preferences.catalogue.bar
    better, worse, equal = preferences.tallies()[:, :n_items]
    total = better + worse + equal
    drawn = np.argsort(-total, kind="stable")[:most]
    names = [preferences.items[item] for item in drawn]
    exact = are_whole(preferences.weight)
    rows = [
        {
            "label": f"{place}  {name}",
            "item": name,
            "outcome": outcome,
            "order": order,
            "times": float(times[item]),
            "words": f"{outcome} in {shown_count(as_counts(times[[item]], whole=exact)[0])} of "
            f"{counted(as_counts(total[[item]], whole=exact)[0].item(), 'comparison')}",
        }
        for place, (item, name) in enumerate(zip(drawn, names, strict=True), 1)
        for order, (outcome, times) in enumerate(zip(_OUTCOMES, (better, equal, worse), strict=True))
    ]
    labels = list(dict.fromkeys(row["label"] for row in rows))
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(height={"band": 0.7})
        .encode(
            y=alt.Y(
                "label:N",
                title=None,
                sort=None,
                scale=alt.Scale(domain=labels),
                axis=alt.Axis(labelLimit=220),
            ),
            x=alt.X("times:Q", title="comparisons", stack="zero", axis=alt.Axis(tickCount=5, format=",d")),
            order="order:Q",
            color=alt.Color(
                "outcome:N",
                title=None,
                scale=alt.Scale(domain=[*_OUTCOMES], range=[*_OUTCOMES.values()]),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=["item:N", alt.Tooltip("words:N", title="times")],
        )
    )
    subtitle = f"the {most} that were compared most of {n_items:,}" if most < n_items else ""
    heading = alt.TitleParams(
        "How often items were preferred", subtitle=subtitle, color=INK, subtitleColor=SOFT
    )
    return dressed(chart.properties(width=300, height=_ROW * max(1, len(labels)), title=heading))
