"""The posterior of judges: against integrals on a grid."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.worth import CrowdBradleyTerry
from penchant.worth.inference.crowd_likelihood import log_total
from penchant.worth.inference.judge_posterior import JudgeMoments, judge_moments, mixed
from tests.worth.crowds import answers


@pytest.mark.parametrize("tie", [0.0, 0.7])
def test_moments_are_those_of_integrals(tie: float) -> None:
    """At given worth and standard deviations, means within 0.1 and deviations within a tenth of those of a grid."""
    _, prefs = answers(6, 12, reliability=[1, 0.3, 1.2, 1.0], bias=[0, 0.5, -0.5, 0.0], tie=tie)
    model = CrowdBradleyTerry(reliability_sd=0.4, bias_sd=0.5).fit(prefs)
    crowd, point = model._crowd(), model._point()
    found = judge_moments(crowd, point, np.array([[0.4], [0.5], [1.0]]))
    r, b = np.meshgrid(np.linspace(-2, 4, 301), np.linspace(-3, 3, 301), indexing="ij")
    means, variances = np.zeros((2, 4)), np.zeros(4)
    for judge in range(4):
        log_density = -(((r - 1) / 0.4) ** 2) / 2 - (b / 0.5) ** 2 / 2
        for cell in np.flatnonzero(crowd.judge == judge):
            odds = r * crowd.distance(point)[cell] + b * crowd.side[cell]
            log_density += crowd.margin[cell] * odds / 2
            log_density -= crowd.weight[cell] * log_total(odds, crowd.log_tie(point))
        density = np.exp(log_density - log_density.max())
        density /= density.sum()
        means[:, judge] = (density * r).sum(), (density * b).sum()
        variances[judge] = (density * b**2).sum() - means[1, judge] ** 2
    np.testing.assert_allclose(found.mean[1], means[1], atol=0.1)
    np.testing.assert_allclose(np.sqrt(found.covariance[2]), np.sqrt(variances), rtol=0.1)
    # The grid knows nothing of the condition that the mean is 1, which moves all reliabilities alike.
    np.testing.assert_allclose(np.diff(found.mean[0]), np.diff(means[0]), atol=0.1)


def test_mean_reliability_is_one() -> None:
    """Weighted by answers, at any standard deviations; a judge who is alone is exactly the average."""
    _, prefs = answers(5, 20, reliability=[1, -0.5, 2.0], bias=[0, 1.0, 0.0])
    model = CrowdBradleyTerry().fit(prefs)
    spreads = np.array([[0.1, 0.8], [0.5, 1.0], [0.4, 0.6]])
    found = judge_moments(model._crowd(), model._point(), spreads)
    assert np.average(found.mean[0], weights=model.judge_answers_) == pytest.approx(1)
    alone = answers(5, 20, reliability=[1], bias=[0.3])[1]
    only = CrowdBradleyTerry().fit(alone).judges()
    assert only.reliability.tolist() == pytest.approx([1])
    assert only.reliability_error.tolist() == pytest.approx([0], abs=1e-6)


def test_standard_deviations_of_zero_leave_nothing_open() -> None:
    """Reliability 1 and bias 0, both exactly."""
    _, prefs = answers(5, 20, reliability=[1, 0.5], bias=[0, 1.0])
    found = CrowdBradleyTerry(reliability_sd=0, bias_sd=0).fit(prefs).judges()
    assert (found.reliability == 1).all()
    assert not np.any([found.bias, found.bias_error, found.reliability_error])


def test_moments_of_a_mixture() -> None:
    """Variances within the parts and between them add up."""
    first = JudgeMoments(np.array([[0.0], [1.0]]), np.array([[1.0], [0.0], [4.0]]))
    second = JudgeMoments(np.array([[2.0], [1.0]]), np.array([[3.0], [0.0], [4.0]]))
    found = mixed([first, second])
    assert found.mean[:, 0].tolist() == [1, 1]
    assert found.covariance[:, 0].tolist() == [3, 0, 4]
