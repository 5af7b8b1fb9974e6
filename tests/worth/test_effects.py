"""Effects as a table."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.worth import Effects


def test_tests_and_intervals_follow_from_the_covariance() -> None:
    """p is two-sided and normal: 0.05 at 1.96 standard errors."""
    covariance = np.array([[0.04, 0.01], [0.01, 0.25]])
    effects = Effects.of(("length", "side"), np.array([0.4, -0.98]), covariance, np.array([2.0, 1.0]))
    np.testing.assert_allclose(effects.error, [0.2, 0.5])
    np.testing.assert_allclose(effects.p, [0.0455, 0.05], atol=1e-4)
    np.testing.assert_allclose(effects.interval(0.95)[0], [0.008, 0.792], atol=1e-3)
    frame = effects.to_frame()
    assert frame["per_sd"].tolist() == pytest.approx([0.8, -0.98])
    assert frame.columns.tolist() == ["effect", "estimate", "error", "lower", "upper", "per_sd", "p"]
    assert "length" in repr(effects)
    assert "0.046" in repr(effects)
    assert len(effects) == 2


def test_no_effects_are_a_sentence() -> None:
    """An empty table is none."""
    none = np.zeros(0)
    assert repr(Effects((), none, none, none, none)) == "no covariates"
