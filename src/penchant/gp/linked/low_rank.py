"""A normal belief over the utilities of many items, as a prior and a low-rank update of its covariance.

An answer about items i and j moves the belief along K_t(e_i − e_j) alone (eq. 24 with a site of rank one), so the
covariance is K_t = K₀ − BᵀMB: a row of B for each vector of a basis of the compared differences, of which there are
fewer than compared items, and a small core M. It is never written out: a row costs a product with B, the variances are
updated with each answer, and so are the rows that are asked for repeatedly (those of the best items), which are cached.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.basis import Basis, ImplicitBasis, ScaledBasis, StoredBasis, grown
from penchant.gp.linked.priors import Prior, WeightedPrior
from penchant.linalg import root_of

_CACHED_VALUES = 1 << 24
_CACHED_ROWS = 32
_IDLE = 4
"""After so many answers a cached row that was not asked for is dropped."""
_FEW_ROWS = 8
_BLOCK = 4096


class Step(NamedTuple):
    """The direction in which an answer moves a belief: K_t(e_first − e_second) = Bᵀ weights, shape (n_items,)."""

    weights: Floats
    along: Floats


@dataclass(frozen=True, eq=False)
class Dual:
    """A belief in terms of the items that were compared: m = K₀[:, items] weights, K_t = K₀ − UUᵀ.

    Here U = K₀[:, items] columns. It holds for any prior that agrees on those items, and so after new items are added.

    Attributes
    ----------
    items : int array of shape (a,)
    weights : array of shape (a,)
    columns : array of shape (a, r)
    """

    items: Ints
    weights: Floats
    columns: Floats

    @classmethod
    def empty(cls) -> Dual:
        """Return the dual of the prior."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 0)))


