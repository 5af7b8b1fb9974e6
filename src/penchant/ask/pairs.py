"""Choose the next pair of items to ask about."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np

from penchant.ask.border import CONTENDERS, contenders, expected_gain
from penchant.ask.value import DEFAULT, RULES, Doubt, check_rule, indifference_width
from penchant.belief import Belief, Moments, difference_variance, noise_of, to_choose_by, upper_variance
from penchant.checks import Floats, Ints, check_number, whole
from penchant.counts import Counts
from penchant.errors import InvalidInput
from penchant.threads import one_thread

Pair = tuple[int, int]

ALL_PAIRS = 100
"""Up to this many items every pair is a candidate; of more, neighbours by their means are."""
_LISTED = 2000
"""Up to this many items all pairs are listed in search of one that is allowed."""
NEIGHBOURS = 24
MOST_PAIRS = 100_000
"""Of many items fewer neighbours are candidates, so that there are about so many pairs at most."""
SHORTLIST = 64
_EQUAL = 1e-10
"""Values that differ by less than this share are equal."""


class Wishes(TypedDict, total=False):
    """Parameters of `next_pair` that `next_pairs` takes too."""

    avoid: Collection[Pair]
    preferred: Collection[Pair]
    least_answers: int
    most_ahead: int | None


def next_pair(
    belief: Belief,
    answers: Counts | None = None,
    *,
    rule: str = DEFAULT,
    top: int | None = None,
    noise: float | None = None,
    avoid: Collection[Pair] = (),
    forbidden: Collection[Pair] = (),
    preferred: Collection[Pair] = (),
    least_answers: int = 2,
    most_ahead: int | None = None,
    seed: int | None = None,
) -> Pair:
    """Return the pair that is most worth asking about, as indices i < j.

    Items with fewer than ``least_answers`` answers come first, those with the fewest before the others. With more than
    100 items, candidates are the pairs at most 24 ranks apart (fewer with more than 4,000 items), and covariances are
    computed for the 64 of them that have the largest value without them.

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
    avoid : collection of (i, j)
        Pairs not to ask now, for instance because somebody is being asked about them. If nothing else is
        left they are asked all the same.
    forbidden : collection of (i, j)
        Pairs never to ask.
    preferred : collection of (i, j)
        Pairs to ask before all others.
    least_answers : int
    most_ahead : int, optional
        An item that has so many answers more than the one with the fewest waits for the others.
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
    """
    answers = belief.counts_ if answers is None else answers
    wishes = _Wishes(
        len(answers),
        avoid=avoid,
        forbidden=forbidden,
        preferred=preferred,
        least_answers=least_answers,
        most_ahead=most_ahead,
    )
    return _chosen(belief, answers, rule, top, noise, wishes, seed)


def next_pairs(
    belief: Belief,
    answers: Counts | None = None,
    count: int = 1,
    *,
    rule: str = DEFAULT,
    top: int | None = None,
    noise: float | None = None,
    forbidden: Collection[Pair] = (),
    seed: int | None = None,
    **wishes: Unpack[Wishes],
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
    for name in wishes.keys() - Wishes.__annotations__.keys():
        raise TypeError(f"next_pairs() got an unexpected keyword argument {name!r}")
    n_items = len(answers)
    free = n_items * (n_items - 1) // 2 - len(_codes(forbidden, n_items))
    if not 1 <= count <= free:
        raise InvalidInput(f"count must be from 1 to {free}, the pairs there are, got {count}: ask for fewer")
    counted: Counts = answers.copy()
    busy = np.zeros(n_items, dtype=bool)
    found: list[Pair] = []
    for number in range(count):
        own_seed = None if seed is None else seed + number
        allowed = _Wishes(n_items, forbidden=[*forbidden, *found], busy=busy, **wishes)
        pair = _chosen(belief, counted, rule, top, noise, allowed, own_seed)
        found.append(pair)
        counted[list(pair)] += 1
        busy[list(pair)] = True
    return found


class _Wishes:
    """Which pairs may be asked, and which of them are preferred."""

    def __init__(
        self,
        n_items: int,
        *,
        forbidden: Collection[Pair],
        avoid: Collection[Pair] = (),
        preferred: Collection[Pair] = (),
        busy: np.ndarray | None = None,
        least_answers: int = 2,
        most_ahead: int | None = None,
    ) -> None:
        if n_items < 2:
            raise InvalidInput(f"asking needs at least 2 items, got {n_items}: add some")
        if most_ahead is not None:
            whole("most_ahead", most_ahead, 1, remedy="allow some difference")
        self.n_items, self.busy = n_items, busy
        self.least_answers, self.most_ahead = least_answers, most_ahead
        self.avoid, self.forbidden = _codes(avoid, n_items), _codes(forbidden, n_items)
        self.preferred = np.setdiff1d(_codes(preferred, n_items), self.forbidden)

    def kept(self, pairs: _Pairs, answers: Counts) -> _Pairs:
        """Drop forbidden pairs, and then those that fail a preference, as long as others are left."""
        code = pairs.first * self.n_items + pairs.second
        kept = ~_among(code, self.forbidden)
        for favoured in self._favoured(pairs, code, answers):
            if (kept & favoured).any():
                kept &= favoured
        return pairs.at(kept)

    def _favoured(self, pairs: _Pairs, code: Ints, answers: Counts) -> Iterable[np.ndarray]:
        first, second = answers[pairs.first], answers[pairs.second]
        fewest = answers.min()
        if len(self.avoid):
            yield ~_among(code, self.avoid)
        if self.busy is not None:
            yield ~(self.busy[pairs.first] | self.busy[pairs.second])
        if len(self.preferred):
            yield _among(code, self.preferred)
        if fewest < self.least_answers:
            yield np.minimum(first, second) == fewest
            yield np.maximum(first, second) == fewest  # two of them at once, where that is possible
        if self.most_ahead is not None:
            yield np.maximum(first, second) < fewest + self.most_ahead


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Some pairs, first < second."""

    first: Ints
    second: Ints

    def at(self, which: np.ndarray) -> _Pairs:
        return _Pairs(self.first[which], self.second[which])


