"""Ways to choose questions, played against simulated judges."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from penchant.ask import information_gain
from penchant.belief import difference_variance
from penchant.simulate import (
    AtRandom,
    ByWorth,
    KendallReached,
    LargestLoss,
    MergeSort,
    ProbitJudge,
    Propagated,
    SpanningTree,
    ask_until,
    is_right,
)
from penchant.simulate.asking_rules import _merging
from tests.simulate.test_asking_beliefs import answers, taught

RULES: dict[str, Callable[[], Any]] = {
    "order": ByWorth,
    "information": lambda: ByWorth("information"),
    "random": AtRandom,
    "loss": lambda: LargestLoss(20.0),
    "tree": SpanningTree,
    "sort": MergeSort,
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_finds_the_order(rule: str) -> None:
    """Against a sure judge each rule reaches a Kendall correlation of 0.9 with ten items."""
    utility = np.linspace(6, -6, 10)
    judge = ProbitJudge(utility, noise=0.5**0.5, seed=1)
    ended = ask_until(KendallReached(utility), RULES[rule](), Propagated(10), [judge], most=400, seed=1)
    assert ended.reached
    assert is_right(ended.order[:1] + ended.order[-1:], utility, width=0)


def test_asking_by_worth_needs_fewer_questions_than_asking_at_random() -> None:
    """With 16 items it takes less than 0.7 of random's questions, over 12 runs."""

    def needed(rule: Callable[[], Any]) -> float:
        return fmean(one_run(rule(), seed).questions for seed in range(12))

    def one_run(rule: Any, seed: int) -> Any:
        utility = 4 * np.random.default_rng(seed).standard_normal(16)
        judge = ProbitJudge(utility, noise=0.5**0.5, seed=seed)
        return ask_until(KendallReached(utility), rule, Propagated(16), [judge], most=1000, seed=seed)

    assert needed(ByWorth) < 0.7 * needed(AtRandom)


def test_a_spanning_tree_reaches_every_item() -> None:
    """A batch has n − 1 different pairs that touch all items."""
    belief = taught(Propagated(6, scale=2.0), answers(6, 10, 5))
    pairs = SpanningTree().pairs(belief, 0)
    assert len(pairs) == 5
    assert {item for pair in pairs for item in pair} == set(range(6))


def test_merge_sort_asks_what_sorting_asks() -> None:
    """Against a sure judge the first pass has at most n log₂ n comparisons, none twice."""
    rule, utility, seen = MergeSort(), np.arange(16.0), []
    for _ in range(40):
        (pair,) = rule.pairs(Propagated(16), 0)
        seen.append(pair)
        rule.hear(*sorted(pair, key=lambda item: -utility[item]))
    first_pass = next((k for k in range(1, 40) if seen[k] == seen[0]), 40)
    assert len({frozenset(pair) for pair in seen[:first_pass]}) == first_pass


def test_the_spanning_tree_has_the_largest_gain() -> None:
    """Of all 16 spanning trees of four items, the batch has the largest sum of gains."""
    belief = taught(Propagated(4, scale=2.0), answers(4, 8, 5))
    edges = list(combinations(range(4), 2))
    first, second = np.array(edges).T
    gain = information_gain(
        belief.mean[first] - belief.mean[second], difference_variance(belief, first, second)
    )

    def worth(tree: Any) -> float:
        return float(sum(gain[edges.index((min(pair), max(pair)))] for pair in tree))

    trees = [tree for tree in combinations(edges, 3) if len({item for pair in tree for item in pair}) == 4]
    found = SpanningTree().pairs(belief, 0)
    assert worth(found) == pytest.approx(max(map(worth, trees)))


def test_pairs_of_a_rule_by_worth_do_not_return_at_once() -> None:
    """The last three pairs are avoided as long as there are others; of two items there are none."""
    rule, belief = ByWorth(), Propagated(4)
    asked = []
    for turn in range(20):
        (pair,) = rule.pairs(belief, turn)
        assert pair not in asked[-3:]
        asked.append(pair)
        belief.update(*pair)
    assert [ByWorth().pairs(Propagated(2), turn) for turn in range(2)] == [[(0, 1)], [(0, 1)]]


def test_the_largest_loss_is_asked_once() -> None:
    """Each pair comes once before any comes again."""
    rule, belief = LargestLoss(), Propagated(4)
    asked = [rule.pairs(belief, turn)[0] for turn in range(7)]
    assert len(set(asked[:6])) == 6
    assert asked[6] in asked[:6]


def test_random_pairs_are_of_two_items() -> None:
    """Every pair occurs, no item meets itself, and a seed gives the same pair again."""
    belief = Propagated(3)
    pairs = [AtRandom().pairs(belief, seed)[0] for seed in range(60)]
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in combinations(range(3), 2)}
    assert AtRandom().pairs(belief, 5) == AtRandom().pairs(belief, 5)


def test_merge_sort_sorts() -> None:
    """With true answers the comparisons of one pass are those that sort: no pair that they do not decide."""
    items = [3, 0, 2, 1, 4]
    sorting = _merging(items)
    pair, asked = next(sorting), []
    with suppress(StopIteration):
        while True:
            asked.append(tuple(sorted(pair)))
            pair = sorting.send(pair[0] < pair[1])
    assert len(asked) == len(set(asked)) <= 8
    assert {(k, k + 1) for k in range(4)} <= set(asked)
