"""Check the features of candidates, dense or sparse, and score them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints, numbers
from penchant.errors import InvalidInput
from penchant.threads import one_thread

_BLOCK = 1 << 13  # numbers
_NEAR = 50  # rows between the first and the last
# NumPy 1 has no product of each row with a vector but this one, which is slower.
_products: Callable[[Floats, Floats], Floats] = getattr(np, "vecdot", partial(np.einsum, "ij,j->i"))


@np.errstate(over="ignore")  # in the sum of squares
def matrix(context: Any) -> Any:
    """Return ``context`` as a finite float64 array or CSR matrix with at least one row, or say what is wrong."""
    X = _formed(context)
    if not finite(X.reshape(-1) if isinstance(X, np.ndarray) else X.data):
        _refuse_first_bad(X)
    return X


def finite(values: Floats) -> bool:
    """Say whether all entries of a vector are finite; a sum of squares cannot hide one that is not."""
    with one_thread(len(values)):
        squares = values.dot(values)
    return bool(squares < inf) or bool(np.isfinite(values).all())


@np.errstate(over="ignore", invalid="ignore")  # what is not finite raises InvalidInput
def scores(context: Any, weights: Floats) -> Floats:
    """Return the score wᵀx of each candidate, the same for equal rows wherever they stand.

    A product by BLAS would sum some rows in another order than others, which breaks ties at random, and would
    depend on the number of threads. A number that is not finite shows in the score of its row, since even
    0 · NaN is NaN, so that one pass over the context is enough.
    """
    X = _formed(context)
    if X.shape[1] != len(weights):
        raise InvalidInput(
            f"context must have {len(weights)} features, one a weight, got {X.shape[1]}: give the columns "
            "that the weights were learned on"
        )
    found = _products(X, weights) if isinstance(X, np.ndarray) else np.asarray(X @ weights)
    if not finite(found):
        _refuse_first_bad(X)
        raise InvalidInput("scores must be finite, got sums too large to hold: scale the features down")
    return found


def fingerprint(context: Any) -> int:
    """Return a number that tells contexts apart, and is the same for the same numbers, dense or sparse.

    It is the sum of the numbers' bits, each times a key of its row and one of its column, modulo 2⁶⁴; what is 0 adds
    nothing.
    """
    X = _formed(context)
    rows, columns = _keys(X.shape[0], 1), _keys(X.shape[1], 1 << 32)
    if isinstance(X, np.ndarray):
        step = max(1, _BLOCK // max(1, X.shape[1]))  # arrays that stay in the processor's cache
        blocks = [_bits(X[row : row + step]) @ columns for row in range(0, len(X), step)]
        return int(rows @ np.concatenate(blocks))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return int(rows.repeat(np.diff(X.indptr)) @ (_bits(X.data) * columns[X.indices]))


def _bits(values: Floats) -> NDArray[np.uint64]:
    """Return the bits of numbers, stirred since those of round numbers end in zeros; 0 and −0 stay 0."""
    bits = (values + 0.0).view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    return bits


@lru_cache
def _keys(n: int, first: int) -> NDArray[np.uint64]:
    """Odd numbers without a pattern, one a place."""
    keys = np.arange(first, first + n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys ^= keys >> np.uint64(30)
    keys *= np.uint64(0xBF58476D1CE4E5B9)
    return keys ^ (keys >> np.uint64(27)) | np.uint64(1)


def weighted_sum(X: Any, rows: Ints, coefficients: Floats, among: Ints | None = None) -> Floats:
    """Return Σ c x over some rows, shape (n_features,); what cancels leaves an exact 0.

    Products are rounded and then added in the order of the rows, so that a dense and a sparse matrix of the same
    numbers give the same bits. Where ``among`` is given, row i is row ``among[i]`` of the matrix.
    """
    counted = np.bincount(rows, coefficients)
    rows = counted.nonzero()[0]
    used = counted[rows]
    if among is not None:
        rows = among[rows]
    if not rows.size:
        return np.zeros(X.shape[1])
    if isinstance(X, np.ndarray):
        products = X.take(rows, axis=0)
        products *= used[:, None]
        # Along one contiguous column a sum would add several entries at once.
        total: Floats = products.sum(axis=0) if X.shape[1] > 1 else products.cumsum(axis=0)[-1]
        return total + 0.0  # −0 becomes 0
    first, last = int(rows[0]), int(rows[-1])
    if last - first < _NEAR and (rows[1:] > rows[:-1]).all():
        # One piece of the matrix, in which the rows between add 0.
        factors = np.zeros(last - first + 1)
        factors[rows - first] = used
        ends = X.indptr[first : last + 2]
        piece = slice(ends[0], ends[-1])
        products = X.data[piece] * factors.repeat(ends[1:] - ends[:-1])
        return np.asarray(np.bincount(X.indices[piece], products, X.shape[1]), dtype=np.float64)
    ends = X.indptr
    places = [slice(ends[row], ends[row + 1]) for row in rows.tolist()]
    columns = np.concatenate([X.indices[place] for place in places])
    parts = [X.data[place] * factor for place, factor in zip(places, used.tolist(), strict=True)]
    return np.asarray(np.bincount(columns, np.concatenate(parts), minlength=X.shape[1]), dtype=np.float64)


def weighted_sums(X: Any, starts: list[int], up: Ints, gains: Floats, down: Ints, losses: Floats) -> Floats:
    """Return Σ c x over the rows of each of many blocks of a CSR matrix, shape (n_blocks, n_features).

    Row ``up[i]`` counts ``gains[i]`` and row ``down[i]`` −``losses[i]``; each sum has the bits of `weighted_sum`.
    """
    n_rows, width = X.shape
    factors = np.bincount(np.concatenate((up, down)), np.concatenate((gains, -losses)), n_rows)
    lengths = np.diff(X.indptr)
    block = np.arange(len(starts)).repeat(np.diff([*starts, n_rows]))
    places = block.repeat(lengths) * width + X.indices
    sums = np.bincount(places, X.data * factors.repeat(lengths), len(starts) * width)
    return np.asarray(sums, dtype=np.float64).reshape(len(starts), width)


def joined(context: Any, outside: Any) -> Any:
    """Return the candidates with those from outside below them, sparse if the candidates are."""
    X, more = matrix(context), matrix(outside)
    if X.shape[1] != more.shape[1]:
        raise InvalidInput(
            f"results from outside must have the {X.shape[1]} features of the candidates, got {more.shape[1]}: "
            "give the same columns"
        )
    if isinstance(X, np.ndarray):
        return np.vstack([X, more if isinstance(more, np.ndarray) else more.toarray()])
    from scipy.sparse import csr_array, vstack

    return vstack([X, csr_array(more)], format="csr")


def _formed(context: Any) -> Any:
    if type(context) is np.ndarray and context.dtype == np.float64:
        X = context
    elif hasattr(context, "tocsr"):
        X = context.tocsr().astype(np.float64, copy=False)
    else:
        X = numbers("context", context)
    if X.ndim != 2 or X.shape[0] == 0:
        raise InvalidInput(
            f"context must be a matrix with one row a candidate and at least one row, got shape {X.shape}: "
            "give (n_candidates, n_features)"
        )
    return X


def _refuse_first_bad(X: Any) -> None:
    """Name the first number that is not finite, if there is one."""
    values = X.reshape(-1) if isinstance(X, np.ndarray) else X.data
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size == 0:
        return
    if isinstance(X, np.ndarray):
        row, column = divmod(int(bad[0]), X.shape[1])
    else:
        row, column = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1, int(X.indices[bad[0]])
    raise InvalidInput(
        f"context of row {row}, column {column} must be a finite number, got {values[bad[0]]}: "
        "remove or repair the row"
    )
