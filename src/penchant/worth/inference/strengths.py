"""The Bradley–Terry log posterior without ties, computed from strengths.

With the strengths s = e^score, i is preferred to j with probability s_i / (s_i + s_j). If the two met m_ij times,
let b_ij = m_ij / (s_i + s_j)²: i is expected to win s_i (s_i Σ_j b_ij + Σ_j b_ij s_j) comparisons, and the log
likelihood has the curvature s_i s_j b_ij between i and j. That is one division a pair, and one exponential an item.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Self

import numpy as np

from penchant.checks import Floats
from penchant.worth.inference.newton import Hessian, Link, LogPosterior, Point
from penchant.worth.inference.pairs import PairGraph, parts
from penchant.worth.inference.prior import Prior

_LARGEST_EXPONENT = 300.0
_SQUARE_ITEMS = 2048
_SQUARE_SHARE = 0.25

Product = Callable[[Floats], Floats]


class StrengthLogPosterior(LogPosterior):
    """The log posterior where nothing was tied."""

    def __init__(self, link: Link, graph: PairGraph, weight: Floats, prior: Prior) -> None:
        super().__init__(link, graph, weight, prior)
        fits = graph.n_items <= _SQUARE_ITEMS and len(graph) >= _SQUARE_SHARE * graph.n_items**2
        self._met = _MetInSquare(graph, self.met) if fits else _MetInPairs(graph, self.met)

    def at(self, scores: Floats, tie: float | None) -> Point:
        """Return the point with these scores, as `LogPosterior.at` does."""
        middle = (scores.max() + scores.min()) / 2
        if scores.max() - middle > _LARGEST_EXPONENT:
            return super().at(scores, tie)
        strength = np.exp(scores - middle)
        product = self._met.product(strength)
        others = product(strength)
        expected = strength * (strength * product(np.ones_like(strength)) + others)
        return Point(
            scores,
            tie,
            self.won - expected - self.prior.product(scores),
            0.0,
            lambda: _StrengthHessian(product, strength, strength * others, self.prior),
        )


class _MetInPairs:
    """How often the two of each pair met, one number a pair."""

    def __init__(self, graph: PairGraph, met: Floats) -> None:
        self._graph, self._met, self._curvature = graph, met, np.empty(len(graph))

    def product(self, strength: Floats) -> Product:
        """Return the product with the b_ij; it is valid until the next call."""
        for part in parts(len(self._graph)):
            total = strength.take(self._graph.first[part])
            total += strength.take(self._graph.second[part])
            total *= total
            np.divide(self._met[part], total, out=self._curvature[part])
        return partial(self._graph.product, self._curvature)


class _MetInSquare:
    """The same as a square of all pairs, which is faster for few items of which most met."""

    def __init__(self, graph: PairGraph, met: Floats) -> None:
        upper = graph.full(met)
        self._met = upper + upper.T
        self._curvature = upper

    def product(self, strength: Floats) -> Product:
        """Return the product with the b_ij; it is valid until the next call."""
        np.add.outer(strength, strength, out=self._curvature)
        self._curvature *= self._curvature
        np.divide(self._met, self._curvature, out=self._curvature)
        return partial(_row_by_row, self._curvature)


def _row_by_row(matrix: Floats, values: Floats) -> Floats:
    """Multiply by one inner product a row, whose last bit does not depend on the number of threads."""
    product: Floats = np.matmul(matrix[:, None], values.reshape(len(values), -1))
    return product.reshape(values.shape)


class _StrengthHessian(Hessian):
    """The Hessian, given the product with the b_ij and the sums of s_i s_j b_ij over j."""

    def __init__(self, product: Product, strength: Floats, pull: Floats, prior: Prior) -> None:
        self.prior = prior
        self._product, self._strength, self._pull = product, strength, pull
        self.across = np.zeros(len(strength))
        self.diagonal = pull + prior.diagonal

    def damped(self, damping: Floats, tie_damping: float) -> Self:
        damped = copy(self)
        damped.is_damped = True
        damped._pull, damped.diagonal = self._pull + damping, self.diagonal + damping
        return damped

    def product(self, values: Floats) -> Floats:
        wide = values.reshape(len(values), -1)
        strength = self._strength[:, None]
        result = self._pull[:, None] * wide - strength * self._product(strength * wide)
        if self.prior.precision:
            result += self.prior.product(wide)
        shaped: Floats = result.reshape(values.shape)
        return shaped
