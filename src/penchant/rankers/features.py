"""Features as scikit-learn keeps them. What an estimator is given in, checked arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from penchant.checks import Floats, vector
from penchant.errors import InvalidInput, NotFitted


class RankerNotFitted(NotFitted, NotFittedError):  # type: ignore[misc]
    """A ranker was asked before it was taught; scikit-learn's word for it and Penchant's are both true."""


def training_features(estimator: Any, X: Any) -> Any:
    """Return ``X`` checked, and note on ``estimator`` how many features there are and what they are called."""
    return _validated(estimator, X, reset=True)


def known_features(estimator: Any, X: Any) -> Any:
    """Return ``X`` checked, with the features that the fitted ``estimator`` was taught with."""
    check_fitted(estimator)
    return _validated(estimator, X, reset=False)


def check_fitted(estimator: Any) -> None:
    """Refuse an estimator that has learned nothing yet."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        ways = "fit or fit_pairs" if hasattr(estimator, "fit_pairs") else "fit"
        raise RankerNotFitted(f"{type(estimator).__name__} must be fitted first: call {ways}") from None


def _validated(estimator: Any, X: Any, *, reset: bool) -> Any:
    allowed = estimator.__sklearn_tags__().input_tags
    try:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if allowed.sparse else False,
            dtype=(np.float64, np.float32),
            ensure_all_finite="allow-nan" if allowed.allow_nan else True,
        )
    except ValueError as error:
        raise InvalidInput(str(error)) from error


def row_weight(sample_weight: ArrayLike | None, n_rows: int) -> Floats:
    """Return the weight of each row, 1 where nothing is said, or say which is below 0."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = vector("sample_weight", sample_weight, length=n_rows)
    low = np.flatnonzero(weight < 0)
    if low.size:
        raise InvalidInput(
            f"sample_weight of row {low[0]} must be at least 0, got {weight[low[0]]:g}: correct the row"
        )
    if not weight.any():
        raise InvalidInput(
            "sample_weight must be above 0 for some rows, got a weight of zero for all: raise some"
        )
    return weight
