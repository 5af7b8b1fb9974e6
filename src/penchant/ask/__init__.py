"""Step three: what to ask next."""

from penchant.ask.pairs import Belief, next_pair
from penchant.ask.value import chance_of_wrong_order, information_gain

__all__ = ["Belief", "chance_of_wrong_order", "information_gain", "next_pair"]
