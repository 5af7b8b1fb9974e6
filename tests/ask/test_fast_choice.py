"""The compiled choice of a pair, against the plain one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.ask import choice, next_pair
from penchant.ask.border import expected_gain
from penchant.ask.candidates import by_mean
from penchant.ask.choice import near_border
from penchant.ask.value import RULES, Doubt, indifference_width
from penchant.ask.wishes import Codes, Pairs, Wishes
from penchant.belief import NormalBelief, difference_variance

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
    fast = next_pair(Dense(mean, cov), answers, rule=rule, top=top, seed=own_seed, **wishes)
    if fast != plain:
        both = Pairs(np.array([plain[0], fast[0]]), np.array([plain[1], fast[1]]))
        assert len(allowed.kept(both, answers).first) == 2
        expected = value_of(Plain(mean, cov), plain, rule, top, allowed)
        np.testing.assert_allclose(value_of(Plain(mean, cov), fast, rule, top, allowed), expected, rtol=1e-9)
