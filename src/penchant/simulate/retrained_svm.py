"""The first baseline of papers 1 and 2: a ranking SVM that is retrained as examples accumulate."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Literal, Self

import numpy as np

from penchant.checks import Floats, above_zero, one_of, whole
from penchant.coactive import ItemMap, RankingMap
from penchant.coactive.learner import child_seed

COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
FOLDS = 5
FIRST_COST, FEW = 100.0, 50
PRECISION, ROUNDING, MOST_STEPS, MOST_TRIALS = 1e-3, 1e-6, 200, 20
WIDTH, LEAST, MOST = (
    3.0,
    0.1,
    0.4,
)  # of the rounded corner of the hinge: at first, and how far it may shrink at once
FLAT = 0.1  # a line search ends where the slope is this part of the first


class RetrainedSVM:
    """A ranking SVM on φ(x, ȳ) − φ(x, y) of all rounds, retrained when the examples grew by ``growth`` (section 6.2.5).

    The first object is drawn. Rounds without a change give no example. With fewer than fifty examples C is 100,
    then five-fold cross-validation chooses it by the share of differences that are put right. The papers do not say
    whether C multiplies the sum or the mean of the hinge losses, and the verdicts depend on it: ``losses`` chooses.
    The problems are small and many, so that they are solved here and not by `penchant.rankers.RankSVM`.

    Parameters
    ----------
    feature_map : RankingMap or ItemMap
    n_features : int
    growth : float, default 0.1
        By which share the examples must grow before the next training.
    losses : {"sum", "mean"}, default "sum"
        What C multiplies; with the mean C is divided by the number of examples, as `penchant.rankers.RankSVM` does.
    seed : int, default 0
        Of the first object.

    Examples
    --------
    >>> svm = RetrainedSVM(ItemMap(), 2)
    >>> svm.update(np.eye(2), 0, 1).weights.round(3)
    array([-0.5,  0.5])
    """

    def __init__(
        self,
        feature_map: RankingMap | ItemMap,
        n_features: int,
        *,
        growth: float = 0.1,
        losses: Literal["sum", "mean"] = "sum",
        seed: int = 0,
    ) -> None:
        self.feature_map = feature_map
        self.n_features = whole("n_features", n_features, 1)
        self.growth = above_zero("growth", growth)
        self.losses = losses
        one_of("losses", losses, ("sum", "mean"))
        self.seed = whole("seed", seed, 0)
        self._weights: Floats | None = None
        self._differences: list[Floats] = []
        self._trained_on = 0

    @property
    def weights(self) -> Floats:
        """The weights of the last training, 0 before the first."""
        return np.zeros(self.n_features) if self._weights is None else self._weights.copy()

    @property
    def missing(self) -> int:
        """How many more examples the next training waits for, at least 1."""
        enough = self._trained_on * (1 + self.growth) - 1e-9  # 11 of 10 are 10 % more, whatever the rounding
        return max(self._trained_on + 1, int(np.ceil(enough))) - len(self._differences)

    @property
    def n_examples(self) -> int:
        """How many examples there are."""
        return len(self._differences)

    def copy(self) -> Self:
        """Return an independent copy."""
        return deepcopy(self)

    def seeded(self, seed: int) -> Self:
        """Return a copy whose first object is drawn with a seed made of this one's seed and ``seed``."""
        copy = self.copy()
        copy.seed = child_seed(self.seed, seed)
        return copy

    def present(self, context: Any) -> Any:
        """Return the best object by the last training; before the first, an object that is drawn."""
        if self._weights is not None:
            return self.feature_map.argmax(self._weights, context)
        random = np.random.default_rng(self.seed)
        if isinstance(self.feature_map, ItemMap):
            return int(random.integers(len(context)))
        return random.permutation(len(context))

    def update(self, context: Any, presented: Any, feedback: Any) -> Self:
        """Store the difference, and retrain if there are enough new ones."""
        difference = self.feature_map.difference(context, feedback, presented)
        return self.learn(np.asarray(difference, dtype=np.float64))

    def learn(self, difference: Floats) -> Self:
        """Do as `update`, given φ(x, ȳ) − φ(x, y)."""
        if difference.any():
            self._differences.append(difference)
        if self.missing <= 0:
            self._train()
        return self

    def _train(self) -> None:
        examples = np.array(self._differences)
        cost = FIRST_COST if len(examples) < FEW else self._chosen(examples)
        self._weights = self._fitted(examples, cost)
        self._trained_on = len(examples)

    def _chosen(self, examples: Floats) -> float:
        """Return the C with the most correct left-out differences, the smallest of equally good ones."""
        fold = np.arange(len(examples)) % FOLDS
        right = np.zeros(len(COSTS), dtype=np.int64)
        for part in range(FOLDS):
            left_out, others = examples[fold == part], examples[fold != part]
            right += [int((left_out @ self._fitted(others, cost) > 0).sum()) for cost in COSTS]
        return COSTS[int(right.argmax())]

    def _fitted(self, examples: Floats, cost: float) -> Floats:
        return separating(examples, cost / len(examples) if self.losses == "mean" else cost)


