"""The joint posterior of scores and coefficients."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.worth import BradleyTerry
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.row_newton import maximise_rows
from penchant.worth.inference.row_posterior import joint_posterior
from tests.worth.inference.test_row_likelihood import likelihood_of

EVERY = np.ones(4, dtype=bool)


def test_covariances_are_parts_of_the_inverse_of_the_whole_hessian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores are relative to their mean; drawn posteriors agree up to the error of the draws."""
    likelihood = likelihood_of(BradleyTerry, ties=True)
    mode = maximise_rows(likelihood, Prior(0.5, 4), likelihood.at(np.zeros(4), np.zeros(3)))
    inverse = np.linalg.inv(mode.hessian(likelihood).matrix())
    centring = np.eye(4) - 0.25
    found = joint_posterior(likelihood, mode, EVERY)
    np.testing.assert_allclose(found.scores.covariance(), centring @ inverse[:4, :4] @ centring, atol=1e-10)
    np.testing.assert_allclose(found.border, inverse[4:, 4:], rtol=1e-8)
    monkeypatch.setattr("penchant.worth.inference.row_posterior.DENSE_ITEMS", 2)
    drawn = joint_posterior(likelihood, mode, EVERY)
    np.testing.assert_allclose(drawn.border, found.border, rtol=1e-6)
    np.testing.assert_allclose(drawn.scores.variance(), found.scores.variance(), rtol=0.15)
    with pytest.raises(InvalidInput, match="errors must be 'model' where more than 2 items have covariates"):
        joint_posterior(likelihood, mode, EVERY, np.zeros(len(likelihood.rows), dtype=np.int64))


def test_a_cluster_that_repeats_itself_holds_no_more_information() -> None:
    """Each row ten times in one cluster gives errors of the rows, not of ten times as many."""
    likelihood = likelihood_of(BradleyTerry, ties=False)
    prior = Prior(1e-6, 4)
    once = maximise_rows(likelihood, prior, likelihood.at(np.zeros(4), np.zeros(2)))
    numbers = np.arange(len(likelihood.rows))
    single = joint_posterior(likelihood, once, EVERY, numbers)
    rows = likelihood.rows
    weight = rows.weight.copy()
    weight *= 10
    from dataclasses import replace

    from penchant.worth.inference.row_likelihood import RowLikelihood

    tenfold = RowLikelihood(replace(rows, weight=weight), likelihood.link, 4)
    mode = maximise_rows(tenfold, prior, tenfold.at(np.zeros(4), np.zeros(2)))
    clustered = joint_posterior(tenfold, mode, EVERY, numbers)
    np.testing.assert_allclose(np.diag(clustered.border), np.diag(single.border), rtol=0.35)
    independent = joint_posterior(tenfold, mode, EVERY)
    assert (np.diag(clustered.border) > 4 * np.diag(independent.border)).all()
