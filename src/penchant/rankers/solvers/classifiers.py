"""Use any scikit-learn classifier to decide which of two things is better."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from penchant.checks import Floats, shown
from penchant.errors import InvalidInput
from penchant.schema import Kind, Sizes, require
from penchant.threads import one_thread

_WIDE = 1000


@dataclass(frozen=True)
class Classifier(Kind):
    """A saved classifier, whose own state was checked when it was made; with ``taught`` one of classes 0 and 1."""

    taught: bool = False

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        able = all(callable(getattr(value, method, None)) for method in ("fit", "predict"))
        require(able and not isinstance(value, type), f"{name} must be a classifier, got {shown(value)}")
        if self.taught:
            classes = getattr(value, "classes_", None)
            two_classes = (
                isinstance(classes, np.ndarray) and classes.shape == (2,) and classes.tolist() == [0, 1]
            )
            require(two_classes, f"{name} must tell 0 from 1, got the classes {shown(classes)}")


def check_classifier(estimator: Any) -> None:
    """Raise unless ``estimator`` is a classifier, or None for the usual one."""
    if estimator is None:
        return
    if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in ("fit", "predict")):
        raise InvalidInput(
            f"estimator must be a scikit-learn classifier, got {shown(estimator)}: "
            "give an object such as LogisticRegression()"
        )


def fresh_classifier(estimator: Any, n_features: int) -> Any:
    """Return an unfitted copy of ``estimator``, or logistic regression where it is None.

    Newton's method does not mind badly scaled features, but solves a system of their number.
    """
    if estimator is not None:
        return clone(estimator)
    from sklearn.linear_model import LogisticRegression  # loads a quarter of scikit-learn

    if n_features > _WIDE:
        return LogisticRegression(max_iter=1000)
    return LogisticRegression(solver="newton-cholesky")


def threads_for(estimator: Any) -> AbstractContextManager[None]:
    """Hold BLAS to one thread for the usual classifier; one that was given decides for itself."""
    return one_thread() if estimator is None else nullcontext()


def accepted_inputs(estimator: Any) -> tuple[bool, bool]:
    """Say whether ``estimator`` takes sparse matrices, and NaN."""
    if estimator is None:
        return True, False
    allowed = get_tags(estimator).input_tags
    return bool(allowed.sparse), bool(allowed.allow_nan)


def taught(classifier: Any, X: Any, first_wins: Any, weight: Floats) -> Any:
    """Fit ``classifier`` to say whether the first wins, 1 or 0; equal weights are as good as none."""
    if (weight == weight[0]).all():
        return classifier.fit(X, first_wins)
    if not has_fit_parameter(classifier, "sample_weight"):
        raise InvalidInput(
            f"weights must all be equal for {type(classifier).__name__}, whose fit takes no sample_weight, got "
            f"{weight.min():g} to {weight.max():g}: leave them out or use another estimator"
        )
    return classifier.fit(X, first_wins, sample_weight=weight)


def first_wins_probability(classifier: Any, X: Any) -> Floats:
    """Return for each row how likely the first wins, shape (n,).

    By ``predict_proba``; else by the logistic function of ``decision_function``; else 0 or 1 by ``predict``.
    """
    likely = _first_wins(classifier, X)
    if not np.isfinite(likely).all():
        raise InvalidInput(
            f"{type(classifier).__name__} must give finite probabilities, got {likely[~np.isfinite(likely)][0]}: "
            "scale the features, or teach it anew"
        )
    return likely


def _first_wins(classifier: Any, X: Any) -> Floats:
    if hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.predict_proba(X)[:, 1], dtype=np.float64)
    if hasattr(classifier, "decision_function"):
        from scipy.special import expit

        return np.asarray(expit(classifier.decision_function(X)), dtype=np.float64)
    return np.asarray(classifier.predict(X), dtype=np.float64)
