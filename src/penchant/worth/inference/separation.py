"""Connected groups of items, the existence of a maximum likelihood, and the caveats that follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.preferences import Items, graph
from penchant.preferences.graph import SHOWN_GROUPS, connected_labels, groups_of, shown_group
from penchant.worth.inference.pairs import TIE, PairTotals

Bools = NDArray[np.bool_]


def connected_groups(totals: PairTotals, n_items: int) -> list[Ints]:
    """Return the groups of items that comparisons connect, largest first; never compared items are alone."""
    return groups_of(_labels(totals.pairs, n_items, strong=False))


def has_maximum(totals: PairTotals, n_items: int) -> bool:
    """Whether a largest likelihood is reached by finite scores, and a finite tie parameter where there are ties.

    Each item must lead to each other by preferences, a tie leading both ways (Ford 1957). The tie parameter is
    finite unless scores exist in which each preferred item is ahead by at least 1 and equal ones differ by at
    most 1: the likelihood then grows with the scale of scores and tie parameter.
    """
    if not _strongly_connected(totals, n_items):
        return False
    return not totals.weight[TIE].any() or not _ties_separate(totals, n_items)


def _strongly_connected(totals: PairTotals, n_items: int) -> bool:
    """Whether each item leads to each other; of many pairs, a few connect most items, and some more the rest."""
    groups = np.arange(n_items)
    for stride in sorted({_stride(totals, n_items, 8), _stride(totals, n_items, 64), 1}, reverse=True):
        pairs = groups[totals.pairs[:, ::stride]]
        apart = pairs[0] != pairs[1]
        crossing = PairTotals(pairs[:, apart].astype(np.int32), totals.weight[:, ::stride][:, apart])
        groups = _strong_labels(crossing, int(groups.max()) + 1)[groups]
        if not groups.any():
            return True
    return False


def _stride(totals: PairTotals, n_items: int, each: int) -> int:
    """Return the stride that selects about ``each`` pairs an item."""
    return max(1, int(totals.pairs.shape[1]) // (each * n_items))


def _ties_separate(totals: PairTotals, n_items: int) -> bool:
    """Whether scores with gaps of at least 1 for preferences and at most 1 for ties exist (Bellman and Ford)."""
    won, lost, tied = totals.weight > 0
    if (won & lost).any():
        return False
    first, second = totals.pairs
    above = np.concatenate([first[won], second[lost], first[tied], second[tied]])
    below = np.concatenate([second[won], first[lost], second[tied], first[tied]])
    gap = np.repeat([-1.0, 1.0], [won.sum() + lost.sum(), 2 * tied.sum()])
    height = np.zeros(n_items)
    for _ in range(n_items + 1):
        lowered = height.copy()
        np.minimum.at(lowered, below, height[above] + gap)
        if np.array_equal(lowered, height):
            return True
        height = lowered
    return False


def _labels(edges: Sequence[Any] | NDArray[Any], n_items: int, *, strong: bool) -> Ints:
    source, target = edges
    return connected_labels(source, target, n_items, strong=strong)


def _edges(totals: PairTotals) -> tuple[Ints, Ints]:
    """Return the directed edges from each item to those that it was preferred or equal to."""
    first, second = totals.pairs
    won, lost, tied = totals.weight > 0
    forth, back = won | tied, lost | tied
    return np.concatenate([first[forth], second[back]]), np.concatenate([second[forth], first[back]])


def _strong_labels(totals: PairTotals, n_items: int) -> Ints:
    return _labels(_edges(totals), n_items, strong=True)


def caveats_of(totals: PairTotals, ids: Sequence[str], wanted: float, used: float) -> tuple[str, ...]:
    """Return the caveats of scores for which the prior ``wanted`` was given and ``used`` was used."""
    if wanted == 0 < used:
        return (separation_caveat(totals, ids, used),)
    # Where a maximum likelihood exists, everything is connected.
    message = groups_caveat(totals, ids) if wanted else None
    return (message,) if message else ()


def groups_caveat(totals: PairTotals, ids: Sequence[str]) -> str | None:
    """Return a caveat if there are groups of items that were never compared with one another, else None.

    Items without answers do not count: their 0 answers and wide intervals show it.
    """
    some = totals.pairs[:, :: _stride(totals, len(ids), 64)]
    if not _labels(some, len(ids), strong=False).any():
        return None
    return graph.groups_caveat(_labels(totals.pairs, len(ids), strong=False), ids)


def separation_caveat(totals: PairTotals, ids: Sequence[str], prior: float) -> str:
    """Return a caveat that names the groups for which there is no maximum likelihood."""
    labels = _strong_labels(totals, len(ids))
    groups = groups_of(labels)
    if len(groups) > 1:
        above, below = _edges(totals)
        crossing = labels[above] != labels[below]
        beaten, beat = (np.isin(np.arange(len(groups)), labels[side[crossing]]) for side in (below, above))
        what = "; ".join(
            f"{shown_group(group, ids)} {_standing(bool(beat[labels[group[0]]]), bool(beaten[labels[group[0]]]))}"
            for group in groups[:SHOWN_GROUPS]
        )
        more = f"; and {len(groups) - SHOWN_GROUPS:,} groups more" if len(groups) > SHOWN_GROUPS else ""
        why = f"items are in {len(groups):,} groups that do not beat one another in turn ({what}{more})"
    else:
        why = "ties and preferences never contradict one another"
    return (
        f"no maximum likelihood exists, since {why}: prior {prior:g} was used instead of 0; "
        "set prior=0.1 for intervals that mean something, or ask for more comparisons"
    )


def _standing(beat: bool, beaten: bool) -> str:
    if beat:
        return "beat others and lost to others, never the same" if beaten else "never lost to the others"
    return "never beat the others" if beaten else "never met the others"


def real_items(catalogue: Items) -> Bools:
    """Return which items are not the bar, shape (n_items,)."""
    return np.arange(catalogue.count) < catalogue.count - catalogue.bar


def centred(scores: Floats, totals: PairTotals, catalogue: Items, *, together: bool = False) -> Floats:
    """Return ``scores`` shifted so that those of the real items sum to 0.

    With a normal prior, the scores of each connected group sum to 0. Where the bar is one of a group, the group is
    moved until its real items do. That is the most probable worth under a prior of real items around 0 and of the
    bar around their mean with variance (1 + 1/n) / prior, n being the number of real items in the group.

    Parameters
    ----------
    scores : array of shape (n_items,)
    totals : PairTotals
    catalogue : Items
    together : bool
        Treat all items as one group, since features connect them.
    """
    if not catalogue.bar:
        return scores
    group = np.ones(len(scores), dtype=bool)
    if not together:
        labels = _labels(totals.pairs, catalogue.count, strong=False)
        group = labels == labels[-1]
    return centred_in(group, scores, catalogue)


def centred_in(group: Bools, scores: Floats, catalogue: Items) -> Floats:
    """Return ``scores`` with those of the bar's ``group`` shifted so that its real items sum to 0, as in `centred`."""
    members = group & real_items(catalogue)
    if not catalogue.bar or not members.any():
        return scores
    return np.where(group, scores - scores[members].mean(), scores)
