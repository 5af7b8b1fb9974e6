"""The compiled steps of paper 5: the choice of `penchant.ask`, also within queries, and Glicko's update."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from penchant.ask import expected_loss, largest_expected_loss_pair
from penchant.checks import Floats, Ints
from penchant.gp import LinkedGP
from penchant.papers.linked.kernels import largest_loss, misordered, rate
from penchant.simulate import GlickoRated


def learned(n: int, answers: int, random: np.random.Generator) -> tuple[LinkedGP, Ints]:
    """A model after random answers, and which pairs they were about."""
    model = LinkedGP(nugget=0.1).fit(random.normal(size=(n, 2)))
    asked = np.zeros((n, n), dtype=np.uint8)
    for _ in range(answers):
        better, worse = random.choice(n, 2, replace=False).tolist()
        model.update(better, worse)
        asked[better, worse] = asked[worse, better] = 1
    return model, asked


@pytest.mark.parametrize("tau", [0.3, 1.0, 20.0])
def test_it_chooses_as_ask_does(tau: float) -> None:
    """In hundreds of states, with pairs that were asked left out, equal losses to the smallest pair."""
    random = np.random.default_rng(0)
    for state in range(150):
        model, asked = learned(int(random.integers(2, 14)), state % 12, random)
        if asked.sum() == len(asked) * (len(asked) - 1):
            continue
        covariance = model.covariance()
        found = largest_loss(
            model.mean, covariance.diagonal(), covariance, asked, np.array([0, len(asked)]), tau
        )
        assert found == largest_expected_loss_pair(model, tau=tau, seen=np.argwhere(asked))


def test_without_covariances_items_know_nothing_of_one_another() -> None:
    """An empty matrix is a diagonal one; ties go to the smallest pair."""
    belief = GlickoRated(6)
    asked = np.zeros((6, 6), dtype=np.uint8)
    settings = belief.mean, belief.variance(), np.empty((0, 0)), asked, np.array([0, 6])
    assert largest_loss(*settings, 1.0) == (0, 1)
    belief.update(3, 1)
    settings = belief.mean, belief.variance(), np.empty((0, 0)), asked, np.array([0, 6])
    assert largest_loss(*settings, 1.0) == largest_expected_loss_pair(belief)


def by_query(mean: Floats, covariance: Floats, starts: Ints, tau: float) -> tuple[int, int]:
    """The slow way: the expected loss of every pair of every query, with ranks of its own."""
    best, pair = -1.0, (-1, -1)
    for start, stop in pairwise(starts.tolist()):
        loss = expected_loss(mean[start:stop], covariance[start:stop, start:stop], tau=tau)
        i, j = np.unravel_index(np.argmax(loss), loss.shape)
        if loss[i, j] > best:
            best, pair = loss[i, j], (int(start + min(i, j)), int(start + max(i, j)))
    return pair


def test_pairs_and_ranks_are_within_a_query() -> None:
    """The largest loss over the queries, each ranked for itself."""
    random, starts = np.random.default_rng(1), np.array([0, 4, 9, 15])
    for _ in range(60):
        model, _asked = learned(15, 8, random)
        covariance = model.covariance()
        asked = np.zeros((15, 15), dtype=np.uint8)
        found = largest_loss(model.mean, covariance.diagonal(), covariance, asked, starts, 1.0)
        assert found == by_query(model.mean, covariance, starts, 1.0)


def test_when_all_were_asked_there_is_no_pair() -> None:
    """It says so instead of asking twice."""
    asked = np.ones((3, 3), dtype=np.uint8)
    assert largest_loss(np.zeros(3), np.ones(3), np.eye(3), asked, np.array([0, 3]), 1.0) == (-1, -1)


def test_the_loss_of_equal_items_is_half_the_variance() -> None:
    """ν²/2 at δ̂ = 0, and nothing far from it."""
    assert misordered(0.0, 2.0) == pytest.approx(1.0)
    assert misordered(-100.0, 2.0) == 0.0


def test_the_compiled_rating_is_glickos() -> None:
    """After two hundred random games."""
    random, plain = np.random.default_rng(0), GlickoRated(6)
    mean, variance = np.zeros(6), np.ones(6)
    for _ in range(200):
        better, worse = random.choice(6, 2, replace=False).tolist()
        plain.update(better, worse)
        rate(mean, variance, better, worse, 1.7)
    assert mean == pytest.approx(plain.mean, abs=1e-12)
    assert variance == pytest.approx(plain.variance(), abs=1e-12)
