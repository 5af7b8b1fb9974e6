"""Compare two rankings of the same queries by paired tests."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, check_level, one_of
from penchant.equality import EqualNaN
from penchant.errors import InvalidInput
from penchant.metrics.by_query import USUAL, by_query
from penchant.metrics.ties import Ties
from penchant.schema import Instance, Number, Schema, Text, TupleOf, Whole

if TYPE_CHECKING:
    from pandas import DataFrame

DRAWS = 10_000
_EXACT = 13  # queries whose 8,192 choices of signs can all be tried
_BLOCK = 1_000_000


@dataclass(frozen=True, eq=False)
class Difference(EqualNaN):
    """One metric of two rankings of the same queries.

    Attributes
    ----------
    metric : str
    first, second : float
        The means over the queries.
    difference, low, high : float
        first − second, and the t interval of its mean.
    p_t : float
        Of the paired t test.
    p_randomisation : float
        Of the test that swaps the two in random queries: of all choices, or of 10,000 drawn ones.
    better, worse, queries : int
        In how many queries the first is better, is worse, and of how many.

    Examples
    --------
    >>> from penchant.metrics import compare
    >>> grades, qid = [2, 0, 1, 0, 1, 2] * 4, [k // 3 for k in range(24)]
    >>> found = compare(grades, [2, 0, 1, 0, 1, 2] * 4, [0, 2, 1, 1, 0, 2] * 4, qid=qid).differences[0]
    >>> found.metric, found.difference > 0
    ('NDCG@10', True)
    """

    __saved__: ClassVar = Schema(
        {
            "metric": Text(),
            **{name: Number() for name in ("first", "second", "difference", "low", "high")},
            **{name: Number(0, 1) for name in ("p_t", "p_randomisation")},
            **{name: Whole(0) for name in ("better", "worse", "queries")},
        }
    )

    metric: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_t: float
    p_randomisation: float
    better: int
    worse: int
    queries: int

    def __repr__(self) -> str:
        return (
            f"{self.metric:<10}{self.first:.4f} − {self.second:.4f} = {self.difference:+.4f} "
            f"[{self.low:+.4f}, {self.high:+.4f}], p = {self.p_randomisation:.4f} (t test {self.p_t:.4f}), "
            f"better in {self.better:,} and worse in {self.worse:,} of {self.queries:,} queries"
        )


@dataclass(frozen=True)
class Comparison:
    """How two rankings of the same queries differ, one `Difference` a metric.

    Examples
    --------
    >>> from penchant.metrics import compare
    >>> grades, qid = [2, 0, 1, 0, 1, 2] * 4, [k // 3 for k in range(24)]
    >>> found = compare(grades, [2, 0, 1, 0, 1, 2] * 4, [0, 2, 1, 1, 0, 2] * 4, qid=qid)
    >>> [(line.metric, line.better) for line in found.differences][:1]
    [('NDCG@10', 8)]
    """

    __saved__: ClassVar = Schema({"differences": TupleOf(Instance(Difference))})

    differences: tuple[Difference, ...]

    def __getitem__(self, metric: str) -> Difference:
        found = {difference.metric: difference for difference in self.differences}
        one_of("metric", metric, found)
        return found[metric]

    def to_frame(self) -> DataFrame:
        """Return the differences as a pandas frame, one row a metric."""
        from pandas import DataFrame

        return DataFrame([vars(difference) for difference in self.differences])

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.differences))


def compare(
    grades: ArrayLike,
    scores: ArrayLike,
    others: ArrayLike,
    *,
    qid: Iterable[Hashable],
    k: int = 10,
    ties: Ties = "average",
    metrics: Sequence[str] = USUAL,
    relevant: float = 1.0,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare two columns of scores, of any two models, query by query.

    Parameters
    ----------
    grades : array-like of shape (n_rows,)
    scores, others : array-like of shape (n_rows,)
        Of the one model and of the other, larger is better.
    qid : array-like of shape (n_rows,)
        The query of each row; at least two queries.
    k, ties, metrics, relevant
        As in `evaluate`. A query that does not define a metric is left out.
    level : float
        The probability of the interval.
    seed : int
        Of the randomisation test.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> grades, qid = rng.integers(0, 3, 2000), np.repeat(range(100), 20)
    >>> near, far = grades + rng.normal(0, 1, 2000), grades + rng.normal(0, 2, 2000)
    >>> found = compare(grades, near, far, qid=qid, metrics=["ndcg"])["NDCG@10"]
    >>> found.low > 0, found.p_randomisation < 0.001, found.better > found.worse
    (True, True, True)
    """
    labels = qid if hasattr(qid, "dtype") else list(qid)
    first, second = (
        by_query(grades, column, qid=labels, k=k, ties=ties, metrics=metrics, relevant=relevant)
        for column in (scores, others)
    )
    return Comparison(
        tuple(
            difference(name, values[defined], second.values[name][0][defined], level=level, seed=seed)
            for name, (values, defined) in first.values.items()
        )
    )


def difference(
    metric: str, first: Floats, second: Floats, *, level: float = 0.95, seed: int = 0
) -> Difference:
    """Test whether two values a query differ in the mean, each of shape (n_queries,).

    References
    ----------
    Smucker, Allan and Carterette, A comparison of statistical significance tests for information retrieval
    evaluation, CIKM 2007.

    Examples
    --------
    >>> found = difference("MAP", np.array([0.5, 0.7, 0.6]), np.array([0.4, 0.4, 0.6]))
    >>> round(found.difference, 3), found.p_randomisation
    (0.133, 0.5)
    """
    from scipy.stats import t

    check_level(level)
    count = len(first)
    if count < 2:
        raise InvalidInput(
            f"{metric} must exist in at least two queries to be compared, got {count}: give more queries"
        )
    apart = first - second
    mean, error = float(apart.mean()), float(apart.std(ddof=1) / np.sqrt(count))
    steps = abs(mean) / error if error > 0 else (np.inf if mean else 0.0)
    reach = float(t.ppf((1 + level) / 2, count - 1)) * error
    return Difference(
        metric,
        float(first.mean()),
        float(second.mean()),
        mean,
        mean - reach,
        mean + reach,
        float(2 * t.sf(steps, count - 1)),
        _randomised(apart, seed),
        int((apart > 0).sum()),
        int((apart < 0).sum()),
        count,
    )


def _randomised(apart: Floats, seed: int) -> float:
    """Return the share of choices of signs whose mean is as far from 0 as the one that was observed."""
    apart = apart[apart != 0]
    if not len(apart):
        return 1.0
    reached = abs(apart.sum()) - 1e-12 * np.abs(apart).sum()
    if len(apart) <= _EXACT:
        numbers = np.arange(2 ** len(apart))[:, None] >> np.arange(len(apart))
        return float((np.abs((1 - 2 * (numbers & 1)) @ apart) >= reached).mean())
    rng, height = np.random.default_rng(seed), max(1, _BLOCK // len(apart))
    extreme = 0
    for start in range(0, DRAWS, height):
        signs = rng.integers(0, 2, (min(height, DRAWS - start), len(apart)), dtype=np.int8)
        extreme += int((np.abs((1.0 - 2.0 * signs) @ apart) >= reached).sum())
    return (1 + extreme) / (1 + DRAWS)
