"""Regrets are the averages that the papers define, for every number of rounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.coactive import (
    LinearLoss,
    QuadraticLoss,
    convex_regret,
    dcg_regret,
    progressive_mean,
    slack,
    utility_regret,
)
from penchant.errors import InvalidInput

UTILITIES = st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 5), st.floats(-5, 5)), min_size=1, max_size=12)


@given(rounds=UTILITIES)
def test_each_entry_is_the_average_so_far(rounds: list[tuple[float, float, float]]) -> None:
    """REG_t and CREG_t are eq. 4 and eq. 15 for the first t rounds."""
    presented = np.array([at for at, _, _ in rounds])
    best = presented + [above for _, above, _ in rounds]
    loss = QuadraticLoss(5.0)
    for t in range(1, len(rounds) + 1):
        gaps = [presented[i] - best[i] for i in range(t)]
        costs = [(gap - 5.0) ** 2 - 25.0 for gap in gaps]
        assert utility_regret(presented, best)[t - 1] == pytest.approx(-sum(gaps) / t, abs=1e-12)
        assert convex_regret(presented, best, loss)[t - 1] == pytest.approx(sum(costs) / t, abs=1e-9)


@given(rounds=UTILITIES, alpha=st.floats(0.01, 1.0))
def test_slack_makes_feedback_informative(rounds: list[tuple[float, float, float]], alpha: float) -> None:
    """With ξ_t, eq. 6 is an equality; better answers than α asks for have a slack below 0."""
    presented, above, answered = np.array(rounds).T
    best = presented + above
    xi = slack(presented, answered, best, alpha=alpha)
    np.testing.assert_allclose(answered - presented, alpha * (best - presented) - xi, atol=1e-12)
    assert (slack(presented, best, best, alpha=alpha) <= 0).all()


def test_runs_stand_in_rows() -> None:
    """Of many runs, each row is what that run alone gives."""
    rng = np.random.default_rng(0)
    presented, gap = rng.normal(size=(3, 7)), rng.random((3, 7))
    together = utility_regret(presented, presented + gap)
    alone = [utility_regret(row, row + above) for row, above in zip(presented, gap, strict=True)]
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, convex_regret(presented, presented + gap, LinearLoss()))
    np.testing.assert_allclose(progressive_mean(gap)[:, -1], gap.mean(axis=1))


def test_dcg_regret_is_what_the_ranking_by_grades_gains() -> None:
    """The sum over the first five places, discounted by the natural logarithm, of ideal less presented."""
    rng = np.random.default_rng(1)
    grades = [rng.integers(0, 5, n) for n in (3, 8, 6)]
    orders = [rng.permutation(len(given)) for given in grades]

    def gain(given: np.ndarray) -> float:
        return sum(grade / np.log(place + 1) for place, grade in enumerate(given[:5], 1))

    lost = [gain(np.sort(g)[::-1]) - gain(g[o]) for g, o in zip(grades, orders, strict=True)]
    np.testing.assert_allclose(dcg_regret(grades, orders), np.cumsum(lost) / [1, 2, 3])
    assert dcg_regret([[0, 3, 1]], [[1, 2, 0]])[0] == 0.0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: utility_regret([], []), "at least one round"),
        (lambda: utility_regret([1.0, 2.0], [3.0]), "best must have the shape of presented"),
        (
            lambda: utility_regret([1.0, 2.0], [3.0, 1.0]),
            "best of round 1 must be at least what was presented",
        ),
        (lambda: utility_regret([1.0, np.nan], [3.0, 1.0]), "presented of row 1 must be a finite number"),
        (lambda: utility_regret([[[1.0]]], [[[1.0]]]), "shape"),
        (
            lambda: slack([0.0], [0.0], [1.0], alpha=0.0),
            "alpha must be a number above 0 and at most 1, got 0",
        ),
        (lambda: slack([0.0], [0.0], [1.0], alpha=1.5), "alpha must be"),
        (lambda: slack([0.0], [0.0, 1.0], [1.0], alpha=1.0), "feedback must have the shape"),
        (lambda: dcg_regret([], []), "at least one round"),
        (lambda: dcg_regret([[1, 0]], []), "got 0 for 1"),
        (lambda: dcg_regret([[1, 0]], [[0, 0]]), "must hold each of 0 to 1 once"),
        (lambda: dcg_regret([[1, 0]], [[0, 1]], log="ten"), "log must be one of"),
    ],
)
def test_what_means_nothing_is_refused(wrong, said: str) -> None:
    """Empties, NaN, other shapes, a best that is not, and an α outside (0, 1] are named."""
    with pytest.raises(InvalidInput, match=said):
        wrong()
