"""A symmetric matrix with changes of low rank that are applied later, many at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints


class DelayedMatrix(NamedTuple):
    """The matrix M − T diag(signs) Tᵀ, of which M, the columns of T and their signs are stored.

    Subtracting one column's outer product from a large matrix takes the time of reading and writing all of it; many at
    once take hardly more. Until then, entries are read through this.

    Attributes
    ----------
    matrix : array of shape (n, n)
    terms : array of shape (n, p) or wider
        Only its first p columns are used.
    signs : array of shape (p,)

    Examples
    --------
    >>> delayed = DelayedMatrix(np.eye(2), np.array([[0.5], [1.0]]), np.array([1.0]))
    >>> delayed.whole().tolist()
    [[0.75, -0.5], [-0.5, 0.0]]
    >>> delayed.entries(np.array([0, 1]), np.array([1, 1])).tolist()
    [-0.5, 0.0]
    """

    matrix: Floats
    terms: Floats
    signs: Floats

    @property
    def columns(self) -> Floats:
        """The columns that count, shape (n, p)."""
        return self.terms[:, : len(self.signs)]

    def entries(self, rows: Ints, columns: Ints) -> Floats:
        """Return the entries at each row and column, shape (m,)."""
        changes = (self.columns[rows] * self.columns[columns]) @ self.signs
        entries: Floats = self.matrix[rows, columns] - changes
        return entries

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Return a copy of the entries at all of ``rows`` and ``columns``, shape (r, c)."""
        block: Floats = self.matrix[np.ix_(rows, columns)]
        if len(self.signs):
            block -= (self.columns[rows] * self.signs) @ self.columns[columns].T
        return block

    def times(self, values: Floats) -> Floats:
        """Return the product with a vector."""
        product: Floats = self.matrix @ values
        return product - self.columns @ (self.signs * (values @ self.columns))

    def whole(self) -> Floats:
        """Return all entries; where nothing is delayed they are the stored ones, to be read only."""
        if not len(self.signs):
            return self.matrix
        whole: Floats = self.matrix - (self.columns * self.signs) @ self.columns.T
        return whole


def delayed(matrix: Any) -> DelayedMatrix:
    """Return a matrix, or one with delayed changes, as a `DelayedMatrix`."""
    if isinstance(matrix, DelayedMatrix):
        return matrix
    return DelayedMatrix(matrix, np.empty((len(matrix), 0)), np.empty(0))
