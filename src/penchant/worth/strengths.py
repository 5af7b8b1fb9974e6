"""Step two, inside: Bradley–Terry without ties, by strengths. Totals of pairs in; the log posterior around scores out.

With the strengths s = e^score, i is preferred to j with probability s_i / (s_i + s_j). If the two met m_ij times,
i is expected to win s_i Σ_j q_ij comparisons for q_ij = m_ij / (s_i + s_j), and the log likelihood bends by
s_i s_j q_ij / (s_i + s_j) between i and j: two divisions a pair, and an exponential only for each item.
"""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats
from penchant.worth.newton import Bent, Link, Place, Terrain
from penchant.worth.pair_graph import PairGraph
from penchant.worth.prior import Prior

_LARGEST_EXPONENT = 300.0


class StrengthTerrain(Terrain):
    """The log posterior where nothing was tied."""

    def __init__(self, link: Link, graph: PairGraph, weight: Floats, prior: Prior) -> None:
        super().__init__(link, graph, weight, prior)
        self._q, self._bend = np.empty((2, len(graph)))

    def at(self, scores: Floats, tie: float | None) -> Place:
        """Look around, as `Terrain.at` does."""
        middle = (scores.max() + scores.min()) / 2
        if scores.max() - middle > _LARGEST_EXPONENT:
            return super().at(scores, tie)
        strength = np.exp(scores - middle)
        for part in self.graph.parts():
            total = strength.take(self.graph.first[part])
            total += strength.take(self.graph.second[part])
            q = np.divide(self.met[part], total, out=self._q[part])
            np.divide(q, total, out=self._bend[part])
        uphill = self.won - strength * self.graph.gross(self._q) - self.prior.product(scores)
        return Place(
            scores, tie, uphill, 0.0, lambda: _Curvature(self.graph, self._bend, strength, self.prior)
        )


class _Curvature(Bent):
    """The curvature, given q_ij / (s_i + s_j) for each pair."""

    def __init__(self, graph: PairGraph, bend: Floats, strength: Floats, prior: Prior) -> None:
        super().__init__(prior)
        self._graph, self._bend, self._strength = graph, bend, strength
        self._pull = strength * graph.product(bend, strength)
        self.across = np.zeros(len(strength))
        self.diagonal = self._pull + prior.diagonal

    def product(self, values: Floats) -> Floats:
        wide = values.reshape(len(values), -1)
        strength = self._strength[:, None]
        result = self._pull[:, None] * wide - strength * self._graph.product(self._bend, strength * wide)
        if self.prior.precision:
            result += self.prior.product(wide)
        shaped: Floats = result.reshape(values.shape)
        return shaped
