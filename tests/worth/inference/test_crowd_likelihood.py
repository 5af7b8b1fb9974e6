"""The negative log posterior of a crowd: its value from the definition, derivatives by finite differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from penchant import Preferences
from penchant.worth.inference.crowd_likelihood import Crowd, Point, add_comparisons, minimise, sides

NONE = np.empty((4, 0), dtype=np.int64), np.empty((3, 0))
STEP = 1e-5


def random_rows(judges: int, seed: int = 0) -> list[tuple[int, int, int]]:
    """Return better, worse and judge of forty answers about four items; judge −1 is unnamed."""
    rng = np.random.default_rng(seed)
    first = rng.integers(4, size=40)
    second = (first + rng.integers(1, 4, size=40)) % 4
    return list(zip(first.tolist(), second.tolist(), rng.integers(-1, judges, size=40).tolist(), strict=True))


def answers(rows: Any, n_items: int, tie: bool = False) -> tuple[Preferences, Any]:
    """Return comparisons with sides and some ties, and the judge of each."""
    better, worse, judge = (np.array(column) for column in zip(*rows, strict=True))
    number = np.arange(len(rows))
    preferences = Preferences.from_pairs(
        np.column_stack([better, worse]),
        tie=tie & (number % 5 == 0),
        better_on_left=[(True, False, None)[k % 3] for k in number],
        weight=1.0 + number % 2,
        items=range(n_items),
    )
    return preferences, judge


def crowd_of(rows: Any = None, n_items: int = 4, judges: int = 3, tie: bool = False) -> Crowd:
    preferences, judge = answers(random_rows(judges) if rows is None else rows, n_items, tie)
    cells, counts = add_comparisons(*NONE, preferences.comparisons(), judge, n_items)
    return Crowd(
        *cells[:3],
        side=cells[3].astype(float),
        margin=counts[0] - counts[1],
        weight=counts.sum(axis=0),
        tied=float(counts[2].sum()),
        n_items=n_items,
        n_judges=judges,
        prior=0.1,
        reliability_sd=0.5,
        bias_sd=0.7,
    )


def point_of(crowd: Crowd, scale: float, seed: int = 1) -> Point:
    rng = np.random.default_rng(seed)
    start = crowd.start
    return Point(scale * rng.normal(size=start.common.shape), scale * rng.normal(size=start.judges.shape))


def moved(point: Point, step: Any) -> Point:
    size = len(point.common)
    return point + Point(step[:size], step[size:].reshape(point.judges.shape))


def gradient_of(crowd: Crowd, point: Point) -> Any:
    found = crowd.derivatives(point)
    return np.concatenate([found.common, found.judges.ravel()])


def numeric_hessian(crowd: Crowd, point: Point) -> Any:
    """Return the slopes of the gradient, over worth, log ν, v and w."""
    steps = STEP * np.eye(point.common.size + point.judges.size)
    columns = [gradient_of(crowd, moved(point, h)) - gradient_of(crowd, moved(point, -h)) for h in steps]
    return np.column_stack(columns) / (2 * STEP)


@pytest.mark.parametrize("tie", [False, True])
def test_the_value_is_that_of_the_definition(tie: bool) -> None:
    """Davidson's model answer by answer, with standard normal judges: i, j and neither as e^{x/2}, e^{−x/2} and ν."""
    rows = random_rows(3)
    crowd = crowd_of(rows, tie=tie)
    point = point_of(crowd, 0.5)
    preferences, judges = answers(rows, 4, tie)
    comparisons = preferences.comparisons()
    log_tie = point.common[-1] if tie else -np.inf
    total = 0.05 * (point.common[:4] ** 2).sum() + (point.judges**2).sum() / 2
    for row, judge in enumerate(judges):
        v, w = point.judges[:, judge] if judge >= 0 else (0.0, 0.0)
        gap = point.common[comparisons.better[row]] - point.common[comparisons.worse[row]]
        x = (1 + 0.5 * v) * gap + 0.7 * w * (1, -1, 0)[row % 3]
        win, lose, neither = np.exp(x / 2), np.exp(-x / 2), np.exp(log_tie)
        outcome = neither if comparisons.tie[row] else win
        total -= comparisons.weight[row] * np.log(outcome / (win + lose + neither))
    assert crowd.value(point) == pytest.approx(total)


