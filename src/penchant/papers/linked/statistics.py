"""What several runs of paper 5 say together. Precision after each question in; tests, tables and estimates out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.result import Estimate

if TYPE_CHECKING:
    import pandas as pd

TESTED = 100
SIGNIFICANT = 0.05


def hundreds(at: Ints) -> Ints:
    """Return the places of the multiples of 100 among numbers of questions; the last one where there is none.

    Examples
    --------
    >>> hundreds(np.array([0, 50, 100, 150, 200]))
    array([2, 4])
    """
    places = np.flatnonzero((at % TESTED == 0) & (at > 0))
    return places if len(places) else np.array([len(at) - 1])


def compared(ours: Floats, theirs: Floats) -> dict[str, float]:
    """Return the mean lead of values that belong together, and what the paper's two tests and a paired one say."""
    from scipy.stats import ranksums, ttest_ind, ttest_rel

    lead = Estimate.of(ours - theirs)
    found = {"lead": lead.value, "standard error": lead.error}
    tests: dict[str, Callable[..., Any]] = {
        "p, rank-sum": ranksums,
        "p, t-test": ttest_ind,
        "p, paired t-test": ttest_rel,
    }
    with warnings.catch_warnings():  # where all values are equal there is nothing to test, and NaN says so
        warnings.simplefilter("ignore", RuntimeWarning)
        return found | {name: float(test(ours, theirs).pvalue) for name, test in tests.items()}


def tidy(
    tables: Mapping[str, Mapping[str, Floats]], at: Ints, *, name: str = "name", run: str = "run"
) -> pd.DataFrame:
    """Return a row for each name, run and number of questions.

    Parameters
    ----------
    tables : dict of quantity → dict of name → array of shape (runs, points)
    at : int array of shape (points,)
    name, run : str
        What these columns are called.
    """
    import pandas as pd

    parts = []
    for told, table in next(iter(tables.values())).items():
        number, point = np.indices(table.shape)
        columns = {quantity: of[told].ravel() for quantity, of in tables.items()}
        parts.append(
            pd.DataFrame({name: told, run: number.ravel(), "questions": at[point.ravel()]} | columns)
        )
    return pd.concat(parts, ignore_index=True)


def reached(curve: Floats, other: Floats) -> float:
    """Return at which share of the points ``curve`` has what ``other`` has at the last one; ∞ if never.

    Examples
    --------
    >>> reached(np.array([0.0, 0.5, 0.7]), np.array([0.0, 0.2, 0.5]))
    0.5
    """
    there = np.flatnonzero(curve >= other[-1])
    return float(there[0] / (len(other) - 1)) if len(there) else float("inf")


def bootstrapped(statistic: Callable[[Ints], float], count: int, seed: int) -> Estimate:
    """Return a statistic of all rows, with its deviation over 200 draws of as many rows for a standard error.

    Examples
    --------
    >>> values = np.arange(10.0)
    >>> bootstrapped(lambda rows: float(values[rows].mean()), 10, 0).value
    4.5
    """
    random = np.random.default_rng(seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.array([statistic(random.integers(count, size=count)) for _ in range(200)])
        value = statistic(np.arange(count))
    return Estimate(value, float(drawn.std(ddof=1)) if np.isfinite(drawn).all() else float("nan"))
