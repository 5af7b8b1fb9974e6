"""Live beliefs start at the posterior of the batch model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.online.answers import first_tie_share
from penchant.worth import BradleyTerry, Thurstone
from tests.online.simulated import answers, full_posterior


@pytest.mark.parametrize("kind", [BradleyTerry, Thurstone])
@pytest.mark.parametrize(("ties", "bad"), [(0.0, 0.0), (0.15, 0.0), (0.0, 0.1), (0.1, 0.1)])
def test_a_belief_starts_where_the_model_is(kind: Any, ties: float, bad: float) -> None:
    """Scores, intervals, rank ranges and the bar are those of the fitted model, an item without answers included.

    Where something was tied, the model widens intervals by the uncertainty of the tie parameter, by less than 1 %.
    """
    some = replace(answers(14, 90, ties=ties, bad=bad, seed=4), n_items=15)
    model, belief = kind().fit(some.preferences), kind().live(some.preferences)
    np.testing.assert_allclose(belief.mean, model.mean, atol=2e-3)
    np.testing.assert_allclose(belief.variance(), model.variance(), rtol=0.01 if ties else 2e-3)
    np.testing.assert_allclose(belief.most_probable().mean, model.most_probable().mean, atol=2e-3)
    expected, found = model.rank(), belief.rank()
    assert found.items == expected.items
    np.testing.assert_allclose(found.lower, expected.lower, atol=0.02 if ties else 5e-3)
    assert np.abs(found.rank_low - expected.rank_low).max() <= 2
    assert np.abs(found.rank_high - expected.rank_high).max() <= 2
    assert found.model == expected.model
    assert (found.threshold is None) == (expected.threshold is None)
    if found.threshold is not None and expected.threshold is not None:
        assert found.threshold.score == pytest.approx(expected.threshold.score, abs=5e-3)
        assert found.threshold.upper == pytest.approx(expected.threshold.upper, abs=0.03)


def test_unconnected_groups_start_where_the_model_is() -> None:
    """Groups that were never compared have the scores and covariances of the fitted model, the bar in one of them."""
    one = answers(4, 25, seed=6)
    other = answers(5, 25, bad=0.2, seed=7)
    both = replace(
        one,
        first=np.append(one.first, other.first + 4),
        second=np.append(one.second, other.second + 4),
        outcome=np.append(one.outcome, other.outcome),
        n_items=10,
    )
    with pytest.warns(match="never compared"):
        model = BradleyTerry().fit(both.preferences)
    belief = BradleyTerry().live(both.preferences)
    np.testing.assert_allclose(belief.mean, model.mean, atol=2e-3)
    np.testing.assert_allclose(belief.covariance(), model.covariance(), atol=5e-3)


def test_a_given_prior_has_the_mean_and_not_the_mode() -> None:
    """At a given prior the belief is the posterior of expectation propagation, whose scores differ from the mode."""
    some = answers(10, 60, seed=8)
    belief = BradleyTerry(0.2).live(some.preferences)
    mean, covariance = full_posterior(belief, some.preferences, 0)
    np.testing.assert_allclose(belief.mean, mean, atol=1e-3)
    np.testing.assert_allclose(np.diag(belief.state()["covariances"][0])[:10], np.diag(covariance), rtol=1e-3)


def test_many_items_start_with_exact_sweeps() -> None:
    """Above 200 items, where the model itself approximates variances, sites are those of the exact covariance."""
    some = answers(230, 2500, seed=9)
    belief = BradleyTerry().live(some.preferences)
    heaviest = int(np.argmax(belief.weights_))
    mean, covariance = full_posterior(belief, some.preferences, heaviest)
    found, sd = belief.state(), np.sqrt(np.diag(covariance))
    assert (np.abs(found["means"][heaviest][:230] - mean) < 2e-3 * sd).all()
    np.testing.assert_allclose(np.diag(found["covariances"][heaviest])[:230], sd**2, rtol=2e-3)


def test_many_items_have_at_most_three_scales() -> None:
    """Above 500 items a belief has three scales where a fit has five, with nearly the same variances."""
    some = answers(510, 40, seed=10)
    belief = BradleyTerry().live(some.preferences)
    with pytest.warns(match="never compared"):
        model = BradleyTerry().fit(some.preferences)
    assert len(belief.weights_) == 3
    unseen = belief.counts_ == 0
    np.testing.assert_allclose(belief.variance()[unseen], model.variance()[unseen], rtol=0.07)
    np.testing.assert_allclose(belief.variance(), model.variance(), rtol=0.15)


def test_no_answers_give_the_prior() -> None:
    """Without answers all items have the prior of the model, and the first answer is learned."""
    ids = ["a", "b", "c"]
    belief = BradleyTerry().live(Preferences.from_pairs([], items=ids))
    assert belief.mean.tolist() == [0, 0, 0]
    assert belief.variance() == pytest.approx(9.0, rel=0.01)
    assert belief.answer(1, 0, 0) == pytest.approx(np.log((1 - first_tie_share(0)) / 2))
    assert belief.rank().items[0] == "b"


def test_live_is_a_function_of_its_arguments() -> None:
    """The same answers give the same bits, and the model itself is not fitted."""
    some, model = answers(9, 50, ties=0.1, bad=0.1, seed=11), BradleyTerry()
    first, second = model.live(some.preferences), model.live(some.preferences)
    assert not hasattr(model, "scores_")
    for name, value in first.state().items():
        if isinstance(value, np.ndarray):
            assert value.tobytes() == second.state()[name].tobytes()


@pytest.mark.parametrize("model", [BradleyTerry(0), Thurstone(errors="row"), BradleyTerry(errors="judge")])
def test_settings_that_cannot_be_learned_one_at_a_time_are_rejected(model: Any) -> None:
    """A prior of 0 and clustered errors are rejected with the remedy, and `can_live` reports it beforehand."""
    assert not model.can_live()
    assert BradleyTerry().can_live()
    assert Thurstone(0.1, errors="model").can_live()
    with pytest.raises(InvalidInput, match="answer by answer"):
        model.live(answers(4, 10).preferences)


def test_rankings_features_and_links_are_rejected() -> None:
    """Rows of more than two items, whose errors are clustered, features and links are rejected."""
    rankings = Preferences.from_rankings([["a", "b", "c"], ["b", "a", "c"]])
    with pytest.raises(InvalidInput, match="rows of two items"):
        BradleyTerry().live(rankings)
    assert BradleyTerry(errors="model").live(rankings).counts_.tolist() == [4, 4, 4]
    some = answers(4, 10).preferences
    with pytest.raises(InvalidInput, match="features must be None"):
        BradleyTerry().live(some, features=pd.DataFrame({"x": [1, 2, 3, 4]}, index=list("0123")))
    with pytest.raises(InvalidInput, match="links must be None"):
        BradleyTerry().live(some, links=np.eye(4))
