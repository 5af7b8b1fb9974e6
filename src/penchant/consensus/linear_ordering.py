"""Find the order that contradicts the fewest preferences (Kemeny's), and bound how few any order can contradict.

x_ij = 1 says that i comes before j. Among all x with x_ij + x_ji = 1, the orders are those without a cycle of three:
x_ij + x_jk + x_ki ≤ 2. Few of these inequalities bind, so they are added as they are violated: to a linear programme
first, whose optimum is a lower bound and mostly an order, and then to an integer programme.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.orders import cohen_order, optimal_order, order_from_scores
from penchant.orders.cohen import components_in_order
from penchant.progress import step_done

_BY_SUBSETS = 12  # items up to which dynamic programming over all subsets is faster than an integer programme
_VIOLATED = 1e-6
_ROUNDING = 1e-9
_PERTURBATIONS = 30


@dataclass(frozen=True, eq=False)
class Ordering:
    """An order of all items and the bound on every order.

    Attributes
    ----------
    order : int array of shape (n,)
        Best first.
    distance : float
        The weight of the preferences that the order contradicts.
    bound : float
        What every order contradicts at least; equal to ``distance`` where that is proven to be the least.
    """

    order: Ints
    distance: float
    bound: float


def contradicted(counts: Floats, order: Ints) -> float:
    """Return the weight of the preferences that ``order`` contradicts: of a later item to an earlier one."""
    arranged = counts[np.ix_(order, order)]
    return float(np.tril(arranged, -1).sum())


def kemeny(counts: Floats, *, seconds: float = 30.0) -> Ordering:
    """Return an order that contradicts as little as possible, found within about ``seconds``, and a bound.

    Components of the majority graph are ordered one by one: a Kemeny order exists in which each stands before
    those that it beats.

    Parameters
    ----------
    counts : array of shape (n, n)
        The weight of the voters who prefer each row's item to each column's, at least 0.
    seconds : float
        After this time the best order so far is returned, with the bound so far.

    Examples
    --------
    >>> found = kemeny(np.array([[0, 8, 3], [2, 0, 7], [6, 3, 0]]))
    >>> found.order.tolist(), found.distance, found.bound
    ([0, 1, 2], 11.0, 11.0)
    """
    end = time.monotonic() + seconds
    least = np.minimum(counts, counts.T)
    bound = float(np.triu(least, 1).sum())
    if not len(counts):
        return Ordering(np.empty(0, dtype=np.int64), 0.0, 0.0)
    parts = []
    for members in components_in_order(counts > counts.T):
        inside = counts[np.ix_(members, members)]
        found = _component(inside, end)
        parts.append(members[found.order])
        bound += found.bound - float(np.triu(least[np.ix_(members, members)], 1).sum())
    order = np.concatenate(parts)
    distance = contradicted(counts, order)
    return Ordering(order, distance, distance if _reaches(bound, distance, counts) else bound)


def _component(counts: Floats, end: float) -> Ordering:
    if len(counts) <= _BY_SUBSETS:
        order = optimal_order(counts)
        distance = contradicted(counts, order)
        return Ordering(order, distance, distance)
    return _Search(counts, end).run()


def _reaches(bound: float, distance: float, counts: Floats) -> bool:
    """Whether no order can be nearer than ``distance``: whole weights make distances whole."""
    rounding = _ROUNDING * float(counts.sum())
    if (counts == np.rint(counts)).all():
        return bool(np.ceil(bound - max(rounding, _VIOLATED)) >= distance)
    return bound >= distance - rounding


class _Search:
    """The search in one component: the best order so far, the bound, and the inequalities that were violated."""

    def __init__(self, counts: Floats, end: float) -> None:
        n_items = len(counts)
        self.counts, self.end = counts, end
        self.seconds = end - time.monotonic()
        self.first, self.second = np.triu_indices(n_items, 1)
        self.variable = np.zeros((n_items, n_items), dtype=np.int64)
        self.variable[self.first, self.second] = np.arange(len(self.first))
        # Σ x_ij counts[j, i] + (1 − x_ij) counts[i, j] over i < j
        self.fixed = float(counts[self.first, self.second].sum())
        self.cost = (counts.T - counts)[self.first, self.second]
        self.bound = float(np.triu(np.minimum(counts, counts.T), 1).sum())
        self.triples = np.zeros((0, 3), dtype=np.int64)
        starts = [cohen_order(counts), order_from_scores((counts - counts.T).sum(axis=1))]
        self.order, self.distance = np.arange(n_items), contradicted(counts, np.arange(n_items))
        for start in starts:
            self._try(start)

    def run(self) -> Ordering:
        """Return the best order and the bound when one meets the other or the time is over."""
        self._perturb()
        self._add_violated(self._relaxed)
        self._add_violated(self._whole)
        return Ordering(self.order, self.distance, min(self.bound, self.distance))

    def _proven(self) -> bool:
        return _reaches(self.bound, self.distance, self.counts)

    def _try(self, start: Ints) -> None:
        order = by_insertion(self.counts, start)
        distance = contradicted(self.counts, order)
        if distance < self.distance:
            self.order, self.distance = order, distance

    def _perturb(self) -> None:
        """Search again from the best order with a few items moved at random; the seed is fixed."""
        rng = np.random.default_rng(0)
        for _ in range(_PERTURBATIONS):
            if self._proven() or time.monotonic() > self.end:
                return
            moved = self.order.copy()
            some = rng.choice(len(moved), size=min(len(moved), 8), replace=False)
            moved[np.sort(some)] = moved[some]
            self._try(moved)

    def _add_violated(self, solve: Callable[[float], tuple[Floats | None, float | None]]) -> None:
        """Solve and add violated inequalities until none is; each optimum bounds all orders from below."""
        while not self._proven():
            left = self.end - time.monotonic()
            if left <= 0:
                return
            if np.isfinite(left):
                step_done(int(1000 * (1 - min(left / self.seconds, 1.0))), 1000)  # of the time, at most
            before, bound = solve(left)
            if bound is not None:
                self.bound = max(self.bound, bound)
            if before is None:
                return
            self._try(order_from_scores(before.sum(axis=1)))
            violated = _violated(before)
            if not len(violated):
                return
            self.triples = np.vstack([self.triples, violated])

    def _relaxed(self, left: float) -> tuple[Floats | None, float | None]:
        """Return the optimum of the linear programme, and a lower bound; None where the time was too short."""
        from scipy.optimize import linprog

        matrix, limit = self._inequalities()
        found = linprog(
            self.cost, A_ub=matrix, b_ub=limit, bounds=(0, 1), method="highs", options={"time_limit": left}
        )
        if found.x is None or found.status != 0:
            return None, None
        # By weak duality any y ≥ 0 gives a bound, so that the solver's tolerances cannot make it too high.
        y = np.maximum(-found.ineqlin.marginals, 0.0)
        bound = float(np.minimum(self.cost + matrix.T @ y, 0.0).sum() - limit @ y)
        return self._matrix(found.x), self.fixed + bound

    def _whole(self, left: float) -> tuple[Floats | None, float | None]:
        """Return the optimum of the integer programme, and a lower bound; None where the time was too short."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        matrix, limit = self._inequalities()
        found = milp(
            self.cost,
            integrality=np.ones(len(self.cost), dtype=np.int64),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, -np.inf, limit),
            options={"time_limit": left, "mip_rel_gap": 0.0},
        )
        bound = found.mip_dual_bound
        bound = None if bound is None or not np.isfinite(bound) else self.fixed + float(bound)
        return None if found.status != 0 else self._matrix(np.rint(found.x)), bound

    def _matrix(self, x: Floats) -> Floats:
        """Return x_ij of all i and j."""
        before = np.zeros_like(self.counts)
        before[self.first, self.second] = x
        before[self.second, self.first] = 1.0 - x
        return before

    def _inequalities(self) -> tuple[Any, Floats]:
        """Return x_ij + x_jk + x_ki ≤ 2 for each triple, in the variables with i < j."""
        from scipy.sparse import csr_array

        n_triples = len(self.triples)
        earlier, later = self.triples, np.roll(self.triples, -1, axis=1)
        turned = earlier > later  # x_ij = 1 − x_ji
        columns = self.variable[np.minimum(earlier, later), np.maximum(earlier, later)]
        rows = np.repeat(np.arange(n_triples), 3)
        signs = np.where(turned, -1.0, 1.0)
        matrix = csr_array((signs.ravel(), (rows, columns.ravel())), shape=(n_triples, len(self.cost)))
        return matrix, 2.0 - turned.sum(axis=1)


