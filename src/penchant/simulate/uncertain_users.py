"""Users whose answer may be no better: another user's or a random one, or the best of a few random ones.

They only need utilities and random objects of a context, so that they answer about rankings, items and other
structures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from penchant.checks import whole
from penchant.coactive._kernels import random_mass
from penchant.coactive.analysis.regret import check_alpha
from penchant.simulate.contexts import Context
from penchant.simulate.user import Drawing, User


@dataclass(frozen=True, kw_only=True)
class ExpectedUser(Drawing):
    """Answer at random as often as the feedback stays α-informative in expectation, eq. 7 (section 6.2.4).

    ``user`` answers first, and ``objects`` objects are drawn. The largest share of all answers with which the
    expected utility still gains α(U(y*) − U(y)) goes to the drawn ones, evenly; the rest to the user's answer.

    Parameters
    ----------
    user : User
        Who answers where chance does not, for instance ``StrictRanking(0.5)``.
    alpha : float, default 0.5
        In (0, 1].
    objects : int, default 5
    seed : int, default 0

    Examples
    --------
    >>> from penchant.simulate import Items, StrictItem
    >>> offer = Items(np.zeros((4, 1)), [0.0, 1.0, 2.0, 4.0], np.zeros(4))
    >>> user = ExpectedUser(user=StrictItem(1.0), alpha=0.5)
    >>> [user.answer(offer, 0) for _ in range(8)]
    [3, 2, 2, 3, 2, 1, 2, 3]
    """

    user: User
    alpha: float = 0.5
    objects: int = 5

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        check_alpha(self.alpha)
        whole("objects", self.objects, 1)

    def seeded(self, seed: int) -> Self:
        """Return the same user with the random numbers of ``seed``, the inner user with others of their own."""
        own, inner = np.random.SeedSequence(seed).generate_state(2, np.uint64).tolist()
        return replace(self, seed=own, user=self.user.seeded(inner))

    def answer(self, context: Context, presented: Any) -> Any:
        """Return the inner user's answer or one of the drawn objects."""
        shown = context.known(presented)
        answered = self.user.answer(context, shown)
        drawn = [context.drawn(self._random) for _ in range(self.objects)]
        by_chance = float(np.mean([context.utility(thing) for thing in drawn]))
        reached = context.utility(shown)
        wanted = reached + self.alpha * (context.best_utility - reached)
        chance, place = self._random.random(), int(self._random.random() * self.objects)
        return (
            drawn[place] if chance < random_mass(context.utility(answered), by_chance, wanted) else answered
        )


@dataclass(frozen=True, kw_only=True)
class BoundedUser(Drawing):
    """Return the best of a few objects that come to mind, eq. 2: the presented one and ``objects`` drawn ones.

    Parameters
    ----------
    objects : int, default 5
    seed : int, default 0

    Examples
    --------
    >>> from penchant.simulate import Items
    >>> offer = Items(np.zeros((100, 1)), np.arange(100.0), np.zeros(100))
    >>> BoundedUser(objects=3).answer(offer, 2), BoundedUser(objects=100).answer(offer, 2)
    (63, 99)
    """

    objects: int = 5

    def __post_init__(self) -> None:
        """Check the number."""
        super().__post_init__()
        whole("objects", self.objects, 1)

    def answer(self, context: Context, presented: Any) -> Any:
        """Return the best that came to mind, the presented object if nothing is better."""
        shown = context.known(presented)
        return max([shown, *(context.drawn(self._random) for _ in range(self.objects))], key=context.utility)
