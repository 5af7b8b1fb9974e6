"""The papers' baselines, with seeds and quick sizes."""

from __future__ import annotations

import pytest

from tests.papers.running import result_of


@pytest.mark.parametrize("feedback", ["strict", "noisy"])
def test_the_dueling_bandit_loses_far_more(feedback: str) -> None:
    """The best of nine in hindsight loses at least twice as much, and the perceptron overtakes it at once."""
    result = result_of(f"2.fig9-{feedback}/synthetic-web", size="quick")
    assert result.numbers["bandit / perceptron"].value > 2
    assert result.numbers["share of the rounds until then"].value < 0.1


def test_of_movies_the_bandit_compares_two() -> None:
    """And loses more than the perceptron; progress is reported for all nine and the perceptron."""
    steps: list[tuple[int, int]] = []
    result = result_of("2.fig10-strict/ml-1m", size="quick", progress=lambda *at: steps.append(at))
    assert result.numbers["bandit / perceptron"].value > 2
    assert steps[:26] == [(game, 10) for game in range(1, 11)]


def test_the_svm_plays_on_movies() -> None:
    """Names, charts and claims are those of movies; how the two compare is for larger runs to say."""
    result = result_of("2.fig8/ml-1m", size="quick")
    assert set(result.frame["name"]) == {"perceptron", "SVM, C", "SVM, C/n"}
    assert set(result.charts) == {"utility", "bound"}
    assert {"2.svm-noisy, C", "2.svm-noisy, C/n"} <= set(result.verdicts)
    last = result.frame[result.frame["t"] == result.frame["t"].max()].groupby("name")["regret"].mean()
    for svm in ("SVM, C", "SVM, C/n"):
        assert result.numbers[f"{svm} / perceptron"].value == pytest.approx(last[svm] / last["perceptron"])


def test_times_stand_beside_the_papers() -> None:
    """A row a player, seconds a run without compiling, and what the paper says of web search and of movies."""
    web, movies = (
        result_of(f"2.fig7/{name}", size="quick").tables["CPU time"] for name in ("synthetic-web", "ml-1m")
    )
    assert list(web.index) == ["perceptron", "SVM, C", "SVM, C/n"]
    assert web["a run of the paper"].tolist() == ["20 minutes", "20 hours", "20 hours"]
    assert movies["a run of the paper"].tolist() == ["125 seconds", "260 seconds", "260 seconds"]


def test_the_best_of_all_bandits_is_the_one_told() -> None:
    """The regret of the table's least entry, and its γ and δ."""
    result = result_of("2.fig9-strict/synthetic-web", size="quick")
    table = result.tables["regret of all bandits"]
    assert table.shape == (1, 9)
    assert result.numbers["regret, dueling bandit"].value == table.to_numpy().min()
    best = table.loc[result.numbers["best γ"].value, f"δ = {result.numbers['best δ'].value:g}"]
    assert best == table.to_numpy().min()
