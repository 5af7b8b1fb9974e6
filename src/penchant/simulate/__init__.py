"""Simulated users and judges, and the engine that plays learners against them."""

from penchant.belief import OnlineBelief
from penchant.orders import team_draft
from penchant.simulate.asking import Asked, KendallReached, TopSettled, ask_until, is_right
from penchant.simulate.asking_beliefs import (
    DenseBelief,
    DiagonalPropagated,
    GlickoRated,
    ProbitBelief,
    Propagated,
)
from penchant.simulate.asking_rules import (
    AskingRule,
    AtRandom,
    ByWorth,
    LargestLoss,
    MergeSort,
    SpanningTree,
)
from penchant.simulate.clicking_users import ClickChain, Clicks, PositionBiasedClicks
from penchant.simulate.contexts import Context, Documents, Items
from penchant.simulate.data.ratings import Ratings
from penchant.simulate.dueling import (
    DuelingBandit,
    DuelingItems,
    Hindsight,
    PreferredOfTwo,
    best_dueling_bandit,
)
from penchant.simulate.engine import Setting, play
from penchant.simulate.informativeness import Informativeness
from penchant.simulate.item_users import BestItem, BetterItem, StrictItem
from penchant.simulate.judges import ProbitJudge, crowd
from penchant.simulate.movies import Movies
from penchant.simulate.progress import progress_bar
from penchant.simulate.ranking_users import NoisyRanking, StrictRanking
from penchant.simulate.record import Record
from penchant.simulate.uncertain_users import BoundedUser, ExpectedUser
from penchant.simulate.user import User
from penchant.simulate.web import WebSearch

__all__ = [
    "Asked",
    "AskingRule",
    "AtRandom",
    "BestItem",
    "BetterItem",
    "BoundedUser",
    "ByWorth",
    "ClickChain",
    "Clicks",
    "Context",
    "DenseBelief",
    "DiagonalPropagated",
    "Documents",
    "DuelingBandit",
    "DuelingItems",
    "ExpectedUser",
    "GlickoRated",
    "Hindsight",
    "Informativeness",
    "Items",
    "KendallReached",
    "LargestLoss",
    "MergeSort",
    "Movies",
    "NoisyRanking",
    "OnlineBelief",
    "PositionBiasedClicks",
    "PreferredOfTwo",
    "ProbitBelief",
    "ProbitJudge",
    "Propagated",
    "Ratings",
    "Record",
    "Setting",
    "SpanningTree",
    "StrictItem",
    "StrictRanking",
    "TopSettled",
    "User",
    "WebSearch",
    "ask_until",
    "best_dueling_bandit",
    "crowd",
    "is_right",
    "play",
    "progress_bar",
    "team_draft",
]
