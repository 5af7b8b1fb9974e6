"""The moments, draws and ranking of a mixture of normal posteriors with dense covariances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.belief import LOGISTIC_NOISE, NormalBelief, rows_of
from penchant.checks import Floats, Ints, check_level
from penchant.counts import Counts, as_counts
from penchant.delayed import DelayedMatrix
from penchant.linalg import draw_normal
from penchant.mixture import draw_shares, mixture_covariance, mixture_quantile, mixture_variance
from penchant.online.likelihood import AnswerLikelihood
from penchant.preferences import BAR
from penchant.preferences.graph import groups_caveat
from penchant.ranking import LOG_ODDS, Ranking
from penchant.threads import one_thread

Labels = NDArray[np.int32]
_DECIMALS = 10
_MOST_DRAWS = 2000


class DensePosterior(NormalBelief):
    """The part of an online belief that reads: K normal posteriors over N rows, with their weights.

    Rows are items and, last, the bar of both-bad answers where there is one. Worth may be relative to the mean of the
    compared items: then the level of all of them together, which no comparison determines, is taken out of means,
    variances and draws.
    """

    _items: tuple[str, ...]
    _n_items: int
    _bar: bool
    _bar_met: bool
    """Whether the last row is the bar, and whether it was compared."""
    _centred: bool
    _model: str
    _likelihood: AnswerLikelihood
    _counts: Floats
    _whole: bool
    """The answers of each item, and whether their weights are whole numbers."""
    _means: Floats
    _covariances: Floats
    _variances: Floats
    _levels: Floats
    """Shapes (K, N), (K, N, N), the diagonals of these (K, N), and their sums over the compared items (K, N)."""
    _terms: Floats
    _signs: Floats
    _counters: NDArray[np.int64]
    """Changes of the covariances that are not in them yet, (K, N, P) and (K, P); the number of pairs, and how many
    changes each covariance lacks, (1 + K,)."""
    _compared: NDArray[np.bool_]
    _labels: Labels
    """Which items were compared, and the connected group of each row."""
    _log_weights: Floats
    _scores: Floats | None
    """The mean of each row, where it was asked for since the last answer."""

    @property
    def items_(self) -> tuple[str, ...]:
        """The id of each item."""
        return self._items

    @property
    def counts_(self) -> Counts:
        """The number of answers that each item took part in, shape (n,); weights count."""
        return as_counts(self._counts, whole=self._whole)

    @property
    def noise_(self) -> float:
        """The sd of the rating noise on each of two compared items, in units of ``mean``."""
        return self._likelihood.noise

    @property
    def tie_(self) -> float | None:
        """The tie parameter, as `penchant.online.likelihood.AnswerLikelihood` has it; None while nothing was tied."""
        return self._likelihood.tie

    @property
    def weights_(self) -> Floats:
        """The weight of each component of the mixture, shape (K,)."""
        weights: Floats = np.exp(self._log_weights)
        weights /= weights.sum()
        return weights

    # -- moments -------------------------------------------------------------------------------------------

    @property
    def mean(self) -> Floats:
        """The expected score of each item, shape (n,); read only."""
        return self._row_means()[: self._n_items]

    def _row_means(self) -> Floats:
        """Return the mean of each row, shape (N,)."""
        if self._scores is None:
            mean = self.weights_ @ self._levelled()
            # Items that the answers do not distinguish are equal, not in the order of their rounding errors.
            self._scores = np.round(mean, _DECIMALS) + 0.0 if self._centred else mean
            self._scores.flags.writeable = False
        return self._scores

    def _levelled(self) -> Floats:
        """Return the means of the components, shape (K, N).

        Under a prior around 0 the scores of each connected group of items sum to 0, except in the group of the bar,
        which is moved until its items do.
        """
        members = self._group_of_bar()
        if members is None:
            return self._means
        levels = self._means[:, members].mean(axis=1)
        return np.where(self._labels == self._labels[-1], self._means - levels[:, None], self._means)

    def _group_of_bar(self) -> Ints | None:
        """Return the items of the group that the bar belongs to, where worth is relative to them."""
        if not (self._centred and self._bar_met):
            return None
        return np.flatnonzero(self._labels[:-1] == self._labels[-1])

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of the score of each item (or of those of ``rows``)."""
        levelled = self._levelled()
        apart = levelled - self.weights_ @ levelled
        variance = mixture_variance(self.weights_, apart, self._component_variances())
        return variance[rows_of(rows, self._n_items)]

    def _component_variances(self) -> Floats:
        """Return the variance of each row in each component, shape (K, N)."""
        n_compared = self._n_compared
        if not n_compared:
            return self._variances
        total = self._levels[:, self._compared].sum(axis=1, keepdims=True)
        variances: Floats = self._variances - 2 * self._levels / n_compared
        variances += total / n_compared**2
        return np.maximum(variances, 0.0)

    @property
    def _n_compared(self) -> int:
        """How many items worth is relative to; 0 where it is relative to the prior."""
        return int(np.count_nonzero(self._compared)) if self._centred else 0

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``; None is all items."""
        left, right = rows_of(rows, self._n_items), rows_of(columns, self._n_items)
        levelled = self._levelled()
        apart = levelled - self.weights_ @ levelled
        parts = (self._component_covariance(k, left, right) for k in range(len(levelled)))
        return mixture_covariance(self.weights_, apart[:, left], apart[:, right], parts)

    def _component_covariance(self, k: int, left: Ints, right: Ints) -> Floats:
        block = self._delayed(k).block(left, right)
        if self._n_compared:
            level = self._levels[k] / self._n_compared
            block -= level[left][:, None]
            block -= level[right]
            block += level[self._compared].mean()
        return block

    def _delayed(self, k: int, n_rows: int | None = None) -> DelayedMatrix:
        """Return the covariance of component k, of all rows or of the first ones."""
        rows, delayed = slice(n_rows), slice(int(self._counters[1 + k]))
        return DelayedMatrix(self._covariances[k, rows, rows], self._terms[k, rows], self._signs[k, delayed])

    def most_probable(self) -> DenseComponent:
        """Return the moments of the component of the highest weight, by which questions are chosen."""
        weights = self._log_weights.tolist()
        return DenseComponent(self, weights.index(max(weights)))

    def moments_arrays(self) -> tuple[Floats, Floats, Floats | DelayedMatrix]:
        """Return `DenseComponent.chooser_arrays` of the most probable component."""
        return self.most_probable().chooser_arrays()

    # -- draws and ranking ---------------------------------------------------------------------------------

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the scores of the items (of those at ``rows``) jointly, shape (n_draws, n)."""
        return self._draw(n_draws, seed)[:, rows_of(rows, self._n_items)]

    def _draw(self, n_draws: int, seed: int) -> Floats:
        """Draw the scores of all rows, from each component in proportion to its weight."""
        rng = np.random.default_rng(seed)
        seeds = rng.integers(2**31, size=len(self._means))
        levelled, draws = self._levelled(), []
        with one_thread():
            for k, count in enumerate(draw_shares(self.weights_, n_draws)):
                if count:
                    away = draw_normal(self._delayed(k).whole(), count, int(seeds[k]))
                    if self._n_compared:
                        away -= away[:, self._compared].mean(axis=1, keepdims=True)
                    draws.append(levelled[k] + away)
        drawn: Floats = np.concatenate(draws)[rng.permutation(n_draws)]
        return drawn

    def rank(self, *, level: float = 0.95, seed: int = 0) -> Ranking:
        """Return the items in order of their mean, with intervals and rank ranges at ``level``."""
        tail, n_shown = (1 - check_level(level)) / 2, self._n_items + self._bar_met
        sds, levelled = np.sqrt(self._component_variances()), self._levelled()
        lower, upper = (mixture_quantile(self.weights_, levelled, sds, share) for share in (tail, 1 - tail))
        return Ranking.from_scores(
            self._items,
            self.mean,
            intervals=np.column_stack([lower, upper])[: self._n_items],
            sample=lambda n_draws, seed: self._draw(min(n_draws, _MOST_DRAWS), seed)[:, :n_shown],
            level=level,
            answers=self.counts_,
            model=self._model,
            seed=seed,
            bar=float(self._row_means()[-1]) if self._bar_met else None,
            bar_interval=(float(lower[-1]), float(upper[-1])) if self._bar_met else None,
            caveats=self.caveats(),
            scale=LOG_ODDS if self.noise_ == LOGISTIC_NOISE else "",
        )

    def caveats(self) -> Sequence[str]:
        """Return the caveats of the scores: groups of items that were never compared."""
        caveat = None
        if self._centred:
            ids = (*self._items, BAR)[: self._n_items + self._bar_met]
            caveat = groups_caveat(self._labels[: len(ids)].astype(np.int64), ids)
        return () if caveat is None else (caveat,)


