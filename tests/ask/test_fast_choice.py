"""The compiled choice of a pair, against the plain one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.ask import PairChooser, _kernels, choice, next_pair
from penchant.ask.border import expected_gain
from penchant.ask.candidates import by_mean
from penchant.ask.choice import near_border
from penchant.ask.fast_choice import Sorted
from penchant.ask.value import RULES, Doubt, indifference_width
from penchant.ask.wishes import Codes, Pairs, Wishes
from penchant.belief import LEAST_VARIANCE, NormalBelief, difference_variance
from penchant.delayed import DelayedMatrix

UNIT = 2**0.5


@dataclass
class Plain(NormalBelief):
    """A normal belief without arrays for the chooser."""

    mean: Any
    cov: Any
    noise_ = 1.0

    def variance(self, rows: Any = None) -> Any:
        return self.cov.diagonal() if rows is None else self.cov.diagonal()[rows]

    def covariance(self, rows: Any = None, columns: Any = None) -> Any:
        return self.cov if rows is None else self.cov[np.ix_(rows, columns)]


@dataclass
class Dense(Plain):
    """The same with all arrays."""

    def chooser_arrays(self) -> Any:
        return self.mean, self.cov.diagonal(), self.cov


@dataclass
class Delayed(Plain):
    """The same with a covariance matrix that lacks some changes."""

    def chooser_arrays(self) -> Any:
        terms = np.random.default_rng(0).normal(size=(len(self.cov), 3))
        signs = np.array([1.0, -1.0])
        before = self.cov + (terms[:, :2] * signs) @ terms[:, :2].T
        return self.mean, self.cov.diagonal(), DelayedMatrix(before, terms, signs)


@dataclass
class Sparse(Plain):
    """The same without the covariance matrix."""

    def chooser_arrays(self) -> Any:
        return self.mean, self.cov.diagonal(), None


def moments(n_items: int, seed: int, *, ties: bool = False) -> tuple[Any, Any]:
    """Return a mean and a covariance, of which many entries are equal if there are ``ties``."""
    rng = np.random.default_rng(seed)
    if ties:
        return rng.integers(0, 3, n_items).astype(float), np.diag(rng.integers(1, 3, n_items).astype(float))
    root = rng.normal(size=(n_items, 8)) * rng.uniform(0, 1)
    spread = np.diag(rng.uniform(0.01, 1, n_items) ** 2)
    return 2 * rng.normal(size=n_items), root @ root.T / 8 + spread


def drawn_wishes(n_items: int, seed: int) -> tuple[Any, dict[str, Any]]:
    """Draw answers and wishes of every kind."""
    rng = np.random.default_rng(seed)

    def pairs(count: int) -> list[tuple[int, int]]:
        return [tuple(rng.choice(n_items, 2, replace=False).tolist()) for _ in range(count)]

    answers = rng.integers(0, 4, n_items) + (2 if rng.random() < 0.5 else 0)
    wishes = {
        "avoid": pairs(int(rng.integers(0, 6))),
        "forbidden": pairs(int(rng.integers(0, 3 * n_items))),
        "preferred": pairs(int(rng.integers(0, 3))) if rng.random() < 0.3 else [],
        "least_answers": int(rng.integers(0, 4)),
        "most_ahead": int(rng.integers(1, 4)) if rng.random() < 0.5 else None,
        "groups": rng.integers(0, 3, n_items) if rng.random() < 0.5 else None,
        "excluded": rng.choice(n_items, int(rng.integers(0, n_items // 3 + 1)), replace=False),
    }
    return answers, wishes


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the plain choice compute the exact value of every candidate."""
    monkeypatch.setattr(choice, "SHORTLIST", 10**9)


