"""Step four, simulated: people who are not there, and the engine that plays learners against them."""

from penchant.simulate.clicking_users import ClickChain, Clicks, PositionBiasedClicks
from penchant.simulate.contexts import Context, Documents, Items
from penchant.simulate.dueling import (
    DuelingBandit,
    DuelingItems,
    Hindsight,
    PreferredOfTwo,
    best_dueling_bandit,
    team_draft,
)
from penchant.simulate.engine import Setting, play
from penchant.simulate.informativeness import Informativeness
from penchant.simulate.item_users import BestItem, BetterItem, StrictItem
from penchant.simulate.movies import Movies
from penchant.simulate.ranking_users import NoisyRanking, StrictRanking
from penchant.simulate.ratings import Ratings
from penchant.simulate.record import Record
from penchant.simulate.uncertain_users import BoundedUser, ExpectedUser
from penchant.simulate.user import User
from penchant.simulate.web import WebSearch

__all__ = [
    "BestItem",
    "BetterItem",
    "BoundedUser",
    "ClickChain",
    "Clicks",
    "Context",
    "Documents",
    "DuelingBandit",
    "DuelingItems",
    "ExpectedUser",
    "Hindsight",
    "Informativeness",
    "Items",
    "Movies",
    "NoisyRanking",
    "PositionBiasedClicks",
    "PreferredOfTwo",
    "Ratings",
    "Record",
    "Setting",
    "StrictItem",
    "StrictRanking",
    "User",
    "WebSearch",
    "best_dueling_bandit",
    "play",
    "team_draft",
]
