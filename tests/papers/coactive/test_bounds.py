"""Bounds over the curves of a scene, beside the formulas written out."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.coactive import ExponentiatedPerceptron, PreferencePerceptron
from penchant.papers.coactive.bounds import nearest, theorem_1, theorem_5, under
from penchant.papers.coactive.runs import Runs, played
from penchant.papers.coactive.sets import scene
from penchant.papers.run import Run
from tests.papers.running import result_of


@pytest.fixture(scope="module")
def runs() -> Runs:
    on = scene("ml-1m", Run(size="quick")).capped(quick=(4, 30))
    players = {
        "perceptron": (on.learner(PreferencePerceptron), on.noisy()),
        "exponentiated": (on.learner(ExponentiatedPerceptron, bound=on.S, horizon=30), on.noisy()),
    }
    return played(on, players, Run())


def test_theorem_1_has_each_users_own_norm_and_slack(runs: Runs) -> None:
    """Σξ/(αt) + 2R‖w*‖√k/(α√t) with the ξ of what the user answered."""
    on, record = runs.scene, runs.records["perceptron"]
    bound = theorem_1(runs, "perceptron", alpha=0.25, batch=4, noisy=True)
    for run, t in ((0, 1), (3, 17), (2, 30)):
        best, presented, feedback = (
            values[run, :t]
            for values in (record.best_utility, record.presented_utility, record.feedback_utility)
        )
        slack = 0.25 * (best - presented) - (feedback - presented)
        norm = np.sqrt((on.setting.weights[run] ** 2).sum())
        expected = slack.sum() / (0.25 * t) + 2 * on.R * norm * 2 / (0.25 * np.sqrt(t))
        assert bound[run, t - 1] == pytest.approx(expected)


def test_theorem_5_counts_both_signs(runs: Runs) -> None:
    """[2S√T·log 2N + 2St/√T]‖w*‖₁/(αt) without slack: the form that holds before the horizon too."""
    on = runs.scene
    bound = theorem_5(runs, "exponentiated")
    norm = np.abs(on.setting.weights[1]).sum()
    for t in (1, 30):
        term = 2 * on.S * np.sqrt(30) * np.log(2 * on.n_features) + 2 * on.S * t / np.sqrt(30)
        assert bound[1, t - 1] == pytest.approx(term * norm / (0.5 * t))


def test_a_curve_over_its_bound_is_found_out() -> None:
    """The largest ratio of all runs and rounds is reported, and the claim fails with it."""
    numbers = nearest("Theorem 0", {"a": np.array([[1.0, 2.0], [1.0, 0.5]])}, {"a": np.ones((2, 2))})
    assert [number.value for number in numbers.values()] == [2.0]
    assert under("Theorem 0", ["a"]).verdict(numbers) == "does not hold here"
    half = nearest("Theorem 0", {"a": np.array([[0.5]])}, {"a": np.ones((1, 1))})
    assert under("Theorem 0", ["a"]).verdict(half) == "holds"


@pytest.mark.parametrize(
    ("name", "figures"), [("synthetic-web", (5, 12, 13, 17)), ("ml-1m", (5, 12, 14, 18))]
)
def test_no_curve_crosses_its_bound(name: str, figures: tuple[int, ...]) -> None:
    """Lemma 4, Theorems 1, 5, 6 and 8, with strict and with noisy feedback, in every round of every run."""
    for figure in figures:
        result = result_of(f"2.fig{figure}/{name}", size="quick")
        theorems = [claim for claim in result.claims if claim.whose == "theorem"]
        assert theorems
        assert {claim.verdict(result.numbers) for claim in theorems} == {"holds"}
