"""The log likelihood of rows with covariates and its derivatives, against differences of the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.worth import BradleyTerry, Thurstone
from penchant.worth.inference.row_likelihood import CovariateRows, RowLikelihood
from tests.worth.paired_reference import outcome_probabilities
from tests.worth.row_reference import votes


def likelihood_of(kind: Any, *, ties: bool) -> RowLikelihood:
    prefs = votes(60, 4, ties=ties, weights=True)
    assert prefs.covariates is not None
    return RowLikelihood(CovariateRows.of(prefs, prefs.covariates), kind._link, 4)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("kind", [BradleyTerry, Thurstone])
def test_value_and_derivatives_are_those_of_the_definition(
    kind: Any, ties: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Summed row by row and differentiated numerically, in parts that cut through pairs."""
    monkeypatch.setattr("penchant.worth.inference.pairs._PART", 7)
    likelihood = likelihood_of(kind, ties=ties)
    rows, n, size = likelihood.rows, 4, 4 + likelihood.size

    def value(theta: Any) -> float:
        total, tie = 0.0, theta[-1] if ties else None
        for pair, x, weight in zip(rows.pair, rows.covariates, rows.weight.T, strict=True):
            first, second = rows.pairs[:, pair]
            chances = outcome_probabilities(
                kind.__name__, theta[first] - theta[second] + x @ theta[n : n + 2], tie
            )
            total += sum(w * np.log(p) for w, p in zip(weight[[0, 2, 1]], chances, strict=True) if w)
        return total

    theta = np.random.default_rng(0).normal(size=size) * 0.3
    if ties:
        theta[-1] = 0.7
    point = likelihood.at(theta[:n], theta[n:])
    assert point.value == pytest.approx(value(theta), rel=1e-9)
    h = 1e-4
    steps = h * np.eye(size)
    slope = np.array([(value(theta + s) - value(theta - s)) / (2 * h) for s in steps])
    np.testing.assert_allclose(np.append(point.gradient, point.border_gradient), slope, atol=1e-5)
    curvature = np.array(
        [
            [
                -(value(theta + a + b) - value(theta + a - b) - value(theta - a + b) + value(theta - a - b))
                for b in steps
            ]
            for a in steps
        ]
    ) / (4 * h * h)
    np.testing.assert_allclose(point.sums.corner, curvature[n:, n:], atol=2e-4)
    across = np.column_stack([likelihood.graph.net(column) for column in point.sums.cross.T])
    np.testing.assert_allclose(across, curvature[:n, n:], atol=2e-4)
    np.testing.assert_allclose(
        likelihood.graph.gross(point.sums.curvature), np.diag(curvature)[:n], atol=2e-4
    )
    gradient, by_border = likelihood.row_gradients(theta[:n], theta[n:])
    np.testing.assert_allclose(by_border.sum(axis=0), point.border_gradient, atol=1e-9)
    assert len(gradient) == len(likelihood.difference(theta[:n], theta[n:])) == len(rows)


def test_rows_are_sorted_by_pair_and_standardised() -> None:
    """Each covariate has the root mean square 1, whatever its unit, and is that of the lower index less the higher."""
    prefs = votes(50, 4, weights=True)
    assert prefs.covariates is not None
    assert prefs.weight is not None
    rows = CovariateRows.of(prefs, prefs.covariates)
    assert (np.diff(rows.pair) >= 0).all()
    np.testing.assert_allclose(
        prefs.weight[rows.row] @ rows.covariates**2 / prefs.weight.sum(), [1.0, 1.0], rtol=1e-12
    )
    told = prefs.comparisons()
    sign = np.where(told.better < told.worse, 1.0, -1.0)
    expected = (sign[:, None] * prefs.covariates)[rows.row]
    np.testing.assert_allclose(rows.covariates * rows.scale, expected)
