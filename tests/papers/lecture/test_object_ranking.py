"""Object ranking, with seeds and quick sizes."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.lecture.object_ranking import (
    BAYES,
    CHANCE,
    CLAIMS,
    FEATURE,
    KERNEL,
    NDCG,
    SVM,
    TWO_STEP,
)
from penchant.papers.lecture.sets import QUERY_SETS
from tests.conftest import DATA
from tests.papers.running import result_of


def test_stand_ins_are_ranked_and_named_as_such() -> None:
    """Every learner beats chance; each set, fold and method has a row; each claim has its numbers."""
    steps: list[tuple[int, int]] = []
    result = result_of("3.objects", size="quick", progress=lambda *at: steps.append(at))
    assert result.data.startswith(
        "a made-up stand-in for letor4-mq2008, mslr-sample, letor2-ohsumed: 2 folds"
    )
    assert len(result.verdicts) == len(CLAIMS)
    assert steps == [(done, 6) for done in range(1, 7)]
    assert len(result.frame) == 3 * 2 * 8
    means = result.frame.groupby("method")[NDCG].mean()
    assert all(means[method] > means[CHANCE] + 0.05 for method in (SVM, KERNEL, TWO_STEP, BAYES, FEATURE))
    assert all(
        np.isfinite(number.error)
        for name, number in result.numbers.items()
        if "−" in name and "least" not in name
    )
    assert result.verdicts["3.hinge-bound"] == "holds"


@pytest.mark.needs(*(f"data:{name}" for name in QUERY_SETS))
def test_real_queries_are_ranked() -> None:
    """Small here; the tables of larger runs stand in the docs."""
    result = result_of("3.objects", size="quick", data=DATA)
    assert result.data.startswith("letor4-mq2008, mslr-sample, letor2-ohsumed: 2 folds")
    assert set(result.tables["object ranking"]["set"]) == set(QUERY_SETS)
    assert set(result.charts) == {"NDCG@10", "pair accuracy"}
    assert all(result.numbers[f"{name}: {SVM} − {CHANCE}, {NDCG}"].value > 0 for name in QUERY_SETS)
