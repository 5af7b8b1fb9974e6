"""The proof holds: no search finds a slope below the bound, in one to six dimensions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, minimize

from penchant.errors import InvalidInput
from penchant.gp._slope_kernels import fifth_envelope, first_envelope
from penchant.gp.certificate import GAP, certified, slope_bound
from penchant.gp.inference.smooth_part import SmoothPart
from penchant.gp.kernels import SquaredExponential


def slopes(points: Any, items: Any, dual: Any, lengthscale: Any, beta: float, feature: int, sign: int) -> Any:
    """The slow, obvious way: sign · ∂/∂x_j of the utility at some points."""
    apart = (points[:, None, :] - items[None]) / lengthscale
    bells = np.exp(-0.5 * (apart**2).sum(axis=2))
    return sign * (beta - (bells * apart[:, :, feature] / lengthscale[feature]) @ dual)


def lowest_found(box: Any, seed: int, *model: Any) -> float:
    """The lowest slope that a dense random search with local descents finds, corners and items included."""
    rng = np.random.default_rng(seed)
    d = len(box)
    corners = np.array(np.meshgrid(*box)).reshape(d, -1).T
    points = np.vstack([rng.uniform(*box.T, size=(4000, d)), corners, model[0]])
    found = slopes(points, *model)
    lowest = float(found.min())
    for start in points[np.argsort(found)[:6]]:
        end = minimize(lambda x: slopes(x[None], *model)[0], start, method="L-BFGS-B", bounds=Bounds(*box.T))
        lowest = min(lowest, float(end.fun))
    return lowest


def adversarial(d: int, seed: int) -> Any:
    """A random model: clustered items, weights of mixed signs that nearly cancel, unequal lengthscales."""
    rng = np.random.default_rng((d, seed))
    box = np.sort(rng.normal(scale=3, size=(d, 2)), axis=1) + np.array([0, 0.5])
    n = int(rng.integers(2, 30))
    items = rng.uniform(*box.T, size=(n, d))
    items[n // 2 :] = np.clip(items[0] + 0.05 * rng.normal(size=(n - n // 2, d)), *box.T)
    dual = rng.normal(size=n) * 10.0 ** rng.uniform(-2, 2)
    dual -= rng.integers(2) * dual.mean()
    lengthscale = (box[:, 1] - box[:, 0]) * 10.0 ** rng.uniform(-0.7, 0.5, size=d)
    return box, (
        items,
        dual,
        lengthscale,
        float(rng.normal()),
        int(rng.integers(d)),
        int(rng.choice([-1, 1])),
    )


def bound_of(box: Any, model: Any, **budget: int) -> Any:
    items, dual, lengthscale, beta, feature, sign = model
    return slope_bound(items, dual, lengthscale, beta, box, feature, sign=sign, **budget)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_no_search_finds_a_slope_below_the_bound(d: int) -> None:
    """On adversarial random models a dense search never goes below the bound, whatever the budget left."""
    for seed in range(8):
        box, model = adversarial(d, seed)
        found = bound_of(box, model, most_visits=2_000_000 if d > 3 else 20_000_000)
        lowest = lowest_found(box, seed, *model)
        assert found.bound <= lowest + 1e-12 * found.scale


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_gap_is_closed_in_up_to_three_dimensions(d: int) -> None:
    """There the bound is within 1e-4 of the slope's scale of a slope that is really taken, inside the box."""
    for seed in range(8):
        box, model = adversarial(d, seed)
        found = bound_of(box, model)
        assert found.value - found.bound <= GAP * found.scale
        assert ((box[:, 0] <= found.point) & (found.point <= box[:, 1])).all()
        np.testing.assert_allclose(
            slopes(found.point[None], *model)[0], found.value, atol=1e-9 * found.scale, rtol=1e-9
        )


def test_a_budget_of_nothing_is_safe() -> None:
    """When nothing may be looked at twice, the bound is far but true."""
    for seed in range(5):
        box, model = adversarial(3, seed)
        found = bound_of(box, model, most_visits=1)
        assert found.n_boxes == 2
        assert found.bound <= lowest_found(box, seed, *model)


