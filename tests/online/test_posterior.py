"""What an online belief reports, beside the same written out with matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from penchant.online import OnlineMixture
from penchant.worth import BradleyTerry
from tests.online.simulated import answers


def centred(n_rows: int, compared: list[int]) -> np.ndarray:
    """The matrix that subtracts the mean of the compared items."""
    matrix = np.eye(n_rows)
    matrix[:, compared] -= 1 / len(compared)
    return matrix


@pytest.fixture
def belief() -> OnlineMixture:
    """A mixture with both-bad answers and an item that was never compared."""
    some = replace(answers(6, 40, bad=0.1), n_items=7)
    found = BradleyTerry().live(some.preferences)
    assert isinstance(found, OnlineMixture)
    return found


def test_worth_is_relative_to_the_compared_items(belief: OnlineMixture) -> None:
    """Variances and covariances of components are those of the scores less the mean of the compared items."""
    state = belief.state()
    relative = centred(8, list(range(6)))
    within = [relative @ covariance @ relative.T for covariance in state["covariances"]]
    component = belief.most_probable()
    heaviest = int(np.argmax(belief.weights_))
    np.testing.assert_allclose(component.covariance(), within[heaviest][:7, :7], atol=1e-12)
    np.testing.assert_allclose(component.variance(), np.diag(within[heaviest])[:7], atol=1e-12)
    means = np.array([mean - mean[:6].mean() * (np.arange(8) != 6) for mean in state["means"]])
    np.testing.assert_allclose(belief.mean, (belief.weights_ @ means)[:7], atol=1e-9)
    apart = means - belief.weights_ @ means
    together = sum(
        weight * (covariance + np.outer(away, away))
        for weight, covariance, away in zip(belief.weights_, within, apart, strict=True)
    )
    np.testing.assert_allclose(belief.covariance(), together[:7, :7], atol=1e-12)
    np.testing.assert_allclose(belief.variance([6, 0]), np.diag(together)[[6, 0]], atol=1e-12)


def test_the_chooser_reads_without_copying(belief: OnlineMixture) -> None:
    """The arrays for the choice of pairs are views, in which differences vary as in the component."""
    mean, variance, covariance = belief.moments_arrays()
    component = belief.most_probable()
    assert np.shares_memory(covariance, belief.most_probable().chooser_arrays()[2])
    np.testing.assert_array_equal(mean, component.mean)
    np.testing.assert_array_equal(variance, covariance.diagonal())
    block = component.covariance()
    apart = variance[:, None] + variance - 2 * covariance
    expected = block.diagonal()[:, None] + block.diagonal() - 2 * block
    np.testing.assert_allclose(apart, expected, atol=1e-12)
    assert component.noise_ == belief.noise_


def test_a_changed_belief_has_changed_arrays(belief: OnlineMixture) -> None:
    """What a component and the mean show follows the answers."""
    component, before = belief.most_probable(), belief.mean
    spread = component.variance()[0]
    for _ in range(5):
        belief.answer(0, 1, 0)
    assert belief.mean[0] > before[0]
    assert belief.most_probable().variance()[0] < spread
    with pytest.raises(ValueError, match="read-only"):
        belief.mean[0] = 0


def test_draws_have_the_moments_of_all_rows(belief: OnlineMixture) -> None:
    """Draws of chosen rows have their means and covariances; the ranking draws the bar too."""
    drawn = belief.sample(20_000, 5, rows=[6, 2])
    error = np.sqrt(belief.variance([6, 2]) / 20_000)
    assert (np.abs(drawn.mean(axis=0) - belief.mean[[6, 2]]) < 5 * error).all()
    np.testing.assert_allclose(np.cov(drawn.T), belief.covariance([6, 2], [6, 2]), rtol=0.1, atol=0.05)
    threshold = belief.rank().threshold
    assert threshold is not None
    assert threshold.lower is not None
    assert threshold.lower < threshold.score


def test_groups_are_named() -> None:
    """A ranking of groups that were never compared has the caveat that the batch model has."""
    apart = answers(3, 12)
    two = replace(
        apart,
        first=np.append(apart.first, apart.first + 3),
        second=np.append(apart.second, apart.second + 3),
        outcome=np.tile(apart.outcome, 2),
        n_items=7,
    )
    with pytest.warns(match="never compared"):
        model = BradleyTerry().fit(two.preferences)
    assert BradleyTerry().live(two.preferences).rank().caveats == model.rank().caveats
