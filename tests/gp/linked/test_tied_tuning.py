"""Hyperparameters of the linked process together with the threshold of ties."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.gp import LinkedGP
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.tied_tuning import first_threshold, fitting_threshold, tuned_with_threshold
from penchant.gp.linked.tuning import tuned

N = 15
PRIOR = ItemPrior.of(None, None, None, N)
SETTINGS = Settings.checked(LinkedGP().get_params())


def answers(threshold: float, seed: int = 0) -> Answers:
    rng = np.random.default_rng(seed)
    utility = rng.normal(0, 2, N)
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(150)])
    lead = utility[pairs[:, 0]] - utility[pairs[:, 1]] + rng.normal(size=150)
    ordered = np.where(lead[:, None] > 0, pairs, pairs[:, ::-1])
    return Answers(ordered, np.ones(150), np.abs(lead) < threshold)


def test_the_threshold_is_above_that_of_the_share_of_ties() -> None:
    """Most pairs differ, so that they tie less often than equal items; the scale is then not too low either."""
    given = answers(0.5)
    start = first_threshold(given)
    found = tuned_with_threshold(PRIOR, given, SETTINGS)
    biased = tuned(PRIOR, given, SETTINGS._replace(threshold=start), Probit(1.0, start), 0, 0)
    assert found.settings.threshold > 1.5 * start
    assert found.settings.scale > biased.settings.scale
    again = fitting_threshold(PRIOR, given, found.settings)
    assert again == pytest.approx(found.settings.threshold, rel=0.05)


def test_without_ties_it_is_what_tuning_gives() -> None:
    """The threshold is a small one, and stays."""
    given = answers(0.0)
    found = tuned_with_threshold(PRIOR, given, SETTINGS)
    start = first_threshold(given)
    assert 0 < start < 0.01
    assert found.settings.threshold == start
    alone = tuned(PRIOR, given, SETTINGS._replace(threshold=start), Probit(1.0, start), 0, 0)
    assert found.settings == alone.settings


def test_answers_that_are_all_ties_have_a_finite_threshold() -> None:
    """The share stops below 1."""
    given = answers(0.5)
    assert np.isfinite(first_threshold(Answers(given.pairs, given.weight, np.ones(150, dtype=bool))))