def _violated(before: Floats) -> Ints:
    """Return the triples (i, j, k), i the lowest, of which x_ij + x_jk + x_ki is above 2, the worst ones first."""
    n_items = len(before)
    triples, excess = [np.zeros((0, 3), dtype=np.int64)], [np.zeros(0)]
    for i in range(n_items - 2):
        rest = slice(i + 1, n_items)
        sums = before[i, rest, None] + before[rest, rest] + before[None, rest, i]
        np.fill_diagonal(sums, 0.0)
        j, k = np.nonzero(sums > 2.0 + _VIOLATED)
        triples.append(np.column_stack([np.full(len(j), i), i + 1 + j, i + 1 + k]))
        excess.append(sums[j, k])
    worst = np.argsort(-np.concatenate(excess), kind="stable")[: 4 * n_items**2]
    return np.concatenate(triples)[worst]


def by_insertion(counts: Floats, order: Ints) -> Ints:
    """Move single items to the place where fewest preferences are contradicted, until no move helps.

    Examples
    --------
    >>> by_insertion(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]]), np.array([2, 0, 1])).tolist()
    [0, 1, 2]
    """
    net = counts - counts.T
    rounding = _ROUNDING * max(1.0, float(counts.max(initial=0.0)))
    best = order.copy()
    improved = True
    while improved:
        improved = False
        for item in best.tolist():
            place = int(np.flatnonzero(best == item)[0])
            rest = np.delete(best, place)
            # gains[p]: the net preferences that are kept when the item stands before rest[p]
            after = np.append(np.cumsum(net[item, rest][::-1])[::-1], 0.0)
            gains = after - np.append(0.0, np.cumsum(net[item, rest]))
            target = int(np.argmax(gains))
            if gains[target] > gains[place] + rounding:
                best = np.insert(rest, target, item)
                improved = True
    return best
