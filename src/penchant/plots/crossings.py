"""Draw how two rankings of the same items differ, as crossing lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from numpy.typing import ArrayLike

from penchant.checks import Ints
from penchant.errors import InvalidInput
from penchant.orders.ranks import check_ranks
from penchant.plots.theme import ACCENT, INK, LOSES, SOFT, dressed

_DRAWN = 12  # more crossings cannot be told apart
_LONGEST_PAIR = 12  # characters of a label of a crossing; longer ones cover the lines
_LONGEST_NAME = 220  # pixels


def crossings_chart(
    left: ArrayLike,
    right: ArrayLike,
    items: Sequence[str],
    *,
    sides: tuple[str, str] = ("predicted", "true"),
    title: str = "Two rankings",
    subtitle: str = "",
) -> Any:
    """Draw a line for each item from its rank on the left to that on the right; inverted pairs are crossings.

    Names stand outside, at both ends of the lines. A crossing is labelled with its two items where these have short
    names; its tooltip names them in any case.

    Parameters
    ----------
    left, right : array-like of shape (n,)
        For each item its rank, each of 1 to n once; at most 12 items.
    items : sequence of str of shape (n,)
    sides : tuple of two str
        What the two rankings are.
    title, subtitle : str

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> crossings_chart([1, 2, 3], [2, 1, 3], ["tea", "coffee", "water"]).to_dict()["title"]["text"]
    'Two rankings'
    """
    import altair as alt

    first = check_ranks("left rank", left)
    second = check_ranks("right rank", right, length=len(first))
    if not 1 <= len(first) <= _DRAWN or len(items) != len(first):
        raise InvalidInput(
            f"items must be from 1 to {_DRAWN} and as many as ranks ({len(first)}), got {len(items)}: correct them"
        )
    n = len(first)
    x = alt.X("x:Q", scale=alt.Scale(domain=[-0.05, 1.05], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[n + 0.4, 0.3], nice=False), axis=None)
    ends = alt.Chart(alt.Data(values=_ends(first, second, items))).encode(x=x, y=y)
    crossed = alt.Chart(alt.Data(values=_crossings(first, second, items))).encode(x=x, y=y)
    heads = alt.Chart(alt.Data(values=[{"x": at, "y": 0.45, "side": sides[at]} for at in (0, 1)]))
    pair = [alt.Tooltip("words:N", title="crossing")]
    name = {"fontSize": 13, "color": INK, "limit": _LONGEST_NAME}
    layers = [
        ends.mark_line(strokeWidth=2, color="#9ca3af").encode(detail="item:N"),
        ends.mark_circle(size=480, color=ACCENT, opacity=1).encode(
            tooltip=["item:N", alt.Tooltip("y:Q", title="rank")]
        ),
        ends.mark_text(color="white", fontSize=12, fontWeight="bold").encode(text="y:Q"),
        ends.transform_filter("datum.x == 0").mark_text(align="right", dx=-18, **name).encode(text="item:N"),
        ends.transform_filter("datum.x == 1").mark_text(align="left", dx=18, **name).encode(text="item:N"),
        crossed.mark_circle(size=70, color=LOSES, opacity=1).encode(tooltip=pair),
        crossed.transform_filter("datum.above").mark_text(dy=-13, color=LOSES).encode(text="pair:N"),
        crossed.transform_filter("!datum.above").mark_text(dy=15, color=LOSES).encode(text="pair:N"),
        heads.mark_text(fontSize=12, color=SOFT).encode(x=x, y=y, text="side:N"),
    ]
    heading = alt.TitleParams(title, subtitle=subtitle, color=INK)
    return dressed(alt.layer(*layers).properties(width=420, height=60 * n + 20, title=heading))


def _ends(first: Ints, second: Ints, items: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"item": item, "x": x, "y": int(rank)}
        for x, ranks in enumerate((first, second))
        for item, rank in zip(items, ranks, strict=True)
    ]


def _crossings(first: Ints, second: Ints, items: Sequence[str]) -> list[dict[str, Any]]:
    """Return where the lines of inverted pairs meet, from left to right, labelled above and below in turn."""
    found = []
    for i, j in combinations(range(len(items)), 2):
        before, after = float(first[i] - first[j]), float(second[i] - second[j])
        if before * after < 0:
            x = before / (before - after)
            names = f"{items[i]}, {items[j]}"
            found.append(
                {
                    "pair": names if len(names) <= _LONGEST_PAIR else "",
                    "words": f"{items[i]} and {items[j]} stand the other way round",
                    "x": x,
                    "y": float(first[i] + x * (second[i] - first[i])),
                }
            )
    found.sort(key=lambda crossing: (crossing["x"], crossing["y"]))
    return [crossing | {"above": place % 2 == 0} for place, crossing in enumerate(found)]
