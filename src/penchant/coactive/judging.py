"""Judge a learner by one answered presentation: NDCG of what was clicked or moved up, and the pairs that changed.

Lists are short and rounds are many, so that arrays would cost more than they save.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate, groupby
from math import log2, nan
from operator import itemgetter
from typing import NamedTuple

import numpy as np

_FEW = 2000  # comparisons of items, above which arrays are faster


class Judged(NamedTuple):
    """How a learner did in a round, before it learned from it; `Replay` explains the figures."""

    ndcg: float
    presented_ndcg: float
    correct: int
    pairs: int


def judged(
    scores: list[float],
    presented: list[int],
    improved: list[int],
    answer: list[int],
    *,
    n_shown: int,
    by_clicks: bool,
    k: int,
) -> Judged:
    """Return how scores fit an answer.

    Parameters
    ----------
    scores : list of n floats
        Of the candidates.
    presented, improved : lists of n ints
        All candidates as they were presented, and as the answer wants them, best first.
    answer : list of int
        The candidates that were clicked, or put first by hand.
    n_shown : int
        How many of the presented ones were shown: others could not be clicked.
    by_clicks : bool
        Whether the answer are clicks, all of which are relevant; otherwise what moved up is.
    k : int
        Where NDCG is cut.

    Examples
    --------
    >>> judged([1.0, 0.0, 2.0], [0, 1, 2], [2, 0, 1], [2], n_shown=3, by_clicks=True, k=10)
    Judged(ndcg=1.0, presented_ndcg=0.5, correct=2, pairs=2)
    """
    pairs = changed_pairs(presented, improved)
    correct = sum([scores[better] > scores[worse] for better, worse in pairs])
    relevant = set(answer) if by_clicks else {better for better, _ in pairs}
    if not relevant:
        return Judged(nan, nan, correct, len(pairs))
    shown = presented[:n_shown]
    seen = shown if n_shown >= len(presented) else list(dict.fromkeys((*shown, *answer)))
    hits = [item in relevant for item in seen]
    if True not in hits:
        return Judged(nan, nan, correct, len(pairs))
    reached = ndcg_of_hits(hits, [scores[item] for item in seen], k)
    if len(seen) > len(shown):  # what was not shown stood below, in the order that was presented
        stood = {item: -place for place, item in enumerate(presented)}
        before = ndcg_of_hits(hits, [float(stood[item]) for item in seen], k)
    else:
        before = _cut_sum([place for place, hit in enumerate(hits) if hit], k) / _ideal(sum(hits), k)
    return Judged(reached, before, correct, len(pairs))


def changed_pairs(presented: list[int], improved: list[int]) -> list[tuple[int, int]]:
    """Return the pairs (better, worse) of which the better stood below the worse and now stands above it.

    Examples
    --------
    >>> changed_pairs([0, 1, 2], [2, 0, 1])
    [(2, 0), (2, 1)]
    """
    if presented == improved:
        return []
    first = improved[0]
    above = presented[: presented.index(first)]
    if improved[1 : 1 + len(above)] == above and improved[1 + len(above) :] == presented[1 + len(above) :]:
        return [(first, worse) for worse in above]  # the usual case: a single item was moved to the top
    n = len(presented)
    wanted = [0] * n
    for place, item in enumerate(improved):
        wanted[item] = place
    after = [wanted[item] for item in presented]
    lowest = accumulate(after, max)  # of those down to each place; one above which an item rises
    risen = [
        (item, place)
        for place, (item, low) in enumerate(zip(presented, lowest, strict=True))
        if after[place] < low
    ]
    if sum([place for _, place in risen]) > _FEW:
        places = np.array(after)
        better, worse = np.nonzero(np.tri(n, k=-1, dtype=bool) & (places[:, None] < places))
        order = np.array(presented)
        return list(zip(order[better].tolist(), order[worse].tolist(), strict=True))
    return [
        (item, above) for item, place in risen for above in presented[:place] if wanted[above] > wanted[item]
    ]


def ndcg_of_hits(hits: list[bool], scores: list[float], k: int) -> float:
    """Return NDCG@k of one short list in which items are relevant or not, tied ones in a random order.

    It is `penchant.metrics.ndcg`, which spends more time on checking and arranging arrays than such a list takes.

    Examples
    --------
    >>> round(ndcg_of_hits([False, True, False], [2.0, 1.0, 1.0], 10), 4)
    0.5655
    """
    n_hits = sum(hits)
    if n_hits == 1:  # the usual case: a single click
        score = scores[hits.index(True)]
        above, tied = sum([other > score for other in scores]), scores.count(score)
        return _cut_sum(range(above, above + tied), k) / tied
    ranked = sorted(zip(scores, hits, strict=True), reverse=True)
    found, start = 0.0, 0
    for _, group in groupby(ranked, key=itemgetter(0)):
        relevant = [hit for _, hit in group]
        if any(relevant):
            places = range(start, start + len(relevant))
            found += _cut_sum(places, k) * sum(relevant) / len(relevant)
        start += len(relevant)
        if start >= k:
            break
    return found / _ideal(n_hits, k)


def _cut_sum(places: range | list[int], k: int) -> float:
    """Return the sum of the discounts of those places, counted from 0, that are below ``k``."""
    return sum([_discount(place) for place in places if place < k])


@cache
def _ideal(n_hits: int, k: int) -> float:
    return _cut_sum(range(n_hits), k)


@cache
def _discount(place: int) -> float:
    return 1.0 / log2(place + 2)
