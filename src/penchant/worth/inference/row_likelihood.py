"""The log likelihood of comparisons with covariates, row by row: d = score of a − score of b + x·β.

Rows with covariates cannot be counted together by pair. They are sorted by pair once, so that sums over the rows of a
pair run through memory in order; what an iteration needs of them are sums for each pair, as without covariates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.preferences import Preferences
from penchant.worth.inference.newton import Derivatives, Link
from penchant.worth.inference.pairs import FIRST, SECOND, TIE, PairGraph, parts

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class CovariateRows:
    """Comparisons sorted by pair, each seen from the item of the lower index.

    Attributes
    ----------
    pairs : int32 array of shape (2, n_pairs)
        The two items of each pair, the lower index first; sorted, each once.
    pair : int array of shape (m,)
        The pair of each comparison, ascending.
    weight : array of shape (3, m)
        The weight of the comparison where it prefers the first, prefers the second, or calls them equal; else 0.
    covariates : array of shape (m, k)
        Of the first less of the second, divided by ``scale``.
    scale : array of shape (k,)
        The root mean square of each covariate.
    row : int array of shape (m,)
        The row of the Preferences that each comparison comes from.
    """

    pairs: NDArray[np.int32]
    pair: Ints
    weight: Floats
    covariates: Floats
    scale: Floats
    row: Ints

    @classmethod
    def of(cls, preferences: Preferences, covariates: Floats) -> CovariateRows:
        """Return the comparisons of ``preferences``.

        Parameters
        ----------
        preferences : Preferences
        covariates : array of shape (n_rows, k)
            Of the better item of each row less of the worse one; 0 where a row has none.
        """
        told = preferences.comparisons()
        n_items = preferences.n_items
        first, second = np.minimum(told.better, told.worse), np.maximum(told.better, told.worse)
        key = first * n_items + second
        order = np.argsort(key, kind="stable")
        key, row = key[order], told.row[order]
        new = np.append(True, key[1:] != key[:-1]) if len(key) else np.zeros(0, dtype=bool)
        turned, tie = (told.better > told.worse)[order], told.tie[order]
        weight = np.zeros((3, len(key)))
        weight[np.where(tie, TIE, np.where(turned, SECOND, FIRST)), np.arange(len(key))] = told.weight[order]
        squares = told.weight @ covariates[told.row] ** 2
        scale = np.sqrt(squares / max(float(told.weight.sum()), 1.0))
        values = covariates[row]
        values *= np.where(turned, -1.0, 1.0)[:, None]
        values /= np.where(scale > 0, scale, 1.0)
        different = key[new]
        pairs = np.stack([different // n_items, different % n_items]).astype(np.int32)
        return cls(pairs, np.cumsum(new) - 1, weight, values, scale, row)

    def __len__(self) -> int:
        return len(self.pair)


class BorderSums(NamedTuple):
    """Minus the second derivatives of the log likelihood, summed over the rows of each pair.

    The border are the parameters beside the scores: the coefficients of the k covariates and, where something was
    tied, the tie parameter.

    Attributes
    ----------
    curvature : array of shape (n_pairs,)
        By the difference of the scores.
    cross : array of shape (n_pairs, q)
        By the difference and by each parameter of the border.
    corner : array of shape (q, q)
        By two parameters of the border, all rows.
    """

    curvature: Floats
    cross: Floats
    corner: Floats


@dataclass(frozen=True, eq=False)
class RowPoint:
    """The log likelihood at one point: its value, its gradient by scores and border, and its second derivatives."""

    scores: Floats
    border: Floats
    value: float
    gradient: Floats
    border_gradient: Floats
    sums: BorderSums


class RowLikelihood:
    """The log likelihood of rows with covariates.

    Parameters
    ----------
    rows : CovariateRows
    link : Link
    n_items : int

    Attributes
    ----------
    graph : PairGraph
    has_ties : bool
        Whether the last parameter of the border is the tie parameter.
    size : int
        The number q of parameters of the border.
    """

    def __init__(self, rows: CovariateRows, link: Link, n_items: int) -> None:
        self.rows, self.link = rows, link
        self.graph = PairGraph(rows.pairs, n_items)
        self.has_ties = bool(rows.weight[TIE].any())
        self.n_covariates = rows.covariates.shape[1]
        self.size = self.n_covariates + self.has_ties
        self._parts = [_Part.of(rows, part) for part in parts(len(rows))]

    def tie_of(self, border: Floats) -> float | None:
        """Return the tie parameter among those of the border."""
        return float(border[-1]) if self.has_ties else None

    def difference(self, scores: Floats, border: Floats) -> Floats:
        """Return the difference of worth of each comparison, covariates included, shape (m,)."""
        first, second = self.rows.pairs
        apart = scores[first] - scores[second]
        difference: Floats = apart[self.rows.pair] + self.rows.covariates @ border[: self.n_covariates]
        return difference

    def at(self, scores: Floats, border: Floats) -> RowPoint:
        """Return the log likelihood and its derivatives at a point."""
        k, tie = self.n_covariates, self.tie_of(border)
        n_pairs = len(self.graph)
        apart = scores[self.graph.first] - scores[self.graph.second]
        slope, curvature, cross = np.zeros(n_pairs), np.zeros(n_pairs), np.zeros((n_pairs, self.size))
        border_gradient, corner = np.zeros(self.size), np.zeros((self.size, self.size))
        value = 0.0
        for part in self._parts:
            x, weight = part.covariates, part.weight
            difference = apart[part.pair] + x @ border[:k]
            value += float(self.link.log_likelihood(difference, weight, tie).sum())
            found = self._derivatives(difference, weight, tie)
            slope[part.span] += part.sums @ found.gradient
            curvature[part.span] += part.sums @ found.curvature
            weighted = found.curvature[:, None] * x
            cross[part.span, :k] += part.sums @ weighted
            corner[:k, :k] += x.T @ weighted
            border_gradient[:k] += found.gradient @ x
            if found.tie_gradient is not None and found.cross is not None and found.tie_curvature is not None:
                border_gradient[-1] += found.tie_gradient.sum()
                cross[part.span, -1] += part.sums @ found.cross
                corner[:k, -1] += found.cross @ x
                corner[-1, -1] += found.tie_curvature.sum()
        if self.has_ties:
            corner[-1, :k] = corner[:k, -1]
        gradient = self.graph.net(slope)
        return RowPoint(
            scores, border, value, gradient, border_gradient, BorderSums(curvature, cross, corner)
        )

    def row_gradients(self, scores: Floats, border: Floats) -> tuple[Floats, Floats]:
        """Return the gradient of each comparison by its difference, shape (m,), and by the border, shape (m, q)."""
        tie = self.tie_of(border)
        found = self._derivatives(self.difference(scores, border), self.rows.weight, tie)
        by_border = found.gradient[:, None] * self.rows.covariates
        if found.tie_gradient is not None:
            by_border = np.column_stack([by_border, found.tie_gradient])
        return found.gradient, by_border

    def _derivatives(self, difference: Floats, weight: Floats, tie: float | None) -> Derivatives:
        if tie is None:
            return self.link.decided(difference, weight)
        return self.link.tied(difference, weight, tie)


class _Part(NamedTuple):
    """Some rows that stay in the processor's cache, and the matrix that sums them by pair."""

    pair: Ints
    span: slice
    weight: Floats
    covariates: Floats
    sums: csr_array

    @classmethod
    def of(cls, rows: CovariateRows, part: slice) -> _Part:
        from scipy.sparse import csr_array

        pair = rows.pair[part]
        span = slice(int(pair[0]), int(pair[-1]) + 1)
        n_pairs, size = span.stop - span.start, len(pair)
        starts = np.searchsorted(pair, np.arange(span.start, span.stop + 1)).astype(np.int32)
        sums = csr_array((n_pairs, size))
        sums.data, sums.indices, sums.indptr = np.ones(size), np.arange(size, dtype=np.int32), starts
        return cls(pair, span, np.ascontiguousarray(rows.weight[:, part]), rows.covariates[part], sums)
