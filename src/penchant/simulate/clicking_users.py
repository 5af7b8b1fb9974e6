"""Users who click on rankings.

Section 3.2 of paper 2: what was clicked in a whole chain of queries is put before the ranking of the first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, check_number, vector, whole
from penchant.errors import InvalidInput
from penchant.orders import prepend
from penchant.simulate.contexts import Documents, refuse_other_than
from penchant.simulate.user import Drawing

CLICK_RATES = (0.05, 0.2, 0.4, 0.7, 0.9)
"""How likely a document that is looked at is clicked, by its label from 0 to 4."""


@dataclass(frozen=True, kw_only=True)
class Clicks(Drawing):
    """Look at the first results and click each as often as its label deserves.

    Parameters
    ----------
    rates : tuple of float
        The chance of a click on a document that is looked at, by its label 0, 1, …
    depth : int, default 10
        How many results are looked at.
    seed : int, default 0

    Examples
    --------
    >>> from penchant.coactive import RankingMap
    >>> query = Documents(np.zeros((4, 1)), np.zeros(4), [0, 1, 0, 1], RankingMap())
    >>> user = Clicks(rates=(0.0, 1.0), depth=3)
    >>> user.clicked(query, [0, 1, 2, 3]), user.answer(query, [0, 1, 2, 3])
    (array([1]), array([1, 0, 2, 3]))
    """

    rates: tuple[float, ...] = CLICK_RATES
    depth: int = 10

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        whole("depth", self.depth, 1)
        rates = vector("rate", self.rates)
        if not rates.size or (rates < 0).any() or (rates > 1).any():
            raise InvalidInput(f"rates must be chances from 0 to 1, got {self.rates}: give one a label")

    def answer(self, context: Documents, presented: ArrayLike) -> Ints:
        """Return the presented order with the clicked documents on top, as they stood."""
        return prepend(context.known(presented), self.clicked(context, presented))

    def clicked(self, context: Documents, presented: ArrayLike) -> Ints:
        """Return the documents that are clicked, in the presented order."""
        refuse_other_than(Documents, context, self)
        seen = context.known(presented)[: self.depth]
        chances = self._wanted(context.grades[seen]) * self.last_look(len(seen))
        return seen[self._random.random(len(seen)) < chances]

    def last_look(self, n: int) -> Floats:
        """Return how likely each of the first ``n`` positions is looked at."""
        return np.ones(n)

    def _wanted(self, grades: Floats) -> Floats:
        known = np.arange(len(self.rates))
        if not np.isin(grades, known).all():
            raise InvalidInput(
                f"labels must be whole numbers from 0 to {known[-1]}, got {np.setdiff1d(grades, known)[0]:g}: "
                "give a rate for each label"
            )
        return np.asarray(self.rates)[grades.astype(np.int64)]


@dataclass(frozen=True, kw_only=True)
class PositionBiasedClicks(Clicks):
    """Click as `Clicks` do, but look at position p only with the chance (1/p) to the power ``bias``.

    Clicks of such a user tell as much of where a document stood as of what it is worth.

    Parameters
    ----------
    bias : float, default 1.0
        At least 0; 0 looks at all positions alike.
    rates, depth, seed
        As of `Clicks`.

    Examples
    --------
    >>> PositionBiasedClicks(bias=1.0).last_look(4)
    array([1.        , 0.5       , 0.33333333, 0.25      ])
    """

    bias: float = 1.0

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        check_number("bias", self.bias, least=0)

    def last_look(self, n: int) -> Floats:
        """Return how likely each of the first ``n`` positions is looked at."""
        seen: Floats = np.arange(1.0, n + 1) ** -self.bias
        return seen


@dataclass(frozen=True, kw_only=True)
class ClickChain(Drawing):
    """Click in a chain of queries, and have everything clicked put before the first ranking (section 3.2).

    The chain goes on as often as a coin says, ``queries`` queries on average. A reworded query shows the same
    documents in an order that is drawn anew.

    Parameters
    ----------
    clicks : Clicks
        How the user clicks in one ranking.
    queries : float, default 2.2
        The average length of a chain, at least 1; 2.2 was seen in the study of section 3.2.
    seed : int, default 0

    Examples
    --------
    >>> from penchant.coactive import RankingMap
    >>> query = Documents(np.zeros((4, 1)), np.zeros(4), [0, 0, 0, 1], RankingMap())
    >>> user = ClickChain(clicks=Clicks(rates=(0.0, 1.0), depth=2), queries=20)
    >>> user.answer(query, [0, 1, 2, 3])
    array([3, 0, 1, 2])
    """

    clicks: Clicks = field(default_factory=Clicks)
    queries: float = 2.2

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        check_number("queries", self.queries, least=1, remedy="a chain begins with a query")

    def seeded(self, seed: int) -> Self:
        """Return the same user with the random numbers of ``seed``, the clicks with others of their own."""
        own, clicking = np.random.SeedSequence(seed).generate_state(2, np.uint64).tolist()
        return replace(self, seed=own, clicks=self.clicks.seeded(clicking))

    def answer(self, context: Documents, presented: ArrayLike) -> Ints:
        """Return the presented order with all clicked documents on top, in the order of the clicks."""
        refuse_other_than(Documents, context, self)
        order = shown = context.known(presented)
        clicked = [self.clicks.clicked(context, shown)]
        while self._random.random() >= 1 / self.queries:
            shown = context.drawn(self._random)
            clicked.append(self.clicks.clicked(context, shown))
        return prepend(order, np.concatenate(clicked))
