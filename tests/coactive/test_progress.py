"""Figures of rounds, compared with means over all of them."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.coactive import ProgressTracker, click_figures, order_regret
from penchant.errors import InvalidInput, UnknownItem
from penchant.metrics import ndcg
from penchant.orders.ranks import inverse
from penchant.saving import from_bytes, to_bytes

FIGURE = st.sampled_from([nan, 0.0, 0.25, 1.0, 3.5])
ROUNDS = st.lists(st.tuples(FIGURE, FIGURE, FIGURE), max_size=40)


def slow_mean(values) -> float:
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan


@given(rounds=ROUNDS)
def test_figures_are_means_over_the_rounds(rounds) -> None:
    """Over all, and over each of the blocks that end after 1, 2, 4, 8, … and all rounds."""
    tracker = ProgressTracker()
    for first, gain, regret in rounds:
        tracker.add(first=first, ndcg=gain, regret=regret)
    found = tracker.progress()
    ends = sorted({2**power for power in range(7) if 2**power <= len(rounds)} | ({len(rounds)} - {0}))
    assert found.ends.tolist() == ends
    assert found.rounds == tracker.rounds == len(rounds)
    for column, name in enumerate(("first", "ndcg", "regret")):
        np.testing.assert_allclose(getattr(found, name), slow_mean([row[column] for row in rounds]))
        blocks = [
            slow_mean([row[column] for row in rounds[a:b]]) for a, b in zip([0, *ends], ends, strict=False)
        ]
        np.testing.assert_allclose(getattr(found, f"{name}_by_block"), blocks)
    assert found.to_frame().shape == (len(ends), 5)
    assert repr(found).startswith(f"Progress({len(rounds)} rounds")


@given(rounds=ROUNDS, cut=st.integers(0, 40))
def test_in_two_parts_is_as_at_once(rounds, cut: int) -> None:
    """Saved, loaded or copied between rounds, the bytes at the end are the same."""
    whole, parted = ProgressTracker(), ProgressTracker()
    for number, (first, gain, _) in enumerate(rounds):
        if number == cut:
            before = to_bytes(parted)
            other = parted.copy()
            parted.add(first=1.0)
            assert to_bytes(other) == before
            parted = from_bytes(before)
        for tracker in (whole, parted):
            tracker.add(first=first, ndcg=gain)
    assert to_bytes(parted) == to_bytes(whole)


def test_memory_grows_with_the_logarithm_of_the_rounds() -> None:
    """After 5,000 rounds there are 14 sums."""
    tracker = ProgressTracker()
    for number in range(5000):
        tracker.add(first=number % 3 == 0)
    assert tracker.__save_state__()["totals"].shape == (14, 7)


def test_an_infinite_figure_is_refused() -> None:
    """It would be in every mean after it."""
    tracker = ProgressTracker()
    with pytest.raises(InvalidInput, match="regret must be a finite number"):
        tracker.add(regret=float("inf"))
    assert tracker.rounds == 0


def test_sums_of_other_rounds_are_not_loaded() -> None:
    """A file whose sums are not those after 1, 2, 4, … rounds is rejected."""
    for rounds in ([], [3, 4], [1, 2, 1], [2, 4, 5]):
        totals = np.zeros((len(rounds), 7))
        totals[:, 0] = rounds
        with pytest.raises(InvalidInput, match="totals must be"):
            ProgressTracker.__load_state__({"totals": totals})


@given(order=st.permutations(range(7)), data=st.data(), k=st.integers(1, 9))
def test_ndcg_of_clicks_is_that_of_the_metrics(order, data, k: int) -> None:
    """With the clicked as relevant and the order as scores; repeated clicks count once."""
    clicked = data.draw(st.lists(st.integers(0, 6), max_size=8))
    first, found = click_figures(order, clicked, k=k)
    assert first == (order[0] in clicked)
    if not clicked:
        assert isnan(found)
        return
    relevant = np.isin(np.arange(7), clicked).astype(float)
    np.testing.assert_allclose(found, ndcg(relevant, -inverse(np.array(order)), k=k), atol=1e-12)


@given(order=st.permutations(range(6)), own=st.permutations(range(6)), k=st.integers(1, 8))
def test_regret_is_what_ndcg_misses(order, own, k: int) -> None:
    """Graded by the person's own order; 0 for that order itself, and never above 1."""
    grades = 5.0 - inverse(np.array(own))
    found = order_regret(order, own, k=k)
    np.testing.assert_allclose(found, 1 - ndcg(grades, -inverse(np.array(order)), k=k), atol=1e-12)
    assert order_regret(own, own, k=k) == 0
    assert 0 <= found <= 1


def test_orders_and_clicks_are_checked() -> None:
    """Clicks on what was not presented, and orders of other candidates, are rejected."""
    with pytest.raises(UnknownItem):
        click_figures([0, 1], [2])
    with pytest.raises(InvalidInput):
        click_figures([0, 0], [0])
    with pytest.raises(InvalidInput):
        order_regret([0, 1], [0, 1, 2])
    assert order_regret([0], [0]) == 0.0
