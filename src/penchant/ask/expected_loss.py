"""The pair of the largest expected loss.

The expected loss of a pair (paper 5, eq. 25–28) is the expected cost of a wrong order of the two, with a weight that
falls with the rank of the better one. The pair of the largest (eq. 29) is found exactly without computing all pairs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from penchant.belief import Moments, to_choose_by
from penchant.checks import Floats, Ints, square, vector
from penchant.errors import InvalidInput
from penchant.schema import Number, Schema, TupleOf, Whole
from penchant.threads import one_thread

_TINY = np.finfo(np.float64).tiny
_EQUAL = 1e-10
"""Losses that differ by less than this share of the larger are equal."""
_FEW = 1000
"""Up to so many items, computing all losses costs less than excluding pairs by bounds."""
_BLOCK = 8
_SOLVES = 4
"""How many exact variances are computed for one choice where all of them would cost too much."""


def expected_loss(mean: ArrayLike, covariance: ArrayLike, *, tau: float = 1.0) -> Floats:
    """Return the expected loss of every pair of items (eq. 28).

    Parameters
    ----------
    mean : array-like of shape (n,)
    covariance : array-like of shape (n, n)
    tau : float
        How fast the weight e^(−rank/τ) falls with the rank of the better of the two; 1 in the paper.

    Returns
    -------
    array of shape (n, n)
        Symmetric, with 0 on the diagonal.

    Examples
    --------
    >>> expected_loss([0.0, 0.0, -9.0], np.eye(3)).round(3)
    array([[0.   , 0.368, 0.   ],
           [0.368, 0.   , 0.   ],
           [0.   , 0.   , 0.   ]])
    """
    _check_tau(tau)
    means, covariances = vector("mean", mean), square("covariance", covariance)
    if len(means) != len(covariances):
        raise InvalidInput(
            f"covariance must have {len(means)} rows, one an item, got {len(covariances)}: give one for each"
        )
    rank = np.empty(len(means))
    rank[_best_first(means)] = np.arange(1, len(means) + 1)
    own = covariances.diagonal()
    behind = -np.abs(means[:, None] - means)
    loss = misordered(behind, own[:, None] + own - 2 * covariances)
    loss *= np.exp(-np.minimum(rank[:, None], rank) / tau)
    np.fill_diagonal(loss, 0.0)
    return loss


def misordered(behind: Floats, variance: Floats) -> Floats:
    """Return E[(δ̂ − δ)² 1(δ > 0)] for δ ~ N(δ̂, ν²): eq. 28 without its weight.

    It grows with ν and falls with the distance |δ̂|; at δ̂ = 0 it is ν²/2.

    Parameters
    ----------
    behind : array
        δ̂ ≤ 0: the mean of the worse one less that of the better one.
    variance : array of the same shape
        ν².
    """
    from scipy.special import erfc

    nu = np.sqrt(np.maximum(variance, _TINY))
    z = -behind / nu
    loss: Floats = nu**2 * (0.5 * erfc(z / np.sqrt(2)) + z * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))
    return loss


@dataclass(frozen=True)
class PairChoice:
    """A pair to ask about.

    Attributes
    ----------
    pair : (i, j), i < j
    loss : float
        Its expected loss.
    gap : float
        A bound on how much larger the loss of another pair may be; 0 where the choice is exact.

    Examples
    --------
    >>> from penchant.gp import LinkedGP
    >>> choice = choose_pair(LinkedGP().fit(n_items=3).update([0], [1]))
    >>> choice.pair, round(choice.loss, 3)
    ((0, 2), 0.325)
    """

    __saved__: ClassVar = Schema({"pair": TupleOf(Whole(0), 2), "loss": Number(0), "gap": Number(0)})

    pair: tuple[int, int]
    loss: float
    gap: float = 0.0


def largest_expected_loss_pair(
    belief: Moments, *, tau: float = 1.0, seen: Collection[Any] | Ints = (), seed: int | None = None
) -> tuple[int, int]:
    """Return the pair of the largest expected loss (eq. 29), i < j.

    Parameters
    ----------
    belief : Moments
        Anything with mean, variance and covariance.
    tau : float
    seen : collection of pairs, or int array of shape (k, 2)
        Pairs that are not to be asked.
    seed : int, optional
        Choose among equal pairs by it; without it the smallest (i, j) is taken.

    Examples
    --------
    Once the first item has won against the second, its pair with the third has the largest expected loss.

    >>> from penchant.gp import LinkedGP
    >>> largest_expected_loss_pair(LinkedGP().fit(n_items=3).update(0, 1))
    (0, 2)
    """
    return choose_pair(belief, tau=tau, seen=seen, seed=seed).pair


def choose_pair(
    belief: Moments, *, tau: float = 1.0, seen: Collection[Any] | Ints = (), seed: int | None = None
) -> PairChoice:
    """Return the pair of the largest expected loss, with that loss and a bound on its error.

    Items are visited best first. When the better of two has rank g, the weight of the pair is e^(−g/τ), and
    since ν² ≤ (σ_i + σ_j)² ≤ 4 v for the largest variance v, its loss is at most e^(−g/τ)·ν²/2 ≤ e^(−g/τ)·2v.
    Once that lies below the best loss found, no later item can hold a better pair.

    Examples
    --------
    >>> from penchant.gp import LinkedGP
    >>> choose_pair(LinkedGP().fit(n_items=3).update([0], [1]), seen=[(0, 1)]).pair
    (0, 2)
    """
    _check_tau(tau)
    with one_thread():
        return _Scan(to_choose_by(belief), tau, _pairs(seen)).choose(seed)


class _Scan:
    """One pass over the items, best first."""

    def __init__(self, belief: Moments, tau: float, seen: Ints) -> None:
        self.belief, self.tau, self.seen = belief, tau, seen
        self.mean = belief.mean
        if len(self.mean) < 2:
            raise InvalidInput(f"asking needs at least 2 items, got {len(self.mean)}: add some")
        self.lower, self.upper = _variance_bounds(belief)
        self.exact = self.lower is self.upper or bool((self.lower == self.upper).all())
        self.sd = np.sqrt(np.maximum(self.upper, 0.0))
        self.open = np.ones(len(self.mean))  # 0 once an item was visited
        self.found: list[tuple[float, int, int]] = []
        self.best = -1.0
        self.possible = 0.0
        self.solves = 0

    def choose(self, seed: int | None) -> PairChoice:
        if self.exact and len(self.mean) <= _FEW:
            self._visit_blocks()
        else:
            self._visit()
        if not self.found:
            raise InvalidInput("every pair has been asked: allow pairs to come back, or stop")
        equal = sorted({(i, j) for loss, i, j in self.found if loss >= self.best * (1 - _EQUAL)})
        chosen = 0 if seed is None else int(np.random.default_rng(seed).integers(len(equal)))
        return PairChoice(equal[chosen], self.best, max(self.possible - self.best, 0.0))

    def _visit_blocks(self) -> None:
        """Compute the losses of several items with all others at once, which is faster for few items."""
        n, order = len(self.mean), _best_first(self.mean)
        rank = np.empty(n)
        rank[order] = np.arange(1, n + 1)
        most = 2 * float(self.upper.max())
        for start in range(0, n - 1, _BLOCK):
            items = order[start : start + _BLOCK]
            weight = np.exp(-rank[items] / self.tau)
            if weight[0] * most < self.best * (1 - _EQUAL):
                break
            variance = self.upper[items][:, None] + self.upper - 2 * self.belief.covariance(items)
            losses = weight[:, None] * misordered(self.mean - self.mean[items][:, None], variance)
            losses[rank <= rank[items][:, None]] = -1.0
            for row, item in enumerate(items.tolist()):
                losses[row, self._partners(item)] = -1.0
            rows, others = np.nonzero((losses >= losses.max() * (1 - _EQUAL)) & (losses >= 0))
            for item, partner, loss in zip(items[rows], others, losses[rows, others], strict=True):
                self._keep(int(item), int(partner), float(loss))

    def _visit(self) -> None:
        largest = float(self.sd.max())
        for rank, item in enumerate(_best_first_lazily(self.mean), start=1):
            weight = float(np.exp(-rank / self.tau))
            enough = self.best * (1 - _EQUAL)
            if weight * 2 * largest**2 < enough or rank == len(self.mean):
                break
            self.open[item] = 0.0
            if weight * (self.sd[item] + largest) ** 2 / 2 >= enough:
                self._add_pairs_of(item, weight)

    def _add_pairs_of(self, item: int, weight: float) -> None:
        """Compute the losses of ``item`` with those behind it that may exceed the largest so far."""
        others = self._candidates(item, weight)
        behind = self.mean[others] - self.mean[item]
        if len(others) > _FEW and self.best > 0:
            at_most = weight * misordered(behind, (self.sd[item] + self.sd[others]) ** 2)
            hopeful = at_most >= self.best * (1 - _EQUAL)
            others, behind = others[hopeful], behind[hopeful]
        if not len(others):
            return
        together = self.belief.covariance([item], others)[0]
        if self.exact:
            variance = self.upper[item] + self.upper[others] - 2 * together
            self._weighed(item, others, weight * misordered(behind, variance))
        else:
            self._solved(item, others, behind, together, weight)

    def _candidates(self, item: int, weight: float) -> Ints:
        """Return the items behind ``item`` whose bound by variance reaches the largest loss, unless they were seen."""
        at_most = (self.sd + self.sd[item]) ** 2
        at_most *= self.open
        at_most[self._partners(item)] = 0.0
        enough = max(2 * self.best * (1 - _EQUAL) / weight, 0.0)
        hopeful: Ints = np.flatnonzero(at_most >= enough if enough > 0 else at_most > 0)
        return hopeful

    def _solved(self, item: int, others: Ints, behind: Floats, together: Floats, weight: float) -> None:
        """Bound the losses of pairs, and compute the exact variances of those with the largest bounds."""
        own = float(self.belief.variance([item])[0])
        high = weight * misordered(behind, own + self.upper[others] - 2 * together)
        while (top := int(np.argmax(high))) >= 0 and high[top] >= self.best * (1 - _EQUAL):
            other = others[top]
            self.solves += bool(self.lower[other] < self.upper[other])
            if self.solves > _SOLVES:
                break
            variance = float(self.belief.variance([other])[0])
            loss = weight * misordered(behind[[top]], np.array([own + variance - 2 * together[top]]))
            self._weighed(item, others[[top]], loss)
            high[top] = -1.0
        self.possible = max(self.possible, float(high.max()))

    def _weighed(self, item: int, others: Ints, losses: Floats) -> None:
        self.best = max(self.best, float(losses.max()))
        for place in np.flatnonzero(losses >= self.best * (1 - _EQUAL)).tolist():
            self._keep(item, int(others[place]), float(losses[place]))

    def _keep(self, item: int, other: int, loss: float) -> None:
        self.best = max(self.best, loss)
        self.found.append((loss, min(item, other), max(item, other)))

    def _partners(self, item: int) -> Ints:
        """Return the items that ``item`` was compared with, and itself."""
        if not len(self.seen):
            return np.array([item])
        partners: Ints = self.seen[(self.seen == item).any(axis=1)].ravel()
        return partners


def _best_first_lazily(mean: Floats) -> Iterator[int]:
    """Yield the items by falling mean, equal ones by index, without sorting more than is consumed."""
    done, many = 0, 64
    while done < len(mean):
        if many >= len(mean):
            yield from _best_first(mean)[done:].tolist()
            return
        least = np.partition(mean, len(mean) - many)[len(mean) - many]
        top = np.flatnonzero(mean >= least)
        yield from top[_best_first(mean[top])][done:].tolist()
        done, many = len(top), 8 * len(top)


def _variance_bounds(belief: Moments) -> tuple[Floats, Floats]:
    bounds = getattr(belief, "variance_bounds", None)
    found: tuple[Floats, Floats] = bounds() if bounds is not None else (belief.variance(),) * 2
    return found


def _best_first(mean: Floats) -> Ints:
    return np.argsort(-mean, kind="stable")


def _pairs(seen: Collection[Any] | Ints) -> Ints:
    pairs = np.asarray(seen if isinstance(seen, np.ndarray) else list(seen), dtype=np.int64)
    return pairs.reshape(-1, 2)


def _check_tau(tau: float) -> None:
    if not tau > 0:
        raise InvalidInput(f"tau must be above 0, got {tau}: use 1 as in the paper, or more")
