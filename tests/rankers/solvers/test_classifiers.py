"""Classifiers that decide which of two things is better."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier

from penchant.errors import InvalidInput
from penchant.rankers.solvers.classifiers import (
    Classifier,
    accepted_inputs,
    check_classifier,
    first_wins_probability,
    fresh_classifier,
    taught,
)

X = np.random.default_rng(0).normal(size=(30, 2))
FIRST_WINS = (X[:, 0] > 0).astype(np.int64)
ONES = np.ones(30)


class HardLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict without a probability or a decision function."""

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return (X[:, 0] > 0).astype(int)


class NotFinite(HardLabels):
    """Predict what is no probability."""

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), np.nan)


def test_a_probability_comes_from_the_best_that_the_classifier_offers() -> None:
    """predict_proba; else the logistic function of the decision; else the label itself."""
    logistic, perceptron, hard = (
        taught(model, X, FIRST_WINS, ONES) for model in (LogisticRegression(), Perceptron(), HardLabels())
    )
    np.testing.assert_array_equal(first_wins_probability(logistic, X), logistic.predict_proba(X)[:, 1])
    np.testing.assert_allclose(first_wins_probability(perceptron, X), expit(perceptron.decision_function(X)))
    np.testing.assert_array_equal(first_wins_probability(hard, X), FIRST_WINS)


def test_a_probability_that_is_not_finite_is_refused() -> None:
    """The error names the classifier and what it gave."""
    with pytest.raises(InvalidInput, match="NotFinite must give finite probabilities, got nan"):
        first_wins_probability(NotFinite().fit(X, FIRST_WINS), X)


def test_equal_weights_are_as_good_as_none() -> None:
    """Also for a classifier that takes none; weights that differ reach one that takes them, and only that."""
    neighbours = taught(KNeighborsClassifier(), X, FIRST_WINS, 2 * ONES)
    np.testing.assert_array_equal(neighbours.predict(X), KNeighborsClassifier().fit(X, FIRST_WINS).predict(X))
    weight = np.linspace(1, 5, 30)
    with pytest.raises(
        InvalidInput, match="KNeighborsClassifier, whose fit takes no sample_weight, got 1 to 5"
    ):
        taught(KNeighborsClassifier(), X, FIRST_WINS, weight)
    weighted = taught(LogisticRegression(), X, FIRST_WINS, weight)
    expected = LogisticRegression().fit(X, FIRST_WINS, sample_weight=weight)
    np.testing.assert_array_equal(weighted.coef_, expected.coef_)


def test_the_usual_classifier_is_logistic_regression() -> None:
    """By Newton's method, unless there are so many features that its matrix would be large; others are cloned."""
    assert fresh_classifier(None, 10).solver == "newton-cholesky"
    assert fresh_classifier(None, 1_001).solver == "lbfgs"
    given = KNeighborsClassifier(3)
    copied = fresh_classifier(given, 10)
    assert copied is not given
    assert copied.n_neighbors == 3


@pytest.mark.parametrize("estimator", [LogisticRegression, "logistic", 3])
def test_what_is_no_classifier_is_refused(estimator: Any) -> None:
    """A class, a text and a number; None stands for the usual one."""
    check_classifier(None)
    with pytest.raises(InvalidInput, match="estimator must be a scikit-learn classifier"):
        check_classifier(estimator)


def test_accepted_inputs_are_those_of_the_classifier() -> None:
    """Sparse matrices and NaN, as its tags say."""
    from sklearn.tree import DecisionTreeClassifier

    assert accepted_inputs(None) == (True, False)
    assert accepted_inputs(HardLabels()) == (False, False)
    assert accepted_inputs(DecisionTreeClassifier()) == (True, True)


def test_a_saved_classifier_must_tell_two_outcomes_apart() -> None:
    """A fitted one has the classes 0 and 1; one of other classes, or a class, is rejected."""
    Classifier(taught=True).check("estimator_", LogisticRegression().fit(X, FIRST_WINS), {})
    for wrong in (LogisticRegression().fit(X, FIRST_WINS + 1), LogisticRegression(), LogisticRegression):
        with pytest.raises(InvalidInput, match="estimator_ must"):
            Classifier(taught=True).check("estimator_", wrong, {})
