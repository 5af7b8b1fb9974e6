"""The papers' baselines, with seeds and quick sizes."""

from __future__ import annotations

import pytest

from penchant.papers.coactive_baselines import dueling_bandit, retrained_svm


@pytest.mark.parametrize("feedback", ["strict", "noisy"])
def test_the_dueling_bandit_loses_far_more(feedback: str) -> None:
    """The best of 25 in hindsight loses at least twice as much, and the perceptron overtakes it at once."""
    result = dueling_bandit("synthetic-web", feedback=feedback, size="quick")  # type: ignore[arg-type]
    assert result.numbers["bandit / perceptron"].value > 2
    assert result.numbers["share of the rounds until then"].value < 0.1


def test_of_movies_the_bandit_compares_two() -> None:
    """And loses more than the perceptron; progress is told for all 25 and the perceptron."""
    told: list[tuple[int, int]] = []
    result = dueling_bandit("ml-1m", size="quick", progress=lambda *at: told.append(at))
    assert result.numbers["bandit / perceptron"].value > 2
    assert told == [(game, 26) for game in range(1, 27)]


def test_the_svm_plays_on_movies() -> None:
    """Names, charts and claims are those of movies; how the two compare is for larger runs to say."""
    result = retrained_svm("ml-1m", feedback="noisy", size="quick")
    assert set(result.frame["name"]) == {"perceptron", "retrained SVM"}
    assert set(result.charts) == {"utility"}
    assert "most of the range" in next(iter(result.verdicts))
    assert result.numbers["SVM / perceptron"].value > 0


def test_other_growths_are_named_and_judged() -> None:
    """Paper 1's 5 and 1 per cent beside the 10."""
    result = retrained_svm("ml-1m", growths=(0.1, 0.05, 0.01), size="quick")
    assert {"SVM at 5 % / perceptron", "SVM at 1 % / perceptron"} <= set(result.numbers)
    assert "never better" in list(result.verdicts)[-1]
