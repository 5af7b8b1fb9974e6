"""Draw where a ranking errs: inverted pairs by grades, and grades by position."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, whole
from penchant.counts import shown_count
from penchant.errors import InvalidInput
from penchant.metrics import pair_accuracy
from penchant.metrics.queries import Queries, graded_rows
from penchant.metrics.ties import Ranked, Ties, check_ties, ranked
from penchant.plots.contrast import colour_scale, ink_on, shade
from penchant.plots.theme import INK, LOSES, PAPER, PERCENT, SOFT, dressed
from penchant.text import percent

_GRADES = 8  # more kinds cannot be told apart by their shade
_CELL = 54
_GROUNDS = (PAPER, LOSES)
_SHADES = ("#e5e7eb", "#1d4ed8")


def ranking_errors_chart(
    grades: ArrayLike,
    scores: ArrayLike,
    *,
    qid: Iterable[Hashable] | None = None,
    depth: int = 10,
    ties: Ties = "average",
) -> Any:
    """Draw which grades are confused with which, and what stands at the first places.

    On the left, for each two grades, the share of pairs of one query whose scores are the wrong way round;
    pairs of equal score are counted apart. On the right, the share of each grade at each place: a good ranking
    is dark on top. A tick marks how many of the highest grade could stand there at best.

    Parameters
    ----------
    grades, scores : array-like of shape (n_rows,)
        Larger is better; at most 8 different grades.
    qid : array-like of shape (n_rows,), optional
        The query of each row. None: one query.
    depth : int
        How many places are drawn.
    ties : {"average", "order"}
        Rows of equal score: each counts in part at every place that it can have, or they rank by rising index.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> sorted(ranking_errors_chart([2, 0, 1], [0.5, 0.7, 0.1]).to_dict())[:2]
    ['$schema', 'config']
    """
    import altair as alt

    check_ties(ties)
    graded, scored = graded_rows(grades, scores)
    queries = Queries.of(qid, len(graded))
    kinds = np.unique(graded)
    if not 2 <= len(kinds) <= _GRADES:
        raise InvalidInput(
            f"grades must be of 2 to {_GRADES} kinds, got {len(kinds)}: "
            + ("give grades that differ" if len(kinds) < 2 else "round them")
        )
    whole("depth", depth, 1, remedy="give the number of places to draw")
    total = pair_accuracy(graded, scored, qid=queries.codes)
    subtitle = (
        f"of {total.n_pairs:,.0f} pairs {percent(total.wrong / total.n_pairs, 1)} are the wrong way round, "
        f"{percent(total.tied / total.n_pairs, 1)} have equal scores; {len(queries.starts):,} "
        + ("query" if len(queries.starts) == 1 else "queries")
    )
    pairs = _pairs_chart(_pair_cells(graded, scored, queries, kinds), kinds)
    places = _places_chart(_place_cells(graded, ranked(queries, scored, ties), queries, kinds, depth), kinds)
    title = alt.TitleParams("Where the ranking errs", subtitle=subtitle, color=INK)
    both = alt.hconcat(pairs, places, spacing=48).resolve_scale(color="independent")
    return dressed(both.properties(title=title))


def _pair_cells(grades: Floats, scores: Floats, queries: Queries, kinds: Floats) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = []
    for low, worse in enumerate(kinds):
        for better in kinds[low + 1 :]:
            rows = np.flatnonzero((grades == better) | (grades == worse))
            try:
                found = pair_accuracy(grades[rows], scores[rows], qid=queries.codes[rows])
            except InvalidInput:  # no query holds both
                continue
            cells.append(
                {
                    "better": f"{better:g}",
                    "worse": f"{worse:g}",
                    "wrong": found.wrong / found.n_pairs,
                    "tied": found.tied / found.n_pairs,
                    "pairs": found.n_pairs,
                    "percent": percent(found.wrong / found.n_pairs),
                    "words": f"{percent(found.wrong / found.n_pairs, 1)} of {shown_count(found.n_pairs)} pairs the "
                    f"wrong way round, {percent(found.tied / found.n_pairs, 1)} with equal scores",
                }
            )
    shares = _shares(cells)
    return [cell | {"ink": ink_on(shade(cell["wrong"], shares, _GROUNDS))} for cell in cells]


def _shares(cells: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the shares of wrong pairs that have the palest and the strongest ground."""
    return 0.0, max(0.5, *(cell["wrong"] for cell in cells))


