"""Colours of cells and of the numbers in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.plots.contrast import contrast, ink_on, luminance, shade


@given(st.integers(0, 0xFFFFFF))
def test_on_any_ground_one_ink_can_be_read(ground: int) -> None:
    """Black or white has a contrast of at least 4.5 to 1 with every colour (WCAG 2, level AA)."""
    colour = f"#{ground:06x}"
    assert contrast(ink_on(colour), colour) >= 4.5


def test_contrast_is_that_of_the_standard() -> None:
    """21 for black on white, 1 for a colour on itself, and published values between."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert luminance("#ff0000") == pytest.approx(0.2126)


def test_a_shade_lies_between_its_neighbours() -> None:
    """Linear between two colours, and the last one beyond the domain."""
    colours = ["#000000", "#808080", "#ff0000"]
    assert [shade(at, [-1, 0, 1], colours) for at in (-9, -1, -0.5, 0, 1, 9)] == [
        "#000000",
        "#000000",
        "#404040",
        "#808080",
        "#ff0000",
        "#ff0000",
    ]
