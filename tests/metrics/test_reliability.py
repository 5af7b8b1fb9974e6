"""Agreement of raters: published examples, and definitions written out."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, spearmanr

from penchant.errors import InvalidInput
from penchant.metrics import kendall_w, krippendorff_alpha

_ = float("nan")
# Krippendorff (2011), section C: four observers, twelve units, missing data.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
# The data set anxiety of R's irr package: three raters, twenty people, many ties.
ANXIETY = [
    [3, 3, 3, 4, 5, 5, 2, 3, 5, 2, 2, 6, 1, 5, 2, 2, 1, 2, 4, 3],
    [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4],
    [2, 1, 4, 4, 3, 2, 1, 6, 1, 1, 1, 2, 3, 3, 1, 1, 3, 3, 2, 2],
]


@pytest.mark.parametrize(("scale", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_own_example(scale: Any, alpha: float) -> None:
    """The three published values."""
    assert round(krippendorff_alpha(OBSERVERS, scale), 3) == alpha


def test_alpha_of_words_is_nominal() -> None:
    """Words rate on a nominal scale alone."""
    words = [["a", "b", "b", None], ["a", "b", "a", "b"]]
    numbers = [[0, 1, 1, None], [0, 1, 0, 1]]
    assert krippendorff_alpha(words) == pytest.approx(krippendorff_alpha(numbers))
    with pytest.raises(InvalidInput, match="ratings must be numbers on a scale that is ordinal, got words"):
        krippendorff_alpha(words, "ordinal")


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_one_less_observed_over_expected_disagreement(seed: int, scale: Any) -> None:
    """All pairs of ratings are written out: inside units for the observed, over all for the expected disagreement."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 5, size=(4, 5)).astype(float)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    units = [column[~np.isnan(column)] for column in ratings.T]
    pooled = np.concatenate([unit for unit in units if len(unit) > 1])

    def apart(a: float, b: float) -> float:
        if scale == "nominal":
            return float(a != b)
        if scale == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        ends = ((pooled == low).sum() + (pooled == high).sum()) / 2
        return float(((pooled >= low) & (pooled <= high)).sum() - ends) ** 2 if a != b else 0.0

    observed = sum(2 * apart(a, b) / (len(unit) - 1) for unit in units for a, b in combinations(unit, 2))
    expected = sum(2 * apart(a, b) for a, b in combinations(pooled, 2)) / (len(pooled) - 1)
    assert krippendorff_alpha(ratings, scale) == pytest.approx(1 - observed / expected)


def test_w_of_the_anxiety_ratings() -> None:
    """irr::kendall(anxiety, TRUE) prints Wt = 0.54, Chisq(19) = 30.8 and p-value = 0.0429."""
    found = kendall_w(ANXIETY)
    assert (f"{found.w:.2f}", f"{found.statistic:.1f}", f"{found.p:.4f}") == ("0.54", "30.8", "0.0429")
    assert (found.raters, found.items) == (3, 20)


def test_w_is_friedmans_statistic_and_the_mean_correlation() -> None:
    """The statistic equals Friedman's; without ties W follows from the mean of Spearman's correlations."""
    assert kendall_w(ANXIETY).statistic == pytest.approx(friedmanchisquare(*np.transpose(ANXIETY)).statistic)
    ranks = np.argsort(np.random.default_rng(1).normal(size=(5, 8)), axis=1)
    mean = np.mean([spearmanr(a, b).statistic for a, b in combinations(ranks, 2)])
    assert kendall_w(ranks).w == pytest.approx((4 * mean + 1) / 5)


def test_weights_are_raters() -> None:
    """A weight of three is the row three times, in both coefficients."""
    often = [ANXIETY[0]] * 3 + ANXIETY[1:]
    assert kendall_w(ANXIETY, weight=[3, 1, 1]) == kendall_w(often)
    assert krippendorff_alpha(ANXIETY, "ordinal", weight=[3, 1, 1]) == pytest.approx(
        krippendorff_alpha(often, "ordinal")
    )


@pytest.mark.parametrize(
    ("compute", "ratings", "message"),
    [
        (krippendorff_alpha, [[1, None], [None, 2]], "ratings must rate some unit twice"),
        (krippendorff_alpha, [[1, 1], [1, 1]], "ratings must differ somewhere"),
        (krippendorff_alpha, [1, 2], "ratings must be one row a rater"),
        (kendall_w, [[1, 2], [1, None]], "ratings must be a full matrix, got a missing rating"),
        (kendall_w, [[1], [2]], r"ratings must be a full matrix, got shape \(2, 1\)"),
        (kendall_w, [[1, 1], [2, 2]], "ratings must put some item before another, got ties alone"),
    ],
)
def test_what_has_no_coefficient_is_rejected(compute: Any, ratings: Any, message: str) -> None:
    """Each with what to give instead."""
    with pytest.raises(InvalidInput, match=message):
        compute(ratings)
