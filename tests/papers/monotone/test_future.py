"""Paper 4's future work: what is stated is compared with what is true, and a controller is chosen."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.monotone.future import COUNTS, UTILITIES, design_scores
from tests.papers.running import result_of


def test_confidence_is_that_of_both_settings() -> None:
    """Coverage is a share, and wide intervals by evidence cover more than narrow ones with given settings."""
    numbers = result_of("4.confidence", size="quick").numbers
    paper, evidence = (numbers[f"{way}, coverage of 95 %"].value for way in ("paper", "evidence"))
    assert 0 < paper < evidence <= 1


def test_generalisation_is_about_points_that_were_never_compared() -> None:
    """A row for each number of comparisons, repetition and utility; more comparisons bring more."""
    result = result_of("4.generalisation", size="quick")
    assert len(result.frame) == len(COUNTS) * 4 * len(UTILITIES)
    means = result.frame.groupby(["comparisons", "name"])["new points"].mean()
    assert means[300, "f_MAP"] > means[45, "f_MAP"]
    assert means[45, "y"] == pytest.approx(result.numbers["45 comparisons, new points, y"].value)


def test_times_are_measured_at_each_size() -> None:
    """Of items and of comparisons."""
    frame = result_of("4.scale", size="quick").frame
    assert frame["what"].value_counts().to_dict() == {"items": 2, "comparisons": 2}
    assert (frame["CPU seconds"] > 0).all()


def test_a_stiffer_controller_is_quicker_and_takes_more_force() -> None:
    """Both scores fill [0, 1], and the quickest is not the thriftiest."""
    scores = design_scores(6)
    assert scores.min(axis=0).tolist() == [0, 0]
    assert scores.max(axis=0).tolist() == [1, 1]
    assert np.corrcoef(scores.T)[0, 1] < 0


def test_a_choice_loses_no_less_than_nothing() -> None:
    """The loss is relative to the best controller."""
    frame = result_of("4.control", size="quick").frame
    assert (frame[[*UTILITIES]].to_numpy() >= 0).all()
