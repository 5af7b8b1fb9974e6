"""The pair of the largest expected loss is that of a full scan, and the paper's illustration comes out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from penchant.ask import choose_pair, expected_loss, largest_expected_loss_pair
from penchant.ask.expected_loss import misordered
from penchant.errors import InvalidInput
from penchant.gp import LinkedGP
from penchant.gp.linked import graph_prior


class Believed:
    """A belief that is written out."""

    def __init__(self, mean: np.ndarray, covariance: np.ndarray) -> None:
        self.mean, self.whole = mean, covariance

    def variance(self, rows: object = None) -> np.ndarray:
        diagonal = self.whole.diagonal()
        return diagonal if rows is None else diagonal[np.asarray(rows)]

    def covariance(self, rows: object = None, columns: object = None) -> np.ndarray:
        everything = np.arange(len(self.mean))
        left = everything if rows is None else np.asarray(rows)
        return self.whole[np.ix_(left, everything if columns is None else np.asarray(columns))]


def full_scan(belief: Believed, tau: float, seen: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """All pairs that have the largest loss, by looking at every one."""
    loss = expected_loss(belief.mean, belief.covariance(), tau=tau)
    pairs = [(i, j) for i in range(len(loss)) for j in range(i + 1, len(loss)) if (i, j) not in seen]
    best = max(loss[pair] for pair in pairs)
    return {pair for pair in pairs if loss[pair] >= best * (1 - 1e-10)}


@pytest.mark.parametrize(("behind", "sd"), [(0.0, 1.0), (-0.7, 0.5), (-3.0, 2.0)])
def test_the_loss_is_its_integral(behind: float, sd: float) -> None:
    """Eq. 28 is the expected squared error where the order is wrong (eq. 26)."""

    def wrong(x: float) -> float:
        return (behind - x) ** 2 * np.exp(-((x - behind) ** 2) / (2 * sd**2)) / (sd * np.sqrt(2 * np.pi))

    exact = quad(wrong, 0, 40)[0]
    assert misordered(np.array([behind]), np.array([sd**2]))[0] == pytest.approx(exact, rel=1e-8)


def test_the_loss_of_equal_items_is_half_the_variance_of_their_difference() -> None:
    """At δ̂ = 0 the loss is ν²/2 times the weight of rank 1."""
    loss = expected_loss([1.0, 1.0], [[2.0, 0.5], [0.5, 1.0]])
    assert loss[0, 1] == pytest.approx(np.exp(-1) * 2.0 / 2)
    assert (loss == loss.T).all()
    assert (loss.diagonal() == 0).all()


@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.sampled_from([0.3, 1.0, 5.0, 20.0]), st.booleans())
def test_the_walk_finds_what_a_full_scan_finds(n: int, seed: int, tau: float, rounded: bool) -> None:
    """Stopping early loses nothing, with ties, seen pairs and any weight of the top; ties go to the smallest."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, rng.integers(1, n + 1)))
    mean = rng.normal(size=n) * rng.choice([0.0, 0.1, 1.0])
    belief = Believed(np.round(mean, 1) if rounded else mean, root @ root.T)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    seen = {pair for pair in pairs if rng.random() < 0.3} if n > 2 else set()
    if len(seen) == len(pairs):
        seen = set()
    best = full_scan(belief, tau, seen)
    assert largest_expected_loss_pair(belief, tau=tau, seen=seen) == min(best)
    assert largest_expected_loss_pair(belief, tau=tau, seen=seen, seed=seed) in best


def test_the_walk_is_exact_along_a_whole_run() -> None:
    """At each of 120 steps of active learning on features the chosen pair is that of the full scan."""
    rng = np.random.default_rng(1)
    model = LinkedGP(nugget=0.1).fit(rng.normal(size=(40, 3)))
    truth = rng.normal(size=40)
    for _ in range(120):
        pair = largest_expected_loss_pair(model, seen=model.comparisons_.pairs)
        seen = {(int(min(p)), int(max(p))) for p in model.comparisons_.pairs}
        assert pair in full_scan(Believed(model.mean, model.covariance()), 1.0, seen)
        model.update(*sorted(pair, key=lambda item: -truth[item]))


def test_on_a_large_graph_the_choice_says_its_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """With variances only bounded the pair is that of the full scan, or its loss is within the gap that is said."""
    monkeypatch.setattr(graph_prior, "WRITTEN_OUT", 5)
    rng = np.random.default_rng(2)
    upper = np.triu(rng.random((40, 40)) < 0.09, 1) * 1.0
    links, truth = upper + upper.T, rng.normal(size=40)
    model, exact = LinkedGP().fit(links=links), 0
    for _ in range(20):
        choice = choose_pair(model, seen=model.comparisons_.pairs)
        seen = {(int(min(p)), int(max(p))) for p in model.comparisons_.pairs}
        belief = Believed(model.mean, model.covariance())
        best = full_scan(belief, 1.0, seen)
        largest = expected_loss(belief.mean, belief.whole)[next(iter(best))]
        assert choice.loss <= largest * (1 + 1e-9) <= choice.loss + choice.gap + 1e-9
        exact += choice.pair in best
        model.update(*sorted(choice.pair, key=lambda item: -truth[item]))
    assert exact >= 15


def illustration() -> LinkedGP:
    """Six papers of which a and b, and d and e, have an author in common (section 2.4)."""
    links = np.zeros((6, 6))
    for one, other in ((0, 1), (3, 4)):
        links[one, other] = links[other, one] = 1.0
    return LinkedGP().fit(links=links)


def test_the_papers_illustration() -> None:
    """After b ≻ e the largest losses are those of bc and bf; after b ≻ f the order is b a c d e f."""
    model = illustration().update(1, 4)
    assert full_scan(Believed(model.mean, model.covariance()), 1.0, {(1, 4)}) == {(1, 2), (1, 5)}
    assert largest_expected_loss_pair(model, seen=[(1, 4)]) == (1, 2)
    model.update(1, 5)
    assert np.argsort(-model.mean, kind="stable").tolist() == [1, 0, 2, 3, 4, 5]


def test_what_cannot_be_asked_is_said() -> None:
    """One item, all pairs seen, a tau of nothing: each rejected with a message."""
    with pytest.raises(InvalidInput, match="at least 2 items, got 1"):
        largest_expected_loss_pair(Believed(np.zeros(1), np.eye(1)))
    with pytest.raises(InvalidInput, match="every pair has been asked"):
        largest_expected_loss_pair(Believed(np.zeros(2), np.eye(2)), seen=[(0, 1)])
    with pytest.raises(InvalidInput, match="tau must be above 0, got 0"):
        expected_loss([0, 0], np.eye(2), tau=0)
    with pytest.raises(InvalidInput, match="covariance must have 2 rows, one an item, got 3"):
        expected_loss([0, 0], np.eye(3))
