"""What simulated users share: the protocol, seeds, and the condition of strictly α-informative answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np

from penchant.checks import whole
from penchant.coactive._kernels import good_enough
from penchant.coactive.analysis.regret import check_alpha


class User(Protocol):
    """A simulated user, who answers a presented object with a better one, or with the same.

    Examples
    --------
    >>> import numpy as np
    >>> from penchant.simulate import Items, StrictItem
    >>> user: User = StrictItem(1.0)
    >>> user.answer(Items(np.zeros((3, 1)), [0.0, 3.0, 1.0], np.zeros(3)), 0)
    1
    """

    def answer(self, context: Any, presented: Any) -> Any:
        """Return the feedback on the presented object."""

    def seeded(self, seed: int) -> Self:
        """Return the same user with random numbers of their own; one who draws none is returned as is."""


class Deterministic:
    """A user without random numbers."""

    def seeded(self, seed: int) -> Self:
        """Return the user."""
        return self


@dataclass(frozen=True)
class Strict(Deterministic):
    """A strictly α-informative user, eq. 5."""

    alpha: float = 0.5

    def __post_init__(self) -> None:
        """Check α."""
        check_alpha(self.alpha)

    def wanted(self, context: Any, reached: float) -> float:
        """Return the lowest utility that an answer may have where the presented object reached ``reached``."""
        return good_enough(reached, context.best_utility, self.alpha)


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