@given(
    items=st.lists(st.floats(-5, 5), min_size=1, max_size=6),
    weights=st.lists(st.floats(-100, 100), min_size=6, max_size=6),
    lengthscale=st.floats(0.2, 20),
    beta=st.floats(-10, 10),
)
def test_the_bound_is_below_a_fine_grid(
    items: list[float], weights: list[float], lengthscale: float, beta: float
) -> None:
    """In one dimension 2,001 points never lie below the bound."""
    column = np.array(items)[:, None]
    dual = np.array(weights[: len(items)])
    box = np.array([[-5.0, 5.0]])
    found = slope_bound(column, dual, np.array([lengthscale]), beta, box, 0)
    fine = slopes(np.linspace(-5, 5, 2001)[:, None], column, dual, np.array([lengthscale]), beta, 0, 1)
    assert found.bound <= fine.min() + 1e-12 * (1 + found.scale)


@pytest.mark.parametrize("weight", [1.0, -2.0])
def test_one_item_has_the_least_slope_of_a_bell(weight: float) -> None:
    """One Gaussian falls steepest a lengthscale away from its middle."""
    found = slope_bound(
        np.zeros((1, 1)), np.array([weight]), np.full(1, 2.0), 0.0, np.array([[-9.0, 9.0]]), 0
    )
    assert found.value == pytest.approx(-abs(weight) * np.exp(-0.5) / 2, rel=1e-4)
    assert abs(found.point[0]) == pytest.approx(2.0, abs=0.1)


def bell(dual: float, lengthscale: Any) -> SmoothPart:
    """One item at 0 in two dimensions; what is not needed for a proof is left empty."""
    items, none = np.zeros((1, 2)), np.empty((0, 0))
    return SmoothPart(SquaredExponential(lengthscale), items, np.array([dual]), items, none, none, none, none)


def test_the_hardest_feature_asks_for_the_largest_alpha() -> None:
    """Not the one whose slope is least: the first is steeper by far, but the second has next to no weight."""
    box = np.array([[-1.0, 1.0], [-1.0, 1.0]])
    proof = certified(bell(1.0, (0.1, 1.0)), np.array([0.999, 1e-4]), np.ones(2, dtype=int), box, 0.01, "ab")
    assert proof.bound[0] < proof.bound[1] < 0
    asked = proof.weight / (proof.gamma - proof.weight) + 1
    assert asked[1] > asked[0]
    assert proof.alpha_star == asked[1]
    assert proof.hardest == "b"


@pytest.mark.parametrize("epsilon", [1e-18, 1e-300, 1e-12])
def test_certified_slopes_are_above_zero_however_small_epsilon_is(epsilon: float) -> None:
    """α rises until α|β| + (1 − α) bound is above 0 in exact arithmetic, though ε is lost in rounding."""
    box = np.array([[-1.0, 1.0], [-1.0, 1.0]])
    for weight in (0.1, 0.3, 0.7):
        beta = np.array([weight, 1 - weight])
        proof = certified(bell(1.0, (0.2, 0.5)), beta, np.ones(2, dtype=int), box, epsilon, "ab")
        alpha = Fraction(proof.alpha)
        assert proof.alpha < 1
        assert (proof.slope > 0).all()
        for slope, linear, bound in zip(proof.slope, proof.weight, proof.bound, strict=True):
            assert alpha * Fraction(linear) + (1 - alpha) * Fraction(bound) >= Fraction(slope)


def test_a_bound_that_is_no_number_is_refused() -> None:
    """A lengthscale so short that slopes overflow proves nothing."""
    box = np.array([[-1.0, 1.0], [-1.0, 1.0]])
    with pytest.raises(InvalidInput, match="the slope of f_MAP in a must have a finite bound, got nan"):
        certified(bell(1.0, 1e-200), np.full(2, 0.5), np.ones(2, dtype=int), box, 0.01, "ab")


def test_the_envelopes_cover_the_derivatives() -> None:
    """From each distance on, no derivative of a Gaussian is larger than its envelope says, nor much smaller."""
    distance = np.linspace(0, 9, 3001)
    inside = np.minimum.outer(distance, distance)  # |t| ≤ ρ
    fall = np.exp(-(distance**2) / 2)
    for envelope, hermite, slack in (
        (first_envelope, inside, 1.001),
        (fifth_envelope, np.abs(inside**5 - 10 * inside**3 + 15 * inside), 1.15),
    ):
        norm = hermite.max(axis=1) * fall
        onwards = np.maximum.accumulate(norm[::-1])[::-1]
        claimed = np.array([envelope(square) for square in distance**2])
        assert (claimed >= onwards * (1 - 1e-12)).all()
        assert (claimed <= onwards * slack + 1e-9).all()
