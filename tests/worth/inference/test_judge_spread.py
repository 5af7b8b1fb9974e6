"""How much judges differ: against integrals written out, and in simulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from penchant import Preferences
from penchant.worth import CrowdBradleyTerry
from penchant.worth.inference.crowd_likelihood import minimise
from penchant.worth.inference.judge_spread import (
    _BIAS,
    _RELIABILITY,
    _SPREADS,
    USUAL,
    _likelihoods,
    _posterior,
    learn_spread,
    spread_points,
)
from tests.worth.crowds import answers


def test_the_weights_are_those_of_integrals_written_out() -> None:
    """The likelihood of each judge, answer by answer and point by point, under the priors: the same weights."""
    _, prefs = answers(4, 5, reliability=[1, 0.2, 1.5], bias=[0, 1, -0.5])
    model = CrowdBradleyTerry().fit(prefs)
    crowd = model._crowd()
    point, _ = minimise(replace(crowd, reliability_sd=0.0, bias_sd=0.5))
    slow = np.zeros((3, len(_RELIABILITY), len(_BIAS)))
    said = prefs.comparisons()
    for row in range(len(said)):
        gap = point.common[said.better[row]] - point.common[said.worse[row]]
        side = 1 if said.better_on_left[row] else -1
        for i, r in enumerate(_RELIABILITY):
            slow[said.judge[row], i] -= np.log1p(np.exp(-(r * gap + _BIAS * side)))
    found = _likelihoods(crowd, point, _BIAS)
    np.testing.assert_allclose(found, slow, atol=1e-9)
    weights = np.zeros((len(_SPREADS), len(_SPREADS)))
    for i, sd in enumerate(_SPREADS):
        for j, other in enumerate(_SPREADS):
            normal = np.exp(-(((_RELIABILITY - 1) / sd) ** 2) / 2)
            lean = np.exp(-((_BIAS / other) ** 2) / 2)
            prior = np.outer(normal / normal.sum(), lean / lean.sum())
            spacing = np.gradient(_SPREADS)
            weights[i, j] = (
                np.prod([(np.exp(judge) * prior).sum() for judge in slow]) * spacing[i] * spacing[j]
            )
            weights[i, j] *= np.exp(-((sd / 0.5) ** 2) / 2) * other * np.exp(-((other / 0.8) ** 2) / 2)
    np.testing.assert_allclose(_posterior(found, _BIAS), weights / weights.sum(), rtol=1e-6, atol=1e-12)


def test_spreads_are_found_again() -> None:
    """With 40 answers of each of 40 judges, both standard deviations are near the true ones."""
    for spread, lean in ((0.6, 0.2), (0.1, 0.8)):
        rng = np.random.default_rng(5)
        reliability, bias = 1 + spread * rng.normal(size=40), lean * rng.normal(size=40)
        _, prefs = answers(per_judge=40, reliability=reliability, bias=bias)
        found = CrowdBradleyTerry().fit(prefs)
        assert found.reliability_sd_ == pytest.approx(spread, abs=0.2)
        assert found.bias_sd_ == pytest.approx(lean, abs=0.2)


def test_without_sides_the_usual_spread_of_biases_is_taken() -> None:
    """No answer says who stood on the left: nothing is learned about biases; given values are kept."""
    prefs = Preferences.from_pairs([("a", "b"), ("b", "a"), ("a", "c")], judge=["x", "y", "x"])
    model = CrowdBradleyTerry().fit(prefs)
    assert model.bias_sd_ == USUAL
    given = CrowdBradleyTerry(reliability_sd=0.3, bias_sd=0.2).fit(prefs)
    assert (given.reliability_sd_, given.bias_sd_) == (0.3, 0.2)
    assert learn_spread(given._crowd()).bias_sd == USUAL


def test_points_hold_what_was_given() -> None:
    """A given standard deviation is in every point, what is learned has several, and the weights have the sum 1."""
    _, prefs = answers(4, 5, reliability=[1, 0.2, 1.5], bias=[0, 1, -0.5])
    model = CrowdBradleyTerry().fit(prefs)
    for given in ((None, None), (0.3, None), (None, 0.0), (0.3, 0.2)):
        points = spread_points(model._crowd(), model._point(), *given, most_cells=100)
        assert points[2].sum() == pytest.approx(1)
        for place, value in enumerate(given):
            assert (len(set(points[place])) > 1) if value is None else set(points[place]) == {value}


@pytest.mark.parametrize(("per_judge", "n_judges", "worlds"), [(3, 40, 4), (60, 12, 3)])
def test_intervals_of_judges_hold(per_judge: int, n_judges: int, worlds: int) -> None:
    """95 % intervals hold at least 88 % of biases and 80 % of reliabilities, with spreads drawn from their priors.

    In 60 worlds of 60 judges with 3 and 10 answers they held 94.4 ± 0.8 and 94.8 ± 0.9 % of the biases, and 91.2 ± 1.4
    and 94.3 ± 0.9 % of the reliabilities.
    """
    held = []
    for seed in range(worlds):
        rng = np.random.default_rng(3000 + seed)
        reliability = 1 + 0.5 * abs(rng.normal()) * rng.normal(size=n_judges)
        bias = abs(rng.normal()) * rng.normal(size=n_judges)
        _, prefs = answers(15, per_judge, reliability=reliability, bias=bias, seed=seed)
        found = CrowdBradleyTerry().fit(prefs).judges()
        order = [int(name[1:]) for name in found.judges]
        truth = (reliability / reliability.mean())[order]
        held.append(
            (
                np.abs(found.bias - bias[order]) < 1.96 * found.bias_error,
                np.abs(found.reliability - truth) < 1.96 * found.reliability_error,
            )
        )
    shares = np.mean(held, axis=(0, 2))
    assert 0.88 <= shares[0] <= 1, shares
    assert 0.8 <= shares[1] <= 0.99, shares
