"""Step four: every picture, once: the same Altair charts in notebooks, reports and pages."""

from penchant.plots.calibration import calibration_chart
from penchant.plots.matrix import win_matrix_chart
from penchant.plots.ranking import ranking_chart
from penchant.plots.saving import save_chart, svg_text

__all__ = ["calibration_chart", "ranking_chart", "save_chart", "svg_text", "win_matrix_chart"]
