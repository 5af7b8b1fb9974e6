"""Step two, inside: answers that came together. Kept rows and a fit in; the covariance of its gradient out.

The comparisons of one ranking, one page or one judge go together, so that there is less in them than in as many
independent ones. What each cluster pulls at the scores, taken together, shows how much less: the covariance M of
the gradient is the sum of these pulls' squares. A weight counts repetitions, as everywhere: a ranking of weight 2
is two rankings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats, Ints
from penchant.preferences import Preferences
from penchant.worth.newton import Curvature, Link, Slopes, pair_noise
from penchant.worth.pair_totals import FIRST, SECOND, TIE, PairTotals

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Clusters:
    """M for a fit, with the tie parameter maximised out, corrected for few clusters.

    Few clusters say too little. As Morel, Bokossa and Neerchal (2003) propose, M is multiplied by m / (m − 1)
    for m clusters, and δ φ H is added: δ is n / (m − n) for n free scores, at most ½, and φ, at least 1, is how
    much more the clusters pull than independent answers would, on average over the items.

    Parameters
    ----------
    kept : Preferences
        The rows whose comparisons go together; all other answers are alone.
    by : {"row", "source", "judge"}
    totals : PairTotals
        Of all answers, those of ``kept`` included.
    curvature : Curvature
        At the fit.
    link : Link
    scores : array of shape (n_items,)
    tie : float, optional
    """

    def __init__(
        self,
        kept: Preferences,
        by: str,
        totals: PairTotals,
        curvature: Curvature,
        link: Link,
        scores: Floats,
        tie: float | None,
    ) -> None:
        self._graph, self._curvature = curvature.graph, curvature
        self._lean = curvature.across / curvature.tie_bend
        self._pulls, self._tie_pulls, clusters = _pulls(kept, by, link, scores, tie)
        alone = _left_over(totals, kept)
        self._alone = _squares(alone, link, scores[self._graph.first] - scores[self._graph.second], tie)
        self._set_correction(clusters + float(alone.sum()))

    def _set_correction(self, m: float) -> None:
        H = self._curvature.diagonal
        compared = self._graph.gross(np.ones(len(self._graph))) > 0
        n = compared.sum() - 1
        self._factor, self._share = (
            (m / (m - 1), min(0.5, n / (m - n)) if m > n else 0.5) if m > 1 else (0.0, 1.0)
        )
        if compared.any():
            excess = (self._factor * self._raw_diagonal() + self._curvature.prior.diagonal) / H
            self._share *= max(1.0, float(excess[compared].mean()))

    def _across(self) -> tuple[Floats, float]:
        """Return M between the scores and the tie parameter, and M of the tie parameter alone."""
        across = self._pulls.T @ self._tie_pulls
        alone = float(self._tie_pulls @ self._tie_pulls)
        if self._alone.cross is not None and self._alone.tie_bend is not None:
            across = across + self._graph.net(self._alone.cross)
            alone += float(self._alone.tie_bend.sum())
        return across, alone

    def _raw_diagonal(self) -> Floats:
        across, alone = self._across()
        squares: Floats = self._pulls.power(2).T @ np.ones(self._pulls.shape[0])
        return squares + self._graph.gross(self._alone.bend) - 2 * across * self._lean + alone * self._lean**2

    def matrix(self) -> Floats:
        """Return M written out, shape (n_items, n_items)."""
        across, alone = self._across()
        upper = self._graph.full(self._alone.bend)
        matrix: Floats = (self._pulls.T @ self._pulls).toarray() - upper - upper.T
        matrix[np.diag_indices_from(matrix)] += self._graph.gross(self._alone.bend)
        matrix -= np.outer(across, self._lean) + np.outer(self._lean, across)
        matrix += alone * np.outer(self._lean, self._lean)
        curvature = self._curvature
        return self._factor * matrix + self._share * curvature.matrix() + curvature.prior.matrix()

    def noise(self, rng: np.random.Generator) -> Floats:
        """Draw from N(0, M), shape (n_items,)."""
        each = rng.standard_normal(len(self._tie_pulls))
        noise: Floats = self._pulls.T @ each - self._lean * (self._tie_pulls @ each)
        noise = noise + pair_noise(self._graph, self._alone, self._lean, rng)
        noise *= np.sqrt(self._factor)
        noise += np.sqrt(self._share) * self._curvature.noise(rng)
        noise += self._curvature.prior.noise(rng)
        return noise


def _pulls(
    kept: Preferences, by: str, link: Link, scores: Floats, tie: float | None
) -> tuple[csr_array, Floats, float]:
    """Return what each cluster pulls at scores and at the tie parameter, and how many clusters there are."""
    from scipy.sparse import coo_array

    numbers, clusters = _numbers(kept, by)
    shape = (int(numbers.max(initial=-1)) + 1, len(scores))
    pulls = coo_array(shape).tocsr()
    tie_pulls = np.zeros(shape[0])
    for said in kept.pair_blocks():
        weight = np.zeros((3, len(said)))
        weight[FIRST], weight[TIE] = ~said.tie, said.tie
        slopes = _slopes(link, scores[said.better] - scores[said.worse], weight, tie)
        root = np.sqrt(said.weight) if by == "row" else said.weight
        pull, cluster = root * slopes.slope, numbers[said.row]
        places = np.tile(cluster, 2), np.concatenate([said.better, said.worse])
        pulls = pulls + coo_array((np.concatenate([pull, -pull]), places), shape=shape).tocsr()
        if slopes.tie_slope is not None:
            tie_pulls += np.bincount(cluster, root * slopes.tie_slope, shape[0])
    return pulls, tie_pulls, clusters


def _numbers(kept: Preferences, by: str) -> tuple[Ints, float]:
    """Return the cluster of each row, and how many there are; a row without judge or page is one of its own."""
    own = np.arange(len(kept))
    if by == "row":
        return own, float(len(kept) if kept.weight is None else kept.weight.sum())
    told = kept.judge if by == "judge" else kept.source
    named = own if told is None else np.where(told < 0, own + told.max(initial=0) + 1, told)
    numbers = np.unique(named, return_inverse=True)[1].astype(np.int64)
    return numbers, float(numbers.max(initial=-1) + 1)


def _left_over(totals: PairTotals, kept: Preferences) -> Floats:
    """Return the weights of the answers that are in no kept row, shape (3, n_pairs)."""
    part = PairTotals.none().plus(kept)
    n_items = kept.n_items
    key, sought = (pairs[0].astype(np.int64) * n_items + pairs[1] for pairs in (totals.pairs, part.pairs))
    rest = totals.weight.copy()
    rest[:, np.searchsorted(key, sought)] -= part.weight
    return np.where(rest > 1e-9 * totals.weight, rest, 0.0)


def _squares(weight: Floats, link: Link, difference: Floats, tie: float | None) -> Slopes:
    """Return the squared pulls of the answers that are alone, summed for each pair, in the places of a bend."""
    bend, cross, tie_bend = np.zeros((3, len(difference)))
    for outcome in (FIRST, SECOND, TIE) if tie is not None else (FIRST, SECOND):
        one = np.zeros_like(weight)
        one[outcome] = 1
        slopes = _slopes(link, difference, one, tie)
        bend += weight[outcome] * slopes.slope**2
        if slopes.tie_slope is not None:
            cross += weight[outcome] * slopes.slope * slopes.tie_slope
            tie_bend += weight[outcome] * slopes.tie_slope**2
    if tie is None:
        return Slopes(np.zeros_like(bend), bend)
    return Slopes(np.zeros_like(bend), bend, np.zeros_like(bend), cross, tie_bend)


def _slopes(link: Link, difference: Floats, weight: Floats, tie: float | None) -> Slopes:
    return link.decided(difference, weight) if tie is None else link.tied(difference, weight, tie)