class DenseComponent:
    """Mean and covariance of the items' scores in one component of a `DensePosterior`; later answers change it."""

    def __init__(self, posterior: DensePosterior, k: int) -> None:
        self._posterior, self._k, self._n_items = posterior, k, posterior._n_items

    @property
    def noise_(self) -> float:
        """The sd of the rating noise on each of two compared items, in units of ``mean``."""
        return self._posterior.noise_

    @property
    def mean(self) -> Floats:
        """The expected score of each item, shape (n,)."""
        return self._posterior._levelled()[self._k, : self._n_items]

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each score (or of those of ``rows``)."""
        variance: Floats = self._posterior._component_variances()[self._k, rows_of(rows, self._n_items)]
        return variance

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``."""
        left, right = rows_of(rows, self._n_items), rows_of(columns, self._n_items)
        return self._posterior._component_covariance(self._k, left, right)

    def chooser_arrays(self) -> tuple[Floats, Floats, Floats | DelayedMatrix]:
        """Return mean, variance and covariance of the items without copying the covariance.

        Variances and covariances contain the level of all scores together, which makes no difference to differences.
        The next answer changes what they show, and they must not be written to.
        """
        covariance = self._posterior._delayed(self._k, self._n_items)
        variance = self._posterior._variances[self._k, : self._n_items]
        return self.mean, variance, covariance if len(covariance.signs) else covariance.matrix
