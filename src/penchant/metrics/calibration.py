"""Compare stated probabilities with outcomes: Brier score, log loss and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, check_level, vector, whole
from penchant.errors import InvalidInput
from penchant.schema import Array, Number, Schema

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class CalibrationTable:
    """Stated probabilities beside what happened, one entry for each bin that holds any.

    Attributes
    ----------
    low, high : ndarray of shape (n_filled_bins,)
        The bin's edges: low ≤ probability < high, and ≤ high in the last bin.
    probability : ndarray of shape (n_filled_bins,)
        The mean stated probability.
    share : ndarray of shape (n_filled_bins,)
        The share that happened.
    share_low, share_high : ndarray of shape (n_filled_bins,)
        Wilson's interval of that share.
    count : ndarray of shape (n_filled_bins,)
        How many probabilities fell into the bin.
    level : float
        The level of the interval.
    expected_calibration_error : float
        The mean of abs(probability − share) over the bins, weighted by count.

    Examples
    --------
    >>> table = calibration_table([1, 1, 0, 1], [0.9, 0.8, 0.3, 0.6], n_bins=2)
    >>> table.count.tolist(), table.share.round(2).tolist()
    ([1, 3], [0.0, 1.0])
    """

    __saved__: ClassVar = Schema(
        {
            **{
                name: Array(("n",), least=0, most=1)
                for name in ("low", "high", "probability", "share", "share_low", "share_high")
            },
            "count": Array(("n",), "int64", least=0),
            "level": Number(above=0, below=1),
            "expected_calibration_error": Number(0, 1),
        }
    )

    low: Floats
    high: Floats
    probability: Floats
    share: Floats
    share_low: Floats
    share_high: Floats
    count: Ints
    level: float
    expected_calibration_error: float

    def __repr__(self) -> str:
        return (
            f"CalibrationTable({self.count.sum()} probabilities in {len(self.count)} bins, "
            f"expected calibration error {self.expected_calibration_error:.4f})"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the bins as a frame, one row a bin."""
        import pandas as pd

        columns = ("low", "high", "probability", "share", "share_low", "share_high", "count")
        return pd.DataFrame({name: getattr(self, name) for name in columns})


def brier_score(outcomes: ArrayLike, probabilities: ArrayLike) -> float:
    """Compute the mean squared difference between stated probabilities and what happened.

    Parameters
    ----------
    outcomes : array-like of shape (n,)
        1 where it happened (a beat b), 0 where not. A tie is neither: leave it out.
    probabilities : array-like of shape (n,)
        The stated probability of a 1.

    Returns
    -------
    float
        0 is best; always saying one half earns 0.25.

    Examples
    --------
    >>> brier_score([1, 0, 1, 1], [0.5, 0.5, 1.0, 1.0])
    0.125
    """
    happened, stated = _stated(outcomes, probabilities)
    return float(np.mean((stated - happened) ** 2))


def log_loss(outcomes: ArrayLike, probabilities: ArrayLike) -> float:
    """Compute the mean of −ln(the probability that was stated for what happened).

    Nothing is clipped: something that was called impossible and happened costs infinity.

    Parameters
    ----------
    outcomes, probabilities
        As in `brier_score`.

    Returns
    -------
    float
        0 is best; always saying one half earns ln 2.

    Examples
    --------
    >>> log_loss([1, 0], [0.5, 0.5])
    0.6931471805599453
    >>> log_loss([1, 0], [0.9, 1.0])
    inf
    """
    happened, stated = _stated(outcomes, probabilities)
    with np.errstate(divide="ignore"):
        losses = -np.where(happened == 1, np.log(stated), np.log1p(-stated))
    return float(losses.mean())


def calibration_table(
    outcomes: ArrayLike, probabilities: ArrayLike, *, n_bins: int = 10, level: float = 0.95
) -> CalibrationTable:
    """Compare stated probabilities with what happened, in bins of equal width.

    Parameters
    ----------
    outcomes, probabilities
        As in `brier_score`.
    n_bins : int
        Into how many bins 0 to 1 is cut; bins without any probability are left out of the table.
    level : float
        The level of Wilson's interval of each bin's share.

    Returns
    -------
    CalibrationTable

    Examples
    --------
    >>> table = calibration_table([0, 1, 1, 1], [0.2, 0.2, 0.9, 0.9], n_bins=2)
    >>> table
    CalibrationTable(4 probabilities in 2 bins, expected calibration error 0.2000)
    >>> table.share
    array([0.5, 1. ])
    """
    happened, stated = _stated(outcomes, probabilities)
    edges = _edges(n_bins)
    bins = np.minimum(np.searchsorted(edges, stated, side="right") - 1, n_bins - 1)
    every_count = np.bincount(bins, minlength=n_bins)
    filled = np.flatnonzero(every_count)
    count = every_count[filled]
    probability = np.bincount(bins, weights=stated, minlength=n_bins)[filled] / count
    share = np.bincount(bins, weights=happened, minlength=n_bins)[filled] / count
    share_low, share_high = wilson_interval(share, count, level)
    error = float(np.sum(count * np.abs(probability - share)) / len(stated))
    return CalibrationTable(
        edges[filled], edges[filled + 1], probability, share, share_low, share_high, count, level, error
    )


def _edges(n_bins: int) -> Floats:
    return (
        np.arange(whole("n_bins", n_bins, 1, remedy="10 is usual") + 1) / n_bins
    )  # 7 / 10 is 0.7, which linspace misses


def wilson_interval(share: Floats, count: Ints | Floats, level: float) -> tuple[Floats, Floats]:
    """Return Wilson's interval of shares of so many."""
    check_level(level)
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half_width = z * np.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2) / (1 + z * z / count)
    return np.clip(centre - half_width, 0.0, share), np.clip(centre + half_width, share, 1.0)


def _stated(outcomes: ArrayLike, probabilities: ArrayLike) -> tuple[Floats, Floats]:
    happened = vector("outcome", outcomes)
    if not len(happened):
        raise InvalidInput("outcomes must have at least one row, got none: give what happened")
    stated = vector("probability", probabilities, length=len(happened))
    _refuse("outcome", happened, (happened != 0) & (happened != 1), "be 0 or 1", "leave ties and skips out")
    _refuse(
        "probability",
        stated,
        (stated < 0) | (stated > 1),
        "lie from 0 to 1",
        "give a share, not a percentage",
    )
    return happened, stated


def _refuse(name: str, values: Floats, bad: NDArray[np.bool_], limit: str, advice: str) -> None:
    rows = np.flatnonzero(bad)
    if rows.size:
        raise InvalidInput(f"{name} of row {rows[0]} must {limit}, got {values[rows[0]]:g}: {advice}")
