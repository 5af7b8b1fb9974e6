"""RankBoost: a ranker of boosted decision stumps.

`RankBoost` is the pseudocode of the lecture on preference learning. The distribution over pairs stands in
`pair_distribution` (over `levels` of grades), the search for the best base ranker in `stumps`, on features
prepared by `binning`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from penchant.checks import Floats, Ints, check_number, whole
from penchant.errors import InvalidInput, PenchantWarning
from penchant.progress import step_done
from penchant.rankers.ranker import GradedRows, PairRanker, check_fitted, known_features
from penchant.rankers.solvers.pair_distribution import (
    GradedDistribution,
    PairDistribution,
    StatedDistribution,
)
from penchant.rankers.solvers.stumps import BinnedFeatures, Stump, best_split, by_column, votes
from penchant.schema import Array, ListOf, Maybe, Number, OneOf, Plain, Row, Schema, Texts, Whole, require


def _check_stumps(state: Mapping[str, Any]) -> None:
    n_features = state["n_features_in_"]
    known = all(feature < n_features for feature, *_ in state["stumps_"])
    require(known, f"stumps_ must be about features 0 to {n_features - 1}")
    gained = -np.log(state["z_"]).sum()
    require(not state["stumps_"] or gained > 0, "z_ must be below 1 in some round")


class RankBoost(PairRanker, BaseEstimator):  # type: ignore[misc]
    """Boost threshold stumps until pairs are ranked right: f(x) = Σ α_t h_t(x), h_t(x) being 0 or 1.

    Each round takes the stump with the largest ε⁺ − ε⁻, the weight of the pairs that it ranks right less that
    of those that it ranks wrong, gives it α = ½ log(ε⁺ / ε⁻), and puts more weight on the pairs that it got
    wrong. Ties go to the lowest feature, then to the lowest threshold, then to sign +1. Boosting ends early
    where no stump has ε⁺ > ε⁻.

    Parameters
    ----------
    n_estimators : int, default 100
        The number of rounds T, at least 1.
    smoothing : float, default 0
        s in α = ½ log((ε⁺ + s) / (ε⁻ + s)), at least 0; it changes nothing else. With 0, only a round with
        ε⁻ = 0 uses s = 1 / (2 |P|), at most ½, as its α would be infinite.
    balance : float, default 0
        How much the pairs of long queries count less in `fit`: by the number of pairs of their query to the power of
        minus ``balance``. With 0 every pair counts the same, and the longest queries the most; with 1 every query
        counts the same, as in the metrics.
    n_bins : int or None, default 256
        The most thresholds that are tried in a feature, plus one. Thresholds are midpoints of consecutive
        distinct values of the rows that are in some pair: all of them where there are no more distinct values
        than bins, else those that leave about as many rows (whatever their weights) in each bin. None: all.
    n_iter_no_change : int or None, default None
        Stop after so many rounds without a lower risk on held-out queries, and keep the rounds up to the
        lowest. None: do all rounds, holding out nothing. Where queries for validation are set apart already,
        compare the scores of `staged_predict` on them instead.
    validation : float, default 0.1
        The share of queries with a pair (`fit`) or of pairs (`fit_pairs`) to hold out, between 0 and 1, at
        least one. Only used with ``n_iter_no_change``.
    random_state : int, RandomState or None, default 0
        Draws what is held out.

    Attributes
    ----------
    stumps_ : list of (feature, threshold, sign, alpha)
        One a round: h(x) = 1[x[feature] > threshold] where the sign is +1, its complement where it is −1.
    z_ : ndarray of shape (n_rounds,)
        Z_t, by which the weights of the pairs were normalised after each round.
    edges_ : ndarray of shape (n_rounds,)
        γ_t = (ε⁺ − ε⁻) / 2.
    risk_ : float
        The share of training pairs that the scores do not rank strictly right.
    bound_ : float
        ∏ Z_t, which is the mean of exp(−margin) over the training pairs and at least ``risk_``.
    bound_edges_ : float
        exp(−2 Σ γ_t²), which is at least ``bound_`` without smoothing.
    bound_least_edge_ : float
        exp(−2 γ² T) of the smallest edge γ, which is at least ``bound_edges_``.
    feature_importances_ : ndarray of shape (n_features,)
        The share of each feature's stumps in log ∏ Z; 0 for all where there are no stumps.
    validation_risks_ : ndarray or None
        With ``n_iter_no_change``: the risk on what was held out after each round that was tried.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where X had names.

    References
    ----------
    Freund, Iyer, Schapire and Singer, An efficient boosting algorithm for combining preferences, JMLR 4 (2003).

    Examples
    --------
    >>> X = [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [1.0, 1.0], [4.0, 0.0]]
    >>> model = RankBoost(2).fit(X, [0, 1, 2, 0, 1], qid=["a", "a", "a", "b", "b"])
    >>> [(feature, threshold, sign, round(alpha, 3)) for feature, threshold, sign, alpha in model.stumps_]
    [(0, 1.5, 1, 0.973), (0, 2.5, 1, 1.013)]
    >>> model.predict(X).round(3)
    array([0.   , 0.973, 1.986, 0.   , 1.986])
    >>> model.risk_
    0.0
    >>> RankBoost(1).fit_pairs([[5.0], [3.0], [4.0]], [(1, 2), (1, 0)]).predict([[3.0], [5.0]]).round(3)
    array([0.805, 0.   ])
    """

    balance: float = 0.0  # of models that earlier versions saved

    __saved__: ClassVar = Schema(
        {
            "n_estimators": Whole(1),
            "smoothing": Number(0),
            "n_bins": Maybe(Whole(1)),
            "n_iter_no_change": Maybe(Whole(1)),
            "validation": Number(above=0, below=1),
            "random_state": Plain(),
        },
        {
            "n_features_in_": Whole(1, 10_000_000, size=True),
            "stumps_": ListOf(Row((Whole(0), Number(), OneOf((1, -1)), Number())), "n_rounds"),
            "z_": Array(("n_rounds",), above=0, most=1 + 1e-9),
            "edges_": Array(("n_rounds",)),
            "risk_": Number(0, 1 + 1e-9),
            "bound_": Number(0),
            "bound_edges_": Number(0),
            "bound_least_edge_": Number(0),
            "validation_risks_": Maybe(Array((None,))),
        },
        {
            "feature_names_in_": Texts("n_features_in_", array=True),
            "balance": Number(0, 1),  # files of earlier versions have none
        },
        rules=(_check_stumps,),
    )

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        smoothing: float = 0.0,
        balance: float = 0.0,
        n_bins: int | None = 256,
        n_iter_no_change: int | None = None,
        validation: float = 0.1,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.smoothing = smoothing
        self.balance = balance
        self.n_bins = n_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation = validation
        self.random_state = random_state

    def _learn_grades(self, rows: GradedRows) -> Self:
        """Boost without writing the pairs out: a round takes O(n_rows · n_features)."""
        grades, queries, weight = rows.grades, rows.queries.codes, balanced(rows, self.balance)
        if self.n_iter_no_change is None:
            return self._boost(rows.X, GradedDistribution(grades, queries, weight), None)
        usable = np.unique(queries[GradedDistribution(grades, queries, weight).rows])
        held_out = np.isin(queries, usable[self._held_out(len(usable), "queries with two grades")])
        trained = GradedDistribution(grades, queries, np.where(held_out, 0.0, weight))
        return self._boost(
            rows.X, trained, GradedDistribution(grades, queries, np.where(held_out, weight, 0.0))
        )

    def _learn_pairs(self, X: Any, rows: Ints, weight: Floats) -> Self:
        if self.n_iter_no_change is None:
            return self._boost(X, StatedDistribution(rows, weight), None)
        held_out = np.isin(np.arange(len(rows)), self._held_out(len(rows), "pairs"))
        trained = StatedDistribution(rows[~held_out], weight[~held_out])
        return self._boost(X, trained, StatedDistribution(rows[held_out], weight[held_out]))

    def predict(self, X: Any) -> Floats:
        """Return the score of each row, larger is better, shape (n_rows,).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        """
        X = by_column(known_features(self, X))
        scores = np.zeros(X.shape[0])
        for stump in self.stumps_:
            scores += votes(X, stump)
        return scores

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield the scores after each round; the last are those of `predict`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Examples
        --------
        >>> model = RankBoost(2).fit([[1.0], [2.0], [3.0]], [0, 1, 2])
        >>> [scores.round(2).tolist() for scores in model.staged_predict([[1.0], [3.0]])]
        [[0.0, 0.8], [0.0, 1.66]]
        """
        X = by_column(known_features(self, X))
        scores = np.zeros(X.shape[0])
        for stump in self.stumps_:
            scores += votes(X, stump)
            yield scores.copy()

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature's stumps in log ∏ Z, shape (n_features,)."""
        check_fitted(self)
        used = np.array([stump[0] for stump in self.stumps_], dtype=np.int64)
        gained = np.bincount(used, weights=-np.log(self.z_), minlength=self.n_features_in_).astype(np.float64)
        return gained / gained.sum() if self.stumps_ else gained

    def _boost(self, X: Any, pairs: PairDistribution, held_out: PairDistribution | None) -> Self:
        """Follow the pseudocode of the lecture; its lines 4 to 8 are one turn of the loop."""
        features = BinnedFeatures.of(X, pairs.rows, self.n_bins)
        scores = np.zeros(len(pairs.rows))
        watch = None if held_out is None else _Watch(X, held_out, scores)
        stumps: list[Stump] = []
        z: list[float] = []
        edges: list[float] = []
        while len(stumps) < self.n_estimators:
            split = best_split(features, pairs.pull)
            if split is None:
                break
            ranked = split.ranks(features)
            alpha = self._alpha(split.lead, pairs.wrong(ranked), pairs.size)
            threshold = float(features.thresholds[split.feature][split.cut])
            scores += alpha * ranked
            stumps.append((split.feature, threshold, split.sign, alpha))
            z.append(pairs.reweigh(scores))
            edges.append(split.lead / 2)
            step_done(len(stumps), self.n_estimators)
            if watch is not None and watch.rounds_since_best(stumps[-1], scores) == self.n_iter_no_change:
                break
        n_kept = len(stumps) if watch is None else watch.best_round
        self._keep_rounds(stumps[:n_kept], z[:n_kept], edges[:n_kept])
        self.risk_ = pairs.risk(scores if watch is None else watch.best_scores)
        self.validation_risks_ = None if watch is None else np.array(watch.risks[1:])
        return self

    def _keep_rounds(self, stumps: list[Stump], z: list[float], edges: list[float]) -> None:
        """Keep what all rounds gave but the risk, and warn where there is none."""
        if not stumps:
            warn(
                "no threshold in any feature ranks more pairs right than wrong, or none of those held out: "
                "all scores are 0",
                PenchantWarning,
                stacklevel=5,
            )
        self.stumps_ = stumps
        self.z_ = np.array(z)
        self.edges_ = np.array(edges)
        self.bound_ = float(np.prod(self.z_))
        self.bound_edges_ = float(np.exp(-2 * np.sum(self.edges_**2)))
        self.bound_least_edge_ = float(np.exp(-2 * len(stumps) * self.edges_.min(initial=0.5) ** 2))

    def _alpha(self, lead: float, wrong: float, size: float) -> float:
        smoothing = self.smoothing
        if smoothing == 0 and wrong == 0:
            smoothing = 1 / (2 * max(size, 1.0))
        return float(np.log((wrong + lead + smoothing) / (wrong + smoothing)) / 2)

    def _held_out(self, count: int, what: str) -> Any:
        """Draw which of ``count`` to hold out."""
        if count < 2:
            raise InvalidInput(
                f"n_iter_no_change needs at least 2 {what}, one of them to hold out, got {count}: "
                "give more, or n_iter_no_change=None"
            )
        n_held = min(max(1, round(self.validation * count)), count - 1)
        return check_random_state(self.random_state).choice(count, n_held, replace=False)

    def _check_settings(self) -> None:
        whole("n_estimators", self.n_estimators, 1, remedy="give the number of rounds")
        if self.n_bins is not None:
            whole("n_bins", self.n_bins, 2, remedy="give a number, or None to try all thresholds")
        if self.n_iter_no_change is not None:
            whole("n_iter_no_change", self.n_iter_no_change, 1, remedy="give a number, or None")
        check_number("balance", self.balance, least=0, most=1, remedy="0 counts pairs alike, 1 queries")
        check_number("smoothing", self.smoothing, least=0, remedy="0 is the lecture's form")
        share = "give the share to hold out, 0.1 is usual"
        check_number("validation", self.validation, above=0, below=1, remedy=share)