def value_of(belief: Plain, pair: tuple[int, int], rule: str, top: int | None, wishes: Wishes) -> float:
    """Return the value of a pair by the plain formulas."""
    first, second = pair
    if top is None:
        variance = difference_variance(belief, np.array([first]), np.array([second]))
        doubt = Doubt(
            (belief.mean[[first]] + belief.mean[[second]]) / (2 * UNIT),
            (belief.mean[[first]] - belief.mean[[second]]) / UNIT,
            variance / UNIT**2,
        )
        return float(RULES[rule](doubt)[0])
    order = by_mean(belief.mean, np.flatnonzero(wishes.open))
    items = np.union1d(near_border(belief.mean, belief.variance(), order, top), [first, second])
    inside = np.isin(items, order[: min(top, len(order) - 1)])
    block = belief.covariance(items, items) / UNIT**2
    gain = expected_gain(belief.mean[items] / UNIT, block, inside, width=indifference_width(1.0))
    return float(gain[np.searchsorted(items, first), np.searchsorted(items, second)])


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.integers(2, 30), st.integers(95, 160)),
    st.integers(0, 10_000),
    st.sampled_from([*RULES, "top"]),
    st.booleans(),
    st.booleans(),
)
@pytest.mark.usefixtures("exact")
def test_the_compiled_choice_is_the_plain_one(
    n_items: int, seed: int, rule: str, ties: bool, seeded: bool
) -> None:
    """Whatever the rule and the wishes, both choose a pair of the same value that meets the same wishes."""
    mean, cov = moments(n_items, seed, ties=ties)
    answers, wishes = drawn_wishes(n_items, seed)
    top = 1 + seed % (n_items - 1) if rule == "top" else None
    given_wishes = {**wishes, "forbidden": Codes(wishes["forbidden"])}
    try:
        allowed = Wishes(n_items, **given_wishes)
    except ValueError:
        return
    own_seed = seed if seeded else None
    plain = next_pair(Plain(mean, cov), answers, rule=rule, top=top, seed=own_seed, **wishes)
    made = Delayed if seed % 3 == 0 and not ties else Dense
    fast = next_pair(made(mean, cov), answers, rule=rule, top=top, seed=own_seed, **wishes)
    if fast != plain:
        both = Pairs(np.array([plain[0], fast[0]]), np.array([plain[1], fast[1]]))
        assert len(allowed.kept(both, answers).first) == 2
        expected = value_of(Plain(mean, cov), plain, rule, top, allowed)
        np.testing.assert_allclose(value_of(Plain(mean, cov), fast, rule, top, allowed), expected, rtol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(st.integers(2, 20), st.integers(101, 160)),
    st.integers(0, 10_000),
    st.sampled_from([*RULES, "top"]),
)
def test_without_a_covariance_matrix_a_shortlist_is_weighed(n_items: int, seed: int, rule: str) -> None:
    """The choice is that of the plain one, which has a shortlist too."""
    mean, cov = moments(n_items, seed)
    answers, wishes = drawn_wishes(n_items, seed)
    try:
        Wishes(n_items, **{**wishes, "forbidden": Codes(wishes["forbidden"])})
    except ValueError:
        return
    top = 1 + seed % (n_items - 1) if rule == "top" else None
    plain = next_pair(Plain(mean, cov), answers, rule=rule, top=top, **wishes)
    assert next_pair(Sparse(mean, cov), answers, rule=rule, top=top, **wishes) == plain


@settings(max_examples=300)
@given(st.floats(0, 12), st.floats(-6, 4), st.floats(-3, 3))
def test_compiled_values_are_those_of_the_formulas(z: float, log_variance: float, middle: float) -> None:
    """For every rule, and a bound is never below its value nor a variance that cannot reach it above its own."""
    variance = 10.0**log_variance
    difference = z * variance**0.5
    doubt = Doubt(np.array([middle]), np.array([difference]), np.array([variance]))
    for number, rule in enumerate(RULES):
        expected = float(RULES[rule](doubt)[0])
        found = _kernels.value(number, middle, difference, variance)
        assert found == pytest.approx(expected, rel=1e-9, abs=4e-16)
        assert _kernels.value_bound(number, middle, difference, variance) >= found
        assert _kernels.least_variance(number, found) <= variance
        no_further = _kernels.value(number, middle, 0.0, variance)
        assert _kernels.least_variance(number, no_further) <= variance


