"""A feature map of label sequences, an example of structured objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, vector, whole
from penchant.coactive.features import matrix
from penchant.coactive.maps import FeatureMap
from penchant.errors import InvalidInput
from penchant.schema import Schema, Whole


@dataclass(frozen=True)
class SequenceMap(FeatureMap):
    """Label sequences: each word's features at its label, and how often one label follows another.

    A context is a matrix of shape (n_words, n_inputs), dense or sparse; an object is one label a word, from 0.
    φ holds first the sum of the features of the words under each label, n_labels × n_inputs numbers, then the
    counts of the label pairs, n_labels × n_labels numbers. Presenting is Viterbi's algorithm.

    Parameters
    ----------
    n_labels : int

    Examples
    --------
    >>> tagging = SequenceMap(n_labels=2)
    >>> words = np.array([[1.0], [-1.0], [1.0]])
    >>> tagging.joint(words, [0, 1, 1])
    array([1., 0., 0., 1., 0., 1.])
    >>> tagging.argmax(np.array([0.0, 1.0, 0.5, 0.0, 0.0, 0.0]), words)
    array([1, 0, 1])
    >>> tagging.n_features(n_inputs=1)
    6
    """

    __saved__: ClassVar = Schema({"n_labels": Whole(1, 10_000)})
    """The square of so many labels, which is the number of weights, still fits in memory."""

    n_labels: int

    def __post_init__(self) -> None:
        whole("n_labels", self.n_labels, 1)

    def n_features(self, n_inputs: int) -> int:
        """Return the number of joint features for words of ``n_inputs`` features."""
        return self.n_labels * (n_inputs + self.n_labels)

    def joint(self, context: Any, obj: ArrayLike) -> Floats:
        """Return φ(x, y), shape (n_features,)."""
        X = matrix(context)
        labels = self._labels(obj, X.shape[0])
        under = np.zeros((self.n_labels, X.shape[0]))
        under[labels, np.arange(len(labels))] = 1.0
        follows = np.zeros((self.n_labels, self.n_labels))
        np.add.at(follows, (labels[:-1], labels[1:]), 1.0)
        # Xᵀuᵀ and not uX, since a sparse X may stand only on the left of an array.
        return np.concatenate([np.asarray(X.T @ under.T).T.ravel(), follows.ravel()])

    def argmax(self, weights: Floats, context: Any) -> Ints:
        """Return the labels with the largest wᵀφ; of several, the first in the order of a dictionary."""
        X = matrix(context)
        self._check_weights(weights, X.shape[1])
        n_emitting = self.n_labels * X.shape[1]
        word_scores = np.asarray(X @ weights[:n_emitting].reshape(self.n_labels, X.shape[1]).T)
        follow_scores = weights[n_emitting:].reshape(self.n_labels, self.n_labels)
        return _best_path(word_scores, follow_scores)

    def _labels(self, obj: ArrayLike, n_words: int) -> Ints:
        given = vector("label", obj, length=n_words)
        outside = (given < 0) | (given >= self.n_labels) | (given != np.floor(given))
        if outside.any():
            word = int(outside.argmax())
            raise InvalidInput(
                f"label of word {word} must be a whole number from 0 to {self.n_labels - 1}, got "
                f"{given[word]:g}: correct it"
            )
        return given.astype(np.int64)

    def _check_weights(self, weights: Floats, n_inputs: int) -> None:
        wanted = self.n_features(n_inputs)
        if len(weights) != wanted:
            raise InvalidInput(
                f"weights must have {wanted} entries for words of {n_inputs} features, got {len(weights)}: "
                f"use n_features({n_inputs})"
            )

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        return cls(**state)


def _best_path(word_scores: Floats, follow_scores: Floats) -> Ints:
    """Viterbi from the last word back, so that walking forth takes the lowest label of those tied."""
    n_words = len(word_scores)
    best = word_scores.copy()  # of the words from here to the end, given the label here
    after = np.zeros(best.shape, dtype=np.int64)
    for word in range(n_words - 2, -1, -1):
        rest = follow_scores + best[word + 1]
        after[word] = rest.argmax(axis=1)
        best[word] += rest.max(axis=1)
    labels = np.empty(n_words, dtype=np.int64)
    labels[0] = best[0].argmax()
    for word in range(1, n_words):
        labels[word] = after[word - 1, labels[word - 1]]
    return labels
