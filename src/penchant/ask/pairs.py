"""Choose the next pair of items to ask about."""

from __future__ import annotations

from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from penchant.ask import choice, fast_choice
from penchant.ask.value import DEFAULT, check_rule
from penchant.ask.wishes import Codes, Pair, Pairs, PairsLike, Wishes, not_excluded
from penchant.belief import Belief, noise_of, to_choose_by
from penchant.checks import check_number
from penchant.counts import Counts
from penchant.errors import InvalidInput

_ROOT_2 = 2**0.5


class MoreWishes(TypedDict, total=False):
    """Parameters of `next_pair` that `next_pairs` takes too."""

    avoid: PairsLike | Codes
    preferred: PairsLike
    least_answers: int
    most_ahead: int | None
    groups: ArrayLike | None
    excluded: ArrayLike | None


def next_pair(
    belief: Belief,
    answers: Counts | None = None,
    *,
    rule: str = DEFAULT,
    top: int | None = None,
    noise: float | None = None,
    avoid: PairsLike = (),
    forbidden: PairsLike = (),
    preferred: PairsLike = (),
    least_answers: int = 2,
    most_ahead: int | None = None,
    groups: ArrayLike | None = None,
    excluded: ArrayLike | None = None,
    seed: int | None = None,
) -> Pair:
    """Return the pair that is most worth asking about, as indices i < j.

    Items with fewer than ``least_answers`` answers come first, those with the fewest before the others. With more than
    100 items, candidates are the pairs at most 24 ranks apart (fewer with more than 4,000 items). Where the belief
    gives its covariance matrix (`penchant.ask.fast_choice.ChooserArrays`), all of them are compared by their exact
    value; otherwise covariances are computed for the 64 that have the largest value without them.

    Parameters
    ----------
    belief : Belief
        The posterior of the scores of n items.
    answers : array of shape (n,), optional
        The number of answers of each item, or their total weight. Default: ``belief.counts_``.
    rule : {"order", "top", "information", "wrong-order", "best", "random"}
        What the questions are for: the whole order (expected information times the probability of a wrong order),
        the top k (fewer items on the wrong side of its border), the most information, the least certain order of a
        pair, a good item, or nothing.
    top : int, optional
        How many items are to be settled by the rule ``top``.
    noise : float, optional
        The sd of the rating noise on each of two compared items, P(a beats b) = Φ((a − b)/(√2 · noise)). Default:
        ``belief.noise_``.
    avoid : collection of (i, j), or int array of shape (k, 2)
        Pairs not to ask now, for instance because somebody is being asked about them. If nothing else is
        left they are asked all the same.
    forbidden : collection of (i, j), or int array of shape (k, 2)
        Pairs never to ask. `PairChooser` prepares them once for many choices.
    preferred : collection of (i, j), or int array of shape (k, 2)
        Pairs to ask before all others.
    least_answers : int
    most_ahead : int, optional
        An item that has so many answers more than the one with the fewest waits for the others, unless it is compared
        with that one because no two others are left.
    groups : int array of shape (n,), optional
        The label of the group of each item, as `Groups.labels` gives it. Once every item has an answer, pairs that join
        two groups come first until there is one group; ``least_answers`` is then at least 1.
    excluded : int array of rows, or bool array of shape (n,), optional
        Items that are in no pair.
    seed : int, optional
        Choose among pairs of equal worth by it; without it the smallest (i, j) is taken.

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import Thurstone
    >>> model = Thurstone().fit(Preferences.from_pairs([(0, 1), (1, 2)] * 4))
    >>> next_pair(model)
    (0, 1)
    >>> next_pair(model, forbidden=[(0, 1)])
    (1, 2)
    >>> next_pair(model, excluded=[1])
    (0, 2)
    """
    return PairChooser(forbidden).next_pair(
        belief,
        answers,
        rule=rule,
        top=top,
        noise=noise,
        avoid=avoid,
        preferred=preferred,
        least_answers=least_answers,
        most_ahead=most_ahead,
        groups=groups,
        excluded=excluded,
        seed=seed,
    )


