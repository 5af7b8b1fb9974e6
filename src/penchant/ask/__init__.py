"""Query selection and stopping rules."""

from penchant.ask.expected_loss import PairChoice, choose_pair, expected_loss, largest_expected_loss_pair
from penchant.ask.groups import Groups
from penchant.ask.pairs import PairChooser, next_pair, next_pairs
from penchant.ask.stopping import Settled, settled
from penchant.ask.value import chance_of_wrong_order, expected_better, information_gain
from penchant.belief import Belief

__all__ = [
    "Belief",
    "Groups",
    "PairChoice",
    "PairChooser",
    "Settled",
    "chance_of_wrong_order",
    "choose_pair",
    "expected_better",
    "expected_loss",
    "information_gain",
    "largest_expected_loss_pair",
    "next_pair",
    "next_pairs",
    "settled",
]
