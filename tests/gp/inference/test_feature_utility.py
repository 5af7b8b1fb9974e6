"""Beliefs of PreferenceGP and MonotoneGP over rows of features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import penchant
from penchant import Preferences
from penchant.ask import next_pair, settled
from penchant.belief import LOGISTIC_NOISE, Belief
from penchant.errors import InvalidInput, NotFitted, UnknownItem
from penchant.gp import MonotoneGP, PreferenceGP, SquaredExponential

RNG = np.random.default_rng(3)
ROWS = RNG.random((10, 2))
LIKING = 3 * ROWS[:, 0] + np.sin(4 * ROWS[:, 1])
PAIRS = np.array([RNG.choice(10, 2, replace=False) for _ in range(60)])
SWAPPED = np.diff(LIKING[PAIRS])[:, 0] > 0.5 * RNG.normal(size=60)
PAIRS[SWAPPED] = PAIRS[SWAPPED, ::-1]
FRAME = pd.DataFrame(ROWS, columns=["a", "b"], index=[f"row {i}" for i in range(10)])
NEW = np.random.default_rng(1).uniform(0.2, 0.8, (4, 2))
KERNEL = SquaredExponential((0.5, 0.8), 3.0)
SETTINGS: dict[str, Any] = {"increasing": [0], "lengthscale": 0.6, "scale": 0.5, "noise": 0.3}
MODELS: dict[str, Any] = {
    "one kernel": PreferenceGP(KERNEL, optimizer=None, noise=0.7),
    "several kernels": PreferenceGP(inference="laplace"),
    "logit": PreferenceGP(KERNEL, optimizer=None, likelihood="logit", noise=0.5),
    "linear prior mean": PreferenceGP(KERNEL, optimizer=None, mean=[1.0, -2.0]),
    "monotone": MonotoneGP(**SETTINGS),
    "lifted": MonotoneGP(**SETTINGS, lift={1: "log"}),
}


def fitted(name: str, X: Any = ROWS) -> Any:
    model = MODELS[name]
    return type(model)(**model.get_params()).fit_pairs(X, PAIRS)


@pytest.mark.parametrize("name", MODELS)
def test_moments_are_those_of_the_model(name: str) -> None:
    """Mean and variance are those of `predict`, at training rows and at others; blocks are parts of the covariance."""
    model = fitted(name)
    for X in (None, NEW):
        rows = ROWS if X is None else X
        belief: Belief = model.belief(X)
        utility, sd = model.predict(rows, return_std=True)
        np.testing.assert_allclose(belief.mean, utility, atol=1e-12)
        np.testing.assert_allclose(belief.variance(), sd**2)
        covariance = belief.covariance()
        np.testing.assert_allclose(np.diag(covariance), sd**2, rtol=1e-8)
        np.testing.assert_allclose(belief.covariance([2, 0], [1]), covariance[[2, 0]][:, [1]], atol=1e-9)
        np.testing.assert_allclose(belief.variance([2, 0]), belief.variance()[[2, 0]])


def test_differences_and_probabilities_are_those_of_the_model() -> None:
    """c_ii + c_jj − 2 c_ij is the variance of `difference`, and `noise_` gives `win_probability`."""
    for name in ("one kernel", "monotone", "lifted"):
        model = fitted(name)
        belief = model.belief(NEW)
        covariance = belief.covariance()
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        if isinstance(model, MonotoneGP):
            mean, sd = model.difference(NEW[0], NEW[1])
            assert belief.mean[0] - belief.mean[1] == pytest.approx(mean[0], abs=1e-9)
            assert variance == pytest.approx(sd[0] ** 2)
        z = (belief.mean[0] - belief.mean[1]) / np.sqrt(2 * belief.noise_**2 + variance)
        assert model.win_probability(NEW[0], NEW[1]) == pytest.approx(ndtr(z), abs=1e-9)
    logit = fitted("logit").belief(NEW)
    assert logit.noise_ == LOGISTIC_NOISE * 0.5


@pytest.mark.parametrize("name", ["one kernel", "several kernels", "monotone"])
def test_draws_have_the_moments(name: str) -> None:
    """20,000 joint draws have the mean and the covariance; a seed repeats them, and rows can be chosen."""
    belief = fitted(name).belief(NEW)
    draws = belief.sample(20_000, 4)
    sd = np.sqrt(belief.variance())
    np.testing.assert_allclose(draws.mean(axis=0), belief.mean, atol=0.04 * sd.max())
    np.testing.assert_allclose(np.cov(draws.T), belief.covariance(), atol=0.06 * sd.max() ** 2)
    np.testing.assert_array_equal(belief.sample(5, 4), belief.sample(5, 4))
    assert belief.sample(5, 4, rows=[2]).shape == (5, 1)


def test_the_most_probable_component_is_that_of_the_largest_weight() -> None:
    """Its moments are those of a model with this kernel alone; a belief with one kernel is its own."""
    model = fitted("several kernels")
    weights = [component.weight for component in model.components_]
    kernel = model.components_[int(np.argmax(weights))].kernel
    alone = PreferenceGP(kernel, optimizer=None, inference="laplace").fit_pairs(ROWS, PAIRS)
    best = model.belief(NEW).most_probable()
    np.testing.assert_allclose(best.mean, alone.predict(NEW), atol=1e-4)
    np.testing.assert_allclose(best.covariance(), alone.predict(NEW, return_cov=True)[1], atol=1e-4)
    single = fitted("monotone").belief(NEW)
    np.testing.assert_array_equal(single.most_probable().mean, single.mean)


def test_answers_are_counted_by_rows_with_equal_features() -> None:
    """A row took part in the answers about all training rows with its features, by weight; a new one in none."""
    X = np.array([[0.0, -0.0], [1.0, 2.0], [0.0, 0.0]])
    model = PreferenceGP(KERNEL, optimizer=None).fit_pairs(X, [(0, 1), (1, 2), (1, 2)], weight=[2, 1, 1])
    assert model.belief().counts_.tolist() == [4, 4, 4]
    assert model.belief([[1.0, 2.0], [5.0, 5.0]]).counts_.tolist() == [4, 0]
    halves = PreferenceGP(KERNEL, optimizer=None).fit_pairs(X, [(0, 1)], weight=[0.5])
    assert halves.belief().counts_.tolist() == [0.5, 0.5, 0.5]


def test_ids_are_the_index_or_the_rows_or_as_given() -> None:
    """A frame's index names the rows, of training and of others; a repeated id is rejected."""
    model = fitted("one kernel", FRAME)
    assert model.belief().items_ == tuple(FRAME.index)
    assert model.belief(FRAME[3:5]).items_ == ("row 3", "row 4")
    assert model.belief(NEW).items_ == ("0", "1", "2", "3")
    assert model.belief(NEW, items="wxyz").items_ == ("w", "x", "y", "z")
    with pytest.raises(InvalidInput, match="items must be different"):
        model.belief(NEW, items="wxyx")
    with pytest.raises(InvalidInput, match="items must have 4 entries"):
        model.belief(NEW, items="wx")
    with pytest.raises(NotFitted, match="must be fitted first: call fit_pairs"):
        PreferenceGP().belief()


