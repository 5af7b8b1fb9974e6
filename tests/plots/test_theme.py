"""The common look of all charts."""

from __future__ import annotations

from itertools import combinations

import altair as alt
import numpy as np
import pytest

from penchant.plots.contrast import contrast
from penchant.plots.theme import FONT, GROUPS, INK, SHAPES, dressed


def test_a_dressed_chart_has_the_common_look_and_its_own_marks() -> None:
    """Font, ground and title colour are set; data, mark and encoding stay as they were."""
    chart = alt.Chart(alt.Data(values=[{"x": 1, "y": 2}])).mark_point().encode(x="x:Q", y="y:Q")
    plain, spec = chart.to_dict(), dressed(chart).to_dict()
    assert (spec["config"]["font"], spec["config"]["background"]) == (FONT, "white")
    assert spec["config"]["title"]["color"] == INK
    assert all(spec[part] == plain[part] for part in ("data", "mark", "encoding"))


def test_the_colours_of_groups_can_be_told_apart_on_white() -> None:
    """No two are the same, and each has a contrast of at least 3 to 1 with the ground (WCAG)."""

    assert len(set(GROUPS)) == len(GROUPS) == len(set(SHAPES))
    assert all(contrast(colour, "#ffffff") >= 3 for colour in GROUPS)


# Machado, Oliveira and Fernandes (2009), at full severity, on linear RGB.
SEEN = {
    "all colours": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(colour: str, vision: str) -> np.ndarray:
    """CIELAB of a colour as somebody sees it."""
    parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    t = XYZ @ np.clip(np.array(SEEN[vision]) @ linear, 0, 1) / XYZ.sum(axis=1)
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def least_difference(colours: tuple[str, ...], vision: str) -> float:
    """The least ΔE (CIE 1976) of any two colours."""
    places = [lab(colour, vision) for colour in colours]
    return min(float(np.linalg.norm(a - b)) for a, b in combinations(places, 2))


@pytest.mark.parametrize("vision", SEEN)
def test_six_series_can_be_told_apart_with_any_colour_vision(vision: str) -> None:
    """Any two differ by a ΔE of 25 or more; blue and violet, seen without green cones, do not."""
    assert least_difference(GROUPS, vision) >= 25
    assert least_difference(("#2563eb", "#7c3aed"), "deuteranopia") < 5
