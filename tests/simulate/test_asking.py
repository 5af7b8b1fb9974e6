"""Asking rules and beliefs, played against simulated judges."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from penchant.ask import settled
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from penchant.simulate import (
    AtRandom,
    ByWorth,
    DiagonalPropagated,
    GlickoRated,
    KendallReached,
    LargestLoss,
    MergeSort,
    OnlineBelief,
    ProbitJudge,
    Propagated,
    SpanningTree,
    TopSettled,
    ask_until,
    is_right,
)
from penchant.worth import Glicko

RULES: dict[str, Callable[[], Any]] = {
    "order": ByWorth,
    "information": lambda: ByWorth("information"),
    "random": AtRandom,
    "loss": lambda: LargestLoss(20.0),
    "tree": SpanningTree,
    "sort": MergeSort,
}
BELIEFS: dict[str, Callable[[int], OnlineBelief]] = {
    "full": lambda n: Propagated(n, growth=0),
    "now and then": Propagated,
    "incremental": lambda n: Propagated(n, scale=3.0, growth=None),
    "diagonal": lambda n: DiagonalPropagated(n, scale=3.0),
    "Glicko": lambda n: GlickoRated(n, scale=3.0),
}


def answers(n_items: int, count: int, seed: int) -> np.ndarray:
    """Answers about random pairs, better first."""
    random = np.random.default_rng(seed)
    utility = 2 * random.standard_normal(n_items)
    pairs = np.array([random.choice(n_items, 2, replace=False) for _ in range(count)])
    lost = utility[pairs[:, 0]] + random.normal(size=count) < utility[pairs[:, 1]]
    pairs[lost] = pairs[lost][:, ::-1]
    return pairs


def taught(belief: OnlineBelief, pairs: np.ndarray) -> OnlineBelief:
    for better, worse in pairs.tolist():
        belief.update(better, worse)
    return belief


def test_the_incremental_step_is_that_of_the_model() -> None:
    """Without refreshes the belief equals LinkedGP's after the same answers."""
    pairs = answers(7, 40, 1)
    belief = taught(Propagated(7, scale=1.5, growth=None), pairs)
    model = LinkedGP(scale=1.5).fit(n_items=7).update(*pairs.T)
    assert belief.mean == pytest.approx(model.mean, abs=1e-9)
    assert belief.covariance() == pytest.approx(model.covariance(), abs=1e-9)
    assert belief.covariance([1, 2], [3]) == pytest.approx(model.covariance([1, 2], [3]), abs=1e-9)


def test_the_refresh_is_that_of_the_model() -> None:
    """A refresh is full expectation propagation, up to its tolerance."""
    pairs = answers(7, 60, 2)
    belief = taught(Propagated(7, scale=1.5), pairs)
    belief.refresh()
    model = LinkedGP(scale=1.5).fit(n_items=7).update(*pairs.T).refresh()
    assert belief.mean == pytest.approx(model.mean, abs=0.01)
    assert belief.variance() == pytest.approx(model.variance(), abs=0.01)


def test_a_refresh_finds_its_end_on_one_sided_answers() -> None:
    """All sites move at once; sixty answers that agree about one pair still end where the model ends."""
    pairs = np.concatenate([np.tile([0, 1], (60, 1)), answers(5, 12, 6)])
    belief = taught(Propagated(5, scale=3.0, growth=None), pairs)
    belief.refresh()
    model = LinkedGP(scale=3.0).fit(n_items=5).update(*pairs.T).refresh()
    assert belief.mean == pytest.approx(model.mean, abs=0.02)
    assert belief.covariance() == pytest.approx(model.covariance(), abs=0.02)


def test_the_scale_is_the_one_that_explains_the_answers() -> None:
    """A scale that is not given comes near the one of the largest evidence."""
    pairs = answers(12, 150, 3)
    belief = Propagated(12)
    taught(belief, pairs)
    for _ in range(10):
        belief.refresh()
    scales = np.geomspace(0.3, 10, 60)
    evidence = [
        LinkedGP(scale=float(scale)).fit(n_items=12).update(*pairs.T).refresh().log_evidence_
        for scale in scales
    ]
    assert belief.scale == pytest.approx(scales[int(np.argmax(evidence))], rel=0.1)


