"""Every picture, once: the same Altair charts in notebooks, reports and pages."""

from penchant.plots.answered import answered_boxes_chart, answered_chart
from penchant.plots.boards import adjusted_chart, boards_chart, effects_chart
from penchant.plots.calibration import calibration_chart
from penchant.plots.certificate import certificate_chart
from penchant.plots.coefficients import coefficients_chart, weights_chart
from penchant.plots.comparison import comparison_chart
from penchant.plots.crossings import crossings_chart
from penchant.plots.cumulative import cumulative_chart
from penchant.plots.judges import judges_chart
from penchant.plots.learning import learning_curve_chart
from penchant.plots.linked import belief_chart, linked_matrix_chart
from penchant.plots.matrix import win_matrix_chart
from penchant.plots.mistakes import ranking_errors_chart
from penchant.plots.pairwise import pairwise_chart
from penchant.plots.preference_graph import preference_graph_chart
from penchant.plots.query_values import query_values_chart
from penchant.plots.ranking import ranking_chart
from penchant.plots.regret import regret_chart
from penchant.plots.saving import save_chart, svg_text
from penchant.plots.sweep import sweep_chart
from penchant.plots.tallies import tallies_chart
from penchant.plots.utility import monotone_chart, slices_chart, surface_chart, utility_chart

__all__ = [
    "adjusted_chart",
    "answered_boxes_chart",
    "answered_chart",
    "belief_chart",
    "boards_chart",
    "calibration_chart",
    "certificate_chart",
    "coefficients_chart",
    "comparison_chart",
    "crossings_chart",
    "cumulative_chart",
    "effects_chart",
    "judges_chart",
    "learning_curve_chart",
    "linked_matrix_chart",
    "monotone_chart",
    "pairwise_chart",
    "preference_graph_chart",
    "query_values_chart",
    "ranking_chart",
    "ranking_errors_chart",
    "regret_chart",
    "save_chart",
    "slices_chart",
    "surface_chart",
    "svg_text",
    "sweep_chart",
    "tallies_chart",
    "utility_chart",
    "weights_chart",
    "win_matrix_chart",
]
