"""The Second-order Preference Perceptron (Algorithm 6)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from penchant.checks import Floats, above_zero
from penchant.coactive._kernels import norm, on_ball, second_order_step
from penchant.coactive.analysis.losses import Loss
from penchant.coactive.convex import start_on_ball
from penchant.coactive.features import finite
from penchant.coactive.learner import FINITE, Learner, not_finite
from penchant.coactive.maps import FeatureMap
from penchant.schema import Array, Number
from penchant.threads import one_thread


class SecondOrderPerceptron(Learner):
    """Step by A⁻¹(φ(x, ȳ) − φ(x, y)), A = εI + γ Σ of the differences' squares; project on a ball in A's norm.

    While the weights stay inside the ball only γ/ε matters for what is presented.

    A⁻¹ is moved by one square a round, which loses digits where γ‖φ(x, ȳ) − φ(x, y)‖² is far above ε: with γ = ε it
    keeps some fifteen digits where features are around 1, ten where they are around 1,000 and five where they are
    around 1,000,000. Scale features to about 1.

    Parameters
    ----------
    feature_map : FeatureMap
    n_features : int
        A⁻¹ takes n_features² numbers.
    radius : float, default 100.0
        Of the ball B around 0. The guarantee is for a w* inside it. Outside, each projection takes an
        eigendecomposition of A⁻¹.
    epsilon : float, default 1.0
        ε, with which A begins.
    gamma : float, default 1.0
        γ. The guarantee (Theorem 8) wants at most λ/G of the loss, which `for_loss` sets, and in a ball wider
        than ‖w*‖ less: `second_order_gamma` tells how much.
    weights, averaged
        As in `ConvexPerceptron`. There is no ``forget``: with a share of A taken away each round, A⁻¹ would grow
        without end in directions that no correction touches.

    Examples
    --------
    >>> from penchant.coactive import ItemMap
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> learner = SecondOrderPerceptron(ItemMap(), n_features=2)
    >>> learner.update(X, 0, 1).weights.round(3)
    array([-0.333,  0.333])
    """

    __saved__: ClassVar = Learner.__saved__.extended(
        {
            "radius": Number(above=0),
            "epsilon": Number(above=0),
            "gamma": Number(above=0),
            "_inverse": Array(("n_features", "n_features"), largest=FINITE),
        }
    )

    def __init__(
        self,
        feature_map: FeatureMap,
        n_features: int,
        *,
        radius: float = 100.0,
        epsilon: float = 1.0,
        gamma: float = 1.0,
        weights: Any = None,
        averaged: bool = False,
    ) -> None:
        super().__init__(feature_map, n_features, averaged=averaged)
        self.radius = above_zero("radius", radius)
        self.epsilon = above_zero("epsilon", epsilon)
        self.gamma = above_zero("gamma", gamma)
        self._weights = start_on_ball(weights, self.n_features, self.radius)
        self._inverse = np.eye(self.n_features) / self.epsilon  # of which the lower half is kept up

    @classmethod
    def for_loss(cls, loss: Loss, feature_map: FeatureMap, n_features: int, **settings: Any) -> Self:
        """Return a learner for a strongly convex loss, with γ = λ/G as in Algorithm 6.

        That is the paper's γ, not one for which its bound always holds: λ and G are those of differences of true
        utilities, and in a ball much wider than ‖w*‖ the learner's own scores differ by more. Where the bound is
        to hold give the class ``gamma=second_order_gamma(…)``.

        Parameters
        ----------
        loss : Loss
            With ``strength``, λ, above 0, and ``slope``, G; for instance ``QuadraticLoss(largest)``.
        feature_map, n_features, **settings
            As for the class, without ``gamma``.
        """
        gamma = above_zero("strength", loss.strength) / above_zero("slope", loss.slope)
        return cls(feature_map, n_features, gamma=gamma, **settings)

    @property
    def _arrays(self) -> tuple[str, ...]:
        return (*super()._arrays, "_inverse")

    def _learn(self, difference: Floats) -> None:
        with one_thread():
            self._step(difference)

    def _step(self, difference: Floats) -> None:
        pull = _product(self._inverse, difference)
        weights, root, growth = second_order_step(self._weights, difference, pull, self.gamma)
        length = norm(weights)
        if not (growth < np.inf and finite(root) and length < np.inf):
            raise not_finite()
        if length <= self.radius:
            self._keep(weights)
            self._inverse = _less_square(self._inverse, root, in_place=True)
            return
        inverse = _less_square(self._inverse, root)
        self._keep(on_ball_in_norm(weights, inverse, self.radius))
        self._inverse = inverse


def _product(symmetric: Floats, vector: Floats) -> Floats:
    """Return the product of a symmetric matrix, whose lower half is read, and a vector."""
    from scipy.linalg.blas import dsymv

    return np.asarray(dsymv(1.0, symmetric.T, vector))  # Fortran's upper half is the lower one here


def _less_square(symmetric: Floats, vector: Floats, *, in_place: bool = False) -> Floats:
    """Return a symmetric matrix less v vᵀ, of which the lower half is written."""
    from scipy.linalg.blas import dsyr

    return np.asarray(dsyr(-1.0, vector, a=symmetric.T, overwrite_a=in_place).T)


def on_ball_in_norm(weights: Floats, inverse: Floats, radius: float) -> Floats:
    """Return arg min of (w̄ − w)ᵀA(w̄ − w) over ‖w‖ ≤ ``radius`` for a w̄ outside, where ``inverse`` is A⁻¹'s lower half.

    It is (I + μA⁻¹)⁻¹w̄ with the μ > 0 that gives it the norm ``radius``. In the eigenvectors of A⁻¹ the norm
    is one sum; Newton's method on its reciprocal, which is concave in μ, climbs to that μ from below.

    Examples
    --------
    >>> on_ball_in_norm(np.array([2.0, 0.0]), np.eye(2), 1.0)
    array([1., 0.])
    """
    with one_thread():
        values, vectors = np.linalg.eigh(inverse)
        along = vectors.T @ weights
        values = np.maximum(values, 0.0)  # rounding may leave a tiny one below
        multiplier, shrunk = 0.0, along
        for _ in range(100):
            length = norm(shrunk)
            if length <= radius * (1 + 1e-15):
                break
            slope = np.sum(shrunk**2 * values / (1 + multiplier * values))
            multiplier += length**2 / slope * (length - radius) / radius
            shrunk = along / (1 + multiplier * values)
        return on_ball(vectors @ shrunk, radius)
