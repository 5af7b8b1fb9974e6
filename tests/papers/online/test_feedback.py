"""Paper 1's figures, with seeds and quick sizes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from penchant.papers.catalogue import experiments
from penchant.simulate.retrained_svm import RetrainedSVM
from tests.papers.running import result_of


def test_two_values_of_alpha_are_played() -> None:
    """0.1 and 1, both to zero, under Theorem 1; utility and DCG* are drawn."""
    result = result_of("1.fig2/synthetic-web", size="quick")
    assert set(result.frame["name"]) == {"α = 0.1", "α = 1"}
    assert set(result.verdicts.values()) == {"holds"}
    assert set(result.charts) == {"utility", "DCG*", "bound"}


def test_the_svm_is_retrained_at_three_paces(monkeypatch: pytest.MonkeyPatch) -> None:
    """10, 5 and 1 %, with both conventions of C; a smaller share trains more often; the 30 minutes stand beside."""
    trained: Counter[tuple[str, float]] = Counter()

    def train(svm: RetrainedSVM, usual: Any = RetrainedSVM._train) -> None:
        trained[svm.losses, svm.growth] += 1
        usual(svm)

    monkeypatch.setattr(RetrainedSVM, "_train", train)
    result = result_of("1.fig3/synthetic-web", size="quick")
    svms = {f"SVM, {setting}{pace}" for setting in ("C", "C/n") for pace in ("", " at 5 %", " at 1 %")}
    assert set(result.frame["name"]) == {"perceptron", *svms}
    assert "standard deviation" in str(result.charts["utility, C/n"].to_dict()["title"])
    for losses in ("sum", "mean"):
        assert trained[losses, 0.01] > trained[losses, 0.05] > trained[losses, 0.1] > 0
    assert result.seconds.keys() == set(result.frame["name"])
    assert result.tables["CPU time"].loc["perceptron", "a run of the paper"] == "30 minutes"
    assert {"1.svm-growth, C", "1.svm-growth, C/n"} <= set(result.verdicts)
    assert result.verdicts["1.theorem-1"] == "holds"


def test_movies_are_not_in_paper_1() -> None:
    """Its two figures are played on the three sets of queries."""
    played = {experiment.on for experiment in experiments() if experiment.paper == 1}
    assert played == {"letor4-mq2008", "mslr-sample", "synthetic-web"}
