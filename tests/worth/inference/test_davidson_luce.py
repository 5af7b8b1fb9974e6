"""The likelihood of rankings with ties: every outcome written out, and the published fits of R's PlackettLuce."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant import Preferences
from penchant.worth.inference.davidson_luce import Choices, symmetric, without_each


def slow_log_likelihood(orders: list[list[list[int]]], scores: Any, delta: dict[int, float]) -> float:
    """Every set that could have been chosen at each stage, one by one."""
    total = 0.0
    for order in orders:
        left = [item for level in order for item in level]
        for level in order:
            if len(left) == 1:
                break

            def worth(chosen: Any) -> float:
                return delta[len(chosen)] * float(np.exp(np.mean([scores[item] for item in chosen])))

            every = [chosen for size in delta for chosen in combinations(left, size)]
            total += np.log(worth(level) / sum(map(worth, every)))
            left = [item for item in left if item not in level]
    return total


def weak_orders(rng: np.random.Generator, n_orders: int, n_items: int) -> list[list[list[int]]]:
    found = []
    for _ in range(n_orders):
        some = rng.permutation(n_items)[: rng.integers(2, n_items + 1)]
        levels = rng.integers(0, 3, size=len(some))
        found.append([some[levels == level].tolist() for level in range(3) if (levels == level).any()])
    return [*found, [[0], [1]]]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_likelihood_is_that_of_every_outcome(seed: int) -> None:
    """Value, gradient and curvature at any point are those of the written out likelihood."""
    rng = np.random.default_rng(seed)
    orders = weak_orders(rng, 4, 4)
    choices = Choices.of(Preferences.from_rankings(orders, items=range(4)))
    at = rng.normal(size=4 + len(choices.sizes) - 1)

    def slow(point: Any) -> float:
        delta = dict(zip(choices.sizes, np.exp(np.append(0.0, point[4:])), strict=True))
        return slow_log_likelihood(orders, point[:4], delta)

    assert choices.value(at) == pytest.approx(slow(at))
    gradient, curvature = choices.curve(at)
    steps = 1e-4 * np.eye(len(at))
    np.testing.assert_allclose(gradient, [(slow(at + h) - slow(at - h)) / 2e-4 for h in steps], atol=1e-5)
    differences = [(choices.curve(at + h)[0] - choices.curve(at - h)[0]) / 2e-4 for h in steps]
    np.testing.assert_allclose(-curvature, differences, atol=1e-5)


def test_the_maximum_has_no_gradient() -> None:
    """With a prior the gradient of the log posterior vanishes at what is found."""
    choices = Choices.of(
        Preferences.from_rankings(weak_orders(np.random.default_rng(3), 30, 5), items=range(5))
    )
    at = choices.maximum(0.1)
    gradient = choices.curve(at)[0] - np.append(0.1 * at[:5], np.zeros(len(at) - 5))
    np.testing.assert_allclose(gradient, 0, atol=1e-5)


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_symmetric_polynomials(degree: int) -> None:
    """Of ones they are binomial coefficients, and all but one are those of the others."""
    assert symmetric(np.ones(5), degree).tolist() == [comb(5, power) for power in range(degree + 1)]
    values = np.array([0.5, 2.0, 3.0, 1e-9])
    for place, found in enumerate(without_each(values, degree)):
        np.testing.assert_allclose(found, symmetric(np.delete(values, place), degree), rtol=1e-12)
