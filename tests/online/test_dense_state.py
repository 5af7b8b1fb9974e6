"""The arrays of a dense belief: stored and read again, copied, and with more items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from penchant.delayed import DelayedMatrix, delayed
from penchant.errors import InvalidInput
from penchant.online import OnlineMixture, dense_state
from penchant.online.likelihood import AnswerLikelihood
from penchant.online.prior import IndependentPrior
from tests.online.test_dense import N_ITEMS, plain, same, some_answers


def test_more_items_than_a_dense_covariance_has_are_rejected() -> None:
    """The limit is named before any memory is taken."""
    prior = IndependentPrior(np.broadcast_to(1.0, (1, 2001)))
    with pytest.raises(InvalidInput, match="at most 2,000"):
        OnlineMixture([str(row) for row in range(2001)], AnswerLikelihood.logistic(), prior)


@given(some_answers(), some_answers(12))
def test_a_stored_belief_continues_to_the_same_bits(before: Any, after: Any) -> None:
    """A belief that was stored or copied learns further answers to the same bits, and apart from the first one."""
    belief = plain()
    for answer in before:
        belief.answer(*answer)
    stored, copied, state = OnlineMixture.from_state(belief.state()), belief.copy(), belief.state()
    for answer in after:
        assert stored.answer(*answer) == copied.answer(*answer)
    assert same(stored.state(), copied.state())
    assert same(belief.state(), state)
    for answer in after:
        belief.answer(*answer)
    assert same(stored.state(), belief.state())


@given(some_answers(20))
def test_new_items_leave_the_others_as_they_are(found: Any) -> None:
    """Items that are added have the prior, and the belief of the others stays what it was."""
    belief = plain()
    for answer in found:
        belief.answer(*answer)
    wider = belief.with_items(["new", "newer"])
    assert wider is not None
    assert wider.items_ == (*belief.items_, "new", "newer")
    np.testing.assert_allclose(wider.mean[:N_ITEMS], belief.mean)
    np.testing.assert_allclose(wider.covariance()[:N_ITEMS, :N_ITEMS], belief.covariance(), atol=1e-12)
    assert wider.counts_.tolist() == [*belief.counts_.tolist(), 0, 0]
    bar = belief.rank().threshold
    assert (bar is None) == (wider.rank().threshold is None)
    again, before = wider.copy(), wider.mean
    wider.answer(N_ITEMS, 0, 0)
    assert wider.mean[N_ITEMS] - wider.mean[0] > before[N_ITEMS] - before[0]
    again.answer(N_ITEMS, 0, 0)
    assert same(again.state(), wider.state())


def test_a_belief_has_a_name_and_a_size() -> None:
    """It says what it is, and about how much memory a copy takes."""
    belief = plain()
    assert repr(belief) == "OnlineMixture of 6 items, 2 components, for OnlineMixture"
    assert belief.n_bytes >= 2 * 7 * 7 * 8


def test_components_of_no_weight_are_left_out() -> None:
    """The others keep the ratios of their weights, and learn further answers to the same bits as before."""
    variances = np.array([[1.0] * N_ITEMS, [2.0] * N_ITEMS, [4.0] * N_ITEMS])
    likelihood = AnswerLikelihood("probit", 1.0, None)
    names = [str(row) for row in range(N_ITEMS)]
    belief = OnlineMixture(names, likelihood, IndependentPrior(variances), weights=(0.4, 1e-9, 0.6 - 1e-9))
    for first, second in ((0, 1), (1, 2), (0, 2), (3, 4)):
        belief.answer(first, second, 0)
    fewer = belief.copy()
    assert fewer.keep_components(1e-6) == [0, 2]
    assert fewer.keep_components(1e-6) == [0, 1]
    ratio = belief.weights_[2] / belief.weights_[0]
    assert fewer.weights_[1] / fewer.weights_[0] == pytest.approx(ratio)
    assert fewer.weights_.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(fewer.log_evidence(), belief.log_evidence()[[0, 2]])
    for mixture in (belief, fewer):
        mixture.answer(4, 5, 1)
    state, after = belief.state(), fewer.state()
    for name in ("means", "covariances", "sites", "levels"):
        assert after[name].tolist() == state[name][[0, 2]].tolist()
    assert same(OnlineMixture.from_state(after).state(), after)


def learned(found: list[tuple[int, int, int]]) -> OnlineMixture:
    """A belief after some answers."""
    belief = plain()
    for answer in found:
        belief.answer(*answer)
    return belief


def many(count: int) -> list[tuple[int, int, int]]:
    """Answers about all items and the bar."""
    rng = np.random.default_rng(4)
    pairs = [rng.choice(N_ITEMS, 2, replace=False).tolist() for _ in range(count)]
    return [(first, second, int(rng.choice([0, 0, 1, 2, 3]))) for first, second in pairs]


@pytest.mark.parametrize("most", [24, 4096])
def test_delayed_changes_are_those_made_at_once(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A covariance that is written to now and then, or never, gives what one gives that is after each answer."""
    monkeypatch.setattr(dense_state, "_FEW_ROWS", 2)
    monkeypatch.setattr(dense_state, "_MOST_DELAYED", 8)
    at_once = learned(many(30))
    assert not at_once.state()["delays"].any()
    monkeypatch.setattr(dense_state, "_MOST_DELAYED", most)
    later = learned(many(30))
    np.testing.assert_allclose(later.mean, at_once.mean, atol=1e-9)
    np.testing.assert_allclose(later.covariance(), at_once.covariance(), atol=1e-9)
    np.testing.assert_allclose(later.variance(), at_once.variance(), atol=1e-9)
    np.testing.assert_allclose(later.state()["levels"], at_once.state()["levels"], atol=1e-9)
    np.testing.assert_allclose(
        later.outcome_probabilities(0, 3), at_once.outcome_probabilities(0, 3), atol=1e-9
    )
    np.testing.assert_allclose(later.sample(50), at_once.sample(50), atol=1e-6)
    both = later.contributions(0, 1), at_once.contributions(0, 1)
    np.testing.assert_allclose(*([weight for *_, weight in parts] for parts in both), atol=1e-9)
    covariance = later.moments_arrays()[2]
    assert isinstance(covariance, DelayedMatrix) or most == 24
    np.testing.assert_allclose(delayed(covariance).whole().diagonal(), later.moments_arrays()[1], atol=1e-12)


