"""Step two, inside: what a belief says of items. A belief in; means, intervals, chances and rankings out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, shown
from penchant.errors import InvalidInput, NotFitted, UnknownItem
from penchant.gp.linked.belief import LowRankBelief
from penchant.gp.linked.full_ep import Answers
from penchant.model import Model
from penchant.ranking import Ranking
from penchant.threads import one_thread

_DRAWN = 3000


class BelievedUtility(Model):
    """Utilities of items, normally distributed around their means.

    Attributes
    ----------
    n_items_ : int
    items_ : tuple of str
    qid_ : array of shape (n_items_,), or None
    answers_ : Answers
    """

    n_items_: int
    items_: tuple[str, ...]
    qid_: NDArray[Any] | None
    answers_: Answers
    _belief: LowRankBelief

    @property
    def mean(self) -> Floats:
        """The expected utility of each item, shape (n_items,)."""
        return self._fitted()._belief.mean.copy()

    @property
    def lost_(self) -> float:
        """The most that any variance is too large because of ``most_columns``."""
        return self._fitted()._belief.lost

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each utility (or of those of ``rows``), shape (n_items,)."""
        chosen = None if rows is None else self._fitted()._rows(rows)
        with one_thread():
            variance = self._fitted()._belief.variance(chosen)
        if variance is None:
            raise InvalidInput(
                f"the variances of all {self.n_items_} linked items would take one solve each: give the rows that "
                "are needed, or use variance_bounds()"
            )
        return variance

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the variances lie; both are the variances where those are known."""
        with one_thread():
            return self._fitted()._belief.variance_bounds()

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the utilities of ``rows`` with those of ``columns``; None is all items."""
        everything = np.arange(self._fitted().n_items_)
        left = everything if rows is None else self._rows(rows)
        right = None if columns is None else self._rows(columns)
        with one_thread():
            return self._belief.covariance(left, right)

    def win_probability(self, a: ArrayLike, b: ArrayLike) -> Any:
        """Return the probability that ``a`` beats ``b`` given that one of them does, Φ(δ/√(1 + ν²)).

        Parameters
        ----------
        a, b : int, or int array-like of shape (m,)
        """
        from scipy.special import ndtr

        difference, variance = self._difference(a, b)
        chance = ndtr(difference / np.sqrt(1 + variance))
        return float(chance) if chance.ndim == 0 else chance

    def difference_interval(self, a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Floats:
        """Return what the utility of ``a`` less that of ``b`` lies between with probability ``level``, (…, 2)."""
        difference, variance = self._difference(a, b)
        width = _quantile(level) * np.sqrt(variance)
        return np.stack([difference - width, difference + width], axis=-1)

    def interval(self, level: float = 0.95) -> Floats:
        """Return what each utility lies between with probability ``level``, shape (n_items, 2)."""
        width = _quantile(level) * np.sqrt(self.variance())
        return np.column_stack([self.mean - width, self.mean + width])

    def rank(self, qid: Any = None, *, level: float = 0.95, seed: int = 0) -> Ranking:
        """Return the items, or those of one query group, in order of utility.

        Up to 3,000 items the rank ranges rest on joint draws; above, on independent ones.
        """
        rows = self._fitted()._group(qid)
        variance = self.variance(rows)
        sample = None
        if len(rows) <= _DRAWN:
            with one_thread():
                root = _root(self.covariance(rows, rows))

            def sample(n_draws: int, seed: int) -> Floats:
                drawn = np.random.default_rng(seed).standard_normal((n_draws, root.shape[1]))
                with one_thread():
                    return np.asarray(self._belief.mean[rows] + drawn @ root.T)

        asked = np.bincount(self.answers_.pairs.ravel(), minlength=self.n_items_)
        return Ranking.from_scores(
            [self.items_[row] for row in rows],
            self._belief.mean[rows],
            variance=variance,
            sample=sample,
            level=level,
            answers=asked[rows],
            model=repr(self),
            seed=seed,
        )

    def _fitted(self) -> Self:
        if not hasattr(self, "_belief"):
            raise NotFitted(f"this {type(self).__name__} knows no items yet: call fit first")
        return self

    def _rows(self, rows: ArrayLike) -> Ints:
        found = np.asarray(rows)
        if found.dtype.kind not in "iu":
            raise UnknownItem(f"items must be rows, whole numbers from 0, got {shown(rows)}: give indices")
        wrong = (found < 0) | (found >= self.n_items_)
        if wrong.any():
            raise UnknownItem(
                f"item {np.atleast_1d(found)[np.atleast_1d(wrong)][0]} is not among the {self.n_items_} items: "
                f"give a row from 0 to {self.n_items_ - 1}"
            )
        return found.astype(np.int64)

    def _difference(self, a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
        """Return mean and variance of the difference of two utilities."""
        first, second = np.broadcast_arrays(self._fitted()._rows(a), self._rows(b))
        items, places = np.unique(np.concatenate([first.ravel(), second.ravel()]), return_inverse=True)
        left, right = places.reshape(2, -1)
        block = self.covariance(items, items)
        own = block.diagonal()
        variance = np.maximum(own[left] + own[right] - 2 * block[left, right], 0.0).reshape(first.shape)
        return self._belief.mean[first] - self._belief.mean[second], variance

    def _group(self, qid: Any) -> Ints:
        if qid is None:
            return np.arange(self.n_items_)
        rows = np.flatnonzero(self.qid_ == qid) if self.qid_ is not None else np.empty(0, dtype=np.int64)
        if not len(rows):
            raise InvalidInput(f"query {shown(qid)} has no items: give one of the qid of fit")
        return rows


def _quantile(level: float) -> float:
    from scipy.special import ndtri

    if not 0 < level < 1:
        raise InvalidInput(f"level must be between 0 and 1, got {level}: use 0.95, for instance")
    return float(ndtri((1 + level) / 2))


def _root(covariance: Floats) -> Floats:
    """Return a root of a covariance, which may be singular."""
    strength, directions = np.linalg.eigh(covariance)
    root: Floats = directions * np.sqrt(np.maximum(strength, 0.0))
    return root
