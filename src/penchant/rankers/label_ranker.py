"""Rank labels by pairwise classifiers.

Ranking by pairwise comparison: a classifier for each two labels says which of them suits better, and each
label collects the votes of its comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import comb
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput
from penchant.progress import step_done
from penchant.rankers.label_ranks import LabelRankerMixin, checked_label_ranks, decided
from penchant.rankers.ranker import known_features, row_weight, training_features
from penchant.rankers.solvers import classifiers
from penchant.schema import Either, ListOf, Maybe, Number, Schema, Texts, Whole, require

_DIGITS = 10  # of votes; what differs further down is rounding


def _check_judges(state: Mapping[str, Any]) -> None:
    judges, n_labels, n_features = state["estimators_"], state["n_labels_"], state["n_features_in_"]
    require(len(judges) == comb(n_labels, 2), f"estimators_ must be one for each two of {n_labels} labels")
    for judge in judges:
        width = n_features if isinstance(judge, float) else getattr(judge, "n_features_in_", None)
        require(
            width == n_features,
            f"estimators_ must be numbers, or fitted to {n_features} features, got {width}",
        )


class LabelRanker(LabelRankerMixin, BaseEstimator):  # type: ignore[misc]
    """Rank labels by soft votes of one classifier for each two of them.

    A row that ranks only some labels teaches the classifiers of those; two labels that a row ties say nothing
    about which is better. Two labels that were only ever seen in one order vote 0 and 1, two that were never
    seen in an order ½ each.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Logistic regression where it is None. Its vote is ``predict_proba``, else the logistic function of
        ``decision_function``, else its hard label.

    Attributes
    ----------
    estimators_ : list
        For the labels (0, 1), (0, 2), …, (k − 2, k − 1) the classifier that says how likely the first is
        better, or a number where it is always the same.
    n_labels_ : int

    See Also
    --------
    NearestLabelRanker : asks the nearest rows instead.

    References
    ----------
    Hüllermeier, Fürnkranz, Cheng and Brinker, Label ranking by learning pairwise preferences, Artificial
    Intelligence 172 (2008).

    Examples
    --------
    >>> X = [[0.0], [0.2], [0.4], [1.6], [1.8], [2.0]]
    >>> ranks = [[1, 2, 3], [1, 2, 0], [1, 2, 3], [3, 2, 1], [0, 2, 1], [3, 2, 1]]
    >>> LabelRanker().fit(X, ranks).predict([[0.1], [1.9]])
    array([[1, 2, 3],
           [3, 2, 1]])
    """

    __saved__: ClassVar = Schema(
        {"estimator": Maybe(classifiers.Classifier())},
        {
            "n_features_in_": Whole(1, size=True),
            "n_labels_": Whole(2, 1_000_000),
            "estimators_": ListOf(Either((Number(0, 1), classifiers.Classifier(taught=True)))),
        },
        {"feature_names_in_": Texts("n_features_in_", array=True)},
        rules=(_check_judges,),
    )

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def fit(self, X: Any, ranks: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Teach one classifier for each two labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
        ranks : array-like of shape (n, n_labels)
            The rank of each label, 1 is best; equal ranks are a tie, 0 is a label that is not ranked.
        sample_weight : array-like of shape (n,), optional
            At least 0.
        """
        classifiers.check_classifier(self.estimator)
        features = training_features(self, X)
        checked = checked_label_ranks(ranks, features.shape[0])
        weight = row_weight(sample_weight, len(checked))
        counted = np.flatnonzero(weight > 0)
        features, checked, weight = features[counted], checked[counted], weight[counted]
        self.n_labels_ = checked.shape[1]
        pairs = list(combinations(range(self.n_labels_), 2))
        self.estimators_ = []
        with classifiers.threads_for(self.estimator):
            for pair in pairs:
                self.estimators_.append(self._judge(features, weight, *decided(checked, *pair)))
                step_done(len(self.estimators_), len(pairs))
        if all(isinstance(judge, float) and judge == 0.5 for judge in self.estimators_):
            raise InvalidInput(
                "ranks must put one label before another in some row that counts, got none: "
                "give rows that rank at least two labels"
            )
        return self

    def _judge(self, X: Any, weight: Floats, rows: Ints, first_wins: Ints) -> Any:
        """Return a classifier that says whether the first of two labels is better, or its constant vote."""
        if not rows.size:
            return 0.5
        if (first_wins == first_wins[0]).all():
            return float(first_wins[0])
        classifier = classifiers.fresh_classifier(self.estimator, X.shape[1])
        return classifiers.taught(classifier, X[rows], first_wins, weight[rows])

    def preferences(self, X: Any) -> Floats:
        """Return F, F[r, a, b] being the preference of row r for label a over b, shape (n, k, k); F + Fᵀ = 1."""
        features = known_features(self, X)
        preference = np.full((features.shape[0], self.n_labels_, self.n_labels_), 0.5)
        pairs = combinations(range(self.n_labels_), 2)
        with classifiers.threads_for(self.estimator):
            for (first, second), judge in zip(pairs, self.estimators_, strict=True):
                vote = (
                    judge if isinstance(judge, float) else classifiers.first_wins_probability(judge, features)
                )
                preference[:, first, second] = vote
                preference[:, second, first] = 1.0 - np.asarray(vote)
        return preference

    def votes(self, X: Any) -> Floats:
        """Return the votes for each label, Σ F[r, a, b] over b ≠ a, shape (n, n_labels)."""
        votes: Floats = self.preferences(X).sum(axis=2) - 0.5
        return votes

    def predict(self, X: Any) -> Ints:
        """Return the rank of each label by falling votes, shape (n, n_labels); ties go to the lower column."""
        order = np.argsort(-self.votes(X).round(_DIGITS), axis=1, kind="stable")
        return np.argsort(order, axis=1) + 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.allow_nan = classifiers.accepted_inputs(self.estimator)
        return tags
