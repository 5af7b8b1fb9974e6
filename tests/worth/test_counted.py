"""Models of paired comparisons, fitted to counts."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penchant
from penchant.errors import CannotSave, InvalidInput, PenchantWarning
from penchant.preferences import Items, PairCounter, PairCounts, Preferences
from penchant.worth import BradleyTerry, Thurstone

N_ITEMS = 250


def comparisons(ties: bool, n_rows: int = 30_000) -> tuple[np.ndarray, np.ndarray | None]:
    rng = np.random.default_rng(0)
    scores = rng.standard_normal(N_ITEMS)
    first = rng.integers(N_ITEMS, size=n_rows)
    second = (first + rng.integers(1, N_ITEMS, size=n_rows)) % N_ITEMS
    lost = rng.random(n_rows) > 1 / (1 + np.exp(scores[second] - scores[first]))
    pairs = np.column_stack([np.where(lost, second, first), np.where(lost, first, second)])
    return pairs, rng.random(n_rows) < 0.1 if ties else None


def counts_of(pairs: np.ndarray, tie: np.ndarray | None = None, *, memory: int = 10**5) -> PairCounts:
    counter = PairCounter(memory=memory)
    counter.add(pairs[:, 0], pairs[:, 1], tie)
    return counter.finish(Items.named(range(N_ITEMS)))


@pytest.mark.parametrize("kind", [BradleyTerry, Thurstone])
@pytest.mark.parametrize("prior", [0.1, "learned"])
@pytest.mark.parametrize("ties", [False, True])
def test_counts_on_disk_give_the_scores_of_memory(kind: type, prior: float | str, ties: bool) -> None:
    """Scores, the tie parameter, the learned scale, variances and intervals, to what the solver promises."""
    pairs, tie = comparisons(ties)
    counts = counts_of(pairs, tie)
    assert counts.on_disk
    there = kind(prior).fit(counts)
    here = kind(prior).fit(Preferences.from_pairs(pairs, tie=tie, items=range(N_ITEMS)))
    np.testing.assert_allclose(there.scores_, here.scores_, atol=1e-6)
    np.testing.assert_allclose(there.variance(), here.variance(), rtol=1e-4)
    np.testing.assert_allclose(there.interval(), here.interval(), atol=1e-4)
    assert there.prior_ == pytest.approx(here.prior_, rel=1e-4)
    assert there.tie_ == pytest.approx(here.tie_, abs=1e-6)
    assert there.rank().items == here.rank().items
    np.testing.assert_array_equal(there.counts_, here.counts_)


@pytest.mark.parametrize("kind", [BradleyTerry, Thurstone])
def test_both_bad_answers_on_disk_are_those_of_memory(kind: type) -> None:
    """The bar has a prior of its own where the scale is learned."""
    pairs, _ = comparisons(False)
    bad = (pairs < 50).all(
        axis=1
    )  # few enough pairs with the bar, which never loses and so is far from normal
    outcome = np.where(bad, "both_bad", "left")
    answers = Preferences.from_answers(*pairs.T, outcome.tolist(), items=range(N_ITEMS))
    counter = PairCounter(memory=10**5)
    counter.add_preferences(answers)
    counts = counter.finish(answers.catalogue)
    assert counts.on_disk
    there, here = kind().fit(counts), kind(errors="model").fit(answers)
    np.testing.assert_allclose(there.scores_, here.scores_, atol=1e-6)
    np.testing.assert_allclose(there.variance(), here.variance(), rtol=1e-4)
    assert there.rank().items == here.rank().items


@pytest.mark.parametrize("memory", [1, 10**9])
@pytest.mark.parametrize("kind", [BradleyTerry, Thurstone])
def test_only_ties_leave_all_items_equal(kind: type, memory: int) -> None:
    """On disk as in memory."""
    counter = PairCounter(memory=memory)
    counter.add(np.arange(30) % 3, (np.arange(30) + 1) % 3, np.ones(30, dtype=bool))
    counts = counter.finish(Items.named(["a", "b", "c"]))
    assert counts.on_disk == (memory == 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)
        model = kind().fit(counts)
    assert model.only_ties_
    np.testing.assert_allclose(model.scores_, 0, atol=1e-9)
    assert model.rank().items == ("a", "b", "c")


def test_counts_in_memory_are_an_ordinary_fit(tmp_path: Path) -> None:
    """Which can be saved and updated."""
    pairs, _ = comparisons(False)
    counts = counts_of(pairs, memory=10**9)
    assert not counts.on_disk
    here = BradleyTerry().fit(Preferences.from_pairs(pairs, items=range(N_ITEMS)))
    there = BradleyTerry().fit(counts)
    np.testing.assert_allclose(there.scores_, here.scores_, atol=1e-9)
    penchant.save(there, tmp_path / "model.penchant")
    np.testing.assert_array_equal(penchant.load(tmp_path / "model.penchant").scores_, there.scores_)
    there.update(Preferences.from_pairs([(0, 1)], items=range(N_ITEMS)))


ROWS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(1, 7), st.booleans(), st.sampled_from([1.0, 2.0, 0.5])),
    min_size=2,
    max_size=50,
)


@settings(max_examples=15, deadline=None)
@given(ROWS, st.sampled_from([BradleyTerry, Thurstone]), st.sampled_from([0.02, 0.5, 5.0]))
def test_any_counts_on_disk_have_the_mode_of_memory(
    rows: list[tuple[int, int, bool, float]], kind: type, prior: float
) -> None:
    """Whatever is tied, separated or in groups; the two solvers end at the same gradient."""
    better = np.array([row[0] for row in rows])
    pairs = np.column_stack([better, (better + [row[1] for row in rows]) % 8])
    tie, weight = np.array([row[2] for row in rows]), np.array([row[3] for row in rows])
    counter = PairCounter(memory=1)
    counter.add(pairs[:, 0], pairs[:, 1], tie, weight)
    counts = counter.finish(Items.named(range(8)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenchantWarning)
        there = kind(prior).fit(counts)
        here = kind(prior).fit(Preferences.from_pairs(pairs, tie=tie, weight=weight, items=range(8)))
    np.testing.assert_allclose(there.scores_, here.scores_, atol=1e-5)
    assert (there.tie_ is None) == (here.tie_ is None)
    np.testing.assert_allclose(there.variance(), here.variance(), rtol=1e-3)


def test_groups_on_disk_are_a_caveat() -> None:
    """As they are in memory."""
    pairs = np.array([(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4)])
    with pytest.warns(PenchantWarning, match="3 groups"):
        BradleyTerry(0.1).fit(counts_of(pairs, memory=1))


def test_what_needs_rows_is_rejected(tmp_path: Path) -> None:
    """With what to do instead."""
    pairs, _ = comparisons(False)
    counts = counts_of(pairs)
    for options in ({"side": True}, {"covariates": ["length"]}, {"features": np.zeros((N_ITEMS, 1))}):
        with pytest.raises(InvalidInput, match="not be given with counts"):
            BradleyTerry().fit(counts, **options)
    with pytest.raises(InvalidInput, match="errors must be auto or model"):
        BradleyTerry(errors="judge").fit(counts)
    with pytest.raises(InvalidInput, match="prior must be above 0"):
        BradleyTerry(0).fit(counts)
    model = BradleyTerry(0.1).fit(counts)
    with pytest.raises(InvalidInput, match="update must not be used"):
        model.update(Preferences.from_pairs([(0, 1)], items=range(N_ITEMS)))
    with pytest.raises(CannotSave, match="save its ranking"):
        penchant.save(model, tmp_path / "model.penchant")
    again = model.fit(Preferences.from_pairs(pairs, items=range(N_ITEMS)))
    penchant.save(again, tmp_path / "model.penchant")
