"""Equations of the pages as MathML."""

from __future__ import annotations

from website.equations import with_mathml


def test_equations_are_drawn_without_scripts() -> None:
    """Both kinds become MathML, and the text around them stays."""
    page = (
        r'<p>a <span class="arithmatex">\(x &lt; 1\)</span></p><div class="arithmatex">\[\frac{a}{b}\]</div>'
    )
    drawn = with_mathml(page)
    assert drawn.startswith("<p>a <math")
    assert "<mfrac>" in drawn
    assert 'display="block"' in drawn
    assert "arithmatex" not in drawn
