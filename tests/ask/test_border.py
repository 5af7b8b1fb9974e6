"""What a question tells about the border of the top."""

from __future__ import annotations

import numpy as np

from penchant.ask import next_pair, next_pairs
from penchant.ask.border import CONTENDERS, contenders, expected_gain
from penchant.simulate import ByWorth, ProbitJudge, Propagated, TopSettled, ask_until, is_right
from tests.ask.test_pairs import Believed, believed


def test_the_gain_is_symmetric_and_not_negative() -> None:
    """It is the same whichever of two items is named first."""
    belief = believed(9, 4)
    inside = np.arange(9) < 3
    gain = expected_gain(belief.mean, belief.cov, inside, width=0.25)
    np.testing.assert_allclose(gain, gain.T)
    assert (gain >= -1e-12).all()


def test_of_many_items_the_doubtful_ones_are_weighed() -> None:
    """Items far from the border are left out, unless a pair with them is preferred."""
    n_items = CONTENDERS + 300
    mean = np.linspace(50, -50, n_items)
    belief = Believed(mean, np.eye(n_items))
    found = contenders(mean, np.ones(n_items), np.arange(n_items), 10)
    assert found.tolist() == list(range(CONTENDERS))
    answers = np.full(n_items, 2)
    assert next_pair(belief, answers, rule="top", top=10) == (9, 10)
    assert next_pair(belief, answers, rule="top", top=10, forbidden=[(9, 10)]) != (9, 10)
    preferred = [(0, n_items - 1)]
    assert next_pair(belief, answers, rule="top", top=10, preferred=preferred) == preferred[0]
    several = next_pairs(belief, answers, 5, rule="top", top=10)
    assert len({item for pair in several for item in pair}) == 10


def test_a_top_of_most_items_can_be_asked_about() -> None:
    """A top that is larger than what is weighed at once has a border all the same."""
    n_items = 2 * CONTENDERS + 50
    belief = Believed(np.linspace(5, -5, n_items), np.eye(n_items))
    first, second = next_pair(belief, np.full(n_items, 2), rule="top", top=n_items - 20)
    assert abs(first - (n_items - 20)) < 40
    assert abs(second - (n_items - 20)) < 40


def test_few_questions_find_the_top() -> None:
    """Of 20 simulated items the best three are found with fewer than half of the questions of random pairs."""
    from penchant.simulate import AtRandom

    asked: dict[str, list[int]] = {"top": [], "random": []}
    for seed in range(6):
        utility = 3 * np.random.default_rng((3, seed)).standard_normal(20)
        for name, rule in (("top", ByWorth("top", top=3)), ("random", AtRandom())):
            judge = ProbitJudge(utility, noise=0.5**0.5, seed=(4, seed))
            ended = ask_until(TopSettled(3), rule, Propagated(20), [judge], most=1500, seed=seed)
            asked[name].append(ended.questions)
            if name == "top":
                assert ended.reached
                assert is_right(ended.order, utility, top=3, width=0.6)
    assert np.mean(asked["top"]) < 0.5 * np.mean(asked["random"])
