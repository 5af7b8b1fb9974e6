"""The common look of all charts."""

from __future__ import annotations

from typing import Any

INK = "#1f2937"
SOFT = "#6b7280"
ACCENT = "#2563eb"
BAND = "#bfdbfe"
LOSES, PAPER, WINS = "#b45309", "#f8fafc", "#2563eb"
GROUPS = ("#2563eb", "#ea580c", "#14532d", "#cc79a7", "#86198f", "#111827")
"""The colours of up to six series, which people of any colour vision can tell apart."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
"""The shapes of the points of the same series."""
FONT = "Helvetica, Arial, sans-serif"
PERCENT = "format(100 * datum.value, '.0f') + ' %'"  # what an axis or legend of shares says


def dressed(chart: Any) -> Any:
    """Return ``chart`` in the common style: white background, light axes, readable type."""
    return (
        chart.configure(font=FONT, background="white", padding=16)
        .configure_view(strokeWidth=0)
        .configure_axis(
            labelColor=INK,
            titleColor=SOFT,
            titleFontWeight="normal",
            labelFontSize=12,
            titleFontSize=12,
            gridColor="#eef0f3",
            domain=False,
            ticks=False,
            labelPadding=6,
        )
        .configure_title(
            anchor="start", color=INK, fontSize=15, subtitleColor=SOFT, subtitleFontSize=12, offset=12
        )
        .configure_legend(labelColor=INK, titleColor=SOFT, titleFontWeight="normal")
    )
