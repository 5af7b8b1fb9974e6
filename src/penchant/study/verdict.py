"""The verdict on a study: which places are certain and whether its goal is reached, in sentences that agree."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from penchant.ask import Settled
from penchant.ask.stopping import MOST_ITEMS
from penchant.ranking import ELO, ELO_POINTS, PROBABILITY, Ranking

_SPELLED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_NAMED = 2

_ALL_CERTAIN = "Every place is certain."


def verdict(
    ranking: Ranking, settled: Settled | None, *, comparisons: int, skips: int = 0, top: int | None = None
) -> tuple[str, ...]:
    r"""Return what is certain about a ranking and how near it is to its goal, the most important sentence first.

    A goal takes two items that hardly differ in either order, and a place is certain only where the items next to it
    are worse or better: a goal may be reached while no place is certain. Then the goal comes first, with what counts as
    equal; otherwise the places do.

    Parameters
    ----------
    ranking : Ranking
    settled : Settled or None
        None where it is not evaluated yet, or cannot be.
    comparisons : int
        The number of answers that count, skips left out.
    skips : int
        The number of skips.
    top : int or None
        How many items are to be found; None is the whole order.

    Examples
    --------
    >>> ranking = Ranking.from_scores(["a", "b", "c"], [0.0, 5.0, 4.9], variance=[0.01, 0.01, 0.01])
    >>> near = Settled("order", 0.8, 0.01, 0.9, 12, (8, 18), None, 0.4)
    >>> print(*verdict(ranking, near, comparisons=20), sep="\n")
    Places 1 to 2 are still open.
    90 % of pairs are expected in the right order or nearly equal: about 12 more answers (8 to 18) for 95 %.
    """
    if not comparisons:
        return ("All questions were skipped so far." if skips else "Nobody has answered yet.",)
    if settled is None:
        return places(ranking, more=True), _unknown(len(ranking), comparisons, top)
    if not settled.enough:
        return places(ranking, more=True), f"{_capital(str(settled))}."
    order = places(ranking)
    return (
        f"The goal is reached: {settled.estimate}.",
        f"Items whose scores differ by less than {_width(settled.width, ranking.scale)} count as equal.",
        order if order == _ALL_CERTAIN else f"{order} The goal asks for no more.",
    )


def _width(width: float, scale: str) -> str:
    """Return a difference in log odds as text, on the scale of the scores beside it."""
    if scale == ELO:
        return f"{ELO_POINTS * width:.0f}"
    return f"{width:.2f}" + (" in log odds" if scale == PROBABILITY else "")


def places(ranking: Ranking, *, more: bool = False) -> str:
    """Return which places of a ranking are certain, as one sentence.

    Places are open where the rank ranges of the items there overlap: no border between two of them is certain, though
    the first of many may well be better than the last.

    Parameters
    ----------
    ranking : Ranking
    more : bool
        Whether more answers are to come.

    Examples
    --------
    >>> ranking = Ranking.from_scores(["a", "b", "c"], [0.0, 5.0, 9.0], variance=[0.01, 0.01, 0.01])
    >>> places(ranking)
    'Every place is certain.'
    """
    if ranking.groups is None:
        return "How certain the order is, is not known."
    sizes = np.bincount(ranking.groups)[1:].tolist()
    if len(sizes) == 1 and len(ranking) > 1:
        return f"No single place is certain{' yet' * more}."
    if len(sizes) == len(ranking):
        return _ALL_CERTAIN
    alone = next(number for number, size in enumerate(sizes) if size > 1)
    first = "" if not alone else f"The first {_first(alone)} certain; "
    return _capital(f"{first}{_open_places(sizes)} are {'still ' * more}open.")


def _first(alone: int) -> str:
    return "place is" if alone == 1 else f"{_spelled(alone)} places are"


def _open_places(sizes: list[int]) -> str:
    """Name the places that are open, the first two runs of them one by one."""
    ends = np.cumsum([0, *sizes]).tolist()
    runs = [f"{before + 1} to {last}" for before, last in pairwise(ends) if last - before > 1]
    more = len(runs) - _NAMED
    if more > 0:
        return f"places {', '.join(runs[:_NAMED])} and {_spelled(more)} more group{'s' * (more > 1)}"
    return f"places {' and '.join(runs)}"


def _unknown(n_items: int, comparisons: int, top: int | None) -> str:
    """Return why nothing can be said about the goal."""
    if n_items > MOST_ITEMS and top is None:
        whole = f"The whole order of {n_items:,} items"
        return f"{whole} is too much to evaluate: choose the best few as the goal."
    if comparisons < n_items:
        return "How near the goal is, is known once there are as many answers as items."
    return "How near the goal is, is being computed."


def _spelled(number: int) -> str:
    return _SPELLED[number] if number < len(_SPELLED) else f"{number:,}"


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
