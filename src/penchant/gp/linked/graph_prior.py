"""The prior covariance of a weighted graph of items, also of items that are linked to it afterwards.

The regularised Laplacian K_r = [β(Δ + I/ι²)]⁻¹ (eq. 3) is the inverse of a sparse matrix Q. Up to `WRITTEN_OUT` items
it is inverted; above, a row is one solve by conjugate gradients, and variances are bounded from both sides.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints, shown
from penchant.errors import InvalidInput
from penchant.gp.linked.priors import MatrixPrior, Prior
from penchant.lapack import cholesky, inverse_of_factor

WRITTEN_OUT = 3000
_TOLERANCE = 1e-12
_ROUGH_TOLERANCE = 1e-8
"""Of solves for variances by which pairs are only chosen."""
_MOST_STEPS = 10_000


def graph_prior(links: Any, *, beta: float, iota: float) -> Prior:
    """Return the prior of a graph: a matrix for few items, row-wise solves for many."""
    precision = laplacian_precision(links, beta=beta, iota=iota)
    if precision.shape[0] > WRITTEN_OUT:
        return GraphPrior(precision)
    factor = precision.toarray(order="F")
    if not cholesky(factor):
        raise ill_conditioned(precision.diagonal().max() / beta, 1 / iota**2)
    inverse_of_factor(factor)
    lower = np.tril(factor)
    return MatrixPrior(lower + np.tril(lower, -1).T)


def ill_conditioned(weight: float, own: float) -> InvalidInput:
    """Return the error for links of a total ``weight`` at one item beside which the ``own`` 1/ι² is lost."""
    return InvalidInput(
        f"weights of links must be of one scale, got {weight:g} at one item beside 1/iota² = {own:g}: divide the "
        "weights, or choose a smaller iota"
    )


def laplacian_precision(links: Any, *, beta: float, iota: float) -> Any:
    """Return Q = β(Δ + I/ι²) with Δ = D − W as a sparse matrix.

    Parameters
    ----------
    links : sparse or dense array of shape (n, n)
        Weights W of an undirected graph: symmetric, not negative; the diagonal has no effect.
    beta, iota : float
    """
    from scipy import sparse

    weights = undirected(links)
    weights = weights - sparse.diags_array(weights.diagonal())
    degree = np.asarray(weights.sum(axis=1)).ravel()
    precision = beta * (sparse.diags_array(degree + 1 / iota**2) - weights)
    return sparse.csr_array(precision)


def undirected(links: Any) -> Any:
    """Return ``links`` as a sparse matrix of weights, checked."""
    from scipy import sparse

    try:
        weights = sparse.csr_array(links, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"links must be a matrix of numbers, got {shown(links)}: give a sparse or dense matrix of weights"
        ) from None
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise InvalidInput(
            f"links must be a square matrix, got shape {weights.shape}: give one row and column an item"
        )
    if not np.isfinite(weights.data).all() or (weights.data < 0).any():
        row, column = (int(place[0]) for place in _wrong(weights))
        raise InvalidInput(
            f"the link of items {row} and {column} must be a finite number of at least 0, "
            f"got {weights[row, column]}: remove or repair it"
        )
    apart = abs(weights - weights.T)
    if apart.nnz and apart.max() > 1e-9 * abs(weights).max():
        row, column = (int(place[0]) for place in (apart > 0).nonzero())
        raise InvalidInput(
            f"links must be undirected, but {row} to {column} weighs {weights[row, column]:g} and back "
            f"{weights[column, row]:g}: give W + Wᵀ, or the larger of both"
        )
    return weights


def _wrong(weights: Any) -> tuple[Any, Any]:
    entries = weights.tocoo()
    bad = ~np.isfinite(entries.data) | (entries.data < 0)
    return entries.row[bad], entries.col[bad]


class GraphPrior(Prior):
    """The inverse of a sparse precision matrix, a row at a time.

    Examples
    --------
    >>> ring = np.roll(np.eye(4), 1, axis=1)
    >>> prior = GraphPrior(laplacian_precision(ring + ring.T, beta=1.0, iota=1.0))
    >>> prior.block(np.array([0])).round(3)
    array([[0.467, 0.2  , 0.133, 0.2  ]])
    """

    def __init__(self, precision: Any) -> None:
        self.n_items = precision.shape[0]
        self._precision = precision
        self._inverse_diagonal = 1 / precision.diagonal()
        self._solved: dict[int, float] = {}  # variances from earlier solves

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        solved = np.empty((len(rows), self.n_items))
        for place, row in enumerate(rows.tolist()):
            unit = np.zeros(self.n_items)
            unit[row] = 1.0
            solved[place] = self._solve(unit)
            self._solved[row] = float(solved[place, row])
        return solved if columns is None else solved[:, columns]

    def of_difference(self, first: int, second: int) -> Floats:
        """Return K₀(e_first − e_second), by one solve."""
        return self._solve(self._difference(first, second))

    def _difference(self, first: int, second: int) -> Floats:
        difference = np.zeros(self.n_items)
        difference[first] += 1.0
        difference[second] -= 1.0
        return difference

    def difference_variance(self, first: Ints, second: Ints) -> Floats:
        """Return the variances of the differences of pairs of items, by one solve a pair, or an item if fewer."""
        if len(np.union1d(first, second)) < len(first):
            return super().difference_variance(first, second)
        variance = np.empty(len(first))
        for place, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            along = self._solve(self._difference(i, j), _ROUGH_TOLERANCE)
            variance[place] = along[i] - along[j]
        return variance

    def times(self, items: Ints, weights: Floats) -> Floats:
        """Return K₀[:, items] weights, by one solve."""
        right = np.zeros(self.n_items)
        np.add.at(right, items, weights)
        return self._solve(right)

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the diagonal at ``rows`` (None: all), or None where all of it would cost too much."""
        if rows is None:
            return None
        unsolved = np.array([row for row in rows.tolist() if row not in self._solved], dtype=np.int64)
        if len(unsolved):
            self.block(unsolved)
        return np.array([self._solved[row] for row in rows.tolist()])

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return bounds on all variances.

        Without some links Q is smaller, so its inverse is larger, and on a spanning forest the variances are exact
        (`forest_variance`). From below, Q_ii⁻¹ is the variance given all neighbours.
        """
        lower, upper = self._inverse_diagonal.copy(), self._forest.copy()
        if self._solved:
            rows = np.fromiter(self._solved, dtype=np.int64)
            lower[rows] = upper[rows] = np.fromiter(self._solved.values(), dtype=np.float64)
        return lower, upper

    @cached_property
    def _forest(self) -> Floats:
        return forest_variance(self._precision)

    def _solve(self, right: Floats, tolerance: float = _TOLERANCE) -> Floats:
        from scipy.sparse.linalg import LinearOperator, cg

        n = self.n_items
        scaled = LinearOperator((n, n), matvec=lambda vector: self._inverse_diagonal * vector)
        solution, left = cg(self._precision, right, rtol=tolerance, atol=0.0, maxiter=_MOST_STEPS, M=scaled)
        if left:
            raise InvalidInput(
                f"a solve on the graph of {n} items did not settle in {_MOST_STEPS} steps: choose a smaller iota"
            )
        result: Floats = solution
        return result


def forest_variance(precision: Any) -> Floats:
    """Return for each item an upper bound on the diagonal of ``precision``⁻¹.

    Of the links only a spanning forest of the heaviest is kept (and each item's own 1/ι²); on a forest the variances
    follow from one pass to the roots, which adds up the precision of each subtree, and one pass back.
    """
    from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

    n = precision.shape[0]
    links = -precision.copy()
    links.setdiag(0)
    links.eliminate_zeros()
    own = np.asarray(precision.sum(axis=1)).ravel()  # β/ι²: rows of the Laplacian sum to 0
    inverted = links.copy()
    inverted.data = 1 / inverted.data
    forest = minimum_spanning_tree(inverted)
    forest.data = 1 / forest.data
    forest = forest + forest.T
    _, component = connected_components(forest, directed=False)
    roots = np.unique(component, return_index=True)[1]
    order, parent = [], np.full(n, -1)
    for root in roots:
        reached, before = breadth_first_order(forest, root, directed=False)
        order.append(reached)
        parent[reached] = np.where(before[reached] < 0, -1, before[reached])
    visits = np.concatenate(order).astype(np.int64)
    weight = np.zeros(n)
    children = visits[parent[visits] >= 0]
    weight[children] = np.asarray(forest[children, parent[children]]).ravel()
    return _two_passes(visits, parent, weight, own)


def _two_passes(visits: Ints, parent: Ints, weight: Floats, own: Floats) -> Floats:
    """Return the variances on a forest: a link of weight w passes a precision p on as w·p/(w + p)."""
    total = own.copy()
    passed = np.zeros(len(own))
    for item in visits[::-1].tolist():
        above = parent[item]
        if above >= 0:
            passed[item] = weight[item] * total[item] / (weight[item] + total[item])
            total[above] += passed[item]
    for item in visits.tolist():
        above = parent[item]
        if above >= 0:
            rest = total[above] - passed[item]
            total[item] += weight[item] * rest / (weight[item] + rest)
    variance: Floats = 1 / total
    return variance


class ExtendedPrior(Prior):
    """A prior, and new items that were linked to its items afterwards; these keep their covariance.

    Given the others, new items n have precision Q_nn = β(Δ_nn + I/ι²) and mean A g with A = Q_nn⁻¹ β W_no. The
    covariance is M K Mᵀ with M = [I; A], plus Q_nn⁻¹ between new items.

    Parameters
    ----------
    old : Prior
        Of the earlier items, with covariance K.
    share : array of shape (n_new, n_old)
        A.
    own : array of shape (n_new, n_new)
        Q_nn⁻¹.
    """

    def __init__(self, old: Prior, share: Floats, own: Floats) -> None:
        self.n_items = old.n_items + len(own)
        self._old, self._share, self._own = old, share, own

    @classmethod
    def of(cls, old: Prior, links: Any, *, beta: float, iota: float) -> ExtendedPrior:
        """Link new items to ``old`` ones; ``links`` are the weights of the new ones, (n_new, n_old + n_new)."""
        among = links[:, old.n_items :].toarray()
        np.fill_diagonal(among, 0.0)
        to_old = links[:, : old.n_items].toarray()
        degree = among.sum(axis=1) + to_old.sum(axis=1)
        own = np.linalg.inv(beta * (np.diag(degree + 1 / iota**2) - among))
        own = (own + own.T) / 2
        return cls(old, own @ (beta * to_old), own)

    def block(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K₀[rows, columns]; None is all columns."""
        n_old = self._old.n_items
        weights = self._weights(rows)
        items = np.flatnonzero(weights.any(axis=0))
        with_old = weights[:, items] @ self._old.block(items)
        block = np.concatenate([with_old, with_old @ self._share.T], axis=1)
        new = rows >= n_old
        block[new, n_old:] += self._own[rows[new] - n_old]
        return block if columns is None else block[:, columns]

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the diagonal at ``rows`` (None: all), or None where all of it would cost too much."""
        if rows is None:
            old = self._old.variance()
            new = self.variance(np.arange(self._old.n_items, self.n_items))
            return None if old is None or new is None else np.concatenate([old, new])
        variance: Floats = self.block(rows)[np.arange(len(rows)), rows]
        return variance

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the diagonal lies."""
        lower, upper = self._old.variance_bounds()
        new = self.variance(np.arange(self._old.n_items, self.n_items))
        return np.concatenate([lower, new]), np.concatenate([upper, new])

    def _weights(self, rows: Ints) -> Floats:
        """Return M[rows], shape (len(rows), n_old)."""
        n_old = self._old.n_items
        weights = np.zeros((len(rows), n_old))
        new = rows >= n_old
        weights[~new, rows[~new]] = 1.0
        weights[new] = self._share[rows[new] - n_old]
        return weights
