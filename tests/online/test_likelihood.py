"""The likelihood of answers about a pair, beside the links of the batch models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_ndtr

from penchant.errors import InvalidInput
from penchant.online import _kernels
from penchant.online.likelihood import AnswerLikelihood, quadrature_rules
from penchant.worth import BradleyTerry, Thurstone

DIFFERENCES = np.concatenate([np.linspace(-12, 12, 49), [-90.0, 90.0]])


@pytest.mark.parametrize("tie", [None, -3.0, 0.2, 1.5])
@pytest.mark.parametrize(("won", "lost", "equal"), [(1, 0, 0), (2.5, 3, 0), (1, 2, 4), (0, 0, 1)])
def test_logistic_answers_have_the_probability_of_bradley_terry(
    tie: float | None, won: float, lost: float, equal: float
) -> None:
    """The compiled log likelihood is that of the link, near and far from 0, with Davidson's ties and without."""
    equal = equal if tie is not None else 0
    like = AnswerLikelihood.logistic(tie).for_kernels
    weight = np.array([won, lost, equal], dtype=float)[:, None]
    expected = BradleyTerry._link.log_likelihood(DIFFERENCES, weight, tie)
    link, unit, _, margin = like
    found = [_kernels.log_likelihood(link, unit, margin, d, won, lost, equal) for d in DIFFERENCES]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("noise", [1.0, 0.5])
@pytest.mark.parametrize("tie", [None, 0.05, 0.8])
@pytest.mark.parametrize(("won", "lost", "equal"), [(1, 0, 0), (2.5, 3, 0), (1, 2, 4), (0, 0, 1)])
def test_probit_answers_have_the_probability_of_thurstone(
    noise: float, tie: float | None, won: float, lost: float, equal: float
) -> None:
    """The compiled log likelihood is that of the link in units of the noise, with the ties of Glenn and David."""
    equal = equal if tie is not None else 0
    weight = np.array([won, lost, equal], dtype=float)[:, None]
    expected = Thurstone._link.log_likelihood(DIFFERENCES, weight, tie)
    link, unit, logit, margin = AnswerLikelihood("probit", noise, tie).for_kernels
    found = [_kernels.log_likelihood(link, unit, margin, noise * d, won, lost, equal) for d in DIFFERENCES]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    assert logit == pytest.approx(Thurstone._link.logit * noise)


def test_the_tail_of_a_normal_distribution_is_accurate_everywhere() -> None:
    """log Φ agrees with SciPy's where Φ underflows, and across the point where the series takes over."""
    z = np.concatenate([np.linspace(-60, 8, 69), [-30.0, -29.999, -30.001, -200.0]])
    np.testing.assert_allclose(
        [_kernels.log_chance(value) for value in z], log_ndtr(z), rtol=1e-8, atol=1e-15
    )


@pytest.mark.parametrize("start", [AnswerLikelihood.logistic(), AnswerLikelihood("probit", 0.7)])
def test_the_first_tie_has_the_share_of_one_answer_of_all(start: AnswerLikelihood) -> None:
    """After 9 decided answers the first tie makes one in ten answers about equal items a tie; at most every second."""
    assert start.tied_share == 0
    assert start.with_first_tie(9.0, 1.0).tied_share == pytest.approx(0.1)
    assert start.with_first_tie(0.0, 1.0).tied_share == pytest.approx(0.5)
    link = BradleyTerry._link if start.link == "logistic" else Thurstone._link
    assert start.with_first_tie(9.0, 1.0).tie == pytest.approx(link.first_tie(0.1))


def test_the_rules_integrate_polynomials() -> None:
    """Each rule gives the moments of a normal distribution; its first point is the middle one."""
    for (limit, count), x, log_weight in ((rule[0, :2], rule[1], rule[2]) for rule in quadrature_rules()):
        points, weights = x[: int(count)], np.exp(log_weight[: int(count)] - x[: int(count)] ** 2 / 2)
        for power, moment in ((0, 1), (1, 0), (2, 1), (4, 3), (6, 15)):
            assert weights @ points**power == pytest.approx(moment, abs=1e-9)
        assert points[0] == pytest.approx(0, abs=1e-12)
        assert limit > 0


@pytest.mark.parametrize(("link", "noise"), [("cauchit", 1.0), ("probit", 0.0), ("probit", np.inf)])
def test_what_is_no_likelihood_is_rejected(link: str, noise: float) -> None:
    """A link that is not known and a noise that is not above 0 are rejected with a message."""
    with pytest.raises(InvalidInput, match="must be"):
        AnswerLikelihood(link, noise)


@pytest.mark.parametrize("tie", [None, 0.4])
@pytest.mark.parametrize("totals", [(1, 0, 0), (2, 1, 3), (90, 60, 20), (0, 255, 0), (0.5, 2.25, 0)])
@pytest.mark.parametrize(("difference", "sd"), [(0.2, 0.1), (-1.5, 0.8), (3.0, 4.0), (-900.0, 2.0)])
def test_sums_over_few_answers_are_those_by_logarithms(
    tie: float | None, totals: tuple[float, float, float], difference: float, sd: float
) -> None:
    """Mean, variance and mass of a pair do not depend on how they are computed, also far from what was expected."""
    weight = np.array(totals, dtype=np.float64)
    weight[2] *= tie is not None
    like, rules = AnswerLikelihood("logistic", 1.0, tie).for_kernels, quadrature_rules()
    cavity, gradient = 0.8 / sd**2, 0.3
    found = _kernels.tilted(like, rules, weight, difference, sd**2, cavity, gradient)
    x, log_weight = rules[_kernels.quadrature(sd, like[2], rules), 1:]
    kept = slice(int(rules[_kernels.quadrature(sd, like[2], rules), 0, 1]))
    logs = np.array(
        [_kernels.log_likelihood(like[0], like[1], like[3], difference + sd * at, *weight) for at in x[kept]]
    )
    logs += (gradient - cavity / 2 * sd * x[kept]) * sd * x[kept] + log_weight[kept]
    density = np.exp(logs - logs.max())
    mean = density @ x[kept] / density.sum()
    variance = max(density @ x[kept] ** 2 / density.sum() - mean**2, 0.05)
    np.testing.assert_allclose(
        found, (mean, variance, logs.max() + np.log(density.sum())), rtol=1e-9, atol=1e-11
    )
