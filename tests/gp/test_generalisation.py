"""Comparisons that were held out: errors, seen and unseen pairs apart, and how more answers help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.gp import MonotoneGP
from penchant.gp.generalisation import HeldOut, cross_validated, learning_curve
from penchant.saving import to_bytes

MODEL = MonotoneGP(increasing=[0, 1], lengthscale=0.5, scale=0.2, noise=0.1)


def asked(n: int = 10, m: int = 120, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(m)])
    rated = X.sum(axis=1)[pairs] + rng.normal(0, 0.2, pairs.shape)
    return X, np.where(rated[:, :1] > rated[:, 1:], pairs, pairs[:, ::-1])


def test_the_errors_are_what_they_are_called() -> None:
    """The mean of −log P, and the share above even chances; even ones count half."""
    held = HeldOut.of(np.array([0.9, 0.5, 0.2]))
    assert held.log_loss == pytest.approx(-np.log([0.9, 0.5, 0.2]).mean())
    assert held.accuracy == 0.5
    assert held.count == 3
    assert np.isnan(HeldOut.of(np.zeros(0)).log_loss)


def test_folds_are_foretold_by_the_others() -> None:
    """One fold after another, written out, gives the same errors."""
    X, pairs = asked()
    found = cross_validated(MODEL, X, pairs, folds=4, seed=3)
    fold = np.random.default_rng(3).permutation(np.arange(len(pairs)) % 4)
    losses, seen = [], 0
    for part in range(4):
        learned = pairs[fold != part]
        model = MonotoneGP(**MODEL.get_params()).fit_pairs(X, learned)
        known = {frozenset(pair) for pair in learned.tolist()}
        for better, worse in pairs[fold == part].tolist():
            losses.append(-np.log(model.win_probability(X[better], X[worse])))
            seen += frozenset((better, worse)) in known
    assert found.overall.log_loss == pytest.approx(np.mean(losses))
    assert found.overall.count == len(pairs)
    assert found.seen.count == seen
    assert found.seen.count + found.unseen.count == len(pairs)
    assert 0.6 < found.overall.accuracy < 1
    assert "unseen" in repr(found)
    assert list(found.to_frame().index) == ["seen", "unseen", "overall"]


def test_more_answers_help() -> None:
    """The log loss falls from 5 answers to 200."""
    X, pairs = asked(20, 300)
    curve = learning_curve(MODEL, X, pairs, [5, 200], repeats=4)
    assert curve.log_loss[1] < curve.log_loss[0]
    assert (curve.log_loss_se > 0).all()
    assert curve.to_frame().index.tolist() == [5, 200]


def test_the_model_stays_as_it_was() -> None:
    """Nothing is learned by the model that was given."""
    X, pairs = asked()
    before = to_bytes(MODEL)
    cross_validated(MODEL, X, pairs, folds=2)
    assert to_bytes(MODEL) == before


def test_wrong_folds_and_sizes_are_refused() -> None:
    """Each in words."""
    X, pairs = asked(m=20)
    with pytest.raises(InvalidInput, match="folds must be from 2 to the 20 comparisons, got 21"):
        cross_validated(MODEL, X, pairs, folds=21)
    for folds in (1, 2.5):
        with pytest.raises(InvalidInput, match=f"folds must be a whole number of at least 2, got {folds}"):
            cross_validated(MODEL, X, pairs, folds=folds)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="sizes must be from 1 to 16"):
        learning_curve(MODEL, X, pairs, [17])
