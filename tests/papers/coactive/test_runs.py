"""Simulated runs: split over processes, merged, and the ratios computed from them."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from penchant.coactive import PreferencePerceptron
from penchant.papers.coactive import runs as module
from penchant.papers.coactive.runs import played
from penchant.papers.coactive.sets import Scene, scene
from penchant.papers.run import Run
from penchant.simulate import ExpectedUser, NoisyRanking
from penchant.simulate.retrained_svm import RetrainedSVM
from tests.papers.running import result_of

FIELDS = ("presented", "feedback", "presented_utility", "best_utility", "weights")


@pytest.fixture
def on() -> Scene:
    return scene("synthetic-web", Run(size="quick")).capped(quick=(3, 40))


def test_two_processes_play_to_the_last_bit_what_one_plays(on: Scene) -> None:
    """Compiled, round by round with an SVM, and with a user who draws; each player has its CPU seconds."""
    perceptron = on.learner(PreferencePerceptron)
    players = {
        "compiled": (perceptron, NoisyRanking(10)),
        "expected": (perceptron, ExpectedUser(user=on.strict())),
        "SVM": (on.learner(RetrainedSVM), on.strict()),
    }
    steps: list[tuple[int, int]] = []
    alone = played(on, players, Run(progress=lambda *step: steps.append(step)))
    both = played(on, players, Run(jobs=2))
    for name in players:
        for field in FIELDS:
            one, other = (getattr(runs.records[name], field) for runs in (alone, both))
            np.testing.assert_array_equal(one, other)
    assert steps == [(done, 9) for done in range(1, 10)]
    assert set(both.seconds) == set(players)


def test_the_seconds_of_a_player_are_those_of_its_runs(on: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes one second a look, a player takes one for each of its runs, and none for compiling."""
    clock = count()
    monkeypatch.setattr(module, "process_time", lambda: float(next(clock)))
    players = {name: (on.learner(PreferencePerceptron), on.strict()) for name in ("first", "second")}
    assert played(on, players, Run()).seconds == {"first": on.runs, "second": on.runs}


def test_an_experiment_is_the_same_with_any_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers and frame, also where compiled runs are split."""
    monkeypatch.setattr(module, "LONG", 0)
    one, two = (result_of("2.fig4/ml-1m", size="quick", jobs=jobs) for jobs in (1, 2))
    assert one.numbers == two.numbers
    assert one.frame.equals(two.frame)


def test_regret_over_the_average_slack_is_one_where_nothing_is_gained(on: Scene) -> None:
    """By eq. 6 with α = 1 regret is the slack and what was gained, on average."""
    runs = played(on, {"noisy": (on.learner(PreferencePerceptron), NoisyRanking(10))}, Run())
    record = runs.records["noisy"]
    gained = (record.feedback_utility - record.presented_utility).mean()
    regret = runs.end("noisy").mean()
    assert runs.settled("noisy").value == pytest.approx(regret / (regret - gained))
