"""Binned features and the best stump on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from penchant.rankers.solvers import stumps as stumps_module
from penchant.rankers.solvers.stumps import ROUNDING, BinnedFeatures, best_split


@given(
    st.lists(st.floats(-1e300, 1e300) | st.sampled_from([0.0, 1.0, 1.0, 2.0]), min_size=2, max_size=40),
    st.none() | st.integers(2, 12),
)
def test_bins_say_what_thresholds_say(values: list[float], n_bins: int | None) -> None:
    """x > thresholds[k] is the same as bin > k, with at most n_bins bins, and all of them where that suffices."""
    X = np.array(values)[:, None]
    binned = BinnedFeatures.of(X, np.arange(len(X)), n_bins)
    thresholds = binned.thresholds[0]
    np.testing.assert_array_equal((thresholds < X).sum(axis=1), binned.column(0))
    n_distinct = len(np.unique(X))
    assert len(thresholds) + 1 <= (n_bins or n_distinct)
    if n_bins is None or n_distinct <= n_bins:
        assert len(thresholds) + 1 == n_distinct


def test_bins_hold_about_equally_many_rows() -> None:
    """Many distinct values fall into full bins of nearly one size."""
    X = np.random.default_rng(4).lognormal(size=(1000, 9))
    binned = BinnedFeatures.of(X, np.arange(1000), 10)
    sizes = [np.bincount(binned.column(feature)).tolist() for feature in range(9)]
    assert sizes == [[100] * 10] * 9


@given(
    arrays(np.int64, (7, 9), elements=st.integers(0, 3)),
    arrays(np.int64, 7, elements=st.integers(-3, 3)),
    st.booleans(),
)
def test_the_best_split_is_that_of_all_stumps(values: Any, pull: Any, compiled: bool) -> None:
    """The largest lead of all features, thresholds and signs, ties to the first of them; compiled or not."""
    X, pull = values.astype(np.float64), (pull - pull.mean()).astype(np.float64)
    features = BinnedFeatures.of(X, np.arange(7), None)
    stumps = [
        (sign * float(pull[X[:, feature] > cut].sum()), feature, place, sign)
        for feature in range(9)
        for place, cut in enumerate(features.thresholds[feature])
        for sign in (1, -1)
    ]
    most = max((lead for lead, *_ in stumps), default=0.0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stumps_module, "_COMPILED_FROM", 0 if compiled else 10**9)
        split = best_split(features, pull)
    if most <= ROUNDING:
        assert split is None
        return
    assert split is not None
    first = next(stump for stump in stumps if stump[0] >= most - ROUNDING)
    assert split.lead == pytest.approx(first[0])
    assert (split.feature, split.cut, split.sign) == first[1:]
    above = X[:, split.feature] > features.thresholds[split.feature][split.cut]
    np.testing.assert_array_equal(split.ranks(features), above if split.sign > 0 else ~above)


@given(st.integers(0, 5), st.integers(1, 10))
def test_sums_of_bins_give_the_same_stump(seed, n_features):
    """Also added up over two sets of rows; the compiled loop agrees with the plain one."""
    from penchant.rankers.solvers._boost_kernels import bin_sums
    from penchant.rankers.solvers.stumps import best_of_sums, feature_sums

    random = np.random.default_rng(seed)
    X, pull = random.normal(size=(40, n_features)).round(1), random.normal(size=40)
    pull -= pull.mean()
    features = BinnedFeatures.of(X, np.arange(40), 8)
    sums = feature_sums(features, pull)
    np.testing.assert_allclose(bin_sums(features.codes, features.n_thresholds, pull), sums, atol=1e-12)
    halves = [BinnedFeatures.at(X, rows, features.thresholds) for rows in (np.arange(25), np.arange(25, 40))]
    added = feature_sums(halves[0], pull[:25]) + feature_sums(halves[1], pull[25:])
    expected = best_split(features, pull)
    for found in (best_of_sums(sums, features.n_thresholds), best_of_sums(added, features.n_thresholds)):
        assert found[:3] == expected[:3]
        np.testing.assert_allclose(found.lead, expected.lead)
