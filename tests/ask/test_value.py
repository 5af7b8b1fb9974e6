"""What a question is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from penchant.ask import chance_of_wrong_order, information_gain
from penchant.ask.value import RULES, Doubt, check_rule, check_top
from penchant.errors import InvalidInput

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


def doubts(seed: int = 0) -> Doubt:
    rng = np.random.default_rng(seed)
    return Doubt(rng.normal(size=8), rng.normal(size=8), rng.uniform(0.1, 3, size=8))


@given(st.integers(0, 100))
def test_rules_are_integrals_over_the_difference(seed: int) -> None:
    """Each rule's number is that of a plain quadrature over the normal distribution of the difference."""
    doubt = doubts(seed)
    x, weight = np.polynomial.hermite_e.hermegauss(120)
    weight /= weight.sum()
    d = doubt.difference[:, None] + np.sqrt(doubt.variance)[:, None] * x
    chance = ndtr(-np.abs(doubt.difference) / np.sqrt(doubt.variance))
    p = ndtr(d)

    def entropy(p: Any) -> Any:
        return -p * np.log(np.clip(p, 1e-300, 1)) - (1 - p) * np.log(np.clip(1 - p, 1e-300, 1))

    gain = entropy(p @ weight) - entropy(p) @ weight
    found = {name: rule(doubt) for name, rule in RULES.items()}
    np.testing.assert_allclose(found["information"], gain, atol=0.005)
    np.testing.assert_allclose(found["order"], found["information"] * chance)
    np.testing.assert_allclose(found["wrong-order"], chance * np.sqrt(doubt.variance))
    np.testing.assert_allclose(found["best"], doubt.middle + np.abs(d) @ weight / 2, atol=0.01)


@pytest.mark.parametrize("rule", RULES)
def test_a_pair_is_worth_the_same_from_either_side(rule: str) -> None:
    """Who is called first does not matter."""
    doubt = doubts()
    turned = Doubt(doubt.middle, -doubt.difference, doubt.variance)
    np.testing.assert_allclose(RULES[rule](doubt), RULES[rule](turned), atol=1e-12)


@pytest.mark.parametrize(
    ("rule", "top", "words"),
    [
        ("most", None, "rule must be one of order, information, wrong-order, best, top, random, got 'most'"),
        ("top", None, "top must be given with the rule 'top' and only there, got top=None"),
        ("order", 1, "top must be given with the rule 'top' and only there, got top=1"),
        ("top", 3, "top must be a whole number from 1 to 2, got 3: name a part of the items"),
    ],
)
def test_rules_and_tops_must_agree(rule: str, top: int | None, words: str) -> None:
    """Unknown rules, a top without its rule and a rule without its top are errors."""
    with pytest.raises(InvalidInput, match=words):
        check_rule(rule, top, 3)


@pytest.mark.parametrize("rule", [*RULES, "random"])
def test_known_rules_pass(rule: str) -> None:
    """Each rule but "top" goes without a top."""
    check_rule(rule, None, 2)
    check_rule("top", 1, 2)


@pytest.mark.parametrize("top", [0, 3, -1, True, 1.0, "1"])
def test_a_top_is_a_whole_number_of_the_items(top: Any) -> None:
    """It is at least 1 and leaves an item out."""
    with pytest.raises(InvalidInput, match="top must be a whole number from 1 to 2, got"):
        check_top(top, 3)


def test_no_top_and_numbers_of_numpy_pass() -> None:
    """None is the whole order."""
    check_top(None, 3)
    check_top(np.int64(2), 3)  # type: ignore[arg-type]
