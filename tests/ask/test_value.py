"""What a question is worth."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penchant.ask import chance_of_wrong_order, information_gain

differences = st.floats(-4, 4)
variances = st.floats(1e-3, 30)


def expected_gain(difference: float, variance: float) -> float:
    """h(E Φ(d)) − E h(Φ(d)) by brute force on a fine grid."""
    from scipy.special import entr, ndtr

    grid = difference + np.sqrt(variance) * np.linspace(-9, 9, 4001)
    weight = np.exp(-((grid - difference) ** 2) / (2 * variance))
    weight /= weight.sum()
    chance = ndtr(grid)
    whole = float(weight @ chance)
    return float(entr(whole) + entr(1 - whole) - weight @ (entr(chance) + entr(1 - chance)))


@given(differences, variances)
def test_information_gain_is_close_to_the_integral(difference: float, variance: float) -> None:
    """The closed form is within 0.006 nats of the integral it stands for."""
    told = information_gain(np.array([difference]), np.array([variance]))[0]
    assert abs(told - expected_gain(difference, variance)) < 0.006


@given(differences, variances)
def test_both_are_the_same_for_either_side(difference: float, variance: float) -> None:
    """Swapping the two items changes neither."""
    forth, back, spread = np.array([difference]), np.array([-difference]), np.array([variance])
    np.testing.assert_allclose(information_gain(forth, spread), information_gain(back, spread), atol=1e-12)
    np.testing.assert_allclose(chance_of_wrong_order(forth, spread), chance_of_wrong_order(back, spread))


@given(variances)
def test_nothing_is_gained_from_what_is_known(variance: float) -> None:
    """The surer the difference, the less an answer tells; equal items tell most."""
    wide, narrow = np.array([variance]), np.array([variance / 2])
    zero = np.zeros(1)
    assert information_gain(zero, wide) >= information_gain(zero, narrow) >= 0
    assert chance_of_wrong_order(zero, wide) == 0.5