def _pairs_chart(cells: list[dict[str, Any]], kinds: Floats) -> Any:
    import altair as alt

    names = [f"{kind:g}" for kind in kinds]
    drawn = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X(
            "worse:N",
            title="worse grade",
            scale=alt.Scale(domain=names[:-1]),
            axis=alt.Axis(labelAngle=0),
        ),
        y=alt.Y("better:N", title="better grade", scale=alt.Scale(domain=names[:0:-1])),
        tooltip=[
            alt.Tooltip("better:N", title="better grade"),
            alt.Tooltip("worse:N", title="worse grade"),
            alt.Tooltip("words:N", title="pairs"),
        ],
    )
    grounds = colour_scale(_shares(cells), _GROUNDS)
    layers = (
        drawn.mark_rect(stroke="white", strokeWidth=2).encode(
            color=alt.Color("wrong:Q", scale=grounds, legend=None)
        ),
        drawn.mark_text(fontSize=12).encode(text="percent:N", color=alt.Color("ink:N", scale=None)),
    )
    side = _CELL * (len(kinds) - 1)
    return (
        alt.layer(*layers)
        .resolve_scale(color="independent")
        .properties(width=side, height=side, title=_small_title("Pairs the wrong way round"))
    )


def _place_cells(
    grades: Floats, ranking: Ranked, queries: Queries, kinds: Floats, depth: int
) -> list[dict[str, Any]]:
    """Return the share of each grade among the rows at each place, and the best possible one."""
    counts = _counts(grades, ranking, queries, kinds, depth)
    ideal = _counts(grades, ranked(queries, grades, "order"), queries, kinds, depth)
    n_places = counts.shape[1]
    total = counts.sum(axis=0)
    return [
        {
            "grade": f"{kinds[kind]:g}",
            "level": kind,
            "place": at + 1,
            "share": counts[kind, at] / total[at],
            "best": ideal[-1, at] / total[at],
            "documents": counts[kind, at],
            "words": f"{percent(counts[kind, at] / total[at], 1)}, {shown_count(float(counts[kind, at]))} documents",
        }
        for kind in range(len(kinds))
        for at in range(n_places)
    ]


def _counts(grades: Floats, ranking: Ranked, queries: Queries, kinds: Floats, depth: int) -> Floats:
    """Return how many rows of each grade are expected at each place, shape (n_kinds, n_places)."""
    drawn = queries.positions <= depth
    place = queries.positions[drawn] - 1
    expected = (ranking.expected((grades == kind).astype(np.float64)) for kind in kinds)
    return np.array([np.bincount(place, weights=of_kind[drawn]) for of_kind in expected])


def _places_chart(cells: list[dict[str, Any]], kinds: Floats) -> Any:
    import altair as alt

    names = [f"{kind:g}" for kind in kinds]
    share = alt.X(
        "share:Q",
        stack="zero",
        title="share of documents",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(labelExpr=PERCENT, tickCount=5, labelFlush=False),
    )
    places = sorted({cell["place"] for cell in cells})
    drawn = alt.Chart(alt.Data(values=cells)).encode(y=alt.Y("place:O", title="place"))
    bars = drawn.mark_bar(stroke="white", strokeWidth=1).encode(
        x=share,
        order=alt.Order("level:Q", sort="descending"),
        color=alt.Color(
            "grade:N",
            sort=names[::-1],
            scale=alt.Scale(domain=names, range=_ramp(len(names))),
            legend=alt.Legend(title="grade", values=names[::-1]),
        ),
        tooltip=[
            "place:O",
            "grade:N",
            alt.Tooltip("words:N", title="share"),
        ],
    )
    best = drawn.mark_tick(color=INK, thickness=2).encode(x=alt.X("best:Q"))
    return alt.layer(bars, best).properties(
        width=300,
        height=22 * len(places),
        title=_small_title(f"What stands where; tick: as many {names[-1]}s as there could be"),
    )


def _ramp(n: int) -> list[str]:
    """Return shades from pale to strong."""
    return [shade(number / (n - 1), (0.0, 1.0), _SHADES) for number in range(n)]


def _small_title(text: str) -> Any:
    import altair as alt

    return alt.TitleParams(text, fontSize=12, fontWeight="normal", color=SOFT, offset=8)