def _chosen(
    belief: Belief,
    answers: Counts,
    rule: str,
    top: int | None,
    noise: float | None,
    wishes: _Wishes,
    seed: int | None,
) -> Pair:
    check_rule(rule, top, wishes.n_items)
    noise = noise_of(belief) if noise is None else noise
    check_number("noise", noise, above=0, remedy="1 is usual")
    moments = to_choose_by(belief)
    mean = moments.mean
    pairs = wishes.kept(_candidates(moments, mean, rule, top, wishes, seed), answers)
    if not len(pairs.first):
        pairs = wishes.kept(_allowed(wishes, seed), answers)
    if rule == "random":
        worth = np.zeros(len(pairs.first))
    else:
        with one_thread():
            pairs, worth = _weighed(moments, mean, pairs, rule, top, np.sqrt(2) * noise)
    best = np.flatnonzero(worth >= worth.max() - _EQUAL * abs(worth.max()))
    if seed is None:
        place = best[np.lexsort((pairs.second[best], pairs.first[best]))[0]]
    else:
        place = best[np.random.default_rng(seed).integers(len(best))]
    return int(pairs.first[place]), int(pairs.second[place])


def _weighed(
    belief: Moments, mean: Floats, pairs: _Pairs, rule: str, top: int | None, noise: float
) -> tuple[_Pairs, Floats]:
    """Return the pairs with their value; of many, those of the largest value were scores independent."""
    if top is not None:
        return pairs, _at_border(belief, mean, pairs, top, noise)
    weigh = RULES[rule]
    if len(mean) > ALL_PAIRS and len(pairs.first) > SHORTLIST:
        own = upper_variance(belief)
        rough = weigh(_doubt(mean, pairs, own[pairs.first] + own[pairs.second], noise))
        pairs = pairs.at(np.argpartition(-rough, SHORTLIST - 1)[:SHORTLIST])
    return pairs, weigh(_doubt(mean, pairs, difference_variance(belief, pairs.first, pairs.second), noise))


def _doubt(mean: Floats, pairs: _Pairs, variance: Floats, noise: float) -> Doubt:
    first, second = mean[pairs.first], mean[pairs.second]
    return Doubt(
        (first + second) / (2 * noise),
        (first - second) / noise,
        variance / noise**2,
    )


