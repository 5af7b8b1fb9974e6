"""Reports from the posterior of linked items: moments, intervals, win probabilities, draws and rankings."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.belief import PROBIT_NOISE
from penchant.checks import Floats, Ints, check_level, positive, shown
from penchant.counts import Counts, are_whole, as_counts
from penchant.errors import InvalidInput, NotFitted, UnknownItem
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.item_prior import Settings
from penchant.gp.linked.low_rank import LowRankBelief
from penchant.gp.linked.posterior import MixtureBelief
from penchant.mixture import mixture_quantile
from penchant.model import Model
from penchant.ranking import Ranking
from penchant.threads import one_thread

_MOST_DRAWN = 3000
_PROBIT = Probit(1.0)


class _ItemMoments(ABC):
    """Mean, variances and covariances of the utilities of items, with checked rows."""

    n_items_: int

    @property
    @abstractmethod
    def _moments(self) -> MixtureBelief | LowRankBelief: ...

    @property
    def mean(self) -> Floats:
        """The expected utility of each item, shape (n_items,)."""
        return self._moments.mean.copy()

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each utility (or of those of ``rows``), shape (n_items,)."""
        moments = self._moments
        chosen = None if rows is None else self._rows(rows)
        with one_thread():
            variance = moments.variance(chosen)
        if variance is None:
            raise InvalidInput(
                f"the variances of all {self.n_items_} linked items would take one solve each: give the rows that "
                "are needed, or use variance_bounds()"
            )
        return variance

    def variance_bounds(self) -> tuple[Floats, Floats]:
        """Return two vectors between which the variances lie; both are the variances where those are cheap."""
        with one_thread():
            return self._moments.variance_bounds()

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the utilities of ``rows`` with those of ``columns``; None is all items."""
        moments = self._moments
        left = np.arange(self.n_items_) if rows is None else self._rows(rows)
        right = None if columns is None else self._rows(columns)
        with one_thread():
            return moments.covariance(left, right)

    def _rows(self, rows: ArrayLike) -> Ints:
        chosen, n_items = np.asarray(rows), self.n_items_
        if chosen.dtype.kind not in "iu":
            raise UnknownItem(f"items must be rows, whole numbers from 0, got {shown(rows)}: give indices")
        wrong = (chosen < 0) | (chosen >= n_items)
        if wrong.any():
            raise UnknownItem(
                f"item {np.atleast_1d(chosen)[np.atleast_1d(wrong)][0]} is not among the {n_items} items: "
                f"give a row from 0 to {n_items - 1}"
            )
        return chosen.astype(np.int64)


@dataclass(frozen=True, eq=False)
class ComponentBelief(_ItemMoments):
    """The normal belief at one scale of the prior."""

    n_items_: int
    component: LowRankBelief

    @property
    def _moments(self) -> LowRankBelief:
        return self.component

    def difference_variance(self, first: Ints, second: Ints) -> Floats:
        """Return the variances of the differences of pairs of items, shape (m,)."""
        with one_thread():
            return self.component.difference_variance(first, second)


class PosteriorUtility(_ItemMoments, Model):
    """Utilities of items with a normal distribution, or with a mixture of normal ones over scales of the prior.

    Attributes
    ----------
    n_items_ : int
    items_ : tuple of str
    qid_ : array of shape (n_items_,), or None
    comparisons_ : Answers
    settings_ : Settings
    """

    items_: tuple[str, ...]
    qid_: NDArray[Any] | None
    comparisons_: Answers
    settings_: Settings
    _belief: MixtureBelief

    @property
    def _moments(self) -> MixtureBelief:
        if not hasattr(self, "_belief"):
            raise NotFitted(f"this {type(self).__name__} has no items yet: call fit first")
        return self._belief

    @property
    def noise_(self) -> float:
        """The sd of the rating noise on each of two compared items, √½: P(a beats b) = Φ(ξ_a − ξ_b)."""
        return PROBIT_NOISE

    @property
    def counts_(self) -> Counts:
        """The number of answers that each item took part in, shape (n_items,); weights count."""
        answers = self._fitted().comparisons_
        totals = np.bincount(answers.pairs.ravel(), np.repeat(answers.weight, 2), self.n_items_)
        return as_counts(totals, whole=are_whole(answers.weight))

    @property
    def answers_(self) -> Answers:
        """The former name of ``comparisons_``."""
        warnings.warn("answers_ is now called comparisons_: use that", DeprecationWarning, stacklevel=2)
        return self._fitted().comparisons_

    @property
    def lost_(self) -> float:
        """The most by which a variance is too large because of ``most_columns``."""
        return self._moments.lost

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the utilities of the items (of those of ``rows``) jointly, shape (n_draws, n).

        Up to 3,000 items can be drawn jointly.
        """
        chosen = np.arange(self._fitted().n_items_) if rows is None else self._rows(rows)
        if len(chosen) > _MOST_DRAWN:
            raise InvalidInput(
                f"rows must be at most {_MOST_DRAWN:,} to be drawn together, got {len(chosen):,}: give fewer rows"
            )
        with one_thread():
            return self._belief.sample(n_draws, seed, chosen)

    def most_probable(self) -> ComponentBelief:
        """Return the belief at the most probable scale of the prior, which is normal; `update` changes it."""
        place = int(np.argmax(self._moments.log_weights))
        return ComponentBelief(self.n_items_, self._belief.components[place])

    def win_probability(self, a: ArrayLike, b: ArrayLike) -> Any:
        """Return the probability that ``a`` beats ``b`` given that one of them does.

        It is Φ(δ/√(1 + ν²)) for a difference with mean δ and variance ν², averaged over the scales of the prior.

        Parameters
        ----------
        a, b : int, or int array-like of shape (m,)
        """
        probability = np.tensordot(
            self._moments.weights, _PROBIT.win_probability(*self._difference(a, b)), axes=1
        )
        return float(probability) if probability.ndim == 0 else probability

    def difference_interval(self, a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Floats:
        """Return the interval of the utility of ``a`` less that of ``b`` with probability ``level``, (…, 2)."""
        difference, variance = self._difference(a, b)
        return self._between(difference, np.sqrt(variance), level)

    def interval(self, level: float = 0.95) -> Floats:
        """Return the interval of each utility with probability ``level``, shape (n_items, 2)."""
        self.variance()  # an error where these take a solve for each item
        return self._interval(np.arange(self.n_items_), level)

    def rank(self, qid: Any = None, *, level: float = 0.95, seed: int = 0) -> Ranking:
        """Return the items, or those of one query group, in order of utility.

        Up to 3,000 items the rank ranges rest on joint draws; above, on independent ones. On a graph where every
        variance takes a solve, the upper bounds of the variances are used.
        """
        rows = self._fitted()._group(qid)
        with one_thread():
            interval = self._interval(rows, level)

        def sample(n_draws: int, seed: int) -> Floats:
            with one_thread():
                return self._belief.sample(n_draws, seed, rows, joint=len(rows) <= _MOST_DRAWN)

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

    def _interval(self, rows: Ints, level: float) -> Floats:
        parts = self._belief.components
        if len(rows) <= _MOST_DRAWN:
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
        """Return itself; an error before `fit`."""
        _ = self._moments
        return self

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

    def _checked_answers(self, better: Any, worse: Any, weight: Any, tie: Any) -> Answers:
        """Return the arguments of `LinkedGP.update`, checked."""
        first, second = np.atleast_1d(self._rows(better)), np.atleast_1d(self._rows(worse))
        tied, weights = (
            np.atleast_1d(np.asarray(tie)),
            np.atleast_1d(np.asarray(1.0 if weight is None else weight)),
        )
        if tied.dtype.kind != "b":
            raise InvalidInput(f"tie must be True or False, got {shown(tie)}: give True where the two tie")
        try:
            first, second, tied, weights = np.broadcast_arrays(first, second, tied, weights)
        except ValueError:
            first = first[:0].reshape(0, 0)
        if first.ndim != 1:
            raise InvalidInput(
                "better, worse, weight and tie must be one value each or equally many, got shapes "
                f"{np.shape(better)}, {np.shape(worse)}, {np.shape(weight)} and {np.shape(tie)}: give one an answer"
            )
        weights = positive("weight", weights)
        same = np.flatnonzero(first == second)
        if same.size:
            raise InvalidInput(
                f"answer {same[0]} compares item {first[same[0]]} with itself: give two different items"
            )
        if tied.any() and not self.settings_.threshold > 0:
            raise InvalidInput(
                "a tie needs a threshold above 0, got threshold=0: give LinkedGP(threshold=…), or leave ties out"
            )
        if self.qid_ is not None:
            apart = np.flatnonzero(self.qid_[first] != self.qid_[second])
            if apart.size:
                i, j = first[apart[0]], second[apart[0]]
                raise InvalidInput(
                    f"answer {apart[0]} compares item {i} of query {self.qid_[i]} with item {j} of query "
                    f"{self.qid_[j]}: compare within a query"
                )
        return Answers(np.column_stack([first, second]), weights, tied.copy())
