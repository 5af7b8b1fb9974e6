from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix

from penchant.coactive import (
    ConvexPerceptron,
    ItemMap,
    PreferencePerceptron,
    RankingMap,
    SecondOrderPerceptron,
)
from penchant.errors import CannotSave, InvalidInput
from penchant.rankers import RankSVM
from penchant.saving import to_bytes

STARTED = [PreferencePerceptron, ConvexPerceptron, SecondOrderPerceptron]


@pytest.mark.parametrize("Kind", STARTED)
def test_weights_start_where_they_are_told(Kind: Any) -> None:
    """From an array, which is copied, from a list, and from the coef_ of a fitted linear ranker in either form."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    ranker = RankSVM().fit(X, np.round(X[:, 0] - X[:, 1]))
    given = ranker.coef_.copy()
    learner = Kind(RankingMap(), 3, weights=given)
    given[:] = 0
    assert np.array_equal(learner.weights, ranker.coef_)
    assert np.array_equal(learner.averaged_weights, ranker.coef_)
    for weights in (ranker, ranker.coef_[None], ranker.coef_.tolist()):
        assert np.array_equal(Kind(RankingMap(), 3, weights=weights).weights, ranker.coef_)
    assert np.array_equal(learner.present(X), np.argsort(-ranker.predict(X), kind="stable"))


@pytest.mark.parametrize("Kind", STARTED)
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, 2.0], "must have 3 entries"),
        ([1, 2, np.nan], "finite"),
        (object(), "numbers"),
        (np.ones((2, 3)), "one-"),
    ],
)
def test_weights_that_cannot_be_started_from_are_refused(Kind: Any, weights: Any, words: str) -> None:
    """Too few, NaN, no numbers, several rows."""
    with pytest.raises(InvalidInput, match=rf"weights.*{words}"):
        Kind(RankingMap(), 3, weights=weights)


def test_a_map_that_gives_other_features_is_refused() -> None:
    """A joint map of another length, or one that is not finite, is no difference to learn from."""

    class Wrong(ItemMap):
        given: Any = np.zeros(2)

        def difference(self, context: Any, better: Any, worse: Any) -> Any:
            return self.given

    learner = PreferencePerceptron(Wrong(), 3)
    with pytest.raises(InvalidInput, match=r"must have 3 joint features, got shape \(2,\)"):
        learner.update(np.ones((2, 3)), 0, 1)
    Wrong.given = np.array([1.0, np.inf, 0.0])
    with pytest.raises(InvalidInput, match="must leave finite weights"):
        learner.update(np.ones((2, 3)), 0, 1)
    assert learner.rounds == 0


class Pairs:
    """A map with the two methods and no more: one of three rows, as it is or sparse."""

    def __init__(self, form: Any = np.asarray) -> None:
        self.form = form

    def joint(self, context: Any, obj: Any) -> Any:
        return self.form(np.asarray(context)[obj])

    def argmax(self, weights: Any, context: Any) -> int:
        return int((context @ weights).argmax())


@pytest.mark.parametrize(
    "form", [np.asarray, list, lambda row: csr_array(row[None]), lambda row: csr_matrix(row[None]), coo_array]
)
def test_joint_and_argmax_are_all_that_a_map_needs(form: Any) -> None:
    """A class of one's own with two methods learns as ItemMap does, also where joint gives lists or sparse rows."""
    rng = np.random.default_rng(0)
    own, known = PreferencePerceptron(Pairs(form), 4), PreferencePerceptron(ItemMap(), 4)
    for X in rng.normal(size=(20, 3, 4)):
        assert own.present(X) == known.present(X)
        own.update(X, own.present(X), 2)
        known.update(X, known.present(X), 2)
    assert np.array_equal(own.weights, known.weights)


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (lambda context, obj: np.zeros(2 + obj), "must have one shape"),
        (lambda context, obj: "features", "must be numbers, got 'features'"),
        (lambda context, obj: csr_array(np.eye(2)), r"must have 2 joint features, got shape \(2, 2\)"),
    ],
)
def test_joint_features_that_are_none_are_refused(joint: Any, words: str) -> None:
    """Two lengths, a text, a sparse matrix of several rows: each is named, and nothing is learned."""
    feature_map = Pairs()
    feature_map.joint = joint  # type: ignore[method-assign]
    learner = PreferencePerceptron(feature_map, 2)
    with pytest.raises(InvalidInput, match=words):
        learner.update(np.eye(2), 0, 1)
    assert learner.rounds == 0


def test_an_object_without_the_two_methods_is_no_map() -> None:
    """The error names the method that is missing."""
    with pytest.raises(InvalidInput, match="feature_map must have the method joint"):
        PreferencePerceptron(object(), 2)  # type: ignore[arg-type]


def test_a_learner_without_chance_is_seeded_to_a_copy() -> None:
    """Whatever the seed, the copy is the same, and it goes its own way."""
    learner = PreferencePerceptron(ItemMap(), 2)
    other = learner.seeded(3)
    assert to_bytes(other) == to_bytes(learner)
    other.update(np.eye(2), 0, 1)
    assert learner.rounds == 0


def test_weights_that_grow_too_large_are_refused() -> None:
    """The sum of corrections overflows at last; the learner stays at the last weights it could hold."""
    learner = PreferencePerceptron(ItemMap(), 1)
    X = np.array([[-6e307], [6e307]])
    learner.update(X, 0, 1)
    kept = to_bytes(learner)
    with pytest.raises(InvalidInput, match="scale the features down"):
        learner.update(X, 0, 1)
    assert to_bytes(learner) == kept


def test_a_learner_on_a_map_of_ones_own_cannot_be_saved() -> None:
    """A file names only Penchant's own classes; the error says so."""

    class Mine(ItemMap):
        pass

    with pytest.raises(CannotSave, match="Mine"):
        to_bytes(PreferencePerceptron(Mine(), 2))


def test_learning_does_not_load_numba() -> None:
    """The rules that compiled runs share with the learners are plain functions: an update starts at once."""
    code = """
import sys
import numpy as np
from penchant import coactive
kinds = {"PreferencePerceptron": {}, "ExponentiatedPerceptron": {"bound": 1.0}, "ConvexPerceptron": {}}
for name, settings in {**kinds, "SecondOrderPerceptron": {}}.items():
    learner = getattr(coactive, name)(coactive.ItemMap(), 2, **settings)
    assert learner.update(np.eye(2), 0, 1).present(np.eye(2)) == 1, name
print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
