"""Explain the difference between the scores of two candidates by their features."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from penchant.checks import Floats, whole
from penchant.errors import UnknownItem
from penchant.schema import Number, Row, Schema, Text, TupleOf, Whole

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, repr=False)
class ScoreDifference:
    """What each feature contributes to the score of candidate ``a`` less that of candidate ``b``.

    Attributes
    ----------
    a, b : int
        Indices of the candidates.
    difference : float
        The sum of all contributions: the difference of the two scores, up to rounding.
    contributions : tuple of (str, float)
        Of each feature in which the two differ and whose weight is not 0: its weight times the difference of its
        (scaled) values; the largest in size first, and of equals the first column.

    Examples
    --------
    >>> from penchant.coactive import NamedLearner, PreferencePerceptron, RankingMap
    >>> named = NamedLearner(PreferencePerceptron(RankingMap(), 2, weights=[2.0, -1.0]), ["stars", "price"])
    >>> named.why([{"stars": 5, "price": 3}, {"stars": 4, "price": 1}], 0, 1)
    ScoreDifference(0 over 1 by 0: stars +2, price -2)
    """

    __saved__: ClassVar = Schema(
        {
            "a": Whole(0),
            "b": Whole(0),
            "difference": Number(),
            "contributions": TupleOf(Row((Text(), Number()))),
        }
    )

    a: int
    b: int
    difference: float
    contributions: tuple[tuple[str, float], ...]

    @classmethod
    def between(cls, X: Any, weights: Floats, names: tuple[str, ...], a: int, b: int) -> Self:
        """Return the contributions to wᵀ(x_a − x_b), given candidates as rows whose columns are named."""
        first, second = (_row(X, whole(name, row, 0)) for name, row in (("a", a), ("b", b)))
        parts = (weights * (first - second))[: len(names)]
        order = [int(column) for column in np.argsort(-np.abs(parts), kind="stable") if parts[column]]
        values = [float(parts[column]) for column in order]
        named = tuple((names[column], value) for column, value in zip(order, values, strict=True))
        return cls(a, b, fsum(values), named)

    def to_frame(self) -> DataFrame:
        """Return the contributions as a table, one row a feature."""
        from pandas import DataFrame

        return DataFrame(list(self.contributions), columns=["feature", "contribution"])

    def __repr__(self) -> str:
        parts = [f"{name} {value:+.3g}" for name, value in self.contributions[:6]]
        more = ", …" if len(self.contributions) > 6 else ""
        listed = f": {', '.join(parts)}{more}" if parts else ""
        return f"ScoreDifference({self.a} over {self.b} by {self.difference:.3g}{listed})"

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        return cls(**state)


def _row(X: Any, row: int) -> Floats:
    if row >= X.shape[0]:
        raise UnknownItem.of(
            "candidate", f"be from 0 to {X.shape[0] - 1}", row, "give the index of a candidate"
        )
    return np.asarray(X[row] if isinstance(X, np.ndarray) else X[[row]].toarray()[0], dtype=np.float64)
