"""Online, from corrections and clicks: feature maps, the learners that use them, regret and its bounds."""

from penchant.coactive.analysis.bounds import (
    convex_bound,
    exponentiated_bound,
    exponentiated_convex_bound,
    perceptron_bound,
    second_order_bound,
    second_order_gamma,
)
from penchant.coactive.analysis.losses import LinearLoss, Loss, QuadraticLoss, SquaredLoss
from penchant.coactive.analysis.lower_bound import LowerBoundGame, play_lower_bound
from penchant.coactive.analysis.regret import (
    convex_regret,
    dcg_regret,
    progressive_mean,
    slack,
    utility_regret,
)
from penchant.coactive.columns import Context
from penchant.coactive.convex import ConvexPerceptron
from penchant.coactive.encoding import Features, NamedMatrix
from penchant.coactive.explaining import ScoreDifference
from penchant.coactive.exponentiated import ExponentiatedPerceptron
from penchant.coactive.interleaving import Interleaving, draft_winner, share_interval
from penchant.coactive.learner import Learner
from penchant.coactive.making import make_learner, settings_of
from penchant.coactive.maps import FeatureMap, ItemMap, RankingMap
from penchant.coactive.named_learner import NamedLearner
from penchant.coactive.perceptron import PreferencePerceptron
from penchant.coactive.perturbed import PerturbedPerceptron, swap_clicked
from penchant.coactive.progress import Progress, ProgressTracker, click_figures, order_regret
from penchant.coactive.replaying import Replay, replay
from penchant.coactive.scaling import Scaling
from penchant.coactive.second_order import SecondOrderPerceptron
from penchant.coactive.sequences import SequenceMap
from penchant.coactive.steadiness import WeightReport, WeightTracker

__all__ = [
    "Context",
    "ConvexPerceptron",
    "ExponentiatedPerceptron",
    "FeatureMap",
    "Features",
    "Interleaving",
    "ItemMap",
    "Learner",
    "LinearLoss",
    "Loss",
    "LowerBoundGame",
    "NamedLearner",
    "NamedMatrix",
    "PerturbedPerceptron",
    "PreferencePerceptron",
    "Progress",
    "ProgressTracker",
    "QuadraticLoss",
    "RankingMap",
    "Replay",
    "Scaling",
    "ScoreDifference",
    "SecondOrderPerceptron",
    "SequenceMap",
    "SquaredLoss",
    "WeightReport",
    "WeightTracker",
    "click_figures",
    "convex_bound",
    "convex_regret",
    "dcg_regret",
    "draft_winner",
    "exponentiated_bound",
    "exponentiated_convex_bound",
    "make_learner",
    "order_regret",
    "perceptron_bound",
    "play_lower_bound",
    "progressive_mean",
    "replay",
    "second_order_bound",
    "second_order_gamma",
    "settings_of",
    "share_interval",
    "slack",
    "swap_clicked",
    "utility_regret",
]