def separating(examples: Floats, cost: float) -> Floats:
    """Return the w of the least ½‖w‖² + C Σ max(0, 1 − wᵀd) over the differences d, to about a thousandth.

    Newton's method with the corner of the hinge rounded: (1 − m)²/2h for a margin m from 1 − h to 1. It narrows h as
    soon as what is left to gain, the Newton decrement, is no more than what rounding costs, and stops when both
    together, an estimate of what is missing, are twice in a row at most a thousandth of the objective. Only the
    differences inside the corner bend the objective, so that a step costs little more than two products with all.
    """
    weights, width = np.zeros(examples.shape[1]), WIDTH
    losses, missing = np.ones(len(examples)), np.inf  # 1 − wᵀd, below 0 outside the margin
    for _ in range(MOST_STEPS):
        corner = np.flatnonzero((losses > 0) & (losses < width))
        inside = losses[corner]
        downhill = examples.T @ (cost * np.minimum(np.maximum(losses / width, 0), 1)) - weights
        step = _newton(examples[corner], cost / width, downhill)
        decrement, rounded = float(downhill @ step), float(cost * (inside @ (1 - inside / width)))
        objective = 0.5 * weights @ weights + cost * np.maximum(losses, 0).sum()
        missing, before = (decrement + rounded) / objective, missing
        if missing <= PRECISION and (before <= PRECISION or missing <= ROUNDING):
            break
        gains = examples @ step
        far = _line_search(float(weights @ step), float(step @ step), losses, gains, cost, width, decrement)
        weights, losses = weights + far * step, losses - far * gains
        if decrement <= rounded:
            width *= min(max(PRECISION * objective / (2 * rounded), LEAST), MOST)
    return weights


def _newton(inside: Floats, curvature: float, downhill: Floats) -> Floats:
    """Return (I + curvature·ZᵀZ)⁻¹ downhill for the rows Z, by the smaller of ZZᵀ and ZᵀZ."""
    few = len(inside) < inside.shape[1]
    square = inside @ inside.T if few else curvature * (inside.T @ inside)
    square[np.diag_indices_from(square)] += 1 / curvature if few else 1.0
    if few:
        return np.asarray(downhill - inside.T @ np.linalg.solve(square, inside @ downhill))  # Woodbury
    return np.asarray(np.linalg.solve(square, downhill))


def _line_search(
    along: float, length: float, losses: Floats, gains: Floats, cost: float, width: float, decrement: float
) -> float:
    """Return how far to go: to where the slope of the rounded objective is a tenth of the first, by the false position.

    ``along`` is wᵀs and ``length`` sᵀs of the step s; ``gains`` are sᵀd.
    """
    ends, slopes, far = [0.0, np.inf], [-decrement, np.inf], 1.0
    for _ in range(MOST_TRIALS):
        kept = cost * np.minimum(np.maximum((losses - far * gains) / width, 0), 1)
        slope = along + far * length - float(kept @ gains)
        if abs(slope) <= FLAT * decrement:
            break
        side = int(slope > 0)
        ends[side], slopes[side] = far, slope
        if ends[1] == np.inf:
            far *= 4
        else:
            share = -slopes[0] / (slopes[1] - slopes[0])
            far = ends[0] + min(max(share, 0.1), 0.9) * (ends[1] - ends[0])
    return far
