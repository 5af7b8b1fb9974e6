"""Rules that choose the questions of a simulated run."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from penchant.ask import Belief, information_gain, largest_expected_loss_pair, next_pair
from penchant.ask.wishes import Pair
from penchant.belief import difference_variance
from penchant.checks import Ints


class AskingRule(Protocol):
    """A rule that chooses questions.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.simulate import KendallReached, ProbitJudge, Propagated, ask_until
    >>> utility = np.linspace(3, -3, 5)
    >>> judge = ProbitJudge(utility, noise=0.1, seed=2)
    >>> from penchant.simulate import AtRandom
    >>> rule: AskingRule = AtRandom()
    >>> ask_until(KendallReached(utility, 0.9), rule, Propagated(5), [judge]).reached
    True
    """

    def pairs(self, belief: Belief, seed: int) -> list[Pair]:
        """Return the next questions; they are asked before this is called again."""

    def hear(self, better: int, worse: int) -> None:
        """Receive the answer to a question."""


class _Stateless:
    """A rule that depends on the belief alone."""

    def hear(self, better: int, worse: int) -> None:
        """Ignore the answer, which the belief has learned."""


@dataclass
class ByWorth(_Stateless):
    """The rules of `penchant.ask.next_pair`, by name; the last few pairs are not asked again at once.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.simulate import KendallReached, ProbitJudge, Propagated, ask_until
    >>> utility = np.linspace(3, -3, 5)
    >>> judge = ProbitJudge(utility, noise=0.1, seed=2)
    >>> ask_until(KendallReached(utility), ByWorth("order"), Propagated(5), [judge]).reached
    True
    """

    rule: str = "order"
    top: int | None = None
    apart: int = 3
    _last: list[Pair] = field(default_factory=list, repr=False)

    def pairs(self, belief: Belief, seed: int) -> list[Pair]:
        """Return the pair most worth asking about."""
        pair = next_pair(belief, rule=self.rule, top=self.top, avoid=self._last, seed=seed)
        self._last = [*self._last, pair][-self.apart :]
        return [pair]


class AtRandom(_Stateless):
    """Any two items, each pair with the same probability, those asked before included.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.simulate import KendallReached, ProbitJudge, Propagated, ask_until
    >>> utility = np.linspace(3, -3, 5)
    >>> judge = ProbitJudge(utility, noise=0.1, seed=2)
    >>> ask_until(KendallReached(utility, 0.9), AtRandom(), Propagated(5), [judge]).reached
    True
    """

    def pairs(self, belief: Belief, seed: int) -> list[Pair]:
        """Draw a pair."""
        first, second = np.random.default_rng(seed).choice(len(belief.mean), 2, replace=False).tolist()
        return [(first, second)]


@dataclass
class LargestLoss(_Stateless):
    """The paper's rule: the pair of the largest expected loss that was not asked before (eq. 29).

    When all were asked, all may be asked again.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.simulate import KendallReached, ProbitJudge, Propagated, ask_until
    >>> utility = np.linspace(3, -3, 5)
    >>> judge = ProbitJudge(utility, noise=0.1, seed=2)
    >>> ask_until(KendallReached(utility), LargestLoss(), Propagated(5), [judge]).order
    (0, 1, 2, 3, 4)
    """

    tau: float = 1.0
    _seen: Ints = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64), repr=False, compare=False)

    def pairs(self, belief: Belief, seed: int) -> list[Pair]:
        """Return the pair of the largest expected loss."""
        if len(self._seen) == len(belief.mean) * (len(belief.mean) - 1) // 2:
            self._seen = self._seen[:0]
        pair = largest_expected_loss_pair(belief, tau=self.tau, seen=self._seen, seed=seed)
        self._seen = np.concatenate([self._seen, [pair]])
        return [pair]


class SpanningTree(_Stateless):
    """Information gain in batches: the pairs of a spanning tree of all items with the largest gain.

    The idea of Mikhailiuk et al. (2020), ASAP: a batch that contains every item and has the most information.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.simulate import KendallReached, ProbitJudge, Propagated, ask_until
    >>> utility = np.linspace(3, -3, 5)
    >>> judge = ProbitJudge(utility, noise=0.1, seed=2)
    >>> ask_until(KendallReached(utility), SpanningTree(), Propagated(5), [judge]).order
    (0, 1, 2, 3, 4)
    """

    def pairs(self, belief: Belief, seed: int) -> list[Pair]:
        """Return n − 1 pairs."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import minimum_spanning_tree

        n_items = len(belief.mean)
        first, second = np.triu_indices(n_items, k=1)
        difference = belief.mean[first] - belief.mean[second]
        gain = information_gain(difference, difference_variance(belief, first, second))
        # Ties between gains, as before the first answer, are broken at random; 2 keeps every weight above 0.
        chance = 1e-9 * np.random.default_rng(seed).random(len(gain))
        tree = minimum_spanning_tree(
            coo_array((2 - gain + chance, (first, second)), shape=(n_items, n_items))
        )
        return [(int(i), int(j)) for i, j in zip(*tree.nonzero(), strict=True)]


class MergeSort:
    """The comparisons of merge sort, which trusts every answer; once sorted, it starts again with a new shuffle.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.simulate import KendallReached, ProbitJudge, Propagated, ask_until
    >>> utility = np.linspace(3, -3, 5)
    >>> judge = ProbitJudge(utility, noise=0.1, seed=2)
    >>> ask_until(KendallReached(utility), MergeSort(), Propagated(5), [judge]).order
    (0, 1, 2, 3, 4)
    """

    def __init__(self) -> None:
        self._sorting: Generator[Pair, bool, None] | None = None
        self._asked: Pair = (0, 0)
        self._first_won: bool | None = None

    def pairs(self, belief: Belief, seed: int) -> list[Pair]:
        """Return the next comparison."""
        try:
            if self._sorting is None or self._first_won is None:
                raise StopIteration
            self._asked = self._sorting.send(self._first_won)
        except StopIteration:
            shuffled = np.random.default_rng(seed).permutation(len(belief.mean)).tolist()
            self._sorting = _merging(shuffled)
            self._asked = next(self._sorting)
        return [self._asked]

    def hear(self, better: int, worse: int) -> None:
        """Receive which of the two won."""
        self._first_won = better == self._asked[0]


def _merging(items: list[int]) -> Generator[Pair, bool, None]:
    """Sort bottom up; each comparison is yielded and whether its first item won is sent back."""
    runs = [[item] for item in items]
    while len(runs) > 1:
        left, right, *runs = runs
        merged: list[int] = []
        while left and right:
            first_won = yield left[0], right[0]
            merged.append((left if first_won else right).pop(0))
        runs.append(merged + left + right)