class LowRankBelief:
    """A normal belief N(m, K₀ − BᵀMB) over the utilities of n items.

    Attributes
    ----------
    prior : Prior
    mean : array of shape (n,)
    lost : float
        The most by which a variance is too large because basis vectors were left out.
    """

    def __init__(self, prior: Prior, dual: Dual | None = None, rows: Floats | None = None) -> None:
        """Start at ``dual``; ``rows`` are K₀[items, :], where they are computed already."""
        start = Dual.empty() if dual is None else dual
        self.prior, self.lost = prior, 0.0
        if not len(start.items):
            self.mean = np.zeros(prior.n_items)
        else:
            self.mean = prior.times(start.items, start.weights) if rows is None else start.weights @ rows
        basis: Basis
        if prior.fast_product:
            basis = ImplicitBasis(prior, start.items, start.columns)
        else:
            basis = StoredBasis(
                prior, start.items, start.columns, None if rows is None else start.columns.T @ rows
            )
        self._begin(start, basis, np.eye(basis.count))
        self._prior_variance = prior.variance()
        self._reduction = self._squares()  # the diagonal of BᵀMB

    @classmethod
    def scaled(cls, prior: Prior, dual: Dual, factor: float, shared: Basis) -> LowRankBelief:
        """Return the belief with ``factor`` times ``prior`` and its ``dual``.

        Each vector of ``shared``, a basis of ``prior``, is one of the items of the dual. Beliefs that differ in
        the factor may share it.
        """
        belief = cls.__new__(cls)
        belief.prior, belief.lost = WeightedPrior([prior], [factor]), 0.0
        basis = ScaledBasis(shared, factor)
        belief.mean = basis.along(dual.weights)
        belief._begin(dual, basis, dual.columns @ dual.columns.T)
        belief._prior_variance = belief.prior.variance()
        belief._reduction = belief._squares(dual.columns)
        return belief

    def _begin(self, start: Dual, basis: Basis, core: Floats) -> None:
        """Set the covariance to K₀ − BᵀMB with M = ``core``."""
        self._start, self._basis, self._core = start, basis, core
        self._mean_weights = np.zeros(basis.count)  # m = K₀[:, items] start.weights + Bᵀ mean_weights
        self._cached: OrderedDict[int, Floats] = OrderedDict()
        self._idle: dict[int, int] = {}

    @property
    def rank(self) -> int:
        """The number of basis vectors."""
        return self._basis.count

    def step(self, first: int, second: int) -> Step:
        """Return the direction in which an answer about two items moves the belief."""
        coordinates = self._basis.coordinates(first, second)
        count = len(coordinates)
        self._core = grown(self._core, (count, count))
        self._mean_weights = grown(self._mean_weights, (count,))
        at_items = self._basis.at(np.array([first, second]))
        weights = coordinates - self._core[:count, :count] @ (at_items[:, 0] - at_items[:, 1])
        return Step(weights, self._basis.along(weights))

    def move(self, step: Step, gain: float, shrink: float) -> None:
        """Update by one answer: m ← m + gain · k, K ← K − shrink · kkᵀ with k = step.along (eq. 18, 22, 24)."""
        count = len(step.weights)
        self._core[:count, :count] += np.outer(shrink * step.weights, step.weights)
        self._mean_weights[:count] += gain * step.weights
        self.mean = self.mean + gain * step.along
        column = np.sqrt(shrink) * step.along
        self._reduction = self._reduction + column**2
        for row in [row for row, idle in self._idle.items() if idle >= _IDLE]:
            del self._cached[row], self._idle[row]
        for row, covariances in self._cached.items():
            self._cached[row] = covariances - column[row] * column
            self._idle[row] += 1

    def learn(self, answer: Answers, likelihood: Probit) -> float:
        """Learn one answer by the incremental step of expectation propagation; return its log probability before."""
        first, second = answer.pairs[0].tolist()
        step = self.step(first, second)
        variance = np.maximum(step.along[[first]] - step.along[[second]], 0.0)
        mean = self.mean[[first]] - self.mean[[second]]
        tilted = likelihood.tilted(mean, variance, answer.tie, answer.weight)
        self.move(step, gain=float(tilted.gradient[0]), shrink=float(tilted.curvature[0]))
        return float(tilted.log[0])

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the variances at ``rows``; None is all items, for which a large graph returns None."""
        prior = self._prior_variance
        if rows is not None:
            prior = self.prior.variance(rows) if prior is None else prior[rows]
        reduction = self._reduction if rows is None else self._reduction[rows]
        return None if prior is None else np.maximum(prior - reduction, 0.0)

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return vectors between which all variances lie."""
        variance = self.variance()
        if variance is not None:
            return variance, variance
        lower, upper = self.prior.variance_bounds()
        return np.maximum(lower - self._reduction, 0.0), upper - self._reduction

    def covariance(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K_t[rows, columns], shape (len(rows), len(columns)); None is all items."""
        if len(rows) <= _FEW_ROWS and (columns is None or len(columns) > self.prior.n_items // 4):
            whole_rows = self._through_cache(rows)
            return whole_rows if columns is None else whole_rows[:, columns]
        others = np.arange(self.prior.n_items) if columns is None else columns
        count = self.rank
        weights = self._basis.at(rows).T @ self._core[:count, :count]
        return self.prior.block(rows, columns) - weights @ self._basis.at(others)

    def difference_variance(self, first: Ints, second: Ints) -> Floats:
        """Return the variances of the differences of pairs of items, shape (m,)."""
        count = self.rank
        apart = self._basis.at(first) - self._basis.at(second)
        reduction = np.einsum("ij,ij->j", apart, self._core[:count, :count] @ apart)
        return np.asarray(np.maximum(self.prior.difference_variance(first, second) - reduction, 0.0))

    def dual(self) -> Dual:
        """Return the belief in terms of the items that were compared."""
        return self._dual(root_of(self._core[: self.rank, : self.rank]))

    def _dual(self, root: Floats) -> Dual:
        items, columns = self._basis.dual(root)
        weights = self._basis.dual(self._mean_weights[: self.rank])[1]
        weights[np.searchsorted(items, self._start.items)] += self._start.weights
        return Dual(items, weights, columns)

    def compress(self, most: int) -> None:
        """Keep the ``most`` directions along which the variance was reduced most; no variance becomes smaller.

        With M = FFᵀ the columns of U = BᵀF are rotated so that UᵀU is diagonal, and the shortest are left out.
        """
        count = self.rank
        root = root_of(self._core[:count, :count])
        gram = np.zeros((count, count))
        for items in _in_parts(self.prior.n_items):
            part = self._basis.at(items)
            gram += part @ part.T
        strength, rotation = np.linalg.eigh(root.T @ gram @ root)
        keep = np.flatnonzero(strength > 1e-14 * strength[-1])[-most:]
        kept, left_out = root @ rotation[:, keep], root @ np.delete(rotation, keep, axis=1)
        missing = self._squares(left_out)
        self._begin(self._dual(kept), self._basis.combined(kept), np.eye(kept.shape[1]))
        self._reduction = self._reduction - missing
        self.lost += float(missing.max())

    def _squares(self, weights: Floats | None = None) -> Floats:
        """Return the diagonal of Bᵀ weights weightsᵀ B, shape (n_items,); None is the identity."""
        squares = np.empty(self.prior.n_items)
        for items in _in_parts(self.prior.n_items):
            part = self._basis.at(items)
            squares[items] = ((part if weights is None else weights.T @ part) ** 2).sum(axis=0)
        return squares

    def _through_cache(self, rows: Ints) -> Floats:
        """Return K_t[rows, :], from the cached rows where possible."""
        for row in rows.tolist():
            if row not in self._cached:
                self._cached[row] = self._row(row)
            self._cached.move_to_end(row)
            self._idle[row] = 0
        found = [self._cached[row] for row in rows.tolist()]
        most = max(_FEW_ROWS, min(_CACHED_ROWS, _CACHED_VALUES // self.prior.n_items))
        while len(self._cached) > most:
            del self._idle[self._cached.popitem(last=False)[0]]
        return np.stack(found) if found else np.empty((0, self.prior.n_items))

    def _row(self, row: int) -> Floats:
        count, item = self.rank, np.array([row])
        weights = self._core[:count, :count] @ self._basis.at(item)[:, 0]
        covariances: Floats = self.prior.block(item)[0] - self._basis.along(weights)
        return covariances


def _in_parts(n_items: int) -> Iterator[Ints]:
    """Yield all items, some thousands at a time."""
    for start in range(0, n_items, _BLOCK):
        yield np.arange(start, min(start + _BLOCK, n_items))
