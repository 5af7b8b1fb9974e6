"""The next pair to ask about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from penchant.ask import chance_of_wrong_order, information_gain, next_pair, next_pairs
from penchant.ask.candidates import ALL_PAIRS
from penchant.ask.choice import SHORTLIST
from penchant.ask.value import RULES, indifference_width
from penchant.belief import NormalBelief
from penchant.errors import InvalidInput
from tests.ask.test_fast_choice import Dense


@dataclass
class Believed(NormalBelief):
    noise_ = 1.0
    mean: Any
    cov: Any

    def variance(self, rows: Any = None) -> Any:
        return np.diag(self.cov)

    def covariance(self, rows: Any = None, columns: Any = None) -> Any:
        return self.cov if rows is None else self.cov[np.ix_(rows, columns)]


def believed(n_items: int, seed: int) -> Believed:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_items, n_items))
    return Believed(rng.normal(size=n_items), root @ root.T / n_items + 0.1 * np.eye(n_items))


@given(st.integers(2, 9), st.integers(0, 10_000), st.floats(0.5, 2))
def test_it_is_the_pair_of_largest_worth(n_items: int, seed: int, noise: float) -> None:
    """Once every item has two answers, the pair is that of a plain double loop over the formula."""
    belief = believed(n_items, seed)
    best, worth = (0, 1), -1.0
    for i in range(n_items):
        for j in range(i + 1, n_items):
            difference = np.array([belief.mean[i] - belief.mean[j]]) / (np.sqrt(2) * noise)
            spread = np.array([belief.cov[i, i] + belief.cov[j, j] - 2 * belief.cov[i, j]]) / (2 * noise**2)
            value = float(
                (information_gain(difference, spread) * chance_of_wrong_order(difference, spread))[0]
            )
            if value > worth + 1e-12:
                best, worth = (i, j), value
    assert next_pair(belief, np.full(n_items, 2), noise=noise) == best


@given(st.integers(2, 12), st.integers(0, 10_000))
def test_every_item_is_seen_twice_first(n_items: int, seed: int) -> None:
    """Played from nothing, every item has two answers after at most n + 1 questions."""
    belief = believed(n_items, seed)
    answers = np.zeros(n_items, dtype=np.int64)
    for _ in range(n_items + 1):
        answers[list(next_pair(belief, answers))] += 1
    assert answers.min() >= 2


def test_pairs_to_avoid_are_avoided_unless_nothing_is_left() -> None:
    """A pair that somebody is being asked about is not asked twice at once, but two items can always go on."""
    belief = believed(3, 0)
    first = next_pair(belief, np.full(3, 5))
    second = next_pair(belief, np.full(3, 5), avoid={first})
    assert second != first
    assert next_pair(belief, np.full(3, 5), avoid={(0, 1), (0, 2), (1, 2)}) == first


class Large(NormalBelief):
    """Two thousand items of which all covariances together must not be asked for."""

    mean = np.linspace(3, -3, 2000)
    noise_ = 1.0

    def variance(self, rows: Any = None) -> Any:
        return np.full(2000, 0.1)

    def covariance(self, rows: Any = None, columns: Any = None) -> Any:
        assert rows is not None
        assert columns is not None
        assert len(rows) <= 2 * SHORTLIST
        return 0.1 * np.equal.outer(np.asarray(rows), np.asarray(columns))


def test_many_items_are_compared_with_their_neighbours() -> None:
    """Above the limit the pair is one of near neighbours in the ranking, and no large matrix is asked for."""
    assert ALL_PAIRS < 2000
    i, j = next_pair(Large(), np.full(2000, 2))
    assert abs(i - j) <= 24


def test_of_many_items_preferred_pairs_are_found_wherever_they_stand() -> None:
    """A preferred pair is asked first, also when its items are no neighbours; a forbidden one never."""
    answers = np.full(2000, 2)
    assert next_pair(Large(), answers, preferred=[(1999, 0)]) == (0, 1999)
    assert next_pair(Large(), answers, preferred=[(0, 1999)], forbidden=[(0, 1999)]) != (0, 1999)


@given(st.integers(3, 9), st.integers(0, 10_000), st.sampled_from([*RULES, "random"]))
def test_forbidden_pairs_are_never_asked(n_items: int, seed: int, rule: str) -> None:
    """Whatever the rule, with all pairs but one forbidden that one is asked, and with all forbidden none is."""
    belief, top = believed(n_items, seed), 1 if rule == "top" else None
    pairs = [(i, j) for i in range(n_items) for j in range(i + 1, n_items)]
    best = int(np.argmax(belief.mean))
    left = min(best, (best + 1) % n_items), max(best, (best + 1) % n_items)
    others = [pair for pair in pairs if pair != left]
    asked = next_pair(belief, np.full(n_items, 3), rule=rule, top=top, forbidden=others, seed=seed)
    assert asked == left
    with pytest.raises(InvalidInput, match="every pair is forbidden"):
        next_pair(belief, np.full(n_items, 3), rule=rule, top=top, forbidden=pairs)


@given(st.integers(2, 9), st.integers(0, 10_000))
def test_the_best_option_is_sought_among_the_best(n_items: int, seed: int) -> None:
    """The rule ``best`` takes the pair whose better item is expected to be best, as draws find it too."""
    belief = believed(n_items, seed)
    i, j = next_pair(belief, np.full(n_items, 2), rule="best")
    drawn = np.random.default_rng(0).multivariate_normal(belief.mean, belief.cov, 10_000)
    expected = {
        (a, b): float(np.maximum(drawn[:, a], drawn[:, b]).mean())
        for a in range(n_items)
        for b in range(a + 1, n_items)
    }
    assert expected[i, j] >= max(expected.values()) - 0.06


@given(st.integers(3, 12), st.integers(0, 10_000), st.data())
def test_to_settle_the_top_items_near_its_border_are_asked_about(
    n_items: int, seed: int, data: st.DataObject
) -> None:
    """The rule ``top`` takes the pair that lowers the expected wrong pairs across the border most, by a plain loop."""
    top = data.draw(st.integers(1, n_items - 1))
    belief = believed(n_items, seed)
    mean, cov = belief.mean / np.sqrt(2), belief.cov / 2
    order = np.argsort(-mean, kind="stable")
    across = [(k, m) for k in order[:top] for m in order[top:]]

    def wrong(c: np.ndarray) -> float:
        spread = [c[k, k] + c[m, m] - 2 * c[k, m] for k, m in across]
        return sum(
            float(ndtr(-(abs(mean[k] - mean[m]) + indifference_width(1.0)) / s**0.5))
            for (k, m), s in zip(across, spread, strict=True)
        )

    def worth(i: int, j: int) -> float:
        a = np.eye(n_items)[i] - np.eye(n_items)[j]
        q = (mean[i] - mean[j]) / np.sqrt(1 + a @ cov @ a)
        told = np.exp(-(q**2)) / (2 * np.pi * (1 + a @ cov @ a) * ndtr(q) * ndtr(-q))
        step = 1e-6
        return float((wrong(cov) - wrong(cov - step * told * np.outer(cov @ a, cov @ a))) / step)

    best = max(worth(i, j) for i in range(n_items) for j in range(i + 1, n_items))
    found = worth(*next_pair(belief, np.full(n_items, 2), rule="top", top=top))
    assert found >= best * (1 - 1e-3) - 1e-7


@given(st.integers(2, 9), st.integers(0, 10_000), st.integers(1, 3), st.booleans())
def test_an_item_that_is_ahead_waits(n_items: int, seed: int, most_ahead: int, fast: bool) -> None:
    """With exposure balanced, no item is ever more than so many answers ahead of another."""
    belief: Any = believed(n_items, seed)
    belief = Dense(belief.mean, belief.cov) if fast else belief
    answers = np.zeros(n_items, dtype=np.int64)
    for _ in range(40):
        answers[list(next_pair(belief, answers, least_answers=0, most_ahead=most_ahead))] += 1
        assert np.ptp(answers) <= most_ahead


@given(st.integers(2, 9), st.integers(0, 10_000), st.data())
def test_a_batch_has_no_collisions(n_items: int, seed: int, data: st.DataObject) -> None:
    """No pair comes twice in a batch, and no item as long as two others are free."""
    count = data.draw(st.integers(1, n_items * (n_items - 1) // 2))
    pairs = next_pairs(believed(n_items, seed), np.full(n_items, 2), count)
    assert len(set(pairs)) == count
    first = [item for pair in pairs[: n_items // 2] for item in pair]
    assert len(set(first)) == len(first)


def test_seeds_decide_between_equals() -> None:
    """Before the first answer all pairs are equal: a seed chooses among all of them, always the same."""
    belief = Believed(np.zeros(5), np.eye(5))
    chosen = [next_pair(belief, np.zeros(5, dtype=int), seed=seed) for seed in range(60)]
    assert len(set(chosen)) >= 8
    assert chosen[:5] == [next_pair(belief, np.zeros(5, dtype=int), seed=seed) for seed in range(5)]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"rule": "top", "top": 3}, "top must be a whole number from 1 to 2"),
        ({"noise": 0.0}, "noise must be a number above 0"),
        ({"most_ahead": 0}, "most_ahead must be a whole number of at least 1"),
        ({"avoid": [(0, 3)]}, "pairs must be of items from 0 to 2, got item 3"),
        ({"forbidden": [(1, 1)]}, "pairs must be two different rows from 0 on, got \\(1, 1\\)"),
    ],
)
def test_impossible_arguments_are_rejected(wrong: dict[str, Any], words: str) -> None:
    """Tops that are not part of the items, impossible noise and pairs that are none are errors."""
    with pytest.raises(InvalidInput, match=words):
        next_pair(believed(3, 0), np.full(3, 2), **wrong)


def test_a_batch_larger_than_all_pairs_is_refused() -> None:
    """Three items make three pairs, and with one forbidden two."""
    with pytest.raises(InvalidInput, match="count must be from 1 to 2"):
        next_pairs(believed(3, 0), np.full(3, 2), 3, forbidden=[(0, 1)])


def test_one_item_cannot_be_compared() -> None:
    """With fewer than two items there is nothing to ask, and that is said."""
    with pytest.raises(InvalidInput, match="at least 2 items, got 1"):
        next_pair(believed(1, 0), np.zeros(1, dtype=np.int64))


def test_of_many_items_a_pair_is_found_as_long_as_one_is_allowed() -> None:
    """Where all pairs that are worth most are forbidden, others come; only where all are, nothing does."""
    n_items = ALL_PAIRS + 20
    belief = Believed(np.arange(n_items, dtype=float), np.eye(n_items))
    every = [(i, j) for i in range(n_items) for j in range(i + 1, n_items)]
    allowed = (3, n_items - 1)
    few = [pair for pair in every if pair != allowed]
    answers = np.full(n_items, 5)
    assert next_pair(belief, answers, forbidden=few) == allowed
    assert next_pair(belief, answers, rule="top", top=10, forbidden=few) == allowed
    with pytest.raises(InvalidInput, match="every pair is forbidden"):
        next_pair(belief, answers, forbidden=every)


def test_unknown_settings_of_several_pairs_are_named() -> None:
    """As those of one pair are."""
    with pytest.raises(TypeError, match=r"next_pairs\(\) got an unexpected keyword argument 'avoyd'"):
        next_pairs(believed(4, 0), np.full(4, 2), 2, avoyd=[(0, 1)])  # type: ignore[call-arg]
