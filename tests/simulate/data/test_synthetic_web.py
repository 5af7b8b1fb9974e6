"""Synthetic web search."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.simulate import WebSearch
from penchant.simulate.data.synthetic_web import made_up


def test_a_made_up_set_has_the_asked_shape_and_the_same_numbers_for_a_seed() -> None:
    """Sizes, float32 in [0, 1], labels 0 to 4 in their shares, half of whose variance or less is linear."""
    setting = WebSearch.synthetic(n_queries=300, n_documents=25, n_features=40, seed=2)
    assert (setting.n_queries, setting.n_features) == (300, 40)
    assert np.diff(setting.starts).mean() == pytest.approx(
        25, abs=1.2
    )  # four standard errors of a Poisson mean
    assert setting.features.dtype == np.float32
    assert (setting.features.min(), setting.features.max()) == (0, 1)
    shares = np.bincount(setting.grades.astype(int)) / len(setting.grades)
    np.testing.assert_allclose(shares, [0.26, 0.36, 0.28, 0.08, 0.02], atol=0.001)
    explained = 1 - np.var(setting.grades - setting.utilities) / np.var(setting.grades)
    assert 0.2 < explained < 0.6
    again = WebSearch.synthetic(n_queries=300, n_documents=25, n_features=40, seed=2)
    assert np.array_equal(again.features, setting.features)
    assert np.array_equal(again.grades, setting.grades)


def test_redundant_features_are_as_those_of_real_sets() -> None:
    """Effective rank and condition number of the covariance: about 7 and 5,500; without it 31 and 5."""
    found = {}
    for redundant in (False, True):
        features, _, _ = made_up(600, 25, 40, seed=0, redundant=redundant)
        values = np.linalg.eigvalsh(np.cov(features.T.astype(np.float64)))
        found[redundant] = values.sum() ** 2 / (values**2).sum(), values[-1] / values[0]
    assert 4 < found[True][0] < 10 < found[False][0]
    assert 3_000 < found[True][1] < 10_000
    assert found[False][1] < 20
