"""The covariance of the gradient for sandwich errors, where comparisons come in clusters.

The comparisons of one ranking, one page or one judge are correlated and hold less information than as many independent
ones. The covariance M of the gradient is estimated by the sum of the squared gradients of the clusters. A weight counts
repetitions, as everywhere: a ranking of weight 2 is two rankings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats, Ints
from penchant.preferences import Preferences
from penchant.worth.inference.newton import Derivatives, Link, PairHessian, pair_noise
from penchant.worth.inference.pairs import FIRST, NO_TOTALS, SECOND, TIE, PairGraph, PairTotals

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MODEL_CLUSTERS = 3


class ClusterGradients:
    """The gradient of the log likelihood of each cluster, which does not depend on the prior.

    Parameters
    ----------
    kept : Preferences
        The rows whose comparisons are clustered; all other answers are independent.
    by : {"row", "source", "judge"}
    totals : PairTotals
        Of all answers, those of ``kept`` included.
    link : Link
    scores : array of shape (n_items,)
    tie : float, optional

    Attributes
    ----------
    scores : sparse array of shape (n_clusters, n_items)
        The gradient by the scores.
    tie : array of shape (n_clusters,)
        The gradient by the tie parameter.
    independent : Derivatives
        The squared gradients of the independent answers.
    n_clusters : array of shape (n_items,)
        The number of clusters that each item is in.
    """

    def __init__(
        self,
        kept: Preferences,
        by: str,
        totals: PairTotals,
        link: Link,
        scores: Floats,
        tie: float | None,
    ) -> None:
        first, second = totals.pairs
        numbers = _numbers(kept, by)
        self.scores, self.tie = _gradients(kept, by, numbers, link, scores, tie)
        independent = _left_over(totals, kept)
        self.independent = _squares(independent, link, scores[first] - scores[second], tie)
        graph = PairGraph(totals.pairs, len(scores))
        self.n_clusters = _clusters_of_items(kept, by, numbers) + graph.gross(independent.sum(axis=0))
        if kept.bar is not None:  # every gradient raises it, so that their variation cannot be estimated
            self.n_clusters[kept.bar] = 0


class Clusters:
    """M for a fit, with the tie parameter maximised out, corrected for few clusters.

    The few clusters of an item are too few to estimate the variance of their gradients. To the m clusters that an item
    is in, k = 3 are added whose gradients have φ times the variance of the model: with ν = m − 1 + k

        M = D (m Σ u uᵀ + k φ L) D / ν

    for the gradients u and the curvature L of the answers, m and ν being those of the item of each row and column
    (a square root on either side). φ, at least 1, is the ratio of the observed variance of the gradients to that of
    the model, averaged over the items. D widens a standard deviation so that an interval of 95 % is that of
    Student's t with ν degrees of freedom. In simulation such intervals hold the truth 94 to 97 times in 100 where each
    item is in 12 clusters or more, be they whole rankings or rankings of some, and more often where it is in fewer. The
    bar that both-bad answers lose to has the variance of the model alone.

    Parameters
    ----------
    gradients : ClusterGradients
    hessian : PairHessian
        At the fit.
    """

    def __init__(self, gradients: ClusterGradients, hessian: PairHessian) -> None:
        self._graph, self._hessian = hessian.graph, hessian
        self._lean = hessian.across / hessian.tie_curvature
        self._gradients, self._tie_gradients = gradients.scores, gradients.tie
        self._independent = gradients.independent
        self._set_shares(gradients.n_clusters)

    def _set_shares(self, m: Floats) -> None:
        """Set the roots of the factors of each item's observed variance and of the variance of the model."""
        from scipy.special import stdtrit

        L = self._hessian.diagonal - self._hessian.prior.diagonal
        several = (m > 1) & (L > 0)
        observed = self._raw_diagonal()[several] * (m / np.maximum(m - 1, 1))[several]
        excess = max(1.0, float((observed / L[several]).mean())) if several.any() else 1.0
        nu = np.maximum(m - 1, 0) + _MODEL_CLUSTERS
        wider = stdtrit(nu, 0.975) / stdtrit(np.inf, 0.975)
        self._own = wider * np.sqrt(m / nu)
        self._model = wider * np.sqrt(_MODEL_CLUSTERS * excess / nu)

    def _across(self) -> tuple[Floats, float]:
        """Return M between the scores and the tie parameter, and M of the tie parameter alone."""
        across = self._gradients.T @ self._tie_gradients
        own = float(self._tie_gradients @ self._tie_gradients)
        if self._independent.cross is not None and self._independent.tie_curvature is not None:
            across = across + self._graph.net(self._independent.cross)
            own += float(self._independent.tie_curvature.sum())
        return across, own

    def _raw_diagonal(self) -> Floats:
        across, own = self._across()
        squares: Floats = self._gradients.power(2).T @ np.ones(self._gradients.shape[0])
        return (
            squares
            + self._graph.gross(self._independent.curvature)
            - 2 * across * self._lean
            + own * self._lean**2
        )

    def matrix(self) -> Floats:
        """Return M as a dense matrix, shape (n_items, n_items)."""
        across, own = self._across()
        upper = self._graph.full(self._independent.curvature)
        matrix: Floats = (self._gradients.T @ self._gradients).toarray() - upper - upper.T
        matrix[np.diag_indices_from(matrix)] += self._graph.gross(self._independent.curvature)
        matrix -= np.outer(across, self._lean) + np.outer(self._lean, across)
        matrix += own * np.outer(self._lean, self._lean)
        prior = self._hessian.prior.matrix()
        matrix *= np.outer(self._own, self._own)
        matrix += np.outer(self._model, self._model) * (self._hessian.matrix() - prior)
        matrix += prior
        return matrix

    def noise(self, rng: np.random.Generator) -> Floats:
        """Draw from N(0, M), shape (n_items,)."""
        each = rng.standard_normal(len(self._tie_gradients))
        noise: Floats = self._gradients.T @ each - self._lean * (self._tie_gradients @ each)
        noise = noise + pair_noise(self._graph, self._independent, self._lean, rng)
        noise *= self._own
        noise += self._model * self._hessian.noise_of_answers(rng)
        noise += self._hessian.prior.noise(rng)
        return noise