def test_glicko_is_the_model_of_that_name() -> None:
    """In rating points the ratings are those of Glicko, in the same order."""
    from penchant import Preferences

    pairs = answers(5, 30, 4)
    q = np.log(10) / 400
    model = Glicko(0.0, deviation=1.7 / q).fit(Preferences.from_pairs(pairs, items=range(5)))
    belief = taught(GlickoRated(5), pairs)
    assert belief.mean * 1.7 / q == pytest.approx(model.scores_, abs=1e-6)
    assert np.sqrt(belief.variance()) * 1.7 / q == pytest.approx(model.deviations_, abs=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_finds_the_order(rule: str) -> None:
    """Against a sure judge each rule reaches a Kendall correlation of 0.9 with ten items."""
    utility = np.linspace(6, -6, 10)
    judge = ProbitJudge(utility, noise=0.5**0.5, seed=1)
    ended = ask_until(KendallReached(utility), RULES[rule](), Propagated(10), [judge], most=400, seed=1)
    assert ended.reached
    assert is_right(ended.order[:1] + ended.order[-1:], utility, width=0)


@pytest.mark.parametrize("belief", BELIEFS)
def test_every_belief_finds_the_order(belief: str) -> None:
    """Each way to believe reaches a Kendall correlation of 0.9 with ten items."""
    utility = np.linspace(6, -6, 10)
    judge = ProbitJudge(utility, noise=0.5**0.5, seed=1)
    ended = ask_until(KendallReached(utility), ByWorth(), BELIEFS[belief](10), [judge], most=400, seed=1)
    assert ended.reached


def test_asking_by_worth_needs_fewer_questions_than_asking_at_random() -> None:
    """With 16 items it takes less than 0.7 of random's questions, over 12 runs."""

    def needed(rule: Callable[[], Any]) -> float:
        return fmean(one_run(rule(), seed).questions for seed in range(12))

    def one_run(rule: Any, seed: int) -> Any:
        utility = 4 * np.random.default_rng(seed).standard_normal(16)
        judge = ProbitJudge(utility, noise=0.5**0.5, seed=seed)
        return ask_until(KendallReached(utility), rule, Propagated(16), [judge], most=1000, seed=seed)

    assert needed(ByWorth) < 0.7 * needed(AtRandom)


def test_stopping_is_honest() -> None:
    """Of 30 runs that say that the best two of eight are 95 % sure, at least 25 are right (93 % less 2 errors)."""
    right = []
    for seed in range(30):
        utility = 2 * np.random.default_rng(seed).standard_normal(8)
        judge = ProbitJudge(utility, noise=0.5**0.5, seed=seed)
        ended = ask_until(TopSettled(2), ByWorth("top", top=2), Propagated(8), [judge], most=500, seed=seed)
        if ended.reached:
            right.append(is_right(ended.order, utility, top=2, width=float(ndtri(0.6))))
    assert len(right) >= 25
    assert sum(right) >= (0.93 - 2 * (0.93 * 0.07 / len(right)) ** 0.5) * len(right)


def test_stopping_is_honest_with_close_items() -> None:
    """Of 40 runs with utilities of sd 0.3 that say that the best of eight is 95 % sure, at least 36 are right."""
    right = []
    for seed in range(40):
        utility = 0.3 * np.random.default_rng(seed).standard_normal(8)
        judge = ProbitJudge(utility, noise=0.5**0.5, seed=seed)
        ended = ask_until(TopSettled(1), ByWorth("top", top=1), Propagated(8), [judge], most=1000, seed=seed)
        assert ended.reached
        right.append(is_right(ended.order, utility, top=1, width=float(ndtri(0.6))))
    assert sum(right) >= 36


def test_the_answers_that_are_left_lie_in_the_range() -> None:
    """Over 8 runs with the whole order of seven items, nine tenths of the ranges hold, give or take 15 in 100."""
    held = []
    for seed in range(8):
        utility = 2 * np.random.default_rng(seed).standard_normal(7)
        goal = Watching()
        judge = ProbitJudge(utility, noise=0.5**0.5, seed=seed)
        ended = ask_until(goal, ByWorth(), Propagated(7), [judge], most=2000, seed=seed)
        assert ended.reached
        held.append(fmean(low <= ended.questions - asked <= high for asked, (low, high) in goal.said.items()))
    assert 0.75 <= fmean(held) <= 0.99


class Watching(TopSettled):
    """Settles the whole order, and keeps what was said on the way."""

    def __init__(self) -> None:
        super().__init__(None, growth=0.5)
        self.said: dict[int, tuple[int, int]] = {}

    def __call__(self, belief: OnlineBelief, asked: int) -> bool:
        """Look, and note down."""
        looked = asked >= max(self._next, len(belief.mean))
        enough = super().__call__(belief, asked)
        if looked and not enough:
            self.said[asked] = settled(belief, goal="exact", noise=0.5**0.5, draws=500, seed=asked).left_range
        return enough


def test_a_spanning_tree_reaches_every_item() -> None:
    """A batch has n − 1 different pairs that touch all items, and the largest gain of all trees."""
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


def test_a_pair_comes_back_with_its_sides_swapped() -> None:
    """Two items alone: left and right change places with each question."""
    shown = []

    class Looking(ProbitJudge):
        def prefers_left(self, left: int, right: int) -> bool:
            shown.append(left)
            return super().prefers_left(left, right)

    ask_until(lambda belief, asked: False, ByWorth(), Propagated(2), [Looking([0.0, 0.0])], most=10)
    assert all(one != other for one, other in pairwise(shown))


def test_runs_that_find_no_end_say_so() -> None:
    """When the questions run out the goal was not reached."""
    ended = ask_until(
        lambda belief, asked: False, AtRandom(), Propagated(4), [ProbitJudge(np.zeros(4))], most=7
    )
    assert (ended.questions, ended.reached) == (7, False)


def test_a_run_is_decided_by_its_seeds() -> None:
    """The same seeds ask the same questions and end the same."""

    def once() -> Any:
        utility = np.linspace(2, -2, 9)
        judge = ProbitJudge(utility, seed=4)
        ended = ask_until(KendallReached(utility), ByWorth(), Propagated(9), [judge], seed=4)
        return ended.questions, ended.order

    assert once() == once()


def test_what_cannot_be_played_is_refused() -> None:
    """No judges, no questions, scales and growths below 0 are refused."""
    with pytest.raises(InvalidInput, match="needs judges"):
        ask_until(lambda belief, asked: True, AtRandom(), Propagated(3), [])
    with pytest.raises(InvalidInput, match="scale must be a number above 0"):
        Propagated(3, scale=0.0)
    with pytest.raises(InvalidInput, match="growth must be a number of at least 0"):
        Propagated(3, growth=-1.0)
