"""Every model ranks whatever it can be fitted to, and its draws spread as its variances say."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant import Preferences
from penchant.ask import settled
from penchant.errors import PenchantWarning
from penchant.worth import BradleyTerry, CrowdBradleyTerry, Glicko, PlackettLuce, Thurstone, WinRate

Rng = np.random.Generator
SHAPES: dict[str, Callable[[Rng], Preferences]] = {}


def shape(build: Callable[[Rng], Preferences]) -> Callable[[Rng], Preferences]:
    SHAPES[build.__name__] = build
    return build


def pairs(rng: Rng, n: int, m: int, **columns: Any) -> Preferences:
    first = rng.integers(n, size=m)
    second = (first + rng.integers(1, n, size=m)) % n
    return Preferences.from_pairs(np.column_stack([first, second]), items=range(n), **columns)


def size(rng: Rng) -> tuple[int, int]:
    return int(rng.integers(2, 9)), int(rng.integers(2, 30))


@shape
def huge_counts(rng: Rng) -> Preferences:
    n, m = size(rng)
    return pairs(rng, n, m, weight=rng.integers(1, 30_000, size=m))


@shape
def weights_of_all_sizes(rng: Rng) -> Preferences:
    n, m = size(rng)
    return pairs(
        rng, n, m, weight=10 ** rng.uniform(-6, 9, size=m), tie=rng.random(m) < 0.3 * rng.integers(2)
    )


@shape
def one_giant_pair(rng: Rng) -> Preferences:
    n, m = size(rng)
    return pairs(rng, n, m, weight=np.where(np.arange(m) == 0, 1e9, 1.0))


@shape
def nearly_separated(rng: Rng) -> Preferences:
    ordered = np.sort(rng.integers(8, size=(100, 2)), axis=1)
    ordered = ordered[ordered[:, 0] < ordered[:, 1]]
    ordered[0] = ordered[0, ::-1]
    return Preferences.from_pairs(ordered, items=range(8), weight=10 ** rng.uniform(0, 6, size=len(ordered)))


@shape
def disconnected(rng: Rng) -> Preferences:
    n, m = size(rng)
    first = rng.integers(n, size=m)
    second, group = (first + rng.integers(1, n, size=m)) % n, n * rng.integers(2, size=m)
    both = np.column_stack([first + group, second + group])
    return Preferences.from_pairs(both, items=range(2 * n + 1), weight=10 ** rng.uniform(0, 8, size=m))


@shape
def rankings(rng: Rng) -> Preferences:
    n, m = size(rng)
    return Preferences.from_rankings(
        [rng.permutation(n) for _ in range(m)], weight=rng.integers(1, 10_000, size=m)
    )


@shape
def pages(rng: Rng) -> Preferences:
    shown = [rng.permutation(6).tolist() for _ in range(20)]
    clicked = [rng.permutation(6)[:2].tolist() for _ in range(20)]
    return Preferences.from_clicks(shown, clicked, judge=[f"judge {k % 4}" for k in range(20)])


@shape
def judges(rng: Rng) -> Preferences:
    n, m = size(rng)
    return pairs(
        rng, n, m, weight=10 ** rng.uniform(-3, 6, size=m), judge=[f"{k}" for k in rng.integers(3, size=m)]
    )


@shape
def both_bad(rng: Rng) -> Preferences:
    n, m = size(rng)
    left = rng.integers(n, size=m)
    right = (left + rng.integers(1, n, size=m)) % n
    outcome = rng.choice(["left", "right", "tie", "both_bad"], size=m)
    return Preferences.from_answers(
        left, right, outcome, weight=rng.integers(1, 5_000, size=m), items=range(n)
    )


def models(preferences: Preferences) -> list[Any]:
    kinds = ["auto", "model", "row"]
    kinds += ["source"] * (preferences.source is not None) + ["judge"] * (preferences.judge is not None)
    paired = [
        Model(prior, errors=kind)
        for Model in (BradleyTerry, Thurstone)
        for prior in (0.1, 0)
        for kind in kinds
    ]
    few = preferences.weight is None or float(preferences.weight.sum()) < 1e4
    repeated = preferences.weight is None or (preferences.weight == np.rint(preferences.weight)).all()
    return [
        *paired,
        PlackettLuce(),
        PlackettLuce(0),
        CrowdBradleyTerry(),
        WinRate(),
        *([Glicko()] if few and repeated else []),
    ]


@pytest.mark.parametrize("name", SHAPES)
@settings(max_examples=3)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_model_ranks_every_shape(name: str, seed: int) -> None:
    """Scores, intervals and draws are finite, no score is unconverged, and draws spread as the variances say."""
    preferences = SHAPES[name](np.random.default_rng(seed))
    for model in models(preferences):
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", "(items are in|no maximum|PlackettLuce has no|judges)", PenchantWarning
            )
            ranking = model.fit(preferences).rank()
        for column in (ranking.scores, ranking.lower, ranking.upper):
            assert np.isfinite(column).all()
        draws = model.sample(2000, seed=1)
        np.testing.assert_allclose(draws.std(axis=0), np.sqrt(model.variance()), rtol=0.12)
        if isinstance(model, CrowdBradleyTerry):
            assert np.isfinite(model.judges().reliability_error).all()


@pytest.mark.parametrize("Model", [BradleyTerry, Thurstone, PlackettLuce])
def test_a_heavily_weighted_pair_is_ranked(Model: Any) -> None:
    """5,000 answers to 1,000 are log odds of log 5, with the interval of a share of 6,000 answers."""
    preferences = Preferences.from_pairs([("tea", "coffee"), ("coffee", "tea")], weight=[5000, 1000])
    ranking = Model(prior=1e-9).fit(preferences).rank()
    assert ranking.items == ("tea", "coffee")
    if Model is not Thurstone:
        error = np.sqrt(1 / 5000 + 1 / 1000)
        np.testing.assert_allclose(ranking.scores, [np.log(5) / 2, -np.log(5) / 2], rtol=1e-6)
        np.testing.assert_allclose(ranking.upper - ranking.scores, 1.96 * error / 2, rtol=1e-3)


def test_rankings_as_comparisons() -> None:
    """1,000 rankings of ten items, whose errors are clustered by row, are ranked whatever their order."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(10) for _ in range(1000)]
        assert len(BradleyTerry().fit(Preferences.from_rankings(orders)).rank()) == 10


def test_many_answers_about_few_items_can_be_settled() -> None:
    """The stopping rule draws from the same covariance, which sums to 0 and is singular."""
    for seed in range(10):
        preferences = pairs(np.random.default_rng(seed), 10, 1000, weight=np.full(1000, 1e6))
        assert settled(BradleyTerry().fit(preferences)).value > 0


def test_features_of_any_size() -> None:
    """Features that repeat one another, in units of a billion, have finite coefficients."""
    rng = np.random.default_rng(0)
    X = 1e9 * rng.standard_normal((6, 2)) @ np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    model = BradleyTerry().fit(pairs(rng, 6, 60), features=X)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.rank().upper).all()
    assert np.isfinite(model.predict(X, return_std=True)).all()
