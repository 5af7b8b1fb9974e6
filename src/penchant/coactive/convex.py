"""The Convex Preference Perceptron (Algorithm 5)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from penchant.checks import Floats, above_zero, check_number
from penchant.coactive._kernels import convex_weights, on_ball
from penchant.coactive.features import finite
from penchant.coactive.learner import Learner, not_finite, start
from penchant.coactive.maps import FeatureMap
from penchant.schema import Number


class ConvexPerceptron(Learner):
    """Step by (φ(x, ȳ) − φ(x, y)) / √t in round t, then project on the ball ‖w‖ ≤ ``radius``.

    It minimises the average of any convex loss of the utility difference, which it need not know (Theorem 6).

    Parameters
    ----------
    feature_map : FeatureMap
    n_features : int
    radius : float, default 100.0
        Of the ball B around 0. The guarantee is for a w* inside it.
    weights : array-like of shape (n_features,) or a fitted ranker with ``coef_``, optional
        Where to start, projected on the ball; None: at 0.
    forget, averaged
        As in `PreferencePerceptron`; steps and projection stay those of Algorithm 5. No guarantee is known for a
        ``forget`` above 0.

    Examples
    --------
    >>> from penchant.coactive import ItemMap
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> learner = ConvexPerceptron(ItemMap(), n_features=2, radius=1.0)
    >>> learner.update(X, 0, 1).weights.round(3)
    array([-0.707,  0.707])
    """

    __saved__: ClassVar = Learner.__saved__.extended(
        {"radius": Number(above=0)}, optional={"forget": Number(0, below=1)}
    )

    def __init__(
        self,
        feature_map: FeatureMap,
        n_features: int,
        *,
        radius: float = 100.0,
        weights: Any = None,
        forget: float = 0.0,
        averaged: bool = False,
    ) -> None:
        super().__init__(feature_map, n_features, averaged=averaged)
        self.radius = above_zero("radius", radius)
        self.forget = check_number("forget", forget, least=0, below=1)
        self._weights = start_on_ball(weights, self.n_features, self.radius)

    def _learn(self, difference: Floats) -> None:
        remembered = 1.0 - self.forget
        weights = self._weights if remembered == 1.0 else remembered * self._weights
        self._keep(convex_weights(weights, difference, self._rounds, self.radius), remembered)


def start_on_ball(weights: Any, n_features: int, radius: float) -> Floats:
    """Return the weights to start from, as `start` does, projected on the ball."""
    with np.errstate(over="ignore"):
        projected = on_ball(start(weights, n_features), radius)
    if not finite(projected):
        raise not_finite()
    return projected
