"""What every user has in common. A context and a presented object in, a better object out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np

from penchant.checks import whole

TOLERANCE = 1e-12
"""By how much rounding may miss the condition of a strictly α-informative user, eq. 5."""


def good_enough(reached: float, best: float, alpha: float) -> float:
    """Return the lowest utility that a strictly α-informative answer may have, eq. 5.

    Rounding may not lift it over the best, which could then never be reached.

    Examples
    --------
    >>> round(good_enough(1.0, 3.0, alpha=0.5), 9)
    2.0
    """
    return min(reached + alpha * (best - reached), best) - TOLERANCE


class User(Protocol):
    """Somebody who is shown an object and answers with a better one, or with the same."""

    def answer(self, context: Any, presented: Any) -> Any:
        """Return the feedback on the presented object."""

    def seeded(self, seed: int) -> Self:
        """Return the same user with random numbers of their own; one who draws none is returned as is."""


class Deterministic:
    """A user who draws nothing."""

    def seeded(self, seed: int) -> Self:
        """Return the user."""
        return self


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A user who draws random numbers, the same ones for the same seed."""

    seed: int = 0
    _random: np.random.Generator = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Begin the random numbers."""
        whole("seed", self.seed, 0)
        object.__setattr__(self, "_random", np.random.default_rng(self.seed))

    def seeded(self, seed: int) -> Self:
        """Return the same user with the random numbers of ``seed``."""
        return replace(self, seed=seed)
