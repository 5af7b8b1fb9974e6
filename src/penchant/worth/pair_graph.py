"""Sums over pairs and over items. One number a pair in, one an item out, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_PART = 1 << 14


def parts(length: int) -> Iterator[slice]:
    """Walk an array in parts that are small enough for the processor's cache, and so are results in between."""
    return (slice(start, min(start + _PART, length)) for start in range(0, length, _PART))


class PairGraph:
    """Items and the pairs of them that were compared.

    Parameters
    ----------
    pairs : int32 array of shape (2, n_pairs)
        Sorted, the lower index first.
    n_items : int
    """

    def __init__(self, pairs: NDArray[np.int32], n_items: int) -> None:
        self.first, self.second = pairs
        self.n_items = n_items
        self.starts = np.searchsorted(self.first, np.arange(n_items + 1, dtype=np.int32)).astype(np.int32)
        self._ones = np.ones(n_items)

    def __len__(self) -> int:
        return len(self.first)

    def parts(self) -> Iterator[slice]:
        """Walk the pairs in parts that are small enough for the processor's cache."""
        return parts(len(self))

    def net(self, flows: Floats) -> Floats:
        """Return for each item what its pairs say, as first with plus and as second with minus."""
        matrix = self.upper(flows)
        result: Floats = matrix @ self._ones
        result -= matrix.T @ self._ones
        return result

    def gross(self, flows: Floats) -> Floats:
        """Return for each item the sum over its pairs, shape (n_items,)."""
        return self.product(flows, self._ones)

    def product(self, flows: Floats, values: Floats) -> Floats:
        """Return for each item the sum over its pairs times the others' values, shape (n_items,) or (n_items, k)."""
        matrix = self.upper(flows)
        result: Floats = matrix @ values
        result += matrix.T @ values
        return result

    def upper(self, values: Floats) -> csr_array:
        """Return the upper triangle that holds a number for each pair, sparse."""
        from scipy.sparse import csr_array

        matrix = csr_array((self.n_items, self.n_items))
        matrix.data, matrix.indices, matrix.indptr = values, self.second, self.starts
        return matrix

    def full(self, values: Floats) -> Floats:
        """Return the upper triangle written out, shape (n_items, n_items)."""
        matrix = np.zeros((self.n_items, self.n_items))
        matrix.ravel()[self.first.astype(np.int64) * self.n_items + self.second] = values
        return matrix
