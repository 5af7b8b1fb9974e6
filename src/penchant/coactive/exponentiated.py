"""The Exponentiated Preference Perceptron (Algorithm 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from penchant.checks import Floats, above_zero, check_number, whole
from penchant.coactive._kernels import exponentiated_logs, exponentiated_rate, exponentiated_weights
from penchant.coactive.features import finite
from penchant.coactive.learner import Learner, not_finite
from penchant.coactive.maps import FeatureMap
from penchant.schema import Array, Flag, Maybe, Number, Whole, require


def _check_logs(state: Mapping[str, Any]) -> None:
    wanted = state["n_features"] * (2 if state["signed"] else 1)
    require(len(state["_logs"]) == wanted, f"_logs must have {wanted} entries, got {len(state['_logs'])}")


class ExponentiatedPerceptron(Learner):
    """Multiply each weight by exp(η (φ(x, ȳ) − φ(x, y))) and let them sum to one again.

    There is no start from other weights: one that is 0 would stay 0.

    Parameters
    ----------
    feature_map : FeatureMap
    n_features : int
    bound : float
        S, the largest joint feature in size; it sets the step.
    horizon : int, optional
        T: η = 1 / (2S√T) in every round, as Theorem 5 wants it, also in rounds after T. None: in round t
        η = 1 / (2S√t), for which there is no guarantee.
    signed : bool, default True
        Learn weights of both signs, as w⁺ − w⁻ on the doubled map (φ, −φ) of eq. 22 and 23, all 2N of which
        sum to one. False: Algorithm 4 itself, weights of at least 0.
    forget : float in [0, 1), default 0.0
        Each round takes this share of the logarithms of the weights away before its correction is added, which draws
        the weights to the equal ones that they began with; the mean of the weights forgets in the same way. No
        guarantee is known for one above 0.
    averaged
        As in `PreferencePerceptron`.

    Examples
    --------
    >>> from penchant.coactive import ExponentiatedPerceptron, ItemMap
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> learner = ExponentiatedPerceptron(ItemMap(), n_features=2, bound=1.0, horizon=4)
    >>> learner.update(X, 0, 1).weights.round(3)
    array([-0.122,  0.122])
    """

    __saved__: ClassVar = Learner.__saved__.extended(
        {
            "bound": Number(above=0),
            "horizon": Maybe(Whole(1)),
            "signed": Flag(),
            "_logs": Array((None,), most=1e-9),
        },
        optional={"forget": Number(0, below=1)},
        rules=(_check_logs,),
    )

    def __init__(
        self,
        feature_map: FeatureMap,
        n_features: int,
        *,
        bound: float,
        horizon: int | None = None,
        signed: bool = True,
        forget: float = 0.0,
        averaged: bool = False,
    ) -> None:
        super().__init__(feature_map, n_features, averaged=averaged)
        self.bound = above_zero("bound", bound)
        self.horizon = None if horizon is None else whole("horizon", horizon, 1)
        self.signed = bool(signed)
        self.forget = check_number("forget", forget, least=0, below=1)
        n_weights = self.n_features * (2 if self.signed else 1)
        # Logarithms: however far the weights move, nothing overflows and none becomes 0 for good.
        self._logs = np.full(n_weights, -np.log(n_weights))
        self._weights = exponentiated_weights(self._logs, self.n_features)

    @property
    def rate(self) -> float:
        """η of the next round."""
        rounds = self._rounds + 1 if self.horizon is None else self.horizon
        return exponentiated_rate(self.bound, rounds)

    def load_row(self, row: Floats) -> Self:
        """Take over the state that `state_row` of a learner with the same settings returned."""
        super().load_row(row)
        self._weights = exponentiated_weights(self._logs, self.n_features)
        return self

    @property
    def _arrays(self) -> tuple[str, ...]:
        return ("_logs", "_total")  # the weights are a function of their logarithms

    def _learn(self, difference: Floats) -> None:
        remembered = 1.0 - self.forget
        before = self._logs if remembered == 1.0 else remembered * self._logs
        logs = exponentiated_logs(before, difference, self.rate)
        if not finite(logs):
            raise not_finite()
        self._keep(exponentiated_weights(logs, self.n_features), remembered)
        self._logs = logs
