"""`OnlineMixture`: a belief that learns one answer at a time, with the dense covariance of up to 2,000 items.

It is expectation propagation with one site for each compared pair. An answer changes the likelihood of its pair: the
pair's site is matched again, and the covariance moves by one rank. This moves the cavities of other pairs, most of all
of those that share an item with it; some of them are visited after each answer and matched again where they moved. So
the belief stays close to what propagation over all answers gives, at a cost that depends on the number of items alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput, UnknownItem
from penchant.online.answers import (
    BOTH_BAD,
    LEFT,
    RIGHT,
    TIE,
    check_answer,
    log_chance_before_ties,
    with_first_tie,
)
from penchant.online.dense_state import DenseState
from penchant.online.likelihood import AnswerLikelihood
from penchant.online.pair_weights import PairSites
from penchant.online.prior import CorrelatedPrior, DensePrior, MixedPrior, Normal
from penchant.preferences import BAR, Preferences
from penchant.preferences.graph import connected_labels
from penchant.threads import one_thread

_TAU, _NU, _LEAST, _MATCHED = range(4)
SETTLED = 1e-4
_MOST_SWEEPS, _UNDAMPED_SWEEPS = 60, 20


class OnlineMixture(DenseState):
    """A mixture of normal beliefs over the scores of items that learns one answer at a time.

    Make one by ``model.live(preferences)``, or for any prior covariance by `from_prior`. The tie parameter and the
    priors stay as they are; the weights of the components move by the probability that each gave to an answer.

    Parameters
    ----------
    items : sequence of str
        Ids, at most 2,000.
    likelihood : AnswerLikelihood
    prior : DensePrior
        Over the items and, where ``bar``, the bar of both-bad answers behind them.
    weights : array-like of shape (K,)
        Of the components of the mixture; they sum to 1.
    bar : bool
        Whether the last row is the bar; without it, both-bad answers are rejected.
    centred : bool
        Whether scores are relative to the mean of the items that were compared. Comparisons determine differences
        alone; otherwise each interval would include the uncertainty of the level of all items.
    model : str
        What made the belief, for its ranking.

    Examples
    --------
    >>> from penchant import Preferences
    >>> from penchant.worth import BradleyTerry
    >>> belief = BradleyTerry().live(Preferences.from_pairs([("tea", "water"), ("coffee", "water")]))
    >>> type(belief).__name__, belief.rank().items
    ('OnlineMixture', ('coffee', 'tea', 'water'))
    """

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
        bar_variance: ArrayLike | None = None,
        model: str = "OnlineMixture",
    ) -> Self:
        """Return the belief before any answer, for a prior of any covariance and a probit likelihood.

        Answers that are there already are learned at once by `begin`.

        Parameters
        ----------
        items : iterable of str
        covariance : array-like of shape (n, n) or (K, n, n)
            Symmetric without negative eigenvalues; one for all components, or one for each.
        noise : float
            P(a is preferred to b) = Φ((a − b) / (√2 · noise)).
        mean : array-like of shape (n,), optional
            0 if not given.
        tie : float, optional
            How far two perceptions, each with noise, may differ and still be called equal, in units of the noise.
        factors, weights : array-like of shape (K,)
            The mixture has K components, whose prior covariances are the given one times these factors; where each
            has its own covariance, the factors are left out.
        bar_variance : float or array-like of shape (K,), optional
            The prior variance of the bar of both-bad answers, around 0; without it these are rejected.
        model : str
            What made the belief, for its ranking.

        Examples
        --------
        >>> belief = OnlineMixture.from_prior(["a", "b", "c"], [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], noise=1.0)
        >>> probability = belief.answer(0, 2, 0)
        >>> belief.mean.round(2).tolist()
        [0.4, 0.36, -0.4]
        """
        names = tuple(items)
        matrix = np.array(covariance, dtype=np.float64)
        start = np.zeros(len(names)) if mean is None else np.array(mean, dtype=np.float64)
        if matrix.shape[-2:] != (len(names), len(names)) or start.shape != (len(names),):
            raise InvalidInput.of(
                "covariance and mean",
                f"have shapes ({len(names)}, {len(names)}) and ({len(names)},)",
                f"{matrix.shape} and {start.shape}",
                "give one row an item",
            )
        if bar_variance is not None:
            wider = np.zeros((*matrix.shape[:-2], len(names) + 1, len(names) + 1))
            wider[..., :-1, :-1], wider[..., -1, -1] = matrix, bar_variance
            matrix, start = wider, np.append(start, 0.0)
        prior: DensePrior = MixedPrior(matrix, start)
        if matrix.ndim == 2:
            prior = CorrelatedPrior(matrix, np.array(factors, dtype=np.float64), start)
        return cls(
            names,
            AnswerLikelihood("probit", noise, tie),
            prior,
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
        tolerance: float = SETTLED,
    ) -> Self:
        """Learn the first answers at once, and return the belief.

        The weights of the components stay as they are: those given are the weights after these answers.

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
        tolerance : float
            As in `settle`.
        """
        rows = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        weight = np.array(totals, dtype=np.float64).reshape(-1, 3)
        self._begin_ties(float(weight[:, :TIE].sum()), float(weight[:, TIE].sum()))
        self._add_pairs(rows, weight)
        if sites is not None:
            self._sites[:, : len(rows), :_LEAST] = sites
        self._counts += np.asarray(counts)
        self._whole = np.asarray(counts).dtype.kind == "i"
        self._bar_met = bool(self._bar and (rows == self._n_items).any())
        return self.settle(tolerance)

    # -- learning ------------------------------------------------------------------------------------------

    def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
        """Learn one answer about two items, and return the log probability that it had before.

        The first tie of all sets the tie parameter (`AnswerLikelihood.with_first_tie`); the probability that it had is
        `penchant.online.answers.first_tie_share`. A both-bad answer is two comparisons, in which the bar is preferred
        to each of the items.

        Parameters
        ----------
        first, second : int
            Rows of the items.
        outcome : int
            An index into `penchant.preferences.OUTCOMES`: the first is better, the second is, a tie, both bad.
        weight : float
            Above 0; 2 counts as two equal answers at once.
        """
        check_answer(first, second, outcome, weight, self._n_items)
        untied, answers = self._likelihood.tie is None, self._n_answers
        if outcome == BOTH_BAD:
            self._meet_bar()
            bar = self._n_items
            log_chance = self._compare(first, bar, RIGHT, weight)
            log_chance += self._compare(second, bar, RIGHT, weight)
        else:
            if outcome == TIE and untied:
                self._begin_ties(float(self._totals.sum()), weight)
            log_chance = self._compare(first, second, outcome, weight)
        self._counts[first] += weight
        self._counts[second] += weight
        self._whole = self._whole and weight == int(weight)
        return log_chance_before_ties(outcome, log_chance, answers, weight) if untied else log_chance

    @property
    def only_ties_(self) -> bool:
        """Whether there are answers, and all of them are ties."""
        left, right, tie = self._totals.sum(axis=0).tolist()
        return bool(tie) and not (left or right)

    @property
    def _n_answers(self) -> float:
        return float(self._counts.sum()) / 2

    def _compare(self, first: int, second: int, outcome: int, weight: float) -> float:
        """Learn one comparison of two rows."""
        if self._counters[0] == len(self._pairs):
            self._make_room(2 * len(self._pairs))
        self._scores = self._narrowed = None
        question = int(first), int(second), int(outcome), float(weight)
        log_chance: float = self._kernels.answer(*self._arguments, question)
        return log_chance

    def _meet_bar(self) -> None:
        if not self._bar:
            raise InvalidInput.of(
                "outcome",
                "be left, right or tie where the model has no bar",
                "both_bad",
                "leave such answers out, or use BradleyTerry or Thurstone",
            )
        self._bar_met = True

    def _begin_ties(self, answers: float, ties: float) -> None:
        """Set the tie parameter if there are ties and none was set, by the weight of the decided answers so far."""
        if ties and self._likelihood.tie is None:
            self._likelihood = self._likelihood.with_first_tie(answers, ties)
            self._bind()

    def learn(self, preferences: Preferences) -> Self:
        """Learn more answers, in their order; many are learned at once, by sweeps over all pairs.

        New items are added where the prior holds for them.
        """
        self._add_unknown(preferences.catalogue.ids)
        if preferences.catalogue.bar:
            self._meet_bar()
        index = {name: row for row, name in enumerate((*self._items, BAR))}
        rows = np.array([index[name] for name in preferences.catalogue.ids], dtype=np.int64)
        comparisons = preferences.comparisons()
        better, worse = rows[comparisons.better], rows[comparisons.worse]
        tie, weight = comparisons.tie, comparisons.weight
        if len(better) > 2 * self._n_items:
            self._learn_at_once(better, worse, tie, weight)
        else:
            for first, second, tied, size in zip(better, worse, tie, weight, strict=True):
                if tied:
                    self._begin_ties(float(self._totals.sum()), float(size))
                self._compare(first, second, TIE if tied else LEFT, size)
        counted = preferences.compared()[: len(rows) - preferences.catalogue.bar]
        self._counts[rows[: len(counted)]] += counted
        self._whole = self._whole and counted.dtype.kind == "i"
        return self

    def _add_unknown(self, ids: Sequence[str]) -> None:
        """Add the items that the belief does not have yet."""
        unknown = [name for name in ids if name not in self._items and name != BAR]
        if not unknown:
            return
        wider = self.with_items(unknown)
        if wider is None:
            raise UnknownItem(
                f"items must be among the {self._n_items:,} whose prior is known, got {unknown[0]!r}: "
                "start the belief anew with all items"
            )
        vars(self).update(vars(wider))

    def _learn_at_once(self, better: Ints, worse: Ints, tie: NDArray[np.bool_], weight: Floats) -> None:
        """Add answers to the totals of their pairs and sweep over all pairs until the sites settle."""
        self._begin_ties(float(self._totals.sum() + weight[~tie].sum()), float(weight[tie].sum()))
        n_rows = len(self._labels)
        codes, place = np.unique(
            np.minimum(better, worse) * n_rows + np.maximum(better, worse), return_inverse=True
        )
        outcome = np.where(tie, TIE, np.where(better < worse, LEFT, RIGHT))
        totals = np.bincount(3 * place + outcome, weight, 3 * len(codes)).astype(np.float64)
        pairs = np.column_stack(np.divmod(codes, n_rows)).astype(np.int32)
        before = self.log_evidence()
        self._add_pairs(pairs, totals.reshape(-1, 3))
        self._weigh(self.settle().log_evidence() - before)

    def weigh(self, known: ArrayLike = 0.0) -> Self:
        """Multiply the weights of the components by the evidence of all answers, and return the belief.

        To be called after `begin` where the weights that were given are those before the answers, or after a part of
        them.

        Parameters
        ----------
        known : array-like of shape (K,)
            The log evidence of the answers that the weights come from already.
        """
        self._weigh(self.log_evidence() - np.asarray(known))
        return self

    def _weigh(self, logs: Floats) -> None:
        """Add to the logarithms of the weights (K,), and divide the weights by their sum."""
        moved = self._log_weights + logs
        self._log_weights[:] = moved - moved.max()
        self._log_weights -= np.log(np.exp(self._log_weights).sum())
        self._scores = None

    def _add_pairs(self, pairs: NDArray[np.int32], totals: Floats) -> None:
        """Add totals of different pairs; pairs that are new have sites of 0."""
        self._narrowed = None
        n_pairs = self._n_pairs
        at = self._place[pairs[:, 0], pairs[:, 1]].astype(np.int64)
        new = at < 0
        n_after = n_pairs + int(new.sum())
        at[new] = np.arange(n_pairs, n_after)
        if n_after > len(self._pairs):
            self._make_room(max(n_after, 2 * len(self._pairs)))
        self._pairs[at] = pairs
        self._totals[at] += totals
        for k, sites in enumerate(self._sites):
            sites[at[new], _LEAST] = self._prior.pair_precision(k, pairs[new])
        self._counters[0] = n_after
        self._compared[pairs.ravel()] = True
        self._compared[self._n_items :] = False
        first, second = self._pairs[:n_after].T.astype(np.int64)
        self._labels[:] = connected_labels(first, second, len(self._labels), strong=False)
        self._number_pairs()

    def settle(self, tolerance: float = SETTLED) -> Self:
        """Sweep over the sites of all pairs until the posterior no longer moves, and return the belief.

        Parameters
        ----------
        tolerance : float
            Stop when no pair's mean moves by more than this share of its standard deviation, nor its variance by more
            than this share.
        """
        narrowed = np.zeros(len(self._means))
        with one_thread():
            for k in range(len(self._means)):
                self._means[k], self._covariances[k], narrowed[k] = self._settled(k, tolerance)
            self._counters[1:] = 0
            self._variances[:] = np.diagonal(self._covariances, axis1=1, axis2=2)
            self._levels[:] = self._covariances @ self._compared.astype(np.float64)
        self._waiting[:], self._excess[:], self._scores = -1, 0.0, None
        self._narrowed = narrowed
        return self

    def log_evidence(self) -> Floats:
        """Return the logarithm of the probability of all answers in each component, shape (K,).

        It is that of expectation propagation, good to second order in what the sites are off.
        """
        n_pairs = self._n_pairs
        first, second = self._pairs[:n_pairs].T
        apart = self._prior.mean[first] - self._prior.mean[second]
        found = np.zeros(len(self._means))
        with one_thread():
            for k, sites in enumerate(self._sites[:, :n_pairs]):
                mean, covariance, narrowed = self._posterior(k)
                found[k] = self._kernels.log_masses(
                    *self._arguments[:2],
                    self._pairs[:n_pairs],
                    self._totals[:n_pairs],
                    sites,
                    mean,
                    covariance,
                )
                gradient = sites[:, _NU] - sites[:, _TAU] * (mean[first] - mean[second])
                found[k] += (float(gradient @ apart) - narrowed) / 2
        return found

    def _posterior(self, k: int) -> Normal:
        """Return the posterior of component k given its sites; right after `settle` it is at hand."""
        if self._narrowed is not None:
            return Normal(self._means[k], self._covariances[k], float(self._narrowed[k]))
        sites = self._sites[k, : self._n_pairs]
        return self._prior.posterior(k, self._pairs[: self._n_pairs], sites[:, _TAU], sites[:, _NU])

    def _settled(self, k: int, tolerance: float) -> Normal:
        """Sweep over the sites of one component, and return its posterior."""
        n_pairs = self._n_pairs
        pairs, totals, sites = self._pairs[:n_pairs], self._totals[:n_pairs], self._sites[k, :n_pairs]
        moved = np.empty_like(sites)
        for sweep in range(_MOST_SWEEPS):
            posterior = self._prior.posterior(k, pairs, sites[:, _TAU], sites[:, _NU])
            if not n_pairs:
                return posterior
            share = 1.0 if sweep < _UNDAMPED_SWEEPS else 0.5
            largest = self._kernels.renew(
                *self._arguments[:2],
                pairs,
                totals,
                sites,
                posterior.mean,
                posterior.covariance,
                share,
                moved,
            )
            if largest <= tolerance:
                sites[:, _MATCHED:] = moved[:, _MATCHED:]
                return posterior
            sites[:] = moved
        return self._prior.posterior(k, pairs, sites[:, _TAU], sites[:, _NU])

    # -- answers and what they contribute ------------------------------------------------------------------

    def outcome_probabilities(self, first: int, second: int) -> Floats:
        """Return the probabilities that the first is preferred, that the second is, and of a tie, shape (3,).

        Before the first tie, that of a tie is `penchant.online.answers.first_tie_share`.
        """
        like, rules = self._arguments[:2]
        n_outcomes = 2 if self._likelihood.tie is None else 3
        chances: Floats = self._kernels.outcome_chances(
            like,
            rules,
            self._means,
            self._covariances,
            self._terms,
            self._signs,
            self._counters,
            self._log_weights,
            int(first),
            int(second),
            n_outcomes,
        )
        return with_first_tie(chances, self._n_answers) if self._likelihood.tie is None else chances

    def contributions(self, a: int, b: int) -> list[tuple[int, int, float]]:
        """Return (first, second, weight) of compared pairs; the weights add up to the mean of ``a`` less that of ``b``.

        What belongs to the means of the prior is left out, as `penchant.belief.LiveBelief` has it. The row of the bar
        of both-bad answers is −1. The weights of each component (`PairSites.contributions`) are added up, times its
        own weight; mean and covariance are those of the sites at all times, so that nothing is left over.
        """
        along = np.zeros(len(self._labels))
        along[a] += 1.0
        along[b] -= 1.0
        members = self._group_of_bar()
        if members is not None:
            inside = self._labels == self._labels[-1]
            along[members] -= (float(inside[a]) - float(inside[b])) / len(members)
        total = np.zeros(self._n_pairs)
        with one_thread():
            for k, weight in enumerate(self.weights_):
                solved = self._delayed(k).times(along)
                total += weight * self._pair_sites(k).contributions(
                    along, solved, partial(self._prior.times, k)
                )
        return self._named_pairs(total)

    def _pair_sites(self, k: int) -> PairSites:
        """Return the sites of component k."""
        n_pairs = self._n_pairs
        first, second = self._pairs[:n_pairs].T
        tau, nu = self._sites[k, :n_pairs, _TAU], self._sites[k, :n_pairs, _NU]
        mean, prior = self._means[k], self._prior.mean
        apart = mean[first] - mean[second]
        return PairSites(first, second, tau, nu - tau * apart, apart - (prior[first] - prior[second]))

    def _named_pairs(self, weights: Floats) -> list[tuple[int, int, float]]:
        """Return the pairs whose weight is not 0, with −1 for the row of the bar."""
        named = np.where(self._pairs[: self._n_pairs] < self._n_items, self._pairs[: self._n_pairs], -1)
        some = np.flatnonzero(weights)
        return [
            (i, j, weight)
            for (i, j), weight in zip(named[some].tolist(), weights[some].tolist(), strict=True)
        ]

    def __repr__(self) -> str:
        return f"OnlineMixture of {self._n_items:,} items, {len(self._means)} components, for {self._model}"
