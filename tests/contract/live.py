"""What every belief of a running study promises beside the contract of beliefs, as tests of ``make(preferences)``.

A new one is added to ``LIVE`` in ``test_live_beliefs.py``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from tests.contract.model import N_ITEMS, judged

Make = Callable[[Preferences], Any]
TOLD = [(0, 1, 0), (2, 3, 1), (4, 1, 0), (5, 0, 1), (0, 1, 0), (3, 5, 0), (1, 2, 0)]


def arrays_of(state: dict[str, Any], path: str = "") -> dict[str, np.ndarray]:
    """Return the arrays of a state, by their places in it."""
    found = {}
    for name, value in state.items():
        if isinstance(value, dict):
            found |= arrays_of(value, f"{path}{name}.")
        elif isinstance(value, np.ndarray):
            found[f"{path}{name}"] = value
    return found


def plain_part(value: Any) -> Any:
    """Return a state without its arrays."""
    if isinstance(value, dict):
        return {name: plain_part(inner) for name, inner in value.items()}
    return None if isinstance(value, np.ndarray) else value


def assert_same(first: Any, second: Any) -> None:
    """Check that two beliefs are equal to the last bit."""
    left, right = first.state(), second.state()
    assert plain_part(left) == plain_part(right)
    arrays, others = arrays_of(left), arrays_of(right)
    assert arrays.keys() == others.keys()
    for name, values in arrays.items():
        assert values.dtype == others[name].dtype, name
        assert values.tobytes() == others[name].tobytes(), name
    assert first.mean.tobytes() == second.mean.tobytes()
    assert first.variance().tobytes() == second.variance().tobytes()


def prior_difference(belief: Any, a: int, b: int) -> float:
    """Return by how much the means of two items differ before any answer; 0 in most beliefs."""
    mean = getattr(getattr(belief, "_prior", None), "mean", None)
    return 0.0 if mean is None else float(mean[a] - mean[b])


class LiveContract:
    """The promises, one test each; its docstring is the promise."""

    @pytest.fixture
    def belief(self, make: Make) -> Any:
        return make(judged())

    def test_one_start_gives_one_belief(self, make: Make) -> None:
        """Two starts from the same answers are equal to the last bit, and stay so after the same answers."""
        first, second = make(judged()), make(judged())
        assert_same(first, second)
        for answer in TOLD:
            assert first.answer(*answer) == second.answer(*answer)
        assert_same(first, second)

    def test_an_answer_moves_the_belief(self, belief: Any) -> None:
        """Each answer raises the probability of the same answer, and counts for both items."""
        for first, second, outcome in TOLD:
            before, counts = belief.outcome_probabilities(first, second)[outcome], belief.counts_.copy()
            belief.answer(first, second, outcome)
            assert belief.outcome_probabilities(first, second)[outcome] > before
            assert (belief.counts_ - counts).sum() == 2
            assert belief.counts_[first] == counts[first] + 1

    def test_a_weight_counts_as_so_many_answers(self, belief: Any) -> None:
        """A weight of 3 is about three equal answers at once, and counts as three."""
        once, thrice = belief.copy(), belief.copy()
        belief.answer(0, 5, 1, 3.0)
        once.answer(0, 5, 1)
        for _ in range(3):
            thrice.answer(0, 5, 1)
        assert belief.counts_.tolist() == thrice.counts_.tolist()
        sd = np.sqrt(thrice.variance())
        moved = np.abs((belief.mean - thrice.mean) / sd).max()
        assert moved < 0.1
        assert moved < np.abs((belief.mean - once.mean) / sd).max() / 3

    def test_probabilities_of_outcomes(self, belief: Any) -> None:
        """They sum to 1, belong to the sides, and `answer` returns the logarithm of the one that came."""
        for first, second, outcome in TOLD:
            chances = belief.outcome_probabilities(first, second)
            assert chances.shape == (3,)
            assert chances.sum() == pytest.approx(1)
            assert 0 < chances[2] <= 0.05  # nothing was tied yet
            np.testing.assert_allclose(
                belief.outcome_probabilities(second, first), chances[[1, 0, 2]], rtol=1e-6
            )
            assert belief.answer(first, second, outcome) == pytest.approx(np.log(chances[outcome]), abs=1e-3)

    def test_answers_one_by_one_are_close_to_a_start_from_all(self, make: Make) -> None:
        """A third of the answers learned one by one give about the means of a start from all of them."""
        every = judged(90)
        belief, whole = make(every[:60]), make(every)
        for better, worse in every[60:].pairs():
            belief.answer(int(better), int(worse), 0)
        assert belief.counts_.tolist() == whole.counts_.tolist()
        assert np.abs((belief.mean - whole.mean) / np.sqrt(whole.variance())).max() < 0.35
        ratio = np.sqrt(belief.variance() / whole.variance())
        assert ((ratio > 0.75) & (ratio < 1.35)).all()

    def test_a_state_continues(self, belief: Any) -> None:
        """The belief of a stored state learns further to the same bits; all but arrays is JSON."""
        for answer in TOLD[:3]:
            belief.answer(*answer)
        state = belief.state()
        json.dumps(plain_part(state), allow_nan=False)
        again = type(belief).from_state(state)
        assert_same(belief, again)
        for answer in TOLD[3:]:
            assert belief.answer(*answer) == again.answer(*answer)
        assert_same(belief, again)

    def test_a_copy_is_independent(self, belief: Any) -> None:
        """A copy learns to the same bits, and neither changes the other, nor a state that was taken before."""
        copied, state = belief.copy(), belief.state()
        for answer in TOLD:
            copied.answer(*answer)
        assert_same(belief, type(belief).from_state(state))
        for answer in TOLD:
            belief.answer(*answer)
        assert_same(belief, copied)

    def test_new_items_have_the_prior(self, belief: Any) -> None:
        """More items leave the others' differences as they are and can be asked about, where they can be added."""
        wider = belief.with_items(["x", "y"])
        if wider is None:
            return
        assert wider.items_ == (*belief.items_, "x", "y")
        assert wider.counts_.tolist() == [*belief.counts_.tolist(), 0, 0]
        apart = wider.mean[:N_ITEMS] - wider.mean[0]
        np.testing.assert_allclose(apart, belief.mean - belief.mean[0], atol=1e-6)
        assert (wider.variance([N_ITEMS, N_ITEMS + 1]) > belief.variance().max()).all()
        before = wider.mean
        wider.answer(N_ITEMS, 0, 0)
        assert wider.mean[N_ITEMS] - wider.mean[0] > before[N_ITEMS] - before[0]
        assert belief.counts_.sum() == 120

    def test_contributions_add_up(self, belief: Any) -> None:
        """What compared pairs contribute to a difference adds up to it, less that of the means before any answer."""
        for answer in TOLD:
            belief.answer(*answer)
        for a, b in ((0, 5), (3, 1)):
            parts = belief.contributions(a, b)
            back = belief.contributions(b, a)
            total = sum(weight for *_, weight in parts)
            assert total == pytest.approx(-sum(weight for *_, weight in back), abs=1e-9)
            difference = belief.mean[a] - belief.mean[b] - prior_difference(belief, a, b)
            assert total == pytest.approx(difference, abs=1e-8)
            for first, second, _ in parts:
                assert min(first, second) >= -1
                assert max(first, second) < N_ITEMS

    def test_a_pair_contributes_for_its_winner(self, make: Make) -> None:
        """19 wins of 28 count for the winner, also where answers about other pairs predict more of them.

        A prior that expects even more of them counts itself; the pair then takes back a part of that.
        """
        pairs = [(0, 1)] * 19 + [(1, 0)] * 9 + [(0, 2), (2, 1), (0, 3), (3, 1)] * 6
        belief = make(Preferences.from_pairs(pairs, items=range(N_ITEMS)))
        weights = {(first, second): weight for first, second, weight in belief.contributions(0, 1)}
        expected = prior_difference(belief, 0, 1)
        assert weights[0, 1] > 0 or expected > belief.mean[0] - belief.mean[1]

    def test_ties_and_bad_answers_are_learned_or_rejected(self, belief: Any) -> None:
        """A tie draws two items together; a both-bad answer makes another one likely, or is rejected."""
        apart = abs(belief.mean[0] - belief.mean[5])
        for _ in range(6):
            assert belief.answer(0, 5, 2) < 0
        assert abs(belief.mean[0] - belief.mean[5]) < apart
        assert belief.outcome_probabilities(0, 5)[2] > 0
        try:
            first, *_, last = (belief.answer(1, 2, 3) for _ in range(4))
        except InvalidInput:
            return
        assert first < last < 0

    def test_what_is_no_answer_is_rejected(self, belief: Any) -> None:
        """Rows that are none or the same, outcomes that are none and weights not above 0 change nothing."""
        state = belief.copy()
        for wrong in ((0, 0, 0), (0, N_ITEMS, 0), (-1, 0, 0), (0, 1, 4), (0, 1, 0, 0.0), (0, 1, 0, -1.0)):
            with pytest.raises(InvalidInput):
                belief.answer(*wrong)
        assert_same(belief, state)
