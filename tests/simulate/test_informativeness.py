"""α and slack from a log of rounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.coactive import slack
from penchant.errors import InvalidInput
from penchant.simulate import Informativeness


@given(st.integers(0, 10_000))
def test_the_two_estimates_are_the_largest_that_leave_no_slack(seed: int) -> None:
    """With the strict α no round has slack and with the expected one the sum has none; with more there is some."""
    random = np.random.default_rng(seed)
    presented = random.random(20)
    best = presented + random.random(20)
    feedback = presented + random.uniform(0.05, 0.9, 20) * (best - presented)
    found = Informativeness.of(presented, feedback, best)
    for alpha, total in ((found.strict, np.max), (found.expected, np.sum)):
        assert total(slack(presented, feedback, best, alpha=alpha)) <= 1e-9
        assert total(slack(presented, feedback, best, alpha=alpha + 1e-3)) > 0
        np.testing.assert_array_equal(found.slack(alpha), slack(presented, feedback, best, alpha=alpha))
    assert found.strict <= found.expected


def test_feedback_that_loses_where_nothing_could_be_gained_has_no_strict_alpha() -> None:
    """A round that was perfect and was made worse has slack for every α."""
    assert Informativeness.of([0.0, 1.0], [1.0, 0.5], [1.0, 1.0]).strict == 0
    assert Informativeness.of([0.0, 1.0], [1.0, 1.0], [1.0, 1.0]).strict == 1


def test_rounds_without_anything_to_gain_are_refused() -> None:
    """There is no α to be seen where everything presented was best."""
    with pytest.raises(InvalidInput, match="needs a round"):
        Informativeness.of([1.0], [1.0], [1.0])
