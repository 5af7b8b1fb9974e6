"""Agreement of several raters: Krippendorff's alpha of ratings, and Kendall's W of rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, one_of, positive
from penchant.errors import InvalidInput

Scale = Literal["nominal", "ordinal", "interval"]
SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "interval")


def krippendorff_alpha(
    ratings: ArrayLike, scale: Scale = "nominal", *, weight: ArrayLike | None = None
) -> float:
    """Compute Krippendorff's alpha: 1 less the disagreement that is observed over the one that is expected by chance.

    Each two ratings of one unit are compared. Two values disagree by 1 unless they are equal (nominal), by the squared
    number of ratings between them (ordinal), or by their squared difference (interval). Units with fewer than two
    ratings are left out.

    Parameters
    ----------
    ratings : array-like of shape (n_raters, n_units)
        Numbers, or words where the scale is nominal; NaN or None where a rater gave none.
    scale : {"nominal", "ordinal", "interval"}, default "nominal"
    weight : array-like of shape (n_raters,), optional
        How many raters each row is, above 0.

    Returns
    -------
    float
        1 is full agreement, 0 as much as by chance; below 0 raters disagree systematically.

    References
    ----------
    Krippendorff, Computing Krippendorff's alpha-reliability (2011).

    Examples
    --------
    >>> round(krippendorff_alpha([[1, 2, 3, 3, None], [1, 2, 3, 4, 4], [1, 2, 3, 4, 4]], "ordinal"), 3)
    0.93
    """
    one_of("scale", scale, SCALES)
    values, codes = _coded(ratings, scale)
    raters = np.ones(len(codes)) if weight is None else positive("weight", weight, length=len(codes))
    counts = np.zeros((codes.shape[1], len(values)))  # of each value in each unit
    for code in range(len(values)):
        counts[:, code] = raters @ (codes == code)
    return alpha_of_counts(counts, values, scale)


def alpha_of_counts(counts: Floats, values: Any, scale: Scale) -> float:
    """Compute Krippendorff's alpha from how often each unit got each value.

    Parameters
    ----------
    counts : array of shape (n_units, n_values)
    values : array of shape (n_values,)
        Rising; numbers unless the scale is nominal.
    scale : {"nominal", "ordinal", "interval"}

    Examples
    --------
    >>> round(alpha_of_counts(np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), np.array([1, 2]), "nominal"), 3)
    0.444
    """
    in_unit = counts.sum(axis=1)
    used = in_unit > 1
    counts, in_unit = counts[used], in_unit[used]
    if not len(counts):
        raise InvalidInput.of(
            "ratings", "rate some unit twice", "none that is", "give the ratings of two raters or more"
        )
    coincidences = (counts / (in_unit - 1)[:, None]).T @ counts - np.diag(
        (counts / (in_unit - 1)[:, None]).sum(axis=0)
    )
    totals = counts.sum(axis=0)
    apart = _apart(values, totals, scale)
    expected = totals @ apart @ totals
    if not expected:
        raise InvalidInput.of(
            "ratings", "differ somewhere", "one value for all", "alpha is not defined without variation"
        )
    return float(1 - (totals.sum() - 1) * (coincidences * apart).sum() / expected)


def _coded(ratings: ArrayLike, scale: str) -> tuple[Any, Any]:
    """Return the different values, rising, and the place of each rating among them, -1 where there is none."""
    cells = np.asarray(ratings, dtype=object)
    if cells.ndim != 2:
        raise InvalidInput.of("ratings", "be one row a rater", f"shape {cells.shape}", "give a matrix")
    absent = np.array([[cell is None or cell != cell for cell in row] for row in cells], dtype=bool)
    given = cells[~absent].tolist()
    if scale != "nominal" and not all(isinstance(cell, int | float | np.number) for cell in given):
        raise InvalidInput.of(
            "ratings", f"be numbers on a scale that is {scale}", "words", "give their numbers"
        )
    values, places = np.unique(np.array(given), return_inverse=True)
    codes = np.full(cells.shape, -1)
    codes[~absent] = places
    return values, codes


def _apart(values: Any, totals: Floats, scale: str) -> Floats:
    """Return how much each two values disagree, shape (n_values, n_values)."""
    if scale == "nominal":
        return 1.0 - np.eye(len(values))
    # On an ordinal scale values are as far apart as the ratings between them, half of their own included.
    numbers = values.astype(np.float64) if scale == "interval" else np.cumsum(totals) - totals / 2
    apart: Floats = (numbers[:, None] - numbers[None, :]) ** 2
    return apart


@dataclass(frozen=True)
class Concordance:
    """Kendall's coefficient of concordance, and its test against raters who rank at random.

    Attributes
    ----------
    w : float
        From 0, no agreement, to 1: all rank alike. The mean of Spearman's correlations of all pairs of raters is
        (raters · w − 1) / (raters − 1).
    statistic : float
        raters · (items − 1) · w, as Friedman's test has it.
    p : float
        The probability of a statistic as large by chance, by the chi-squared distribution with items − 1 degrees of
        freedom, which is good for seven items or more or many raters.
    raters : float
        The sum of their weights.
    items : int

    Examples
    --------
    >>> kendall_w([[1, 2, 3], [1, 2, 3], [2, 1, 3]]).w
    0.7777777777777778
    """

    w: float
    statistic: float
    p: float
    raters: float
    items: int


def kendall_w(ratings: ArrayLike, *, weight: ArrayLike | None = None) -> Concordance:
    """Compute Kendall's W, corrected for ties, of raters who all rank or rate the same items.

    Parameters
    ----------
    ratings : array-like of shape (n_raters, n_items)
        Ranks or ratings, of which only the order inside a row counts; equal ones share their mean rank.
    weight : array-like of shape (n_raters,), optional
        How many raters each row is, above 0.

    References
    ----------
    Kendall and Babington Smith, The problem of m rankings, Annals of Mathematical Statistics 10 (1939).

    Examples
    --------
    >>> found = kendall_w([[1, 2, 3, 4], [1, 3, 2, 4], [2, 1, 3, 4]])
    >>> round(found.w, 3), round(found.statistic, 3)
    (0.778, 7.0)
    """
    from scipy.special import chdtrc
    from scipy.stats import rankdata

    given = np.asarray(ratings, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] < 2 or not len(given) or np.isnan(given).any():
        what = "a missing rating" if given.ndim == 2 and np.isnan(given).any() else f"shape {given.shape}"
        remedy = "give one row a rater and one column an item, two items or more, none missing"
        raise InvalidInput.of("ratings", "be a full matrix", what, remedy)
    raters = np.ones(len(given)) if weight is None else positive("weight", weight, length=len(given))
    number, n_items = float(raters.sum()), given.shape[1]
    ranks = rankdata(given, axis=1)
    ties = np.array([float((np.unique(row, return_counts=True)[1] ** 3).sum() - n_items) for row in ranks])
    total = raters @ ranks
    largest = number**2 * (n_items**3 - n_items) - number * float(raters @ ties)
    if largest <= 0:
        raise InvalidInput.of(
            "ratings", "put some item before another", "ties alone", "W is not defined where all are equal"
        )
    w = 12 * float(((total - total.mean()) ** 2).sum()) / largest
    statistic = number * (n_items - 1) * w
    return Concordance(w, statistic, float(chdtrc(n_items - 1, statistic)), number, n_items)
