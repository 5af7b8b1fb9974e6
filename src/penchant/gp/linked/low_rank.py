"""What is believed about all items after some answers. A prior and steps in; mean, covariance out.

An answer about items i and j moves the belief along K_t(e_i − e_j) alone (eq. 24 with a site of rank one), so the
covariance is K_t = K₀ − BᵀMB: a row of B for each direction in which something was learned, of which there are
fewer than items that were asked about, and a small core M. It is never written out: a row costs a product with B, the
variances are carried along, and rows that are asked for again and again (those of the best items) are kept and moved
with each answer.
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
from penchant.gp.linked.basis import Basis, QuickBasis, ScaledBasis, StoredBasis, grown
from penchant.gp.linked.priors import Prior, ScaledPrior

_KEPT_VALUES = 1 << 24
_KEPT_ROWS = 32
_IDLE = 4
"""After so many answers a kept row that nobody has asked for is dropped."""
_AT_ONCE = 8
_BLOCK = 4096


class Toward(NamedTuple):
    """Where an answer moves a belief: along K_t(e_first − e_second) = Bᵀ weights, shape (n_items,)."""

    weights: Floats
    along: Floats


@dataclass(frozen=True, eq=False)
class Dual:
    """A belief told by the items that were asked about: m = K₀[:, items] weights, K_t = K₀ − UUᵀ.

    Here U = K₀[:, items] columns. It holds for any prior that agrees on those items, so that items which arrive
    later fit in.

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
    def nothing(cls) -> Dual:
        """Return the dual of a belief that nobody has taught."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 0)))


class LowRankBelief:
    """A normal belief N(m, K₀ − BᵀMB) over the utilities of n items.

    Attributes
    ----------
    prior : Prior
    mean : array of shape (n,)
    lost : float
        The most that any variance is too large because directions were left out.
    """

    def __init__(self, prior: Prior, dual: Dual | None = None, rows: Floats | None = None) -> None:
        """Begin with what ``dual`` says; ``rows`` are K₀[items, :], where they are there already."""
        start = Dual.nothing() if dual is None else dual
        self.prior, self.lost = prior, 0.0
        if not len(start.items):
            self.mean = np.zeros(prior.n_items)
        else:
            self.mean = prior.times(start.items, start.weights) if rows is None else start.weights @ rows
        basis: Basis
        if prior.quick:
            basis = QuickBasis(prior, start.items, start.columns)
        else:
            basis = StoredBasis(
                prior, start.items, start.columns, None if rows is None else start.columns.T @ rows
            )
        self._begin(start, basis, np.eye(basis.count))
        self._prior_variance = prior.variance()
        self._told = self._squares()  # the diagonal of BᵀMB

    @classmethod
    def scaled(cls, prior: Prior, dual: Dual, factor: float, shared: Basis) -> LowRankBelief:
        """Return the belief with ``factor`` times ``prior`` and its ``dual``.

        Each direction of ``shared``, a basis of ``prior``, is one of the items of the dual. Beliefs that differ in
        the factor may share it.
        """
        belief = cls.__new__(cls)
        belief.prior, belief.lost = ScaledPrior(prior, factor), 0.0
        basis = ScaledBasis(shared, factor)
        belief.mean = basis.along(dual.weights)
        belief._begin(dual, basis, dual.columns @ dual.columns.T)
        belief._prior_variance = belief.prior.variance()
        belief._told = belief._squares(dual.columns)
        return belief

    def _begin(self, start: Dual, basis: Basis, core: Floats) -> None:
        """Stand at K₀ − BᵀMB with M = ``core``."""
        self._start, self._basis, self._core = start, basis, core
        self._pull = np.zeros(basis.count)  # m = K₀[:, items] weights + Bᵀ pull
        self._rows: OrderedDict[int, Floats] = OrderedDict()
        self._idle: dict[int, int] = {}

    @property
    def n_directions(self) -> int:
        """How many directions there are in which something was learned."""
        return self._basis.count

    def toward(self, first: int, second: int) -> Toward:
        """Return where an answer about two items moves the belief."""
        made_of = self._basis.of(first, second)
        count = len(made_of)
        self._core = grown(self._core, (count, count))
        self._pull = grown(self._pull, (count,))
        there = self._basis.at(np.array([first, second]))
        weights = made_of - self._core[:count, :count] @ (there[:, 0] - there[:, 1])
        return Toward(weights, self._basis.along(weights))

    def move(self, toward: Toward, gain: float, shrink: float) -> None:
        """Take one answer in: m ← m + gain · k, K ← K − shrink · kkᵀ with k = toward.along (eq. 18, 22, 24)."""
        count = len(toward.weights)
        self._core[:count, :count] += np.outer(shrink * toward.weights, toward.weights)
        self._pull[:count] += gain * toward.weights
        self.mean = self.mean + gain * toward.along
        column = np.sqrt(shrink) * toward.along
        self._told = self._told + column**2
        for row in [row for row, idle in self._idle.items() if idle >= _IDLE]:
            del self._rows[row], self._idle[row]
        for row, kept in self._rows.items():
            self._rows[row] = kept - column[row] * column
            self._idle[row] += 1

    def learn(self, answer: Answers, likelihood: Probit) -> float:
        """Learn one answer by the incremental step of expectation propagation; return its log probability before."""
        first, second = answer.pairs[0].tolist()
        toward = self.toward(first, second)
        spread = np.maximum(toward.along[[first]] - toward.along[[second]], 0.0)
        difference = self.mean[[first]] - self.mean[[second]]
        tilted = likelihood.tilted(difference, spread, answer.tie, answer.weight)
        self.move(toward, gain=float(tilted.gradient[0]), shrink=float(tilted.curvature[0]))
        return float(tilted.log[0])

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the variances at ``rows`` (None: all, or None where those of a large graph are not known)."""
        prior = self._prior_variance
        if rows is not None:
            prior = self.prior.variance(rows) if prior is None else prior[rows]
        told = self._told if rows is None else self._told[rows]
        return None if prior is None else np.maximum(prior - told, 0.0)

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return vectors between which all variances lie."""
        variance = self.variance()
        if variance is not None:
            return variance, variance
        lower, upper = self.prior.variance_bounds()
        return np.maximum(lower - self._told, 0.0), upper - self._told

    def covariance(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K_t[rows, columns], shape (len(rows), len(columns)); None is all items."""
        if len(rows) <= _AT_ONCE and (columns is None or len(columns) > self.prior.n_items // 4):
            kept = self._kept(rows)
            return kept if columns is None else kept[:, columns]
        others = np.arange(self.prior.n_items) if columns is None else columns
        count = self.n_directions
        told = self._basis.at(rows).T @ self._core[:count, :count]
        return self.prior.block(rows, columns) - told @ self._basis.at(others)

    def difference_variance(self, first: Ints, second: Ints) -> Floats:
        """Return the variances of the differences of pairs of items, shape (m,)."""
        count = self.n_directions
        apart = self._basis.at(first) - self._basis.at(second)
        told = np.einsum("ij,ij->j", apart, self._core[:count, :count] @ apart)
        return np.asarray(np.maximum(self.prior.difference_variance(first, second) - told, 0.0))

    def dual(self) -> Dual:
        """Return the belief in terms of the items that were asked about."""
        return self._dual(_root(self._core[: self.n_directions, : self.n_directions]))

    def _dual(self, root: Floats) -> Dual:
        items, columns = self._basis.dual(root)
        weights = self._basis.dual(self._pull[: self.n_directions])[1]
        weights[np.searchsorted(items, self._start.items)] += self._start.weights
        return Dual(items, weights, columns)

    def compress(self, most: int) -> None:
        """Keep the ``most`` directions along which most was learned; no variance becomes smaller by it.

        With M = FFᵀ the columns of U = BᵀF are turned so that UᵀU is diagonal, and the shortest are left out.
        """
        count = self.n_directions
        root = _root(self._core[:count, :count])
        gram = np.zeros((count, count))
        for items in _in_parts(self.prior.n_items):
            part = self._basis.at(items)
            gram += part @ part.T
        strength, turn = np.linalg.eigh(root.T @ gram @ root)
        keep = np.flatnonzero(strength > 1e-14 * strength[-1])[-most:]
        kept, left_out = root @ turn[:, keep], root @ np.delete(turn, keep, axis=1)
        missing = self._squares(left_out)
        self._begin(self._dual(kept), self._basis.turned(kept), np.eye(kept.shape[1]))
        self._told = self._told - missing
        self.lost += float(missing.max())

    def _squares(self, weights: Floats | None = None) -> Floats:
        """Return the diagonal of Bᵀ weights weightsᵀ B, shape (n_items,); None is the identity."""
        squares = np.empty(self.prior.n_items)
        for items in _in_parts(self.prior.n_items):
            part = self._basis.at(items)
            squares[items] = ((part if weights is None else weights.T @ part) ** 2).sum(axis=0)
        return squares

    def _kept(self, rows: Ints) -> Floats:
        """Return K_t[rows, :], from the rows that are kept where they are."""
        for row in rows.tolist():
            if row not in self._rows:
                self._rows[row] = self._row(row)
            self._rows.move_to_end(row)
            self._idle[row] = 0
        found = [self._rows[row] for row in rows.tolist()]
        most = max(_AT_ONCE, min(_KEPT_ROWS, _KEPT_VALUES // self.prior.n_items))
        while len(self._rows) > most:
            del self._idle[self._rows.popitem(last=False)[0]]
        return np.stack(found) if found else np.empty((0, self.prior.n_items))

    def _row(self, row: int) -> Floats:
        count, item = self.n_directions, np.array([row])
        weights = self._core[:count, :count] @ self._basis.at(item)[:, 0]
        left: Floats = self.prior.block(item)[0] - self._basis.along(weights)
        return left


def _root(core: Floats) -> Floats:
    """Return F with FFᵀ the core, which may be singular; shape (count, rank)."""
    strength, directions = np.linalg.eigh(core)
    said = strength > 1e-14 * strength.max(initial=0.0)
    root: Floats = directions[:, said] * np.sqrt(strength[said])
    return root


def _in_parts(n_items: int) -> Iterator[Ints]:
    """Walk over all items, some thousands at a time."""
    for start in range(0, n_items, _BLOCK):
        yield np.arange(start, min(start + _BLOCK, n_items))