def _at_border(belief: Moments, mean: Floats, pairs: _Pairs, top: int, noise: float) -> Floats:
    """Return the expected gain of each pair for finding the top."""
    inside = np.zeros(len(mean), dtype=bool)
    inside[np.argsort(-mean, kind="stable")[:top]] = True
    items, places = np.unique(np.concatenate([pairs.first, pairs.second]), return_inverse=True)
    # The whole top is included: any item of it may be below one of the others.
    taking = np.unique(np.concatenate([items, np.flatnonzero(inside)[-CONTENDERS:]]))
    first, second = np.searchsorted(taking, items)[places.reshape(2, -1)]
    scaled = belief.covariance(taking, taking) / noise**2
    gain = expected_gain(mean[taking] / noise, scaled, inside[taking], width=indifference_width(1.0))
    worth: Floats = gain[first, second]
    return worth


def _candidates(
    belief: Moments, mean: Floats, rule: str, top: int | None, wishes: _Wishes, seed: int | None
) -> _Pairs:
    """Return the candidate pairs, preferred ones included."""
    n_items = len(mean)
    if n_items <= ALL_PAIRS:
        first, second = np.triu_indices(n_items, k=1)
    elif top is not None:
        items = contenders(
            belief, top, np.unique(np.concatenate([wishes.preferred // n_items, wishes.preferred % n_items]))
        )
        first, second = (items[places] for places in np.triu_indices(len(items), k=1))
    elif rule == "random":
        first, second = _drawn(n_items, seed)
    else:
        first, second = _neighbours(mean)
    first = np.concatenate([first, wishes.preferred // n_items])
    second = np.concatenate([second, wishes.preferred % n_items])
    return _Pairs(np.minimum(first, second), np.maximum(first, second))


def _neighbours(mean: Floats) -> tuple[Ints, Ints]:
    order = np.argsort(-mean, kind="stable")
    apart = range(1, min(NEIGHBOURS, max(MOST_PAIRS // len(mean), 4)) + 1)
    return np.concatenate([order[:-gap] for gap in apart]), np.concatenate([order[gap:] for gap in apart])


def _allowed(wishes: _Wishes, seed: int | None) -> _Pairs:
    """Return some pairs that are not forbidden, where all candidates are."""
    n_items = wishes.n_items
    if len(wishes.forbidden) >= n_items * (n_items - 1) // 2:
        raise InvalidInput("every pair is forbidden: allow some, or stop")
    if n_items <= _LISTED:
        first, second = np.triu_indices(n_items, k=1)
        chosen = np.flatnonzero(~_among(first * n_items + second, wishes.forbidden))[:SHORTLIST]
        return _Pairs(first[chosen], second[chosen])
    for turn in range(_LISTED):
        first, second = _drawn(n_items, turn if seed is None else seed + turn)
        low, high = np.minimum(first, second), np.maximum(first, second)
        allowed = ~_among(low * n_items + high, wishes.forbidden)
        if allowed.any():
            return _Pairs(low[allowed], high[allowed])
    raise InvalidInput("nearly every pair is forbidden, and no other was found: allow some, or stop")


def _drawn(n_items: int, seed: int | None) -> tuple[Ints, Ints]:
    """Draw random pairs, at least one with each item."""
    random = np.random.default_rng(seed)
    first = random.permutation(n_items)
    return first, (first + random.integers(1, n_items, n_items)) % n_items


def _among(code: Ints, few: Ints) -> np.ndarray:
    """Return which codes are among a few sorted ones."""
    if not len(few):
        return np.zeros(len(code), dtype=bool)
    found: np.ndarray = few[np.minimum(np.searchsorted(few, code), len(few) - 1)] == code
    return found


def _codes(pairs: Collection[Pair], n_items: int) -> Ints:
    """Return i · n + j for each pair, i < j, sorted."""
    if not len(pairs):
        return np.empty(0, dtype=np.int64)
    both = np.asarray(list(pairs), dtype=np.int64).reshape(-1, 2)
    if both.min() < 0 or both.max() >= n_items or (both[:, 0] == both[:, 1]).any():
        raise InvalidInput(
            f"pairs must be two different items of 0 to {n_items - 1}, got others: correct them"
        )
    return np.unique(both.min(axis=1) * n_items + both.max(axis=1))
