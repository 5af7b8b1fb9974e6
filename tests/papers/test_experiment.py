"""The decorator: one experiment for each set, judged by the claims that it was given."""

from __future__ import annotations

import pandas as pd
import pytest

from penchant.papers import experiment as module
from penchant.papers.experiment import Experiment, experiment
from penchant.papers.result import Estimate, Measured, claim
from penchant.papers.run import Run

SMALL = claim("2.small", "it is small", "plain < 1")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Experiment]:
    found: list[Experiment] = []
    monkeypatch.setattr(module, "MADE", found)
    return found


def play(run: Run, name: str, feedback: str = "") -> Measured:
    numbers = {"plain": 0.5, "estimate": Estimate(1.0, 0.1)}
    return Measured(f"{name}, {feedback}", numbers, {}, pd.DataFrame(), {})


def test_a_function_becomes_an_experiment_on_each_set(made: list[Experiment]) -> None:
    """It stays as it is; ids, titles, sources and claims follow from the decorator."""
    sets = ("sushi", "drawn")
    decorated = experiment(
        "2.fig0", "Figure 0", "small, {feedback}", sets=sets, claims=[SMALL], feedback="loud"
    )
    assert decorated(play) is play
    assert [(each.id, each.needs) for each in made] == [("2.fig0/sushi", ("sushi",)), ("2.fig0/drawn", ())]
    assert made[0].title == "Small, loud (paper 2, Figure 0)"
    result = made[1].run(Run(size="quick", seed=3))
    assert (result.id, result.size, result.seed, result.data) == ("2.fig0/drawn", "quick", 3, "drawn, loud")
    assert result.numbers == {"plain": Estimate(0.5), "estimate": Estimate(1.0, 0.1)}
    assert result.verdicts == {"2.small": "holds"}


def test_decorators_of_one_function_are_listed_from_top_to_bottom(made: list[Experiment]) -> None:
    """As they are read, although the lowest runs first; claims may differ by set."""
    for figure in (2, 1):
        experiment(f"2.fig{figure}", f"Figure {figure}", "it", sets=["a"], claims={"a": [SMALL]})(play)
    assert [each.id for each in made] == ["2.fig1/a", "2.fig2/a"]


def test_a_claim_can_be_tried_with_several_settings_of_ours(made: list[Experiment]) -> None:
    """Each has a verdict of its own."""
    claims = [SMALL, SMALL.by("plain > 1", setting="C/n")]
    experiment("2.fig0", "Figure 0", "it", sets=["a"], claims=claims)(play)
    assert made[0].run().verdicts == {"2.small": "holds", "2.small, C/n": "does not hold here"}


def test_the_end_of_a_run_is_reported(made: list[Experiment]) -> None:
    """Whatever the tasks reported before."""
    steps: list[tuple[int, int]] = []
    experiment("2.fig0", "Figure 0", "it", sets=["a"], claims=[SMALL])(play)
    made[0].run(Run(progress=lambda *step: steps.append(step)))
    assert steps == [(1, 1)]
