"""The lecture's methods for object ranking: each learns from graded queries and returns a function of new ones.

Settings are chosen by NDCG@10 on validation queries. Linear models and kernels use standardised logarithms of the
features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.papers.lecture.sets import GradedQueries, scaled

Scorer = Callable[[GradedQueries], Floats]
KERNEL_ROWS = 1_000
"""The kernel's matrix is written out, so that it learns from at most so many documents."""


def rank_svm(train: GradedQueries, vali: GradedQueries) -> Scorer:
    """Return RankSVM with the hinge loss."""
    from penchant.rankers import RankSVM

    return _tuned((RankSVM(C=C, loss="hinge") for C in (0.01, 0.1, 1.0, 10.0)), train, vali, qid=train.qid)


def kernel_svm(train: GradedQueries, vali: GradedQueries) -> Scorer:
    """Return RankSVM with a kernel on objects."""
    from penchant.rankers import RankSVM

    few = train.first(KERNEL_ROWS)
    models = (RankSVM(C=C, kernel="rbf", tol=1e-3) for C in (1.0, 10.0))
    return _tuned(models, few, vali, qid=few.qid)


def ridge(train: GradedQueries, vali: GradedQueries) -> Scorer:
    """Return a ridge regression on the grades."""
    from sklearn.linear_model import Ridge

    return _tuned((Ridge(alpha=alpha) for alpha in (1.0, 10.0, 100.0, 1_000.0)), train, vali)


def rank_boost(train: GradedQueries, vali: GradedQueries, rounds: int) -> Scorer:
    """Return RankBoost after the best number of rounds."""
    from penchant.rankers import RankBoost

    model = RankBoost(rounds).fit(train.X, train.grades, qid=train.qid)
    risen = [_ndcg(vali, scores) for scores in model.staged_predict(vali.X)]
    best = risen.index(max(risen))
    return lambda given: next(islice(model.staged_predict(given.X), best, None))


def two_step(train: GradedQueries, vali: GradedQueries) -> Scorer:
    """Return the two-step scheme with a logistic classifier of pairs."""
    from sklearn.linear_model import LogisticRegression

    classifiers = (LogisticRegression(C=C, fit_intercept=False, max_iter=1_000) for C in (1e-5, 1e-3))
    return _best((_in_two_steps(train, classifier) for classifier in classifiers), vali)


def naive_bayes(train: GradedQueries) -> Scorer:
    """Return the two-step scheme with a naive Bayes classifier of pairs."""
    from sklearn.naive_bayes import GaussianNB

    return _in_two_steps(train, GaussianNB())


def best_feature(train: GradedQueries, vali: GradedQueries) -> Scorer:
    """Return the feature, ascending or descending, that ranks the training and validation queries best."""
    both = GradedQueries.joined([train, vali])

    def by(feature: int, sign: float) -> Scorer:
        return lambda given: sign * given.X[:, feature]

    return _best((by(feature, sign) for feature in range(both.X.shape[1]) for sign in (1.0, -1.0)), both)


def view(train: GradedQueries) -> Callable[[GradedQueries], Floats]:
    """Return the features of linear models: logarithms with mean 0 and deviation 1 on the training queries."""
    seen = _short_tailed(train.X)
    return lambda given: scaled(seen, _short_tailed(given.X))[1]


def _tuned(models: Iterable[Any], train: GradedQueries, vali: GradedQueries, **fit: Any) -> Scorer:
    """Fit each model to the training queries and return the best on the validation queries."""
    features = view(train)
    X = features(train)

    def fitted(model: Any) -> Scorer:
        model.fit(X, train.grades, **fit)
        return lambda given: np.asarray(model.predict(features(given)))

    return _best(map(fitted, models), vali)


def _in_two_steps(train: GradedQueries, classifier: Any) -> Scorer:
    from penchant.rankers import PairwiseRanker

    features = view(train)
    model = PairwiseRanker(classifier, features="difference")
    model.fit(features(train), train.grades, qid=train.qid)
    return lambda given: model.predict(features(given), qid=given.qid)


def _best(scorers: Iterable[Scorer], vali: GradedQueries) -> Scorer:
    """Return the one with the highest NDCG@10, the first of equal ones."""
    return max(scorers, key=lambda scorer: _ndcg(vali, scorer(vali)))


def _ndcg(given: GradedQueries, scores: Floats) -> float:
    from penchant.metrics import ndcg

    return float(ndcg(given.grades, scores, qid=given.qid, k=10))


def _short_tailed(X: Floats) -> Floats:
    return np.sign(X) * np.log1p(np.abs(X))
