"""Paper 1's figures, with seeds and quick sizes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from penchant.errors import InvalidInput
from penchant.papers.coactive.first_paper import label_feedback, noise_free_feedback
from penchant.papers.coactive.retrained_svm import RetrainedSVM


def test_two_values_of_alpha_are_played() -> None:
    """0.1 and 1, both to zero, under Theorem 1; utility and DCG* are drawn."""
    result = noise_free_feedback("synthetic-web", size="quick")
    assert set(result.frame["name"]) == {"α = 0.1", "α = 1"}
    assert set(result.verdicts.values()) == {"holds"}
    assert set(result.charts) == {"utility", "DCG*", "bound"}


def test_the_svm_is_retrained_at_three_paces(monkeypatch: pytest.MonkeyPatch) -> None:
    """10, 5 and 1 %; bands are standard deviations; a smaller share trains more often; the 30 minutes stand beside."""
    trained: Counter[float] = Counter()

    def train(svm: RetrainedSVM, usual: Any = RetrainedSVM._train) -> None:
        trained[svm.growth] += 1
        usual(svm)

    monkeypatch.setattr(RetrainedSVM, "_train", train)
    result = label_feedback("synthetic-web", size="quick")
    assert set(result.frame["name"]) == {"perceptron", "retrained SVM", "SVM at 5 %", "SVM at 1 %"}
    assert "standard deviation" in str(result.charts["utility"].to_dict()["title"])
    assert trained[0.01] > trained[0.05] > trained[0.1] > 0
    assert result.seconds.keys() == set(result.frame["name"])
    assert result.tables["CPU time"].loc["perceptron", "a run of the paper"] == "30 minutes"
    assert any("never better" in says for says in result.verdicts)
    assert result.verdicts["no curve crosses the bound of Theorem 1"] == "holds"


def test_movies_are_not_in_paper_1() -> None:
    """The message names the sets that exist."""
    for play in (noise_free_feedback, label_feedback):
        with pytest.raises(InvalidInput, match=r"name must be one of letor4-mq2008, .* got 'ml-1m'"):
            play("ml-1m", size="quick")