def next_pairs(
    belief: Belief,
    answers: Counts | None = None,
    count: int = 1,
    *,
    rule: str = DEFAULT,
    top: int | None = None,
    noise: float | None = None,
    forbidden: PairsLike = (),
    seed: int | None = None,
    **wishes: Unpack[MoreWishes],
) -> list[Pair]:
    """Return ``count`` pairs to ask at once, the one that is most worth it first.

    No pair comes twice, and no item as long as there are others, since one answer about an item reduces the value of
    the next about it. Other parameters are those of `next_pair`.

    Examples
    --------
    >>> from penchant.gp import LinkedGP
    >>> next_pairs(LinkedGP().fit(n_items=6), count=3)
    [(0, 1), (2, 3), (4, 5)]
    """
    answers = belief.counts_ if answers is None else answers
    for name in wishes.keys() - MoreWishes.__annotations__.keys():
        raise TypeError(f"next_pairs() got an unexpected keyword argument {name!r}")
    chooser = PairChooser(forbidden)
    free = chooser.count_pairs(len(answers), wishes.get("excluded"))
    if not 1 <= count <= free:
        raise InvalidInput(f"count must be from 1 to {free}, the pairs there are, got {count}: ask for fewer")
    counted: Counts = answers.copy()
    busy = np.zeros(len(answers), dtype=bool)
    found: list[Pair] = []
    for number in range(count):
        own_seed = None if seed is None else seed + number
        allowed = Wishes(len(answers), forbidden=chooser.forbidden.plus(found), busy=busy, **wishes)
        pair = chooser.choose(belief, counted, allowed, rule=rule, top=top, noise=noise, seed=own_seed)
        found.append(pair)
        counted[list(pair)] += 1
        busy[list(pair)] = True
    return found


class PairChooser:
    """Choose one pair after the other: what choices have in common is prepared once.

    That are the forbidden pairs, and the order of the items, from which the next one is found faster. A choice depends
    on the belief and the wishes alone, not on earlier ones: it is that of `next_pair`. Several threads may share a
    chooser.

    Parameters
    ----------
    forbidden : collection of (i, j), or int array of shape (k, 2)
        Pairs never to ask.

    Examples
    --------
    >>> from penchant.gp import LinkedGP
    >>> model, chooser = LinkedGP().fit(n_items=3), PairChooser([(0, 1)])
    >>> chooser.next_pair(model)
    (0, 2)
    >>> chooser.next_pair(model.update(0, 2))
    (1, 2)
    """

    def __init__(self, forbidden: PairsLike = ()) -> None:
        self.forbidden = Codes(forbidden)
        self._sorted = fast_choice.Sorted()

    def next_pair(
        self,
        belief: Belief,
        answers: Counts | None = None,
        *,
        rule: str = DEFAULT,
        top: int | None = None,
        noise: float | None = None,
        seed: int | None = None,
        **wishes: Unpack[MoreWishes],
    ) -> Pair:
        """Return the pair that is most worth asking about; parameters are those of `penchant.ask.next_pair`."""
        answers = belief.counts_ if answers is None else answers
        allowed = Wishes(len(answers), forbidden=self.forbidden, **wishes)
        return self.choose(belief, answers, allowed, rule=rule, top=top, noise=noise, seed=seed)

    def choose(
        self,
        belief: Belief,
        answers: Counts,
        wishes: Wishes,
        *,
        rule: str = DEFAULT,
        top: int | None = None,
        noise: float | None = None,
        seed: int | None = None,
    ) -> Pair:
        """Return the pair of the largest value among those that meet the most wishes."""
        check_rule(rule, top, wishes.n_items)
        noise = noise_of(belief) if noise is None else noise
        unit = check_number("noise", noise, above=0, remedy="1 is usual") * _ROOT_2
        moments = to_choose_by(belief)
        arrays = None if rule == "random" else fast_choice.arrays_of(moments)
        if arrays is None:
            return choice.choose(moments, answers, wishes, rule=rule, top=top, unit=unit, seed=seed)
        order = self._sorted.of(arrays[0])
        return fast_choice.choose(
            moments, arrays, answers, wishes, order, rule=rule, top=top, unit=unit, seed=seed
        )

    def count_pairs(self, n_items: int, excluded: ArrayLike | None = None) -> int:
        """Return how many pairs of ``n_items`` may be asked about."""
        kept = not_excluded(n_items, excluded)
        pairs = Pairs.of_codes(self.forbidden.within(n_items))
        n_kept = int(np.count_nonzero(kept))
        return n_kept * (n_kept - 1) // 2 - int(np.count_nonzero(kept[pairs.first] & kept[pairs.second]))
