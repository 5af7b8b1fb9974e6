"""Intervals, draws, probabilities and rankings are those of the mixture."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import ndtr

from penchant.ask import next_pair, settled
from penchant.errors import InvalidInput, NotFitted
from penchant.gp import LinkedGP
from tests.gp.linked.reference import (
    N,
)
from tests.gp.linked.tuned import tuned


def test_intervals_hold_their_share_of_the_mixture() -> None:
    """Draws fall below, inside and above an interval as often as its level says; differences too."""
    model = tuned()
    draws = model.sample(20_000, 1)
    np.testing.assert_allclose(draws.mean(axis=0), model.mean, atol=0.08)
    np.testing.assert_allclose(np.cov(draws.T), model.covariance(), atol=0.25)
    low, high = model.interval(0.8).T
    np.testing.assert_allclose((draws < low).mean(axis=0), 0.1, atol=0.015)
    np.testing.assert_allclose((draws > high).mean(axis=0), 0.1, atol=0.015)
    low, high = model.difference_interval(2, 7, 0.8)
    apart = draws[:, 2] - draws[:, 7]
    assert (apart < low).mean() == pytest.approx(0.1, abs=0.015)
    assert (apart > high).mean() == pytest.approx(0.1, abs=0.015)
    wins = ndtr(apart).mean()
    assert model.win_probability(2, 7) == pytest.approx(wins, abs=0.01)
    ranking = model.rank(level=0.8)
    assert ranking.lower[0] == model.interval(0.8)[np.argmax(model.mean), 0]


def test_draws_are_a_function_of_the_seed_and_in_no_order() -> None:
    """The first half of the draws is like the second; too many items at once are rejected."""
    model = tuned()
    np.testing.assert_array_equal(model.sample(50, 3, rows=[4, 2]), model.sample(50, 3, rows=[4, 2]))
    halves = np.split(np.abs(model.sample(8000, 0)).max(axis=1), 2)
    assert np.mean(halves[0]) == pytest.approx(np.mean(halves[1]), rel=0.1)
    with pytest.raises(InvalidInput, match="rows must be at most 3,000 to be drawn together, got 3,001"):
        LinkedGP().fit(n_items=3001).sample(1)


def test_consistent_answers_do_not_settle_an_order_by_themselves() -> None:
    """Thirteen answers without a contradiction are compatible with small differences, and that is said."""
    pairs = np.array([(i, j) for i in range(6) for j in range(i + 1, 6)][:13])
    model = LinkedGP().fit(n_items=6).update(*pairs.T).tune()
    assert settled(model, goal="exact", noise=0.5**0.5).value < 0.6
    assert not settled(model, noise=0.5**0.5).enough


def test_questions_are_chosen_by_the_most_probable_component() -> None:
    """A pair that is far apart at every scale is not asked about because the scale is uncertain."""
    pairs = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)] * 40
    pairs += [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)] * 30
    model = LinkedGP().fit(n_items=5).update(*np.array(pairs).T).tune()
    best = model.most_probable()
    assert best.variance().max() < model.variance().max()
    chosen = next_pair(model, model.counts_, rule="top", top=1, noise=0.5**0.5)
    assert chosen == next_pair(best, model.counts_, rule="top", top=1, noise=0.5**0.5)
    assert set(chosen) <= {0, 1, 2}
    np.testing.assert_allclose(best.covariance([1], [1])[0, 0], best.variance([1])[0])
    assert best.variance_bounds()[0].shape == (5,)


def test_queries_are_kept_apart(known: dict[str, np.ndarray]) -> None:
    """Answers and rankings stay within a query, while features carry what was learned across."""
    qid = np.repeat([7, 8], N // 2)
    model = LinkedGP().fit(known["features"], qid=qid).update(0, 1)
    assert len(model.rank(8).items) == N // 2
    assert np.abs(model.mean[N // 2 :]).max() > 0
    with pytest.raises(InvalidInput, match="query 7 with item 30 of query 8: compare within a query"):
        model.update(0, 30)
    with pytest.raises(InvalidInput, match="query 9 has no items"):
        model.rank(9)


def test_nothing_can_be_asked_before_fit() -> None:
    """A model without items says so."""
    with pytest.raises(NotFitted, match="call fit first"):
        LinkedGP().update(0, 1)


def test_one_item_is_ranked_alone() -> None:
    """One item has rank 1 and its prior's interval."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranking = LinkedGP().fit(n_items=1).rank()
    assert ranking.ranks.tolist() == [1]
