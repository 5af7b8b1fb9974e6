"""The threshold of ties: the most probable one, and a small one before the first tie."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.gp.inference.answers import Answers
from penchant.gp.inference.hyperprior import thresholds
from penchant.gp.inference.likelihood import Probit
from penchant.gp.inference.tie_threshold import threshold_of, unseen_share

N = 12


def answers(count: int, sd: float, threshold: float, seed: int = 0) -> Answers:
    """Answers about independent items, with ties where a perceived difference is within the threshold."""
    rng = np.random.default_rng(seed)
    utility = rng.normal(0, sd, N)
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(count)])
    lead = utility[pairs[:, 0]] - utility[pairs[:, 1]] + rng.normal(size=count)
    ordered = np.where(lead[:, None] > 0, pairs, pairs[:, ::-1])
    return Answers(ordered, np.ones(count), np.abs(lead) < threshold)


def found(given: Answers, sd: float) -> float:
    return threshold_of(given, sd**2 * np.eye(N), np.zeros(N), Probit(1.0))


@pytest.mark.parametrize("sd", [0.5, 1.5, 3.0])
def test_it_is_the_true_one_on_average(sd: float) -> None:
    """Whatever the spread of the utilities, within 20 % of the truth in the mean of ten simulations."""
    estimates = [found(answers(200, sd, 0.4, seed), sd) for seed in range(10)]
    assert np.mean(estimates) == pytest.approx(0.4, rel=0.2)


def test_it_has_the_highest_evidence_times_prior() -> None:
    """For one tie between two items the evidence is known: Φ(t/s) − Φ(−t/s) with the sd s of the perception."""
    from scipy.stats import norm

    tie = Answers(np.array([[0, 1]]), np.ones(1), np.array([True]))
    prior, grid = thresholds(1.0), np.linspace(-4, 2, 2001)
    logs = [
        np.log(2 * norm.cdf(np.exp(x) / np.sqrt(1 + 2 * 0.5)) - 1) + prior.log_density(np.array([x]))
        for x in grid
    ]
    best = float(np.exp(grid[int(np.argmax(logs))]))
    assert threshold_of(tie, 0.5 * np.eye(2), np.zeros(2), Probit(1.0)) == pytest.approx(best, rel=0.02)


def test_weights_count_as_answers() -> None:
    """A weight of two is two equal answers."""
    given = answers(60, 1.0, 0.4)
    heavy = Answers(given.pairs, np.full(60, 2.0), given.tie)
    twice = found(given.followed_by(given), 1.0)
    assert found(heavy, 1.0) == pytest.approx(twice, rel=1e-3)


def test_without_ties_it_is_small_and_falls_with_the_answers() -> None:
    """The share is the posterior mean of a Beta prior, also without answers."""
    assert unseen_share(0.0) == pytest.approx(0.05)
    estimates = [found(answers(count, 1.0, 0.0), 1.0) for count in (1, 10, 100)]
    assert 0.1 > estimates[0] > estimates[1] > estimates[2] > 0
    assert threshold_of(Answers.none(), np.eye(2), np.zeros(2), Probit(1.0)) == Probit(1.0).threshold_for(
        0.05
    )