def balanced(rows: GradedRows, balance: float) -> Floats:
    """Return the weights of rows by which each pair counts |P_q|^−balance as much, P_q being the pairs of its query."""
    if not balance:
        return rows.weight
    order = np.lexsort((rows.grades, rows.queries.codes))
    weight, codes = rows.weight[order], rows.queries.codes[order]
    new = np.diff(codes, prepend=-1) != 0
    level = np.flatnonzero(new | (np.diff(rows.grades[order], prepend=np.nan) != 0))
    of_level = np.add.reduceat(weight, level)  # all pairs of rows less those inside a level
    query = codes[level]
    n_queries = len(rows.queries.starts)
    total = np.bincount(query, of_level, n_queries)
    pairs = (total**2 - np.bincount(query, of_level**2, n_queries)) / 2
    scale = np.where(pairs > 1e-12 * total**2, pairs, 1.0) ** (-balance / 2)
    weights: Floats = rows.weight * scale[rows.queries.codes]
    return weights


class _Watch:
    """Follows the risk on held-out pairs, and remembers the training scores of the best round."""

    def __init__(self, X: Any, held_out: PairDistribution, scores: Floats) -> None:
        self._X = by_column(X[held_out.rows])
        self._pairs = held_out
        self._scores = np.zeros(len(held_out.rows))
        self.risks = [1.0]
        self.best_round = 0
        self.best_scores = scores.copy()

    def rounds_since_best(self, stump: Stump, scores: Floats) -> int:
        """Take in a round's stump and the training scores after it."""
        self._scores += votes(self._X, stump)
        self.risks.append(self._pairs.risk(self._scores))
        if self.risks[-1] < self.risks[self.best_round]:
            self.best_round = len(self.risks) - 1
            self.best_scores = scores.copy()
        return len(self.risks) - 1 - self.best_round
