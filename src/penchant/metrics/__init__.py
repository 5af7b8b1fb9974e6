"""Metrics of rankings and of stated probabilities.

Scores are larger for better, and ``qid`` names the query of a row: only rows of the same query are ever
compared. Where a metric depends on the order of rows with equal scores, it is averaged over all their orders,
unless ``ties="order"`` ranks them by rising index.
"""

from penchant.metrics.accuracy import PairAccuracy, pair_accuracy, pair_accuracy_of_pairs
from penchant.metrics.agreement import kendall_tau, tau_x
from penchant.metrics.calibration import CalibrationTable, brier_score, calibration_table, log_loss
from penchant.metrics.comparison import Comparison, Difference, compare
from penchant.metrics.evaluation import Evaluation, Figure, evaluate
from penchant.metrics.gains import dcg, ndcg
from penchant.metrics.precision import average_precision, mean_average_precision
from penchant.metrics.reliability import Concordance, kendall_w, krippendorff_alpha
from penchant.metrics.retrieval import expected_reciprocal_rank, precision, recall, reciprocal_rank
from penchant.metrics.scorers import average_precision_scorer, ndcg_scorer, pair_accuracy_scorer
from penchant.metrics.trec import Qrels, Run, RunEvaluation, compare_runs, evaluate_run

__all__ = [
    "CalibrationTable",
    "Comparison",
    "Concordance",
    "Difference",
    "Evaluation",
    "Figure",
    "PairAccuracy",
    "Qrels",
    "Run",
    "RunEvaluation",
    "average_precision",
    "average_precision_scorer",
    "brier_score",
    "calibration_table",
    "compare",
    "compare_runs",
    "dcg",
    "evaluate",
    "evaluate_run",
    "expected_reciprocal_rank",
    "kendall_tau",
    "kendall_w",
    "krippendorff_alpha",
    "log_loss",
    "mean_average_precision",
    "ndcg",
    "ndcg_scorer",
    "pair_accuracy",
    "pair_accuracy_of_pairs",
    "pair_accuracy_scorer",
    "precision",
    "recall",
    "reciprocal_rank",
    "tau_x",
]
