"""The first baseline of papers 1 and 2: a ranking SVM that is retrained as examples accumulate."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

import numpy as np

from penchant.checks import Floats, above_zero, whole
from penchant.coactive import FeatureMap, ItemMap
from penchant.coactive.learner import child_seed

COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
FOLDS = 5
FIRST_COST, FEW = 100.0, 50
PRECISION, CENTRING, MOST_STEPS = 1e-3, 0.1, 100


class RetrainedSVM:
    """A ranking SVM on φ(x, ȳ) − φ(x, y) of all rounds, retrained when the examples grew by ``growth`` (section 6.2.5).

    The first object is drawn. Rounds without a change give no example. With fewer than fifty examples C is 100,
    then five-fold cross-validation chooses it by the share of differences that are put right. C multiplies the
    plain sum of the hinge losses, as in the papers; that of `penchant.rankers.RankSVM` multiplies their mean.
    The problems are small and many, so that they are solved here and not by `RankSVM`.

    Parameters
    ----------
    feature_map : FeatureMap
    n_features : int
    growth : float, default 0.1
        By which share the examples must grow before the next training.
    seed : int, default 0
        Of the first object.

    Examples
    --------
    >>> svm = RetrainedSVM(ItemMap(), 2)
    >>> svm.update(np.eye(2), 0, 1).weights.round(3)
    array([-0.5,  0.5])
    """

    def __init__(
        self, feature_map: FeatureMap, n_features: int, *, growth: float = 0.1, seed: int = 0
    ) -> None:
        self.feature_map = feature_map
        self.n_features = whole("n_features", n_features, 1)
        self.growth = above_zero("growth", growth)
        self.seed = whole("seed", seed, 0)
        self._weights: Floats | None = None
        self._differences: list[Floats] = []
        self._trained_on = 0

    @property
    def weights(self) -> Floats:
        """The weights of the last training, 0 before the first."""
        return np.zeros(self.n_features) if self._weights is None else self._weights.copy()

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
        joint = self.feature_map.joint
        difference = np.asarray(joint(context, feedback) - joint(context, presented), dtype=np.float64)
        if difference.any():
            self._differences.append(difference)
        enough = self._trained_on * (1 + self.growth) - 1e-9  # 11 of 10 are 10 % more, whatever the rounding
        if len(self._differences) > self._trained_on and len(self._differences) >= enough:
            self._train()
        return self

    def _train(self) -> None:
        examples = np.array(self._differences)
        cost = FIRST_COST if len(examples) < FEW else _chosen(examples)
        self._weights = _separating(examples, cost)
        self._trained_on = len(examples)


def _chosen(examples: Floats) -> float:
    """Return the C with the most correct left-out differences, the smallest of equally good ones."""
    fold = np.arange(len(examples)) % FOLDS

    def right(cost: float) -> int:
        return sum(
            int((examples[fold == part] @ _separating(examples[fold != part], cost) > 0).sum())
            for part in range(FOLDS)
        )

    return max(COSTS, key=right)


def _separating(examples: Floats, cost: float) -> Floats:
    """Return the w of the least ½‖w‖² + C Σ max(0, 1 − wᵀd) over the differences d, to a thousandth of it.

    An interior point of the dual, min ½‖Σ a d‖² − Σ a with 0 ≤ a ≤ C, is led along the path on which a·z and
    (C − a)·u are one falling number; z − u is the gradient throughout, so that their sum is the gap.
    """
    a = np.full(len(examples), cost / 2)
    weights: Floats = examples.T @ a
    slope = examples @ weights - 1
    gram = examples @ examples.T if len(examples) < examples.shape[1] else None
    z, u = np.maximum(slope, 0) + 1, np.maximum(-slope, 0) + 1
    for _ in range(MOST_STEPS):
        gap = a @ z + (cost - a) @ u
        if gap <= PRECISION * (0.5 * weights @ weights + cost * u.sum()):
            break
        centre = CENTRING * gap / (2 * len(a))
        curve = z / a + u / (cost - a)
        pull = centre / a - centre / (cost - a) - slope
        step = _newton(examples, gram, curve, pull)
        up_z = centre / a - z - z / a * step
        up_u = centre / (cost - a) - u + u / (cost - a) * step
        far = 0.99 * min(
            1 / 0.99, *(_reach(*pair) for pair in ((a, step), (cost - a, -step), (z, up_z), (u, up_u)))
        )
        a, z, u = a + far * step, z + far * up_z, u + far * up_u
        weights = examples.T @ a
        slope = examples @ weights - 1
    return weights


def _newton(examples: Floats, gram: Floats | None, curve: Floats, pull: Floats) -> Floats:
    """Return (DDᵀ + diag(curve))⁻¹ pull, by the smaller of DDᵀ and DᵀD."""
    if gram is not None:
        return np.asarray(np.linalg.solve(gram + np.diag(curve), pull))
    scaled = examples / curve[:, None]
    inner = examples.T @ scaled
    inner[np.diag_indices_from(inner)] += 1
    return np.asarray(pull / curve - scaled @ np.linalg.solve(inner, scaled.T @ pull))  # Woodbury


def _reach(values: Floats, step: Floats) -> float:
    """Return the largest multiple of a step that keeps all values at 0 or above."""
    falls = step < 0
    return float((values[falls] / -step[falls]).min(initial=np.inf))
