"""Check rankings of labels, and measure how well two of them agree.

A row ranks the labels, which are the columns: 1 is best, equal ranks are a tie, 0 is a label that the row does
not rank. Only the order inside a row counts, so that ranks may have gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Ints, numbers
from penchant.errors import InvalidInput
from penchant.metrics import kendall_tau, tau_x
from penchant.rankers.ranker import row_weight


def checked_label_ranks(ranks: Any, n_rows: int) -> Ints:
    """Return ``ranks`` as whole numbers of shape (n_rows, n_labels), at least 0, or say which is not."""
    given = numbers("rank", ranks)
    if given.ndim != 2 or given.shape[1] < 2:
        raise InvalidInput(
            f"ranks must have one column a label and at least two, got shape {given.shape}: "
            "give the rank of each label, 1 is best, 0 is not ranked"
        )
    if len(given) != n_rows:
        raise InvalidInput(
            f"ranks must have {n_rows} rows, one a row of X, got {len(given)}: give one for each"
        )
    wrong = (given < 0) | (given != np.floor(given))
    if wrong.any():
        row, label = np.argwhere(wrong)[0]
        raise InvalidInput(
            f"rank of row {row}, label {label} must be a whole number from 1, or 0 where it is not ranked, got "
            f"{given[row, label]:g}: correct the row"
        )
    return given.astype(np.int64, order="C")


def decided(ranks: Ints, first: int, second: int) -> tuple[Ints, Ints]:
    """Return the rows that put one of two labels before the other, and whether it is the first, 1 or 0."""
    a, b = ranks[:, first], ranks[:, second]
    rows = np.flatnonzero((a > 0) & (b > 0) & (a != b))
    return rows, (a[rows] < b[rows]).astype(np.int64)


def mean_tau(ranks: ArrayLike, predicted: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return the mean over rows of Kendall's τ_b between true and predicted ranks of the labels.

    Labels that the truth does not rank are left out, and rows whose truth puts no label before another.

    Parameters
    ----------
    ranks : array-like of shape (n, n_labels)
        True ranks, 1 is best, 0 is not ranked.
    predicted : array-like of shape (n, n_labels)
        Predicted ranks, all above 0.
    sample_weight : array-like of shape (n,), optional

    Examples
    --------
    >>> mean_tau([[1, 2, 3], [2, 1, 0]], [[1, 2, 3], [1, 2, 3]])
    0.0
    """
    return _mean_over_rows(kendall_tau, ranks, predicted, sample_weight, differing=True)


def mean_tau_x(ranks: ArrayLike, predicted: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Return the mean over rows of τ_x, in which a tie of the truth is a statement of its own.

    As `mean_tau`, but rows that rank at least two labels all count.

    Examples
    --------
    >>> mean_tau_x([[1, 2, 2]], [[1, 2, 3]])
    0.6666666666666666
    """
    return _mean_over_rows(tau_x, ranks, predicted, sample_weight, differing=False)


def _mean_over_rows(
    measure: Callable[[Any, Any], float],
    ranks: ArrayLike,
    predicted: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    differing: bool,
) -> float:
    guessed = checked_label_ranks(predicted, np.shape(predicted)[0])
    truth = checked_label_ranks(ranks, len(guessed))
    if truth.shape != guessed.shape or not guessed.all():
        raise InvalidInput(
            f"predicted ranks must be above 0 and of shape {truth.shape}, got shape {guessed.shape}: rank all labels"
        )
    weight = row_weight(sample_weight, len(truth))
    values, weights = [], []
    for true, guess, times in zip(truth, guessed, weight, strict=True):
        known = true > 0
        if known.sum() >= 2 and not (differing and np.ptp(true[known]) == 0):
            values.append(measure(true[known], guess[known]))
            weights.append(times)
    if not sum(weights):
        raise InvalidInput(
            f"at least one row must rank two labels differently, got {len(truth)} without: give more rankings"
        )
    return float(np.average(values, weights=weights))


class LabelRankerMixin:
    """What rankers of labels share: scores by τ and τ_x, and the tags of scikit-learn."""

    def score(self, X: Any, ranks: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return `mean_tau` of the predicted ranks, from −1 to 1."""
        return mean_tau(ranks, self.predict(X), sample_weight=sample_weight)  # type: ignore[attr-defined]

    def score_tau_x(self, X: Any, ranks: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return `mean_tau_x` of the predicted ranks, from −1 to 1."""
        return mean_tau_x(ranks, self.predict(X), sample_weight=sample_weight)  # type: ignore[attr-defined]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        tags.target_tags.multi_output, tags.target_tags.single_output = True, False
        return tags
