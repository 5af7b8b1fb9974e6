"""The case study of paper 4: its table, with small N here and all of it in the benchmarks."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.papers.monotone.simulation import (
    PAPER,
    case_study,
    compared,
    fitted,
    grid,
    repeated,
    true_utility,
)


def test_the_papers_table_is_reproduced() -> None:
    """80 repetitions come within 1.5 points of each figure; dominated pairs are right without exception."""
    study = case_study(80)
    assert np.abs(study.percent - np.array(list(PAPER.values()))).max() < 1.5
    assert (study.accuracy[:, 1:, 0] == 1).all()
    assert study.accuracy[:, 0, 0].mean() < 1
    assert study.disordered == 0
    assert "80 repetitions, hyperparameters of the paper" in repr(study)


def test_evidence_does_no_worse() -> None:
    """With hyperparameters by evidence the blend is right on 94 to 97 % of all pairs, and on all dominated ones."""
    study = case_study(25, hyperparameters="evidence")
    assert 94 < study.percent[1, 2] < 97
    assert (study.accuracy[:, 1:, 0] == 1).all()


def test_comparisons_are_drawn_as_settled() -> None:
    """90 different pairs of the grid, each point among them, the better first but for noise."""
    X = grid(5)
    pairs = compared(X, np.random.default_rng(0))
    assert pairs.shape == (90, 2)
    assert len(np.unique(pairs)) == 25
    assert len(np.unique(np.sort(pairs, axis=1), axis=0)) == 90
    lead = true_utility(X)[pairs[:, 0]] - true_utility(X)[pairs[:, 1]]
    assert 0.75 < (lead > 0).mean() < 1


def test_the_papers_hyperparameters() -> None:
    """Lengthscale 1/5, kernel sd and noise that of the linear utility, β̂ summing to one, ε 0.01."""
    X = grid(5)
    model = fitted(X, compared(X, np.random.default_rng(1)))
    assert model.lengthscale_.tolist() == [0.2, 0.2]
    assert model.scale_ == model.noise_
    assert model.beta_.sum() == pytest.approx(1)
    assert model.epsilon == 0.01


def test_wrong_arguments_are_rejected() -> None:
    """No repetitions, hyperparameters of nobody, too few comparisons for all points or more than there are."""
    with pytest.raises(InvalidInput, match="repetitions must be a whole number of at least 1, got 0"):
        case_study(0)
    with pytest.raises(InvalidInput, match="hyperparameters must be 'paper' or 'evidence', got 'luck'"):
        case_study(1, hyperparameters="luck")  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    for count, words in (
        (10, "count must be from 13, with which each of 25 rows can be compared, to the 300 different pairs"),
        (400, "count must be from 13, .* got 400"),
        (13, "count must be so large that each of 25 rows is drawn by chance, got 13"),
    ):
        with pytest.raises(InvalidInput, match=words):
            compared(grid(5), rng, count=count)


def test_seen_and_unseen_pairs_make_up_all() -> None:
    """Of the 3,240 test pairs 90 were compared; a process with mean 0 is fitted where it is asked for."""
    found = repeated(0, 0, with_zero=True)
    together = (90 * found.seen[:, 2] + 3150 * found.unseen[:, 2]) / 3240
    assert together == pytest.approx(found.accuracy[:, 2])
    assert 0.5 < found.zero[2] < found.accuracy[0, 2]
    assert np.isnan(repeated(0, 0).zero).all()
