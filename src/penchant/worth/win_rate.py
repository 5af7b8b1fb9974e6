"""The log odds with which each item wins its comparisons, a baseline."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from penchant.checks import Floats, Ints, check_number
from penchant.preferences import Preferences
from penchant.schema import Array, Number
from penchant.worth.worth_model import WorthModel, spread


class WinRate(WorthModel):
    """How often each item is preferred, whatever it is compared with: a baseline for the other models.

    The score is the log odds of winning, log((wins + prior) / (losses + prior)), and two items compare as in
    James' log5: the odds that a is preferred to b are the odds of a over those of b. The strength of an item's
    opponents is ignored; `BradleyTerry` takes it into account.

    Parameters
    ----------
    prior : float
        Wins, and as many losses, that each item is given before the first answer; above 0. It keeps an
        unbeaten item finite.
    tie_value : float
        What a tie counts for each of the two, as a share of a win (the rest counts as loss).

    Examples
    --------
    >>> from penchant import Preferences
    >>> model = WinRate().fit(Preferences.from_pairs([("tea", "coffee"), ("tea", "water"), ("coffee", "water")]))
    >>> model.rank().items
    ('tea', 'coffee', 'water')
    >>> round(model.win_probability("tea", "water"), 3)
    0.9
    """

    __saved__: ClassVar = WorthModel.__saved__.extended(
        {"prior": Number(above=0), "tie_value": Number(0, 1)},
        {"wins_": Array(("n_items",), least=0), "losses_": Array(("n_items",), least=0)},
    )

    wins_: Floats
    losses_: Floats

    def __init__(self, prior: float = 1.0, *, tie_value: float = 0.5) -> None:
        self.prior = prior
        self.tie_value = tie_value

    def _start(self, n_items: int) -> None:
        check_number("prior", self.prior, above=0, remedy="an unbeaten item would have infinite odds")
        check_number("tie_value", self.tie_value, least=0, most=1, remedy="0.5 is half a win each")
        self.wins_ = np.zeros(n_items)
        self.losses_ = np.zeros(n_items)

    def _rearrange(self, moved: Ints, n_items: int) -> None:
        self.wins_ = spread(self.wins_, moved, n_items)
        self.losses_ = spread(self.losses_, moved, n_items)

    def _learn(self, preferences: Preferences) -> None:
        won, lost, tied = preferences.tallies()
        self.wins_ = self.wins_ + won + self.tie_value * tied
        self.losses_ = self.losses_ + lost + (1 - self.tie_value) * tied
        self.scores_ = np.log((self.wins_ + self.prior) / (self.losses_ + self.prior))

    def _variance(self) -> Floats:
        """Return the variance of each log odds, 1/(wins + prior) + 1/(losses + prior)."""
        variance: Floats = 1 / (self.wins_ + self.prior) + 1 / (self.losses_ + self.prior)
        return variance

    def _win_probability(self, first: Ints, second: Ints) -> Any:
        return 1 / (1 + np.exp(self.scores_[second] - self.scores_[first]))