def test_a_belief_with_delayed_changes_is_stored_and_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """It continues to the same bits from its state and as a copy, and items can be added."""
    monkeypatch.setattr(dense_state, "_FEW_ROWS", 2)
    belief = learned(many(17))
    assert belief.state()["delays"].any()
    stored, copied = OnlineMixture.from_state(belief.state()), belief.copy()
    for answer in many(40)[17:]:
        assert belief.answer(*answer) == stored.answer(*answer) == copied.answer(*answer)
    assert same(belief.state(), stored.state())
    assert same(belief.state(), copied.state())
    wider = belief.with_items(["new"])
    assert wider is not None
    np.testing.assert_allclose(wider.covariance()[:N_ITEMS, :N_ITEMS], belief.covariance(), atol=1e-12)


@pytest.mark.parametrize("n_items", [130, 300])
def test_large_covariances_are_those_of_their_sites(n_items: int) -> None:
    """With correlated items, after changes that are partly in the covariance and partly beside it."""
    place = np.linspace(0, 6, n_items)
    near = np.exp(-((place[:, None] - place) ** 2) / 2) + 0.1 * np.eye(n_items)
    belief = OnlineMixture.from_prior([str(row) for row in range(n_items)], near, noise=1.0)
    rng = np.random.default_rng(2)
    for _ in range(40):
        first, second = rng.choice(n_items, 2, replace=False).tolist()
        belief.answer(first, second, int(rng.random() < 0.5))
    state = belief.state()
    assert 0 < state["delays"][0] < 64
    written, pull = np.linalg.inv(near), np.zeros(n_items)
    for (i, j), (tau, nu, *_) in zip(state["pairs"], state["sites"][0], strict=True):
        written[[i, j], [i, j]] += tau
        written[[i, j], [j, i]] -= tau
        pull[i], pull[j] = pull[i] + nu, pull[j] - nu
    covariance = np.linalg.inv(written)
    np.testing.assert_allclose(belief.covariance(), covariance, atol=1e-8)
    np.testing.assert_allclose(belief.variance(), covariance.diagonal(), atol=1e-8)
    np.testing.assert_allclose(belief.mean, covariance @ pull, atol=1e-8)
