"""`SparseBelief`: a belief about more items than a dense covariance has room for, which learns one answer at a time.

It is expectation propagation by messages on the graph of compared pairs. An answer changes the likelihood of its pair;
the pair sends new messages to its two items, and the pairs of the items whose marginals moved most are updated next,
a bounded number. What is not passed on yet is kept, and passed on after later answers. So the cost of an answer depends
neither on the number of items nor on that of answers, and memory grows with the number of different pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.belief import LOGISTIC_NOISE, IndependentBelief, rows_of
from penchant.checks import Floats, Ints, check_level, check_number
from penchant.counts import Counts
from penchant.online.answers import (
    BOTH_BAD,
    LEFT,
    TIE,
    check_answer,
    log_chance_before_ties,
    with_first_tie,
)
from penchant.online.likelihood import AnswerLikelihood, quadrature_rules
from penchant.online.pair_weights import PairSites
from penchant.preferences import BAR, Preferences
from penchant.preferences.graph import connected_labels, groups_caveat
from penchant.ranking import LOG_ODDS, Ranking

UPDATES = 48
"""After an answer, at least so many pairs are updated while marginals that moved have not been passed on."""
_BAR_ROW = 0
_TAU, _NU, _MESSAGES = 3, 4, 5
_NO_PAIRS, _NO_SITES = np.empty((0, 4), dtype=np.int32), np.empty((0, 9))
_ROW_ARRAYS = {
    "head": np.int32,
    "cursor": np.int32,
    "degree": np.int32,
    "prior": np.float64,
    "precision": np.float64,
    "shift": np.float64,
    "mean": np.float64,
    "variance": np.float64,
    "moved": np.float64,
    "heap": np.int32,
    "place": np.int32,
    "sizes": np.int64,
}
"""The arrays of `Graph` with an entry for each row, and the two sizes."""
_AT_ONCE = 8
"""More answers than the number of pairs divided by this are learned at once."""
_MOST_SWEEPS, _SETTLED = 500, 1e-4
_MOST_DRAWS = 400


class SparseBelief(IndependentBelief):
    """Independent normal priors and the answers about pairs, as messages between pairs and items.

    Make one by ``model.live(preferences)``. Each score has a normal marginal, as propagation on a tree would give it
    (Bethe's approximation). It is exact where the graph of compared pairs has no loops, and nearly so where loops are
    long, as they are with many items and few answers for each: with 2 to 60 answers an item, about pairs chosen at
    random or among neighbours in rank, the standard deviations of nine items in ten were within about 1 % of those of
    the whole graph, of scores relative to their mean; the largest error that was seen, among neighbours, was 4 %.

    Covariances are known for items that were compared with one another alone; those of others are taken to be 0. Draws
    are independent. Where items were compared, the difference of two then varies more than it should, so that rank
    ranges are rather too wide than too narrow.

    Parameters
    ----------
    items : sequence of str
        Ids.
    likelihood : AnswerLikelihood
    precision : float
        Of the prior of each score, which has mean 0.
    bar_precision : float
        Of the prior of the bar that both items of a both-bad answer lose to.
    model : str
        What made the belief, for its ranking.

    Examples
    --------
    >>> belief = SparseBelief(["a", "b", "c"], AnswerLikelihood.logistic(), precision=0.5)
    >>> log_probability = belief.answer(2, 0, 0)  # c is preferred to a
    >>> belief.rank().items
    ('c', 'b', 'a')
    """

    def __init__(
        self,
        items: Sequence[str],
        likelihood: AnswerLikelihood,
        *,
        precision: float,
        bar_precision: float = 0.1,
        model: str = "SparseBelief",
    ) -> None:
        check_number("precision", precision, above=0, remedy="0.1 is a weak prior")
        check_number("bar_precision", bar_precision, above=0, remedy="0.1 is a weak prior")
        self._items, self._likelihood, self._model = tuple(items), likelihood, model
        self._precision = float(precision)
        self._counts: Counts = np.zeros(len(items), dtype=np.int64)
        self._bind(_row_arrays(len(items), precision, bar_precision), _NO_PAIRS, _NO_SITES)

    def begin(
        self,
        pairs: ArrayLike,
        totals: ArrayLike,
        *,
        counts: ArrayLike,
        sites: ArrayLike | None = None,
        mean: ArrayLike | None = None,
    ) -> Self:
        """Learn the first answers at once, and return the belief.

        Parameters
        ----------
        pairs : int array-like of shape (n_pairs, 2)
            Rows, the lower first, each pair once; the row of the bar is the last, behind those of the items.
        totals : array-like of shape (n_pairs, 3)
            The weight of the answers that prefer the first, that prefer the second, and that call the two equal.
        counts : array-like of shape (n,)
            The number of answers that each item took part in.
        sites : array-like of shape (n_pairs, 2), optional
            τ and ν from which propagation starts, with ``mean``; without them it starts from the prior.
        mean : array-like of shape (n,) or (n + 1,), optional
            The posterior mean given these sites, the bar last where there are answers about it.
        """
        rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        weights = np.array(totals, dtype=np.float64).reshape(-1, 3)
        first, second = self._graph_rows(rows[:, 0]), self._graph_rows(rows[:, 1])
        self._add_totals(first, second, weights)
        if sites is not None and mean is not None:
            turned = np.where(first < second, 1.0, -1.0)
            start = np.asarray(sites, dtype=np.float64).reshape(-1, 2)
            self._graph.sites[: len(rows), _TAU] = start[:, 0]
            self._graph.sites[: len(rows), _NU] = turned * start[:, 1]
            given = np.asarray(mean, dtype=np.float64)
            scores = np.zeros(len(self._items) + 1)
            scores[self._graph_rows(np.arange(len(given)))] = given
            self._kernels.begin_messages(self._graph, scores, _MOST_SWEEPS, _SETTLED)
        self._counts = np.add(self._counts, np.asarray(counts))
        return self.settle()

    def _graph_rows(self, rows: Ints) -> Ints:
        """Return the rows of the graph, where that of the bar is the first so that items can be added."""
        moved: Ints = (rows + 1) % (len(self._items) + 1)
        return moved

    def _bind(
        self, rows: Mapping[str, NDArray[Any]], pairs: NDArray[np.int32], sites: Floats, n_more: int = 0
    ) -> None:
        """Keep the arrays, with room for more pairs."""
        from penchant.online import _sparse_kernels

        n_pairs = len(pairs)
        capacity = max(64, 2 * (n_pairs + n_more))
        wide_pairs = np.zeros((capacity, _NO_PAIRS.shape[1]), dtype=np.int32)
        wide_sites = np.zeros((capacity, _NO_SITES.shape[1]))
        wide_pairs[:n_pairs], wide_sites[:n_pairs] = pairs, sites
        table = np.full(1 << (2 * capacity - 1).bit_length(), -1, dtype=np.int32)
        _sparse_kernels.fill_table(wide_pairs, n_pairs, table)
        self._kernels, self._rules = _sparse_kernels, quadrature_rules()
        self._graph = _sparse_kernels.Graph(pairs=wide_pairs, sites=wide_sites, table=table, **rows)

    def _make_room(self, n_more: int) -> None:
        n_pairs = self.n_pairs_
        if n_pairs + n_more > len(self._graph.pairs):
            pairs, sites = self._graph.pairs[:n_pairs], self._graph.sites[:n_pairs]
            self._bind(self._row_arrays(), pairs, sites, n_more)

    def _row_arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self._graph, name) for name in _ROW_ARRAYS}

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
        check_answer(first, second, outcome, weight, len(self._items))
        untied, answers = self._likelihood.tie is None, self._n_answers
        if outcome == BOTH_BAD:
            logarithm = self._compare(_BAR_ROW, first + 1, LEFT, weight)
            logarithm += self._compare(_BAR_ROW, second + 1, LEFT, weight)
        else:
            logarithm = self._compare(first + 1, second + 1, outcome, weight)
        if weight != int(weight) and self._counts.dtype.kind == "i":
            self._counts = self._counts.astype(np.float64)
        self._counts[first] += weight
        self._counts[second] += weight
        return log_chance_before_ties(outcome, logarithm, answers, weight) if untied else logarithm

    @property
    def only_ties_(self) -> bool:
        """Whether there are answers, and all of them are ties."""
        left, right, tie = self._graph.sites[: self.n_pairs_, :_TAU].sum(axis=0).tolist()
        return bool(tie) and not (left or right)

    @property
    def _n_answers(self) -> float:
        return float(self._counts.sum()) / 2

    def _compare(self, first: int, second: int, outcome: int, weight: float) -> float:
        """Learn one comparison of two rows of the graph."""
        if outcome == TIE and self._likelihood.tie is None:
            self._begin_ties(weight)
        self._make_room(1)
        like = self._likelihood.for_kernels
        question = int(first), int(second), int(outcome), float(weight)
        logarithm: float = self._kernels.answer(self._graph, question, like, self._rules, UPDATES)
        return logarithm

    def _begin_ties(self, weight: float, more: float = 0.0) -> None:
        decided = float(self._graph.sites[: self.n_pairs_, :_TAU].sum()) + more
        self._likelihood = self._likelihood.with_first_tie(decided, weight)

    def learn(self, preferences: Preferences) -> Self:
        """Learn more answers, in their order; many are learned at once, by sweeps over all pairs.

        New items are added.
        """
        catalogue = preferences.catalogue
        index = {name: row for row, name in enumerate(self._items, start=1)} | {BAR: _BAR_ROW}
        unknown = [name for name in catalogue.ids if name not in index]
        if unknown:
            vars(self).update(vars(self.with_items(unknown)))
            index |= {name: row for row, name in enumerate(unknown, start=len(index))}
        rows = np.array([index[name] for name in catalogue.ids], dtype=np.int64)
        comparisons = preferences.comparisons()
        better, worse = rows[comparisons.better], rows[comparisons.worse]
        outcomes = np.where(comparisons.tie, TIE, LEFT)
        if _AT_ONCE * len(better) > self.n_pairs_:
            self._learn_at_once(better, worse, outcomes, comparisons.weight)
        else:
            for question in zip(better, worse, outcomes, comparisons.weight, strict=True):
                self._compare(*question)
        counted = preferences.compared()[: catalogue.count - catalogue.bar]
        added = np.zeros(len(self._items), dtype=counted.dtype)
        added[rows[: len(counted)] - 1] = counted
        self._counts = np.add(self._counts, added)
        return self

    def _learn_at_once(self, better: Ints, worse: Ints, outcomes: Ints, weight: Floats) -> None:
        tie = outcomes == TIE
        if tie.any() and self._likelihood.tie is None:
            self._begin_ties(float(weight[tie].sum()), float(weight[~tie].sum()))
        totals = np.zeros((len(better), 3))
        totals[np.arange(len(better)), outcomes] = weight
        self._add_totals(better, worse, totals)
        self.settle()

    def _add_totals(self, first: Ints, second: Ints, totals: Floats) -> None:
        """Add totals of pairs of rows of the graph in any order, without updating the pairs."""
        self._make_room(len(totals))
        turned = first > second
        pairs = np.column_stack([np.minimum(first, second), np.maximum(first, second)]).astype(np.int32)
        weights = np.where(turned[:, None], totals[:, [1, 0, 2]], totals)
        self._kernels.add_totals(self._graph, pairs, weights)

    def settle(self, tolerance: float = _SETTLED) -> Self:
        """Update all pairs in turn until no marginal moves by more than ``tolerance`` times its standard deviation."""
        like = self._likelihood.for_kernels
        self._kernels.settle(self._graph, like, self._rules, _MOST_SWEEPS, float(tolerance))
        return self

    # -- moments -------------------------------------------------------------------------------------------

    @property
    def items_(self) -> tuple[str, ...]:
        """The id of each item."""
        return self._items

    @property
    def counts_(self) -> Counts:
        """The number of answers that each item took part in, shape (n,); weights count."""
        return self._counts.copy()

    @property
    def n_pairs_(self) -> int:
        """How many different pairs were compared, those of items with the bar among them."""
        return int(self._graph.sizes[0])

    @property
    def noise_(self) -> float:
        """The sd of the rating noise on each of two compared items, in units of ``mean``."""
        return self._likelihood.noise

    @property
    def tie_(self) -> float | None:
        """The tie parameter; None while nothing was tied."""
        return self._likelihood.tie

    @property
    def mean(self) -> Floats:
        """The expected score of each item, shape (n,); they sum to 0."""
        return self._graph.mean[1:] - self._level()

    def _level(self) -> float:
        """Return the mean of all scores, which no comparison determines and messages settle last."""
        return float(self._graph.mean[1:].mean()) if self._items else 0.0

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of the score of each item (or of those of ``rows``)."""
        variance: Floats = self._graph.variance[1:]
        return variance.copy() if rows is None else variance[np.atleast_1d(np.asarray(rows))]

    def chooser_arrays(self) -> tuple[Floats, Floats, None]:
        """Return mean and variance of the items without copying, and None: there is no matrix of covariances.

        The means are relative to that of the prior. They are views that the next answer changes, and must not be
        written to.
        """
        return self._graph.mean[1:], self._graph.variance[1:], None

    def moments_arrays(self) -> tuple[Floats, Floats, None]:
        """Return `chooser_arrays`."""
        return self.chooser_arrays()

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``; None is all items.

        That of two items that were compared with one another is that of their pair on a tree; that of others, which
        are correlated through third ones alone, is given as 0. So the matrix may have negative eigenvalues.
        """
        left, right = rows_of(rows, len(self._items)), rows_of(columns, len(self._items))
        block = np.empty((len(left), len(right)))
        self._kernels.covariances(self._graph, left + 1, right + 1, block)
        return block

    def difference_variance(self, first: ArrayLike, second: ArrayLike) -> Floats:
        """Return the variance of the score difference of each pair of rows, shape (m,), at constant cost a pair."""
        left, right = self._item_rows(first), self._item_rows(second)
        variance = np.empty(len(left))
        self._kernels.difference_variances(self._graph, left, right, variance)
        return variance

    def _item_rows(self, rows: ArrayLike) -> Ints:
        """Return the rows of the graph of some items, at a cost that does not depend on how many items there are."""
        at: Ints = np.atleast_1d(np.asarray(rows, dtype=np.int64))
        if len(at) and not -len(self._items) <= at.min() <= at.max() < len(self._items):
            raise IndexError(f"rows must be below {len(self._items)}, got {at.min()} to {at.max()}")
        return np.where(at < 0, at + len(self._items), at) + 1

    def outcome_probabilities(self, first: int, second: int) -> Floats:
        """Return the probabilities that the first is preferred, that the second is, and of a tie, shape (3,).

        Before the first tie, that of a tie is `penchant.online.answers.first_tie_share`.
        """
        like, n_outcomes = self._likelihood.for_kernels, 2 if self._likelihood.tie is None else 3
        left, right = self._item_rows([first, second]).tolist()
        chances: Floats = self._kernels.outcome_chances(
            self._graph, left, right, like, self._rules, n_outcomes
        )
        return with_first_tie(chances, self._n_answers) if self._likelihood.tie is None else chances

    def rank(self, *, level: float = 0.95, seed: int = 0) -> Ranking:
        """Return the items in order of their mean, with intervals and rank ranges at ``level``."""
        bar, interval = None, None
        if self._graph.degree[_BAR_ROW]:
            bar = float(self._graph.mean[_BAR_ROW]) - self._level()
            width = NormalDist().inv_cdf((1 + check_level(level)) / 2)
            width *= float(np.sqrt(self._graph.variance[_BAR_ROW]))
            interval = bar - width, bar + width
        return Ranking.from_scores(
            self._items,
            self.mean,
            variance=self._graph.variance[1:],
            sample=lambda n_draws, seed: self.sample(min(n_draws, _MOST_DRAWS), seed),
            level=level,
            answers=self.counts_,
            model=self._model,
            seed=seed,
            bar=bar,
            bar_interval=interval,
            caveats=self.caveats(),
            scale=LOG_ODDS if self.noise_ == LOGISTIC_NOISE else "",
        )

    def caveats(self) -> Sequence[str]:
        """Return the caveats of the scores: groups of items that were never compared."""
        first, second = self._graph.pairs[: self.n_pairs_, :2].T.astype(np.int64)
        labels = connected_labels(first, second, len(self._items) + 1, strong=False)
        caveat = groups_caveat(labels, (BAR, *self._items))
        return () if caveat is None else (caveat,)

    def contributions(self, a: int, b: int) -> list[tuple[int, int, float]]:
        """Return (first, second, weight) of compared pairs; the weights add up to the mean of ``a`` less that of ``b``.

        They are those of `PairSites.contributions`, by a solve with the precisions of all sites. While messages have
        not been passed on, a pair may tell its items more or less than its site says; that counts for the pair too. The
        row of the bar of both-bad answers is −1.
        """
        graph, n_pairs = self._graph, self.n_pairs_
        sites, mean, prior = graph.sites[:n_pairs], graph.mean, graph.prior
        first, second = graph.pairs[:n_pairs, :2].T.astype(np.int64)
        apart = mean[first] - mean[second]
        gradient = sites[:, _NU] - sites[:, _TAU] * apart
        learned = PairSites(first, second, sites[:, _TAU], gradient, apart)
        along = np.zeros(len(mean))
        along[self._item_rows([a, b])] = 1.0, -1.0
        solved = learned.solve(prior, along)
        weights = learned.contributions(along, solved, lambda values: values / prior)
        received = (along - learned.precision_times(solved)) / prior
        for side, (rows, told) in enumerate(((first, gradient), (second, -gradient))):
            precision, shift = sites[:, _MESSAGES + 2 * side : _MESSAGES + 2 * side + 2].T
            weights += (shift - precision * mean[rows] - told) * received[rows]
        some = np.flatnonzero(weights)
        named = np.column_stack([first, second])[some] - 1
        named[named[:, 0] < 0] = named[named[:, 0] < 0][:, ::-1]
        pairs = zip(*named.T.tolist(), weights[some].tolist(), strict=True)
        return sorted(pairs)

    # -- copies --------------------------------------------------------------------------------------------

    def with_items(self, ids: Sequence[str]) -> Self:
        """Return a belief with more items, not compared yet."""
        state = self.state()
        more = _row_arrays(len(ids), self._precision, 1.0)
        for name in _ROW_ARRAYS:
            if name != "sizes":
                state[name] = np.append(state[name], more[name][1:])
        state["items"] = [*self._items, *ids]
        state["counts"] = np.append(self._counts, np.zeros(len(ids), dtype=self._counts.dtype))
        return self.from_state(state)

    def copy(self) -> Self:
        """Return an independent copy."""
        return self.from_state(self.state())

    @property
    def n_bytes(self) -> int:
        """How many bytes the arrays take."""
        return sum(array.nbytes for array in self._graph) + self._counts.nbytes

    def state(self) -> dict[str, Any]:
        """Return everything the belief consists of, as JSON values and arrays."""
        n_pairs = self.n_pairs_
        return {
            "items": list(self._items),
            "model": self._model,
            "link": self._likelihood.link,
            "noise": self._likelihood.noise,
            "tie": self._likelihood.tie,
            "precision_of_items": self._precision,
            "counts": self._counts.copy(),
            "pairs": self._graph.pairs[:n_pairs].copy(),
            "sites": self._graph.sites[:n_pairs].copy(),
            **{name: array.copy() for name, array in self._row_arrays().items()},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the belief whose `state` this is: it continues to the same bits."""
        belief = cls.__new__(cls)
        belief._items, belief._model = tuple(state["items"]), state["model"]
        belief._likelihood = AnswerLikelihood(state["link"], state["noise"], state["tie"])
        belief._precision, belief._counts = state["precision_of_items"], np.array(state["counts"])
        rows = {name: np.array(state[name], dtype=kind) for name, kind in _ROW_ARRAYS.items()}
        belief._bind(rows, np.asarray(state["pairs"]), np.asarray(state["sites"]))
        return belief

    def __repr__(self) -> str:
        return f"SparseBelief of {len(self._items):,} items, {self.n_pairs_:,} pairs, for {self._model}"


def _row_arrays(n_items: int, precision: float, bar_precision: float) -> dict[str, NDArray[Any]]:
    """Return the arrays of the rows of the bar and of items that were not compared."""
    arrays = {name: np.zeros(n_items + 1, dtype=kind) for name, kind in _ROW_ARRAYS.items()}
    arrays["prior"][:] = precision
    arrays["prior"][_BAR_ROW] = bar_precision
    arrays["precision"][:] = arrays["prior"]
    arrays["variance"][:] = 1 / arrays["prior"]
    for name in ("head", "cursor", "place"):
        arrays[name][:] = -1
    arrays["sizes"] = np.zeros(2, dtype=np.int64)
    return arrays