def _gradients(
    kept: Preferences, by: str, numbers: Ints, link: Link, scores: Floats, tie: float | None
) -> tuple[csr_array, Floats]:
    """Return the gradient of each cluster by the scores and by the tie parameter."""
    from scipy.sparse import coo_array

    shape = (int(numbers.max(initial=-1)) + 1, len(scores))
    gradients = coo_array(shape).tocsr()
    tie_gradients = np.zeros(shape[0])
    for block in kept.pair_blocks():
        weight = np.zeros((3, len(block)))
        weight[FIRST], weight[TIE] = ~block.tie, block.tie
        derivatives = _derivatives(link, scores[block.better] - scores[block.worse], weight, tie)
        root = np.sqrt(block.weight) if by == "row" else block.weight
        gradient, cluster = root * derivatives.gradient, numbers[block.row]
        places = np.tile(cluster, 2), np.concatenate([block.better, block.worse])
        gradients = (
            gradients + coo_array((np.concatenate([gradient, -gradient]), places), shape=shape).tocsr()
        )
        if derivatives.tie_gradient is not None:
            tie_gradients += np.bincount(cluster, root * derivatives.tie_gradient, shape[0])
    return gradients, tie_gradients


def _numbers(kept: Preferences, by: str) -> Ints:
    """Return the cluster of each row; a row without judge or page is a cluster of its own."""
    own = np.arange(len(kept))
    labels = {"judge": kept.judge, "source": kept.source}.get(by)
    if labels is None:
        return own
    named = np.where(labels < 0, own + labels.max(initial=0) + 1, labels)
    return np.unique(named, return_inverse=True)[1].astype(np.int64)


def _clusters_of_items(kept: Preferences, by: str, numbers: Ints) -> Floats:
    """Return the number of clusters that each item is in, shape (n_items,)."""
    rows, members, n_items = kept.statements.rows, kept.statements.members, kept.n_items
    if by == "row":
        return np.bincount(members, None if kept.weight is None else kept.weight[rows], n_items).astype(float)
    different = np.unique(numbers[rows] * n_items + members)
    return np.bincount(different % n_items, minlength=n_items).astype(float)


def _left_over(totals: PairTotals, kept: Preferences) -> Floats:
    """Return the weights of the answers that are in no kept row, shape (3, n_pairs)."""
    part = NO_TOTALS.plus(kept)
    n_items = kept.n_items
    key, sought = (pairs[0].astype(np.int64) * n_items + pairs[1] for pairs in (totals.pairs, part.pairs))
    rest = totals.weight.copy()
    rest[:, np.searchsorted(key, sought)] -= part.weight
    return np.where(rest > 1e-9 * totals.weight, rest, 0.0)


def _squares(weight: Floats, link: Link, difference: Floats, tie: float | None) -> Derivatives:
    """Return the squared gradients of independent answers, summed for each pair, in the fields of a curvature."""
    curvature, cross, tie_curvature = np.zeros((3, len(difference)))
    for outcome in (FIRST, SECOND, TIE) if tie is not None else (FIRST, SECOND):
        single = np.zeros_like(weight)
        single[outcome] = 1
        derivatives = _derivatives(link, difference, single, tie)
        curvature += weight[outcome] * derivatives.gradient**2
        if derivatives.tie_gradient is not None:
            cross += weight[outcome] * derivatives.gradient * derivatives.tie_gradient
            tie_curvature += weight[outcome] * derivatives.tie_gradient**2
    if tie is None:
        return Derivatives(np.zeros_like(curvature), curvature)
    return Derivatives(np.zeros_like(curvature), curvature, np.zeros_like(curvature), cross, tie_curvature)


def _derivatives(link: Link, difference: Floats, weight: Floats, tie: float | None) -> Derivatives:
    return link.decided(difference, weight) if tie is None else link.tied(difference, weight, tie)
