from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from penchant.coactive import PreferencePerceptron, SecondOrderPerceptron, SequenceMap
from penchant.errors import InvalidInput
from penchant.saving import from_bytes, to_bytes


def slow_joint(X: Any, labels: Any, n_labels: int) -> Any:
    """The features of each word, added at its label; and one for each pair of neighbours."""
    emitted, follows = np.zeros((n_labels, X.shape[1])), np.zeros((n_labels, n_labels))
    for word, label in enumerate(labels):
        emitted[label] += X[word]
    for one, other in pairwise(labels):
        follows[one, other] += 1
    return np.concatenate([emitted.ravel(), follows.ravel()])


@given(st.integers(1, 5), st.integers(1, 3), st.integers(1, 3), st.integers(0, 10**6))
def test_the_sequence_is_the_best_of_all(n_words: int, n_inputs: int, n_labels: int, seed: int) -> None:
    """Whole numbers, hence ties: the first in dictionary order of all label sequences that are best."""
    rng = np.random.default_rng(seed)
    tagging = SequenceMap(n_labels)
    X = rng.integers(-2, 3, size=(n_words, n_inputs)).astype(float)
    w = rng.integers(-2, 3, size=tagging.n_features(n_inputs)).astype(float)
    every = list(product(range(n_labels), repeat=n_words))
    utility = [w @ slow_joint(X, labels, n_labels) for labels in every]
    best = list(every[int(np.argmax(utility))])
    assert tagging.argmax(w, X).tolist() == tagging.argmax(w, csr_array(X)).tolist() == best
    np.testing.assert_array_equal(tagging.joint(X, best), slow_joint(X, best, n_labels))
    np.testing.assert_array_equal(tagging.joint(csr_array(X), best), slow_joint(X, best, n_labels))


@pytest.mark.parametrize("Kind", [PreferencePerceptron, SecondOrderPerceptron])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_sequences_can_be_learned(Kind: Any, form: Any) -> None:
    """Taught the true labels of sparse words, a learner presents those of new sentences."""
    rng = np.random.default_rng(0)
    tagging = SequenceMap(3)
    truth = rng.normal(size=tagging.n_features(8))
    learner = Kind(tagging, tagging.n_features(8))

    def sentence() -> Any:
        return rng.normal(size=(6, 8)) * (rng.random((6, 8)) < 0.5)

    for _ in range(300):
        X = sentence()
        learner.update(form(X), learner.present(form(X)), tagging.argmax(truth, X))
    fresh = [sentence() for _ in range(50)]
    right = np.mean([learner.present(form(X)) == tagging.argmax(truth, X) for X in fresh])
    assert right > 0.85


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, 1], "must have 3 entries"),
        ([0, 1, 2], "label of word 2 must be a whole number from 0 to 1, got 2"),
        ([0, -1, 1], "got -1"),
        ([0, 0.5, 1], "got 0.5"),
        ([0, np.nan, 1], "finite"),
    ],
)
def test_wrong_labels_are_refused(labels: Any, words: str) -> None:
    """Too few, unknown, negative, fractional, missing."""
    with pytest.raises(InvalidInput, match=words):
        SequenceMap(2).joint(np.ones((3, 2)), labels)


def test_wrong_contexts_and_settings_are_refused() -> None:
    """NaN, another number of features, no labels."""
    with pytest.raises(InvalidInput, match="finite"):
        SequenceMap(2).argmax(np.zeros(8), [[np.nan, 1.0]])
    with pytest.raises(InvalidInput, match=r"weights must have 8 entries .* got 7"):
        SequenceMap(2).argmax(np.zeros(7), np.ones((3, 2)))
    for n_labels in (0, True, 1.5, None):
        with pytest.raises(InvalidInput, match="n_labels must be"):
            SequenceMap(n_labels)  # type: ignore[arg-type]


def test_the_map_is_saved() -> None:
    """Loaded, it equals what was saved."""
    assert from_bytes(to_bytes(SequenceMap(4))) == SequenceMap(4)
