"""The Preference Perceptron (Algorithms 1 and 2)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from penchant.checks import Floats, check_number, whole
from penchant.coactive._kernels import perceptron_weights
from penchant.coactive.features import finite
from penchant.coactive.learner import FINITE, Learner, not_finite, start
from penchant.coactive.maps import FeatureMap
from penchant.schema import Array, Number, Whole


class PreferencePerceptron(Learner):
    """Add φ(x, ȳ) − φ(x, y) to the weights, each round or every ``batch`` rounds.

    Parameters
    ----------
    feature_map : FeatureMap
    n_features : int
    batch : int, default 1
        k of Algorithm 2: the weights move after every k rounds, by the sum of the corrections since the last
        move. What a trailing partial batch holds is not applied.
    weights : array-like of shape (n_features,) or a fitted ranker with ``coef_``, optional
        Where to start; None: at 0.
    forget : float in [0, 1), default 0.0
        Each round takes this share of the weights away before its correction is added, so that a correction
        counts (1 − forget)ⁿ after n more rounds. In a batch the rounds' shares are taken together when it is
        applied. The mean of the weights forgets in the same way. A strong start and a long mean need it most:
        the latest weights grow only like √t, and turn with a drifting taste by themselves.
    averaged : bool, default False
        Present by the mean of the weights after each round instead of the latest ones.

    References
    ----------
    Shivaswamy and Joachims, Coactive Learning, JAIR 53 (2015).

    Examples
    --------
    >>> from penchant.coactive import RankingMap
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> learner = PreferencePerceptron(RankingMap(), n_features=2)
    >>> shown = learner.present(X)
    >>> shown
    array([0, 1, 2])
    >>> learner.update(X, shown, [1, 0, 2]).present(X)
    array([1, 2, 0])
    """

    additive: ClassVar[bool] = True
    __saved__: ClassVar = Learner.__saved__.extended(
        {"batch": Whole(1), "forget": Number(0, below=1), "_waiting": Array(("n_features",), largest=FINITE)}
    )

    def __init__(
        self,
        feature_map: FeatureMap,
        n_features: int,
        *,
        batch: int = 1,
        weights: Any = None,
        forget: float = 0.0,
        averaged: bool = False,
    ) -> None:
        super().__init__(feature_map, n_features, averaged=averaged)
        self.batch = whole("batch", batch, 1)
        self.forget = check_number("forget", forget, least=0, below=1)
        self._weights = start(weights, self.n_features)
        self._waiting = np.zeros(self.n_features)

    @property
    def _arrays(self) -> tuple[str, ...]:
        return (*super()._arrays, *(["_waiting"] if self.batch > 1 else []))

    def _learn(self, difference: Floats) -> None:
        remembered = 1.0 - self.forget
        if self.batch == 1:
            self._keep(perceptron_weights(self._weights, difference, remembered), remembered)
            return
        gathered = self._waiting + difference
        if not finite(gathered):
            raise not_finite()
        if (self._rounds + 1) % self.batch:
            self._keep(self._weights, remembered)
            self._waiting = gathered
        else:
            weights = perceptron_weights(self._weights, gathered, remembered**self.batch)
            self._keep(weights, remembered)
            self._waiting = np.zeros(self.n_features)
