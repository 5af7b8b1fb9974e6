"""`OnlineMixture`: a belief that learns one answer at a time, with the dense covariance of up to 2,000 items.

It is expectation propagation with one site for each compared pair. An answer changes the likelihood of its pair: the
pair's site is matched again and the covariance moves by one rank; then some other pairs are visited in turn, because
the answer has moved their cavities too. So the belief stays at what propagation over all answers would give, at a cost
that depends on the number of items alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.belief import NormalBelief, rows_of
from penchant.checks import Floats, Ints, check_level
from penchant.counts import Counts, as_counts
from penchant.errors import InvalidInput, UnknownItem
from penchant.linalg import draw_normal
from penchant.mixture import draw_shares, mixture_covariance, mixture_quantile, mixture_variance
from penchant.online.likelihood import AnswerLikelihood, quadrature_rules
from penchant.online.prior import CorrelatedPrior, DensePrior, prior_of_state
from penchant.preferences import BAR, Preferences
from penchant.ranking import Ranking
from penchant.threads import one_thread

MOST_ITEMS = 2_000
"""Up to so many items the dense covariance is kept."""
_DECIMALS = 10
_LEFT, _RIGHT, _TIE, _BOTH_BAD = range(4)
_PAIRS, _COMPARED, _STEPS = range(3)
_TAU, _NU, _LEAST, _MATCHED = range(4)
_SETTLED = 1e-4
_MOST_SWEEPS, _UNDAMPED_SWEEPS = 60, 20
_DRAWS = 2000
_MOST_WAITING = 32


class OnlineMixture(NormalBelief):
    """A mixture of normal beliefs over the scores of items that learns one answer at a time.

    Make one by ``model.live(preferences)``, or for any prior covariance by `from_prior`.

    Parameters
    ----------
    items : sequence of str
        Ids.
    likelihood : AnswerLikelihood
    prior : DensePrior
        Over the items and, where ``bar``, the bar of both-bad answers behind them.
    weights : array of shape (K,)
        Of the components of the mixture; they sum to 1.
    bar : bool
        Whether the last row is the bar; without it, both-bad answers are rejected.
    centred : bool
        Whether scores are relative to the mean of the items that were compared. Comparisons determine differences
        alone; otherwise each interval would include the uncertainty of the level of all items.
    model : str
        What made the belief, for its ranking.
    """

    def __init__(
        self,
        items: Sequence[str],
        likelihood: AnswerLikelihood,
        prior: DensePrior,
        *,
        weights: ArrayLike = (1.0,),
        bar: bool = False,
        centred: bool = False,
        model: str = "OnlineMixture",
    ) -> None:
        n_components, n_rows = prior.shape
        _check_count(len(items))
        self._items = tuple(items)
        self._n_items, self._bar, self._centred, self._model = len(items), bar, centred, model
        self._likelihood, self._prior = likelihood, prior
        self._counts, self._whole = np.zeros(len(items)), True
        self._bar_met = False
        self._pairs = np.zeros((16, 2), dtype=np.int32)
        self._totals = np.zeros((16, 3))
        self._sites = np.zeros((n_components, 16, 5))
        self._place = np.full((n_rows, n_rows), -1, dtype=np.int32)
        self._means = np.repeat(prior.mean[None], n_components, axis=0)
        self._covariances = np.stack([prior.covariance(k) for k in range(n_components)])
        self._variances = np.ascontiguousarray(np.diagonal(self._covariances, axis1=1, axis2=2))
        self._levels = np.zeros((n_components, n_rows))
        self._compared = np.zeros(n_rows, dtype=np.bool_)
        self._labels = np.arange(n_rows, dtype=np.int32)
        self._log_weights = np.log(np.asarray(weights, dtype=np.float64))
        self._counters = np.zeros(3, dtype=np.int64)
        self._turns = np.zeros((n_components, n_rows + 1), dtype=np.int64)
        self._waiting = np.full((n_components, _MOST_WAITING), -1, dtype=np.int64)
        self._excess = np.zeros((n_components, _MOST_WAITING))
        self._bind()

    @classmethod
    def from_prior(
        cls,
        items: Iterable[str],
        covariance: ArrayLike,
        *,
        noise: float,
        mean: ArrayLike | None = None,
        tie: float | None = None,
        factors: ArrayLike = (1.0,),
        weights: ArrayLike = (1.0,),
        bar_variance: float | None = None,
        model: str = "OnlineMixture",
    ) -> Self:
        """Return the belief before any answer, for a prior of any covariance and a probit likelihood.

        Parameters
        ----------
        items : iterable of str
        covariance : array-like of shape (n, n)
            Symmetric without negative eigenvalues.
        noise : float
            P(a is preferred to b) = Φ((a − b) / (√2 · noise)).
        mean : array-like of shape (n,), optional
            0 if not given.
        tie : float, optional
            How far two perceptions, each with noise, may differ and still be called equal, in units of the noise.
        factors, weights : array-like of shape (K,)
            The mixture has K components, whose prior covariances are the given one times these factors.
        bar_variance : float, optional
            The prior variance of the bar of both-bad answers, around 0; without it these are rejected.
        model : str
            What made the belief, for its ranking.

        Examples
        --------
        >>> belief = OnlineMixture.from_prior(["a", "b", "c"], [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], noise=1.0)
        >>> _ = belief.answer(0, 2, 0)
        >>> belief.mean.round(2).tolist()
        [0.4, 0.36, -0.4]
        """
        names = tuple(items)
        matrix = np.array(covariance, dtype=np.float64)
        start = np.zeros(len(names)) if mean is None else np.array(mean, dtype=np.float64)
        if bar_variance is not None:
            wider = np.zeros((len(names) + 1, len(names) + 1))
            wider[:-1, :-1], wider[-1, -1] = matrix, bar_variance
            matrix, start = wider, np.append(start, 0.0)
        return cls(
            names,
            AnswerLikelihood("probit", noise, tie),
            CorrelatedPrior(matrix, np.array(factors, dtype=np.float64), start),
            weights=weights,
            bar=bar_variance is not None,
            model=model,
        )

    def begin(
        self,
        pairs: ArrayLike,
        totals: ArrayLike,
        *,
        counts: ArrayLike,
        sites: ArrayLike | None = None,
    ) -> Self:
        """Learn the first answers at once, and return the belief.

        Parameters
        ----------
        pairs : int array-like of shape (n_pairs, 2)
            Rows, the lower first, each pair once; the row of the bar is the last.
        totals : array-like of shape (n_pairs, 3)
            The weight of the answers that prefer the first, that prefer the second, and that call the two equal.
        counts : array-like of shape (n,)
            The number of answers that each item took part in.
        sites : array-like of shape (K, n_pairs, 2), optional
            τ and ν from which the sweeps of expectation propagation start in each component; 0 if not given.
        """
        rows = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        self._add_pairs(rows, np.array(totals, dtype=np.float64).reshape(-1, 3))
        if sites is not None:
            self._sites[:, : len(rows), :2] = sites
        self._counts += np.asarray(counts)
        self._whole = np.asarray(counts).dtype.kind == "i"
        self._bar_met = bool(self._bar and (rows == self._n_items).any())
        return self.settle()

    # -- learning ------------------------------------------------------------------------------------------

    def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
        """Learn one answer about two items, and return the log probability that it had before.

        The first tie of all sets the tie parameter (`AnswerLikelihood.with_first_tie`), and its probability is that
        with this parameter. A both-bad answer is two comparisons, in which the bar is preferred to each of the items.

        Parameters
        ----------
        first, second : int
            Rows of the items.
        outcome : int
            An index into `penchant.preferences.OUTCOMES`: the first is better, the second is, a tie, both bad.
        weight : float
            Above 0; 2 counts as two equal answers at once.
        """
        n_items = self._n_items
        if not (0 <= first < n_items and 0 <= second < n_items and first != second):
            raise InvalidInput(
                f"first and second must be two different rows from 0 to {n_items - 1}, got {first} and {second}"
            )
        if not 0 < weight < np.inf:
            raise InvalidInput.of("weight", "be a number above 0", weight, "1 is one answer")
        if outcome == _BOTH_BAD:
            log_chance = self._both_bad(first, second, weight)
        elif outcome in (_LEFT, _RIGHT, _TIE):
            if outcome == _TIE and self._likelihood.tie is None:
                self._begin_ties(weight)
            log_chance = self._compare(first, second, outcome, weight)
        else:
            raise InvalidInput.of("outcome", "be 0, 1, 2 or 3", outcome, "see penchant.preferences.OUTCOMES")
        self._counts[first] += weight
        self._counts[second] += weight
        self._whole = self._whole and weight == int(weight)
        return log_chance

    def _both_bad(self, first: int, second: int, weight: float) -> float:
        if not self._bar:
            raise InvalidInput(
                "outcome must be left, right or tie where the model has no bar, got both_bad: "
                "leave these answers out, or use BradleyTerry or Thurstone"
            )
        self._bar_met = True
        bar = self._n_items
        return self._compare(first, bar, _RIGHT, weight) + self._compare(second, bar, _RIGHT, weight)

    def _begin_ties(self, weight: float) -> None:
        self._likelihood = self._likelihood.with_first_tie(float(self._totals.sum()), weight)
        self._bind()

    def _compare(self, first: int, second: int, outcome: int, weight: float) -> float:
        """Learn one comparison of two rows."""
        if self._counters[_PAIRS] == len(self._pairs):
            self._make_room(2 * len(self._pairs))
        self._mean: Floats | None = None
        question = int(first), int(second), int(outcome), float(weight)
        log_chance: float = self._kernels.answer(*self._arguments, question, self._n_items, self._visits)
        return log_chance

    def learn(self, preferences: Preferences) -> Self:
        """Learn more answers about the items, in their order; many are learned at once, by sweeps over all pairs."""
        catalogue = preferences.catalogue
        unknown = [name for name in catalogue.ids if name not in self._index and name != BAR]
        if unknown:
            raise UnknownItem(
                f"items must be among the {self._n_items:,} of the belief, got {unknown[0]!r}: add it by with_items"
            )
        if catalogue.bar and not self._bar:
            self._both_bad(0, 1, 1.0)
        rows = np.array([self._index.get(name, self._n_items) for name in catalogue.ids], dtype=np.int64)
        comparisons = preferences.comparisons()
        better, worse = rows[comparisons.better], rows[comparisons.worse]
        tie, weight = comparisons.tie, comparisons.weight
        if len(better) > 2 * self._n_items:
            self._learn_at_once(better, worse, tie, weight)
        else:
            for first, second, tied, size in zip(better, worse, tie, weight, strict=True):
                if tied and self._likelihood.tie is None:
                    self._begin_ties(size)
                self._compare(first, second, _TIE if tied else _LEFT, size)
        counted = preferences.compared()[: catalogue.count - catalogue.bar]
        np.add.at(self._counts, rows[: len(counted)], counted)
        self._whole = self._whole and counted.dtype.kind == "i"
        self._bar_met = self._bar_met or catalogue.bar
        return self

    def _learn_at_once(self, better: Ints, worse: Ints, tie: NDArray[np.bool_], weight: Floats) -> None:
        """Add answers to the totals of their pairs and sweep over all pairs until the sites settle."""
        if tie.any() and self._likelihood.tie is None:
            decided = float(self._totals.sum()) + float(weight[~tie].sum())
            self._likelihood = self._likelihood.with_first_tie(decided, float(weight[tie].sum()))
        first, second = np.minimum(better, worse), np.maximum(better, worse)
        codes, place = np.unique(first * len(self._labels) + second, return_inverse=True)
        outcome = np.where(tie, _TIE, np.where(better < worse, _LEFT, _RIGHT))
        added = np.bincount(3 * place + outcome, weight, 3 * len(codes)).astype(np.float64).reshape(-1, 3)
        pairs = np.column_stack(np.divmod(codes, len(self._labels))).astype(np.int32)
        self._add_pairs(pairs, added)
        self.settle()

    def _add_pairs(self, pairs: NDArray[np.int32], totals: Floats) -> None:
        """Add totals of different pairs; pairs that are new have sites of 0."""
        n_pairs = int(self._counters[_PAIRS])
        at = self._place[pairs[:, 0], pairs[:, 1]].astype(np.int64)
        new = at < 0
        at[new] = n_pairs + np.arange(new.sum())
        n_after = n_pairs + int(new.sum())
        if n_after > len(self._pairs):
            self._make_room(max(n_after, 2 * len(self._pairs)))
        self._pairs[at] = pairs
        self._number_pairs(n_after)
        self._totals[at] += totals
        for k, sites in enumerate(self._sites):
            sites[at[new], _LEAST] = self._prior.pair_precision(k, pairs[new])
        self._counters[_PAIRS] = n_after
        self._compared[pairs.ravel()] = True
        self._compared[self._n_items :] = False
        self._counters[_COMPARED] = self._compared.sum()
        self._labels = _labels(self._pairs[:n_after], len(self._labels))
        self._bind()

    def settle(self, tolerance: float = _SETTLED) -> Self:
        """Sweep over the sites of all pairs until the posterior no longer moves.

        Parameters
        ----------
        tolerance : float
            Stop when no pair's mean moves by more than this share of its standard deviation, nor its variance by more
            than this share.
        """
        n_pairs = int(self._counters[_PAIRS])
        pairs, totals = self._pairs[:n_pairs], self._totals[:n_pairs]
        like, rules = self._likelihood.for_kernels, quadrature_rules()
        with one_thread():
            for k in range(len(self._means)):
                sites = self._sites[k, :n_pairs]
                moved = np.empty_like(sites)
                for sweep in range(_MOST_SWEEPS + 1):
                    mean, covariance = self._prior.posterior(k, pairs, sites[:, _TAU], sites[:, _NU])
                    if not n_pairs or sweep == _MOST_SWEEPS:
                        break
                    share = 1.0 if sweep < _UNDAMPED_SWEEPS else 0.5
                    largest = self._kernels.renew(
                        like, rules, pairs, totals, sites, mean, covariance, share, moved
                    )
                    if largest <= tolerance:
                        sites[:, _MATCHED:] = moved[:, _MATCHED:]
                        break
                    sites[:] = moved
                self._means[k], self._covariances[k] = mean, covariance
            self._derive()
        return self

    def _derive(self) -> None:
        """Compute what follows from means, covariances and compared items."""
        self._variances[:] = np.diagonal(self._covariances, axis1=1, axis2=2)
        self._levels[:] = self._covariances @ self._compared.astype(np.float64)
        self._waiting[:], self._excess[:] = -1, 0.0
        self._mean = None

    def _number_pairs(self, n_pairs: int) -> None:
        """Write the number of each pair at its place."""
        first, second = self._pairs[:n_pairs].T
        self._place[first, second] = self._place[second, first] = np.arange(n_pairs)

    def _make_room(self, capacity: int) -> None:
        """Make room for so many pairs."""
        n_pairs = int(self._counters[_PAIRS])
        for name, axis in (("_pairs", 0), ("_totals", 0), ("_sites", 1)):
            old = getattr(self, name)
            shape = list(old.shape)
            shape[axis] = capacity
            wider = np.zeros(shape, dtype=old.dtype)
            kept = (slice(None),) * axis + (slice(n_pairs),)
            wider[kept] = old[kept]
            setattr(self, name, wider)
        self._bind()

    def _bind(self) -> None:
        """Gather the arguments of the kernels, which must be done again where one of the arrays is another."""
        from penchant.online import _kernels

        self._kernels = _kernels
        n_rows = len(self._labels)
        steps, self._visits = _effort(n_rows)
        self._scratch = np.zeros((steps + 1, max(n_rows, steps)))
        self._mean = None
        self._arguments = (
            self._likelihood.for_kernels,
            quadrature_rules(),
            self._pairs,
            self._totals,
            self._sites,
            self._place,
            self._means,
            self._covariances,
            self._variances,
            self._levels,
            self._compared,
            self._labels,
            self._log_weights,
            *self._prior.for_kernels,
            self._counters,
            self._turns,
            self._waiting,
            self._excess,
            self._scratch,
            np.empty(n_rows, dtype=np.int64),
        )
        self._index = {name: row for row, name in enumerate(self._items)}

    # -- moments -------------------------------------------------------------------------------------------

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
        """The tie parameter; None while nothing was tied."""
        return self._likelihood.tie

    @property
    def weights_(self) -> Floats:
        """The weight of each component of the mixture, shape (K,)."""
        weights: Floats = np.exp(self._log_weights)
        weights /= weights.sum()
        return weights

    @property
    def mean(self) -> Floats:
        """The expected score of each item, shape (n,)."""
        return self._scores()[: self._n_items]

    def _scores(self) -> Floats:
        """Return the expected score of each row."""
        if self._mean is None:
            mean = self.weights_ @ self._levelled()
            # Items that the answers do not distinguish are equal, not in the order of their rounding errors.
            self._mean = np.round(mean, _DECIMALS) + 0.0 if self._centred else mean
            self._mean.flags.writeable = False
        return self._mean

    def _levelled(self) -> Floats:
        """Return the means of the components, shape (K, N).

        In each group of items that comparisons connect, scores sum to 0, but for the group that the bar belongs to: it
        is moved until those of its items do.
        """
        if not (self._centred and self._bar_met):
            return self._means
        group = self._labels == self._labels[-1]
        members = group[:-1]
        levels = self._means[:, :-1][:, members].mean(axis=1)
        return np.where(group, self._means - levels[:, None], self._means)

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of the score of each item (or of those of ``rows``)."""
        at = rows_of(rows, self._n_items)
        variance: Floats = self._spread()[1][at]
        return variance

    def _spread(self) -> tuple[Floats, Floats]:
        """Return the variances of the rows in each component, shape (K, N), and in the mixture, shape (N,)."""
        inside = np.maximum(self._variances - self._shift(), 0.0)
        levelled = self._levelled()
        return inside, mixture_variance(self.weights_, levelled - self.weights_ @ levelled, inside)

    def _shift(self) -> Floats:
        """Return by how much variances are smaller relative to the mean of the compared items, shape (K, N)."""
        n_compared = int(self._counters[_COMPARED])
        if not (self._centred and n_compared):
            return np.zeros_like(self._means)
        total = self._levels[:, self._compared].sum(axis=1)
        shift: Floats = 2 * self._levels / n_compared - total[:, None] / n_compared**2
        return shift

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``; None is all items."""
        left, right = rows_of(rows, self._n_items), rows_of(columns, self._n_items)
        levelled = self._levelled()
        apart = levelled - self.weights_ @ levelled
        parts = (self._component_covariance(k, left, right) for k in range(len(self._means)))
        return mixture_covariance(self.weights_, apart[:, left], apart[:, right], parts)

    def _component_covariance(self, k: int, left: Ints, right: Ints) -> Floats:
        block: Floats = self._covariances[k][np.ix_(left, right)]
        n_compared = int(self._counters[_COMPARED])
        if self._centred and n_compared:
            level = self._levels[k] / n_compared
            block -= level[left][:, None]
            block -= level[right]
            block += level[self._compared].mean()
        return block

    def most_probable(self) -> OnlineComponent:
        """Return the moments of the component of the highest weight, by which questions are chosen."""
        return OnlineComponent(self, int(np.argmax(self._log_weights)))

    def moments_arrays(self) -> tuple[Floats, Floats, Floats]:
        """Return mean, variance and covariance of the items in the most probable component, without copying.

        They are relative to the mean of the prior, not of the compared items, which makes no difference to differences
        of scores. They are views that the next answer changes, and must not be written to.
        """
        k, n_items = int(np.argmax(self._log_weights)), self._n_items
        return (
            self._means[k, :n_items],
            self._variances[k, :n_items],
            self._covariances[k, :n_items, :n_items],
        )

    def outcome_probabilities(self, first: int, second: int) -> Floats:
        """Return the probabilities that the first is preferred, that the second is, and of a tie, shape (3,)."""
        outcomes = 2 if self._likelihood.tie is None else 3
        chances: Floats = self._kernels.outcome_chances(
            self._likelihood.for_kernels,
            quadrature_rules(),
            self._means,
            self._covariances,
            self._log_weights,
            int(first),
            int(second),
            outcomes,
        )
        return chances

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the scores of the items (of those at ``rows``) jointly, shape (n_draws, n)."""
        drawn = self._draw(n_draws, seed)[:, : self._n_items]
        return drawn if rows is None else drawn[:, rows_of(rows, self._n_items)]

    def _draw(self, n_draws: int, seed: int) -> Floats:
        """Draw the scores of all rows, from each component in proportion to its weight."""
        rng = np.random.default_rng(seed)
        seeds = rng.integers(2**31, size=len(self._means))
        levelled, draws = self._levelled(), []
        with one_thread():
            for k, count in enumerate(draw_shares(self.weights_, n_draws)):
                if count:
                    away = draw_normal(self._covariances[k], count, int(seeds[k]))
                    if self._centred and self._compared.any():
                        away -= away[:, self._compared].mean(axis=1, keepdims=True)
                    draws.append(levelled[k] + away)
        drawn: Floats = np.concatenate(draws)[rng.permutation(n_draws)]
        return drawn

    def rank(self, *, level: float = 0.95, seed: int = 0) -> Ranking:
        """Return the items in order of their mean, with intervals and rank ranges at ``level``."""
        tail = (1 - check_level(level)) / 2
        sds, levelled = np.sqrt(self._spread()[0]), self._levelled()
        ends = [mixture_quantile(self.weights_, levelled, sds, share) for share in (tail, 1 - tail)]
        intervals, n_items = np.column_stack(ends), self._n_items
        bar = float(self._scores()[-1]) if self._bar_met else None
        kept = n_items + self._bar_met
        return Ranking.from_scores(
            self._items,
            self.mean,
            intervals=intervals[:n_items],
            sample=lambda n_draws, seed: self._draw(min(n_draws, _DRAWS), seed)[:, :kept],
            level=level,
            answers=self.counts_,
            model=self._model,
            seed=seed,
            bar=bar,
            bar_interval=(float(intervals[-1, 0]), float(intervals[-1, 1])) if self._bar_met else None,
        )

    def contributions(self, a: int, b: int) -> list[tuple[int, int, float]]:
        """Return (first, second, weight) of compared pairs; the weights add up to the mean of ``a`` less that of ``b``.

        What belongs to the mean of the prior is left out. The row of the bar of both-bad answers is −1. With the prior
        covariance K and the gradient β = ν − τ d of each site, the mean is Σ β K (e_first − e_second).
        """
        n_pairs = int(self._counters[_PAIRS])
        first, second = self._pairs[:n_pairs].T
        along = np.zeros(len(self._labels))
        along[[a, b]] = 1.0, -1.0
        if self._centred and self._bar_met:
            group = self._labels == self._labels[-1]
            members = group & (np.arange(len(group)) < self._n_items)
            along -= members * ((float(group[a]) - float(group[b])) / members.sum())
        total = np.zeros(n_pairs)
        for k, weight in enumerate(self.weights_):
            image = self._prior.times(k, along)
            apart = self._means[k][first] - self._means[k][second]
            gradient = self._sites[k, :n_pairs, _NU] - self._sites[k, :n_pairs, _TAU] * apart
            total += weight * gradient * (image[first] - image[second])
        bar = self._n_items
        return [
            (int(first[p]), -1 if second[p] == bar else int(second[p]), float(total[p]))
            for p in np.flatnonzero(total)
        ]

    # -- copies --------------------------------------------------------------------------------------------

    def with_items(self, ids: Sequence[str]) -> Self | None:
        """Return a belief with more items, not compared yet; None where their prior is not known."""
        prior = self._prior.with_items(len(ids), bar=self._bar)
        if prior is None:
            return None
        wider = type(self)(
            (*self._items, *ids),
            self._likelihood,
            prior,
            weights=self.weights_,
            bar=self._bar,
            centred=self._centred,
            model=self._model,
        )
        state, target = self.state(), wider.state()
        moved = np.arange(len(self._labels))
        moved[self._n_items :] += len(ids)
        for name in ("means", "levels", "compared"):
            target[name][..., moved] = state[name]
        target["covariances"][:, moved[:, None], moved] = state["covariances"]
        target["labels"][moved] = moved[state["labels"]]
        target["turns"][:, moved] = state["turns"][:, :-1]
        target["turns"][:, -1] = state["turns"][:, -1]
        target["counts"][: self._n_items] = state["counts"]
        target["pairs"] = moved[state["pairs"]]
        for name in ("totals", "sites", "log_weights", "counters", "waiting", "excess", "whole", "bar_met"):
            target[name] = state[name]
        return self.from_state(target)

    def copy(self) -> Self:
        """Return an independent copy."""
        return self.from_state(self.state())

    def state(self) -> dict[str, Any]:
        """Return everything the belief consists of, as JSON values and arrays."""
        n_pairs = int(self._counters[_PAIRS])
        return {
            "items": list(self._items),
            "model": self._model,
            "link": self._likelihood.link,
            "noise": self._likelihood.noise,
            "tie": self._likelihood.tie,
            "bar": self._bar,
            "bar_met": self._bar_met,
            "centred": self._centred,
            "whole": self._whole,
            "prior": self._prior.state(),
            "counts": self._counts.copy(),
            "pairs": self._pairs[:n_pairs].copy(),
            "totals": self._totals[:n_pairs].copy(),
            "sites": self._sites[:, :n_pairs].copy(),
            "means": self._means.copy(),
            "covariances": self._covariances.copy(),
            "levels": self._levels.copy(),
            "compared": self._compared.copy(),
            "labels": self._labels.copy(),
            "log_weights": self._log_weights.copy(),
            "counters": self._counters.copy(),
            "turns": self._turns.copy(),
            "waiting": self._waiting.copy(),
            "excess": self._excess.copy(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the belief whose `state` this is: it continues to the same bits."""
        belief = cls.__new__(cls)
        belief._items, belief._n_items = tuple(state["items"]), len(state["items"])
        belief._model, belief._bar, belief._centred = state["model"], state["bar"], state["centred"]
        belief._bar_met, belief._whole = state["bar_met"], state["whole"]
        belief._likelihood = AnswerLikelihood(state["link"], state["noise"], state["tie"])
        belief._prior = prior_of_state(state["prior"])
        for name in ("counts", "means", "covariances", "levels", "log_weights", "excess"):
            setattr(belief, f"_{name}", np.array(state[name], dtype=np.float64))
        belief._compared = np.array(state["compared"], dtype=np.bool_)
        belief._labels = np.array(state["labels"], dtype=np.int32)
        belief._counters = np.array(state["counters"], dtype=np.int64)
        belief._waiting = np.array(state["waiting"], dtype=np.int64)
        belief._turns = np.array(state["turns"], dtype=np.int64)
        belief._variances = np.ascontiguousarray(np.diagonal(belief._covariances, axis1=1, axis2=2))
        belief._pairs = np.array(state["pairs"], dtype=np.int32)
        belief._totals = np.array(state["totals"], dtype=np.float64)
        belief._sites = np.array(state["sites"], dtype=np.float64)
        n_rows = len(belief._labels)
        belief._place = np.full((n_rows, n_rows), -1, dtype=np.int32)
        belief._number_pairs(len(belief._pairs))
        belief._make_room(len(belief._pairs) + 16)
        return belief

    def __repr__(self) -> str:
        return f"OnlineMixture of {self._n_items:,} items, {len(self._means)} components, for {self._model}"


class OnlineComponent:
    """Mean and covariance of the items' scores in one component of an `OnlineMixture`; later answers change it."""

    def __init__(self, belief: OnlineMixture, k: int) -> None:
        self._belief, self._k = belief, k
        self.noise_ = belief.noise_

    @property
    def mean(self) -> Floats:
        """The expected score of each item, shape (n,)."""
        belief = self._belief
        return belief._levelled()[self._k, : belief._n_items]

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each score (or of those of ``rows``)."""
        belief = self._belief
        variance: Floats = belief._spread()[0][self._k][rows_of(rows, belief._n_items)]
        return variance

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``."""
        n_items = self._belief._n_items
        return self._belief._component_covariance(self._k, rows_of(rows, n_items), rows_of(columns, n_items))


def _check_count(n_items: int) -> None:
    if n_items > MOST_ITEMS:
        raise InvalidInput.of(
            "items", f"be at most {MOST_ITEMS:,} for a dense covariance", f"{n_items:,}", "use fewer items"
        )


def _effort(n_rows: int) -> tuple[int, int]:
    """Return how many sites an answer may move, a multiple of 4, and how many pairs of an item are visited for it."""
    return 8, 8 if n_rows <= 100 else 24


def _labels(pairs: NDArray[np.int32], n_rows: int) -> NDArray[np.int32]:
    """Return the number of the group of each row that pairs connect."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first, second = pairs.T
    edges = np.ones(len(first), dtype=np.int8)
    graph = coo_array((edges, (first, second)), shape=(n_rows, n_rows)).tocsr()
    labels: NDArray[np.int32] = connected_components(graph, directed=False)[1].astype(np.int32)
    return labels