@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("judges", [0, 3])
def test_derivatives_are_slopes_of_the_value(tie: bool, judges: int) -> None:
    """The gradient by differences of the value, the curvature of worth by differences of the gradient."""
    crowd = crowd_of(judges=judges, tie=tie)
    point = point_of(crowd, 0.5)
    steps = STEP * np.eye(point.common.size + point.judges.size)
    slope = [(crowd.value(moved(point, h)) - crowd.value(moved(point, -h))) / (2 * STEP) for h in steps]
    assert_allclose(gradient_of(crowd, point), slope, atol=1e-6)
    size = len(point.common)
    assert_allclose(
        crowd.derivatives(point).curvature, numeric_hessian(crowd, point)[:size, :size], atol=1e-6
    )


@pytest.mark.parametrize("tie", [False, True])
@pytest.mark.parametrize("reliability_sd", [0.0, 0.5])
def test_the_minimum_is_flat(tie: bool, reliability_sd: float) -> None:
    """No small step that keeps the mean reliability leads lower."""
    crowd = replace(crowd_of(tie=tie), reliability_sd=reliability_sd)
    point, steepness = minimise(crowd)
    assert steepness < 1e-8
    assert crowd.shares @ point.judges[0] == pytest.approx(0, abs=1e-9)
    rng, lowest = np.random.default_rng(0), crowd.value(point)
    for _ in range(20):
        step = 0.01 * rng.normal(size=point.common.size + point.judges.size)
        aside = moved(point, step)
        aside.judges[0] -= crowd.shares * (crowd.shares @ aside.judges[0]) / (crowd.shares @ crowd.shares)
        assert crowd.value(aside) > lowest


def test_two_items_without_judges_have_a_plain_solution() -> None:
    """Seven answers to three: the worths are ±d/2 where 10 (σ(d) − 0.7) = −prior · d/2."""
    unnamed, low, high = (np.array([number]) for number in (-1, 0, 1))
    zero, margin, weight = (np.array([number]) for number in (0.0, 4.0, 10.0))
    crowd = Crowd(unnamed, low, high, zero, margin, weight, 0.0, 2, 0, 0.1, 0.5, 0.7)
    point, _ = minimise(crowd)
    d = point.common[0] - point.common[1]
    assert 10 * (1 / (1 + np.exp(-d)) - 0.7) == pytest.approx(-0.1 * d / 2)


@given(st.integers(0, 40), st.integers(0, 5))
def test_answers_in_parts_give_the_cells_of_all(cut: int, seed: int) -> None:
    """Cells are sorted, each stands once, and totals have the same bits whether counted at once or in two parts."""
    preferences, judge = answers(random_rows(2, seed), 4, tie=True)
    cells, counts = add_comparisons(*NONE, preferences.comparisons(), judge, 4)
    assert (cells[1] < cells[2]).all()
    assert len(np.unique(cells, axis=1).T) == cells.shape[1]
    assert counts.sum() == pytest.approx(preferences.weight.sum())
    first = add_comparisons(*NONE, preferences[:cut].comparisons(), judge[:cut], 4)
    both = add_comparisons(*first, preferences[cut:].comparisons(), judge[cut:], 4)
    np.testing.assert_array_equal(both[0], cells)
    np.testing.assert_array_equal(both[1], counts)


def test_the_side_is_that_of_the_lower_item() -> None:
    """A cell's side turns around with its items; unknown sides are 0."""
    left, right = (
        Preferences.from_pairs([(1, 0)], better_on_left=[side]).comparisons() for side in (True, False)
    )
    unknown = Preferences.from_pairs([(1, 0)]).comparisons()
    assert [int(sides(comparison)[0]) for comparison in (left, right, unknown)] == [1, -1, 0]
    found = [add_comparisons(*NONE, comparison, np.array([0]), 2) for comparison in (left, right, unknown)]
    assert [cells.ravel().tolist() for cells, _ in found] == [[0, 0, 1, -1], [0, 0, 1, 1], [0, 0, 1, 0]]
    assert all(counts.ravel().tolist() == [0, 1, 0] for _, counts in found)
