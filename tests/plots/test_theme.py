"""The common look of all charts."""

from __future__ import annotations

import altair as alt

from penchant.plots.theme import FONT, GROUPS, INK, dressed


def test_a_dressed_chart_has_the_common_look_and_its_own_marks() -> None:
    """Font, ground and title colour are set; data, mark and encoding stay as they were."""
    chart = alt.Chart(alt.Data(values=[{"x": 1, "y": 2}])).mark_point().encode(x="x:Q", y="y:Q")
    plain, spec = chart.to_dict(), dressed(chart).to_dict()
    assert (spec["config"]["font"], spec["config"]["background"]) == (FONT, "white")
    assert spec["config"]["title"]["color"] == INK
    assert all(spec[part] == plain[part] for part in ("data", "mark", "encoding"))


def test_the_colours_of_groups_can_be_told_apart_on_white() -> None:
    """No two are the same, and each has a contrast of at least 3 to 1 with the ground (WCAG)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert len(set(GROUPS)) == len(GROUPS)
    assert all(1.05 / (luminance(colour) + 0.05) >= 3 for colour in GROUPS)
