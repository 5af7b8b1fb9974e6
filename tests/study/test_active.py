"""A belief without retired items is the belief about the others."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.preferences import Preferences
from penchant.study.active import without_retired
from penchant.worth import BradleyTerry


def test_a_part_of_a_belief_has_the_moments_of_its_items() -> None:
    """Means, variances, covariances, draws and the ranking are those of the items that are left."""
    answers = Preferences.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("b", "d")])
    whole = BradleyTerry(prior=0.3).live(answers)
    part = without_retired(whole, np.array([1]))
    kept = np.array([0, 2, 3])
    assert part.items_ == ("a", "c", "d")
    assert part.noise_ == whole.noise_
    assert part.counts_.tolist() == whole.counts_[kept].tolist()
    np.testing.assert_array_equal(part.mean, whole.mean[kept])
    np.testing.assert_array_equal(part.variance(), whole.variance()[kept])
    np.testing.assert_array_equal(part.variance([-1]), whole.variance()[[3]])
    np.testing.assert_array_equal(part.covariance([1], None), whole.covariance([2], kept))
    np.testing.assert_array_equal(part.sample(5, 1), whole.sample(5, 1)[:, kept])
    np.testing.assert_array_equal(part.most_probable().mean, whole.most_probable().mean[kept])
    np.testing.assert_array_equal(
        part.most_probable().covariance([0], [2]), whole.most_probable().covariance([0], [3])
    )
    np.testing.assert_array_equal(part.most_probable().variance(), whole.most_probable().variance()[kept])
    assert part.rank().items == ("a", "c", "d")
    assert without_retired(whole, np.array([], dtype=np.int64)) is whole
    with pytest.raises(NotImplementedError, match="use the whole one"):
        part.learn(answers)
