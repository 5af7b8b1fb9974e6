"""Scores from features, learned in batches from grades or pairs."""

from penchant.rankers.label_ranker import LabelRanker
from penchant.rankers.label_ranks import mean_tau, mean_tau_x
from penchant.rankers.learning_curves import LearningCurve, learning_curve, rounds_curve
from penchant.rankers.nearest_ranker import NearestLabelRanker
from penchant.rankers.ordinal_regression import OrdinalRegression
from penchant.rankers.pairwise_ranker import PairwiseRanker
from penchant.rankers.rank_boost import RankBoost
from penchant.rankers.rank_svm import RankSVM
from penchant.rankers.ranker import RankerMixin

__all__ = [
    "LabelRanker",
    "LearningCurve",
    "NearestLabelRanker",
    "OrdinalRegression",
    "PairwiseRanker",
    "RankBoost",
    "RankSVM",
    "RankerMixin",
    "learning_curve",
    "mean_tau",
    "mean_tau_x",
    "rounds_curve",
]
