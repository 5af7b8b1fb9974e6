"""Simulated judges who compare two items."""

from __future__ import annotations

from math import erfc

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, check_number, vector
from penchant.errors import InvalidInput


class ProbitJudge:
    """A judge who perceives each of two items as its utility plus normal noise and prefers the larger.

    Parameters
    ----------
    utility : array-like of shape (n_items,)
    noise : float
        The sd of the perception of one item: P(a is preferred to b) = Φ((u_a − u_b)/(√2 · noise)).
    reliability : float
        How often the answer has to do with the items at all; otherwise it is a coin's.
    side_bias : float
        By how much what stands on the left is perceived better.
    drift : float
        The sd by which each utility moves from one answer to the next, for this judge.
    seed : int or sequence of int

    Examples
    --------
    >>> judge = ProbitJudge([2.0, 0.0], seed=1)
    >>> sum(judge.prefers_left(0, 1) for _ in range(1000)) / 1000  # Φ(√2) is 0.92
    0.911
    """

    def __init__(
        self,
        utility: ArrayLike,
        *,
        noise: float = 1.0,
        reliability: float = 1.0,
        side_bias: float = 0.0,
        drift: float = 0.0,
        seed: int | tuple[int, ...] = 0,
    ) -> None:
        for name, value in (("noise", noise), ("drift", drift)):
            check_number(name, value, least=0, remedy="it is a deviation")
        if not 0 <= reliability <= 1:
            raise InvalidInput(
                f"reliability must be from 0 to 1, got {reliability}: it is a share of answers"
            )
        self.utility = vector("utility", utility).copy()
        self.noise, self.reliability, self.side_bias, self.drift = noise, reliability, side_bias, drift
        self._random = np.random.default_rng(seed)

    def prefers_left(self, left: int, right: int) -> bool:
        """Answer one question; the utilities drift afterwards."""
        chance = 0.5 + self.reliability * (self._of_items(left, right) - 0.5)
        answer = bool(self._random.random() < chance)
        if self.drift:
            self.utility += self.drift * self._random.standard_normal(len(self.utility))
        return answer

    def _of_items(self, left: int, right: int) -> float:
        ahead = float(self.utility[left] - self.utility[right]) + self.side_bias
        if self.noise == 0:
            return 0.5 * (1 + float(np.sign(ahead)))
        return 0.5 * erfc(-ahead / (2 * self.noise))


def crowd(
    utility: ArrayLike,
    count: int,
    *,
    noise: float = 1.0,
    reliability: tuple[float, float] = (0.7, 1.0),
    side_bias: float = 0.2,
    disagreement: float = 0.0,
    seed: int = 0,
) -> list[ProbitJudge]:
    """Return judges who differ in reliability, in their bias to a side and, with ``disagreement``, in utilities.

    Parameters
    ----------
    utility : array-like of shape (n_items,)
        What the crowd likes.
    count : int
    noise : float
    reliability : pair of float
        Each judge's is drawn evenly between these.
    side_bias, disagreement : float
        The sd of the judges' biases, and of each judge's utilities around the crowd's.
    seed : int

    Examples
    --------
    >>> [round(judge.reliability, 2) for judge in crowd([1.0, 0.0], 3)]
    [0.89, 0.78, 0.71]
    """
    if count < 1:
        raise InvalidInput(f"a crowd needs at least 1 judge, got {count}: ask for some")
    liked: Floats = vector("utility", utility)
    random = np.random.default_rng(seed)
    reliabilities = random.uniform(*reliability, count)
    biases = side_bias * random.standard_normal(count)
    tastes = liked + disagreement * random.standard_normal((count, len(liked)))
    return [
        ProbitJudge(
            tastes[number],
            noise=noise,
            reliability=float(reliabilities[number]),
            side_bias=float(biases[number]),
            seed=(seed, number),
        )
        for number in range(count)
    ]
