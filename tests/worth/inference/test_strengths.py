"""Bradley–Terry by strengths: the same slopes and curvature as pair by pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.worth import BradleyTerry
from penchant.worth.inference.newton import LogPosterior
from penchant.worth.inference.pairs import NO_TOTALS, PairGraph
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.strengths import StrengthLogPosterior
from tests.worth.simulated import comparisons

N = 12


def terrains(prior: Prior, n_comparisons: int) -> tuple[LogPosterior, LogPosterior]:
    """By strengths and pair by pair."""
    totals = NO_TOTALS.plus(comparisons(np.linspace(-2, 2, N), n_comparisons, 0))
    graph = PairGraph(totals.pairs, N)
    told: Any = BradleyTerry._link, graph, totals.weight, prior
    return StrengthLogPosterior(*told), LogPosterior(*told)


@pytest.mark.parametrize("precision", [0.0, 0.3])
@pytest.mark.parametrize("features", [None, np.linspace(-1, 1, N)[:, None]])
@pytest.mark.parametrize("reach", [1.0, 30.0, 290.0, 500.0])
@pytest.mark.parametrize("n_comparisons", [25, 200])
def test_slopes_and_curvature_are_those_of_the_pairs(
    precision: float, features: Any, reach: float, n_comparisons: int
) -> None:
    """Near and far, also where e to the power of a score would not fit into a number; few pairs and almost all."""
    prior = Prior(precision, N, features if precision else None)
    scores = np.random.default_rng(1).uniform(-reach, reach, size=N)
    fast, slow = (log_posterior.at(scores, None) for log_posterior in terrains(prior, n_comparisons))
    np.testing.assert_allclose(fast.gradient, slow.gradient, atol=1e-9)
    assert fast.largest_gradient == pytest.approx(slow.largest_gradient)
    np.testing.assert_allclose(fast.hessian().matrix(), slow.hessian().matrix(), atol=1e-9)
    np.testing.assert_allclose(fast.hessian().diagonal, slow.hessian().diagonal, atol=1e-9)


def test_it_is_used_where_nothing_was_tied() -> None:
    """With a tie, pairs are walked; without, strengths are enough."""
    totals = NO_TOTALS.plus(comparisons(np.zeros(4), 40, 0, ties=1.0))
    graph, prior = PairGraph(totals.pairs, 4), Prior(0.1, 4)
    assert totals.weight[2].any()
    assert not isinstance(BradleyTerry._link.log_posterior(graph, totals.weight, prior), StrengthLogPosterior)
    decided = totals.weight * [[1], [1], [0]]
    assert isinstance(BradleyTerry._link.log_posterior(graph, decided, prior), StrengthLogPosterior)
