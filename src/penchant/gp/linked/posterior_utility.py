"""Statements about items from a belief: means, intervals, win probabilities, draws and rankings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, check_level, shown
from penchant.counts import Counts, are_whole, as_counts
from penchant.errors import InvalidInput, NotFitted, UnknownItem
from penchant.gp.linked.answers import Answers
from penchant.gp.linked.belief import LowRankBelief
from penchant.gp.linked.mixture import MixtureBelief, mixture_quantile
from penchant.model import Model
from penchant.ranking import Ranking
from penchant.threads import one_thread

_DRAWN = 3000


class PosteriorUtility(Model):
    """Utilities of items with a normal distribution, or with a mixture of normal ones over scales of the prior.

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
    _belief: MixtureBelief

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
        return self._known_variance(variance)

    def _known_variance(self, variance: Floats | None) -> Floats:
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

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the utilities of the items (of those of ``rows``) together, shape (n_draws, n).

        Up to 3,000 items can be drawn together.
        """
        chosen = np.arange(self._fitted().n_items_) if rows is None else self._rows(rows)
        if len(chosen) > _DRAWN:
            raise InvalidInput(
                f"rows must be at most {_DRAWN:,} to be drawn together, got {len(chosen):,}: give fewer rows"
            )
        with one_thread():
            return self._belief.sample(n_draws, seed, chosen)

    def most_probable(self) -> ComponentBelief:
        """Return the belief at the most probable scale of the prior, which is normal; `update` changes it."""
        place = int(np.argmax(self._fitted()._belief.log_weights))
        return ComponentBelief(self, self._belief.components[place])

    def win_probability(self, a: ArrayLike, b: ArrayLike) -> Any:
        """Return the probability that ``a`` beats ``b`` given that one of them does.

        It is Φ(δ/√(1 + ν²)) for a difference with mean δ and variance ν², averaged over the scales of the prior.

        Parameters
        ----------
        a, b : int, or int array-like of shape (m,)
        """
        from scipy.special import ndtr

        difference, variance = self._difference(a, b)
        chance = np.tensordot(self._belief.weights, ndtr(difference / np.sqrt(1 + variance)), axes=1)
        return float(chance) if chance.ndim == 0 else chance

    def difference_interval(self, a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Floats:
        """Return what the utility of ``a`` less that of ``b`` lies between with probability ``level``, (…, 2)."""
        difference, variance = self._difference(a, b)
        return self._between(difference, np.sqrt(variance), level)

    def interval(self, level: float = 0.95) -> Floats:
        """Return what each utility lies between with probability ``level``, shape (n_items, 2)."""
        self.variance()  # an error where these take a solve for each item
        return self._interval(np.arange(self.n_items_), level)

    def rank(self, qid: Any = None, *, level: float = 0.95, seed: int = 0) -> Ranking:
        """Return the items, or those of one query group, in order of utility.

        Up to 3,000 items the rank ranges rest on joint draws; above, on independent ones. On a graph where every
        variance takes a solve, the upper bounds of the variances stand for them.
        """
        rows = self._fitted()._group(qid)
        with one_thread():
            interval = self._interval(rows, level)

        def sample(n_draws: int, seed: int) -> Floats:
            with one_thread():
                return self._belief.sample(n_draws, seed, rows, joint=len(rows) <= _DRAWN)

        ranking = Ranking.from_scores(
            [self.items_[row] for row in rows],
            self._belief.mean[rows],
            sample=sample,
            level=level,
            answers=self.counts_[rows],
            model=repr(self),
            seed=seed,
        )
        lower, upper = interval[np.argsort(-self._belief.mean[rows], kind="stable")].T
        return replace(ranking, lower=lower, upper=upper)

    @property
    def counts_(self) -> Counts:
        """How many answers each item took part in, shape (n_items,); weights count."""
        answers = self._fitted().answers_
        totals = np.bincount(answers.pairs.ravel(), np.repeat(answers.weight, 2), self.n_items_)
        return as_counts(totals, whole=are_whole(answers.weight))

    def _interval(self, rows: Ints, level: float) -> Floats:
        parts = self._belief.components
        if len(rows) <= _DRAWN:
            found = np.stack([variance for part in parts if (variance := part.variance(rows)) is not None])
        else:
            found = np.stack([part.variance_bounds()[1][rows] for part in parts])
        return self._between(np.stack([part.mean[rows] for part in parts]), np.sqrt(found), level)

    def _between(self, means: Floats, sds: Floats, level: float) -> Floats:
        """Return the interval of a mixture of normals, (k, …) to (…, 2)."""
        check_level(level)
        weights = self._belief.weights
        ends = [mixture_quantile(weights, means, sds, end) for end in ((1 - level) / 2, (1 + level) / 2)]
        return np.stack(ends, axis=-1)

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
        """Return mean and variance of the difference of two utilities at each scale, shape (k, …)."""
        first, second = np.broadcast_arrays(self._fitted()._rows(a), self._rows(b))
        with one_thread():
            return self._belief.differences(first, second)

    def _group(self, qid: Any) -> Ints:
        if qid is None:
            return np.arange(self.n_items_)
        rows = np.flatnonzero(self.qid_ == qid) if self.qid_ is not None else np.empty(0, dtype=np.int64)
        if not len(rows):
            raise InvalidInput(f"query {shown(qid)} has no items: give one of the qid of fit")
        return rows


@dataclass(frozen=True, eq=False)
class ComponentBelief:
    """The normal belief at one scale of the prior: mean, variances and covariances, as `PosteriorUtility` has them."""

    model: PosteriorUtility
    component: LowRankBelief

    @property
    def mean(self) -> Floats:
        """The expected utility of each item, shape (n_items,)."""
        return self.component.mean.copy()

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each utility (or of those of ``rows``)."""
        with one_thread():
            variance = self.component.variance(None if rows is None else self.model._rows(rows))
        return self.model._known_variance(variance)

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the variances lie; both are the variances where those are known."""
        with one_thread():
            return self.component.variance_bounds()

    def difference_variance(self, first: Ints, second: Ints) -> Floats:
        """Return the variances of the differences of pairs of items, shape (m,)."""
        with one_thread():
            return self.component.difference_variance(first, second)

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the utilities of ``rows`` with those of ``columns``; None is all items."""
        left = np.arange(self.model.n_items_) if rows is None else self.model._rows(rows)
        right = None if columns is None else self.model._rows(columns)
        with one_thread():
            return self.component.covariance(left, right)
