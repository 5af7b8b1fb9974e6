"""The learned scale of the prior beside covariates, against integrals over a grid and the scale without them."""

from __future__ import annotations

import numpy as np
import pytest

from penchant import Preferences
from penchant.worth import BradleyTerry
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.row_likelihood import CovariateRows, RowLikelihood
from penchant.worth.inference.row_scale import _Search, learn_row_scale
from tests.worth.row_reference import votes


def two_items() -> RowLikelihood:
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    won = rng.random(60) < 1 / (1 + np.exp(-(0.8 + 0.5 * x)))
    prefs = Preferences.from_answers(
        ["a"] * 60, ["b"] * 60, np.where(won, "left", "right").tolist(), covariates={"x": x}
    )
    assert prefs.covariates is not None
    return RowLikelihood(CovariateRows.of(prefs, prefs.covariates), BradleyTerry._link, 2)


@pytest.mark.parametrize("t", [-1.0, 0.0, 1.0])
def test_the_evidence_is_the_integral_of_likelihood_times_prior(t: float) -> None:
    """Over the scores of two items and one coefficient, up to the constant of the flat prior of the coefficient."""
    likelihood = two_items()
    search = _Search(likelihood, lambda p: Prior(p, 2), likelihood.at(np.zeros(2), np.zeros(1)))
    value, slope = search.evidence(t)
    scale = np.exp(t) * np.sqrt(2)  # of the difference of the two scores
    differences, coefficients = np.linspace(-6, 6, 241), np.linspace(-2, 3, 151)
    rows = likelihood.rows
    d = differences[:, None, None] + coefficients[:, None] * rows.covariates[:, 0]
    log = np.where(rows.weight[0] > 0, -np.log1p(np.exp(-d)), -np.log1p(np.exp(d))).sum(axis=-1)
    density = np.exp(-((differences / scale) ** 2) / 2) / scale / np.sqrt(2 * np.pi)
    integral = (np.exp(log) * density[:, None]).sum() * (differences[1] - differences[0])
    integral *= coefficients[1] - coefficients[0]
    assert value + np.log(2 * np.pi) / 2 == pytest.approx(np.log(integral), abs=0.05)
    above, below = (search.evidence(t + h)[0] for h in (0.1, -0.1))
    assert slope == pytest.approx((above - below) / 0.2, abs=0.15)


def test_the_scale_is_about_that_without_covariates() -> None:
    """Weights sum to 1, and the most probable precision is near the one of expectation propagation."""
    prefs = votes(3000, 20)
    plain = BradleyTerry().fit(prefs.without("covariates"))
    adjusted = BradleyTerry().fit(prefs, covariates=("length", "lists"))
    assert adjusted.prior_ == pytest.approx(plain.prior_, rel=0.4)
    assert sum(adjusted._row_fit.weights) == pytest.approx(1)
    assert len(adjusted._row_fit.modes) > 1


def test_many_items_have_one_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no dense matrix is formed, the precision of expectation maximisation is near the most probable one."""
    prefs = votes(3000, 20)
    assert prefs.covariates is not None
    likelihood = RowLikelihood(CovariateRows.of(prefs, prefs.covariates), BradleyTerry._link, 20)
    start = likelihood.at(np.zeros(20), np.zeros(2))
    several = learn_row_scale(likelihood, lambda p: Prior(p, 20), start, most=5)
    monkeypatch.setattr("penchant.worth.inference.row_scale.DENSE_ITEMS", 5)
    (single,) = learn_row_scale(likelihood, lambda p: Prior(p, 20), start, most=5)
    middle = max(several, key=lambda part: part.weight).mode.prior.precision
    assert single.weight == 1
    assert single.mode.prior.precision == pytest.approx(middle, rel=0.4)