@given(st.floats(0, 40))
def test_the_bound_of_a_chance_is_close(z: float) -> None:
    """It is read from a table of a convex function."""
    exact = _kernels.chance_below(z)
    assert exact <= _kernels.chance_bound(z) <= exact + 1e-5


@given(st.floats(0, 200), st.floats(1e-6, 1e3))
def test_an_answer_shrinks_most_between_equal_items(difference: float, variance: float) -> None:
    """The factor of the gain is finite everywhere and largest at 0."""
    found = _kernels.shrinkage(difference, variance)
    assert 0 <= found <= 2 / np.pi / (1 + variance) * (1 + 1e-9)


@given(st.integers(1, 60), st.integers(0, 10_000), st.integers(0, 6))
def test_the_order_is_that_of_a_sort_whatever_it_was_before(n_items: int, seed: int, n_moves: int) -> None:
    """By falling mean and then by row, kept up to date when means change or items come."""
    rng = np.random.default_rng(seed)
    mean = rng.integers(0, 8, n_items).astype(float)
    kept = Sorted()
    for _ in range(3):
        np.testing.assert_array_equal(kept.of(mean), np.argsort(-mean, kind="stable"))
        mean[rng.integers(0, n_items, n_moves)] += rng.normal()
    mean = np.concatenate([mean, rng.normal(size=3)])
    np.testing.assert_array_equal(kept.of(mean), np.argsort(-mean, kind="stable"))
    np.testing.assert_array_equal(kept.of(mean[::-1]), np.argsort(-mean[::-1], kind="stable"))


def test_an_order_that_changed_much_is_sorted_anew() -> None:
    """Insertion would take a number of steps that grows with the square of the items."""
    mean = np.arange(500.0)
    assert not _kernels.sort_by_mean(mean, np.arange(500), 8 * 500)
    np.testing.assert_array_equal(Sorted().of(mean), np.arange(500)[::-1])


@pytest.mark.parametrize("kind", [Dense, Sparse])
def test_a_choice_depends_on_nothing_but_the_belief(kind: type[Plain]) -> None:
    """A chooser that has chosen before, also of another number of items, chooses as a new one."""
    used, rng = PairChooser([(0, 1), (3, 7)]), np.random.default_rng(0)
    for turn in range(30):
        n_items = int(rng.choice([20, 130]))
        mean, cov = moments(n_items, turn)
        answers, wishes = drawn_wishes(n_items, turn)
        del wishes["forbidden"]
        expected = PairChooser([(0, 1), (3, 7)]).next_pair(kind(mean, cov), answers, **wishes)
        assert used.next_pair(kind(mean, cov), answers, **wishes) == expected


def test_a_view_of_a_larger_covariance_will_do() -> None:
    """Beliefs need not copy what they hold, such as a matrix with one more row."""
    mean, cov = moments(40, 1)
    larger = np.full((41, 41), np.nan)
    larger[:40, :40] = cov
    expected = next_pair(Dense(mean, cov), np.full(40, 3))
    assert next_pair(Dense(np.append(mean, 0.0)[:40], larger[:40, :40]), np.full(40, 3)) == expected
    doubled = np.repeat(mean, 2)[::2]
    assert next_pair(Dense(doubled, cov), np.full(40, 3)) == expected


def test_equal_pairs_do_not_take_more_than_their_share() -> None:
    """Before the first answer all pairs are equal: a seed chooses among all, and without one the first is chosen."""
    belief = Dense(np.zeros(5), np.eye(5))
    chosen = {next_pair(belief, np.zeros(5, dtype=int), seed=seed) for seed in range(100)}
    assert len(chosen) == 10
    assert next_pair(belief, np.zeros(5)) == (0, 1)
    assert LEAST_VARIANCE == _kernels._SMALLEST
