"""Colours of cells and of the numbers in them, so that the numbers can be read on every ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

BLACK, WHITE = "#000000", "#ffffff"
"""The two inks of numbers in cells: on any ground one of them has a contrast of at least 4.58 : 1."""


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour such as ``#2563eb``, from 0 to 1 (WCAG 2)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _parts(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2).

    Examples
    --------
    >>> contrast("#ffffff", "#000000"), round(contrast("#ffffff", "#2563eb"), 2)
    (21.0, 5.17)
    """
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def ink_on(ground: str) -> str:
    """Return black or white, whichever is easier to read on a ground."""
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, ground))


def shade(value: float, domain: Sequence[float], colours: Sequence[str]) -> str:
    """Return the colour that `colour_scale` gives to a value: linear in RGB between the two nearest colours.

    Examples
    --------
    >>> shade(0.25, [0, 1], ["#000000", "#ff0000"]), shade(7, [0, 1], ["#000000", "#ff0000"])
    ('#400000', '#ff0000')
    """
    at = min(max(value, domain[0]), domain[-1])
    place = next((k for k in range(1, len(domain) - 1) if at < domain[k]), len(domain) - 1)
    width = domain[place] - domain[place - 1]
    share = (at - domain[place - 1]) / width if width else 1.0
    mixed = (
        low + share * (high - low)
        for low, high in zip(_parts(colours[place - 1]), _parts(colours[place]), strict=True)
    )
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed)


def colour_scale(domain: Sequence[float], colours: Sequence[str]) -> Any:
    """Return the scale of the grounds of cells, whose colours `shade` repeats."""
    import altair as alt

    return alt.Scale(domain=[*domain], range=[*colours], interpolate="rgb", clamp=True)


def _parts(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
