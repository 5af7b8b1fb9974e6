"""Step two, inside: what is believed about all items after some answers. A prior and steps in; mean, covariance out.

An answer about items i and j moves the belief along k = K_t(e_i − e_j) alone (eq. 24 with a site of rank one), so
the covariance is K_t = K₀ − UUᵀ with one column an answer. It is never written out: a row costs a row of K₀ and a
product with U, the variances are carried along, and a few rows that are asked for again and again (those of the best
items) are kept and moved with each answer.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.linked.priors import Prior

_KEPT_ROWS = 8
_FIRST_CAPACITY = 16


class Step(NamedTuple):
    """One answer taken in: m ← m + gain · k, K ← K − shrink · kkᵀ with k = K(e_first − e_second)."""

    first: int
    second: int
    gain: float
    shrink: float


@dataclass(frozen=True, eq=False)
class Dual:
    """A belief told by the items that were asked about: m = K₀[:, items] weights, U = K₀[:, items] columns.

    It holds for any prior that agrees on those items, so that items which arrive later fit in.

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
    """A normal belief N(m, K₀ − UUᵀ) over the utilities of n items.

    Attributes
    ----------
    prior : Prior
    mean : array of shape (n,)
    columns : array of shape (r, n)
        Uᵀ.
    lost : float
        The most that any variance is too large because columns were left out.
    """

    def __init__(self, prior: Prior, dual: Dual | None = None) -> None:
        self.prior = prior
        self._start = Dual.nothing() if dual is None else dual
        self._steps: list[Step] = []
        self._rows: OrderedDict[int, Floats] = OrderedDict()
        known = prior.variance()
        if len(self._start.items):
            block = prior.block(self._start.items)
            self.mean = self._start.weights @ block
            self._columns = self._start.columns.T @ block
        else:
            self.mean = np.zeros(prior.n_items)
            self._columns = np.empty((0, prior.n_items))
        self.n_columns = len(self._columns)
        self._variance = None if known is None else known - (self._columns**2).sum(axis=0)
        self.lost = 0.0

    @property
    def columns(self) -> Floats:
        """Uᵀ: one contiguous row an answer."""
        return self._columns[: self.n_columns]

    def along(self, first: int, second: int) -> Floats:
        """Return K_t(e_first − e_second), shape (n_items,)."""
        columns = self.columns
        toward = columns[:, first] - columns[:, second]
        return self.prior.against(first, second) - toward @ columns

    def move(self, step: Step, along: Floats) -> None:
        """Take one answer in; ``along`` is K_t(e_first − e_second) (eq. 18, 22 and 24)."""
        column = np.sqrt(step.shrink) * along
        self.mean = self.mean + step.gain * along
        self._append(column)
        self._steps.append(step)
        if self._variance is not None:
            self._variance = self._variance - column**2
        for row, kept in self._rows.items():
            self._rows[row] = kept - column[row] * column

    def variance(self, rows: Ints | None = None) -> Floats | None:
        """Return the variances at ``rows`` (None: all, or None where those of a large graph are not known)."""
        if self._variance is not None:
            known: Floats = self._variance if rows is None else self._variance[rows]
            return known.copy()
        prior = None if rows is None else self.prior.variance(rows)
        if prior is None:
            return None
        left: Floats = prior - (self.columns[:, rows] ** 2).sum(axis=0)
        return left

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return vectors between which all variances lie."""
        if self._variance is not None:
            return self._variance.copy(), self._variance.copy()
        known = (self.columns**2).sum(axis=0)
        lower, upper = self.prior.variance_bounds()
        return np.maximum(lower - known, 0.0), upper - known

    def covariance(self, rows: Ints, columns: Ints | None = None) -> Floats:
        """Return K_t[rows, columns], shape (len(rows), len(columns)); None is all items."""
        if len(rows) <= _KEPT_ROWS and (columns is None or len(columns) > self.prior.n_items // 4):
            kept = self._kept(rows)
            return kept if columns is None else kept[:, columns]
        there = self.columns
        others = there if columns is None else there[:, columns]
        return self.prior.block(rows, columns) - there[:, rows].T @ others

    def dual(self) -> Dual:
        """Return the belief in terms of the items that were asked about.

        The column of a step is √shrink · (K₀d − U(Uᵀd)) with d = e_first − e_second, so its dual is
        √shrink · (d − C(Uᵀd)), where C holds the duals of the columns before it.
        """
        start, steps = self._start, self._steps
        if not steps:
            return start
        ends = np.array([(step.first, step.second) for step in steps])
        items = np.union1d(start.items, ends)
        before = start.columns.shape[1]
        columns = np.zeros((before + len(steps), len(items)))  # Cᵀ
        weights = np.zeros(len(items))
        old = np.searchsorted(items, start.items)
        columns[:before, old], weights[old] = start.columns.T, start.weights
        first, second = np.searchsorted(items, ends).T
        for place, step in enumerate(steps, start=before):
            toward = self._columns[:place, step.first] - self._columns[:place, step.second]
            moved = -toward @ columns[:place]
            moved[first[place - before]] += 1.0
            moved[second[place - before]] -= 1.0
            columns[place] = np.sqrt(step.shrink) * moved
            weights += step.gain * moved
        return Dual(items, weights, np.ascontiguousarray(columns.T))

    def compress(self, most: int) -> None:
        """Keep the ``most`` directions along which U says most; no variance becomes smaller by it."""
        dual, columns = self.dual(), self.columns
        strength, directions = np.linalg.eigh(columns @ columns.T)
        keep = np.flatnonzero(strength > 1e-14 * strength[-1])[-most:]
        left_out = np.delete(directions, keep, axis=1).T @ columns
        missing = (left_out**2).sum(axis=0)
        kept = directions[:, keep]
        self._start = Dual(dual.items, dual.weights, dual.columns @ kept)
        self._steps = []
        self._columns = kept.T @ columns
        self.n_columns = len(self._columns)
        self._rows.clear()
        if self._variance is not None:
            self._variance = self._variance + missing
        self.lost += float(missing.max())

    def _kept(self, rows: Ints) -> Floats:
        """Return K_t[rows, :], from the rows that are kept where they are."""
        found = []
        for row in rows.tolist():
            if row not in self._rows:
                columns = self.columns
                self._rows[row] = self.prior.block(np.array([row]))[0] - columns[:, row] @ columns
            self._rows.move_to_end(row)
            found.append(self._rows[row])
        while len(self._rows) > _KEPT_ROWS:
            self._rows.popitem(last=False)
        return np.stack(found) if found else np.empty((0, self.prior.n_items))

    def _append(self, column: Floats) -> None:
        if self.n_columns == len(self._columns):
            more = max(_FIRST_CAPACITY, self.n_columns // 4)
            grown = np.empty((self.n_columns + more, self.prior.n_items))
            grown[: self.n_columns] = self.columns
            self._columns = grown
        self._columns[self.n_columns] = column
        self.n_columns += 1