@pytest.mark.parametrize("name", ["one kernel", "monotone"])
def test_learning_is_fitting_to_all_answers(name: str) -> None:
    """After answers about training rows and new ones, the belief is that of a fit to everything; the old one stays."""
    model = fitted(name)
    X = np.vstack([ROWS[:2], NEW])
    belief = model.belief(X, items=[f"item {i}" for i in range(6)])
    before = belief.mean.copy()
    more = [("item 0", "item 1"), ("item 3", "item 1"), ("item 2", "item 5")]
    learned = belief.learn(Preferences.from_pairs(more)).learn(Preferences.from_pairs(more[:1], weight=[2]))
    pairs = np.vstack([PAIRS, [(0, 1), (11, 1), (10, 13), (0, 1)]])
    whole = type(model)(**model.get_params()).fit_pairs(np.vstack([ROWS, NEW]), pairs, weight=[1] * 63 + [2])
    np.testing.assert_allclose(learned.mean, whole.predict(X), atol=1e-6)
    assert learned.items_ == belief.items_
    assert (learned.counts_ - belief.counts_).tolist() == [3, 4, 1, 1, 0, 1]
    np.testing.assert_array_equal(belief.mean, before)
    with pytest.raises(UnknownItem, match="item 'item 9' of comparison 0 must be one of the 6 items"):
        belief.learn(Preferences.from_pairs([("item 9", "item 0")]))


def test_questions_are_asked_by_the_belief() -> None:
    """`next_pair` and `settled` take it, and answers to its questions improve the order that it ranks."""
    rng = np.random.default_rng(0)
    liking = pd.Series(LIKING, FRAME.index)
    belief = PreferenceGP(KERNEL, optimizer=None, noise=0.3).fit_pairs(FRAME, PAIRS[:3]).belief()
    before = settled(belief, noise=belief.noise_)
    for _ in range(15):
        first, second = next_pair(belief, belief.counts_, noise=belief.noise_)
        a, b = belief.items_[first], belief.items_[second]
        seen = liking[a] - liking[b] + 0.3 * np.sqrt(2) * rng.normal()
        belief = belief.learn(Preferences.from_pairs([(a, b) if seen > 0 else (b, a)]))
    after = settled(belief, noise=belief.noise_)
    assert after.value > before.value
    ranking = belief.rank(level=0.9)
    assert np.corrcoef(belief.mean, liking)[0, 1] > 0.9
    assert ranking.items[0] == belief.items_[int(np.argmax(belief.mean))]
    assert repr(belief).endswith("noise=0.3, optimizer=None) on 10 rows")


@pytest.mark.parametrize("name", ["several kernels", "lifted"])
def test_a_saved_model_gives_the_same_belief(name: str, tmp_path: Path) -> None:
    """The training data are saved too; a file of an earlier version, without them, cannot give a belief."""
    model = fitted(name, FRAME)
    penchant.save(model, tmp_path / "model")
    back = penchant.load(tmp_path / "model")
    belief, again = model.belief(), back.belief()
    assert again.items_ == belief.items_
    np.testing.assert_array_equal(again.counts_, belief.counts_)
    np.testing.assert_array_equal(again.covariance(), belief.covariance())
    for part in ("_rows", "_row_ids", "_pairs", "_weight", "_tie"):
        delattr(back, part)
    with pytest.raises(InvalidInput, match="which files of earlier versions do not: fit it again"):
        back.belief()


@pytest.mark.parametrize("name", ["one kernel", "monotone"])
def test_a_file_with_a_part_of_the_training_data_is_rejected(name: str) -> None:
    """All of it or none, and every answer is about two different rows."""
    model = fitted(name)
    state = dict(vars(model))
    schema = type(model).__saved__
    schema.check(state)
    with pytest.raises(InvalidInput, match="_tie must be there together, got"):
        schema.check({part: value for part, value in state.items() if part != "_tie"})
    with pytest.raises(InvalidInput, match="_pairs must be two different rows"):
        schema.check(state | {"_pairs": np.zeros_like(state["_pairs"])})
