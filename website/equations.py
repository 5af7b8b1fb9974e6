r"""Equations of the pages as MathML, which browsers draw without scripts and fonts of their own."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

_EQUATION = re.compile(
    r'<(span|div) class="arithmatex">(?:\\\((?P<inline>.*?)\\\)|\\\[(?P<block>.*?)\\\])</\1>', re.DOTALL
)


def with_mathml(page: str) -> str:
    r"""Return the HTML of a page in which each equation that Arithmatex found is MathML."""

    def drawn(found: re.Match[str]) -> str:
        block = found["block"] is not None
        latex = html.unescape(found["block"] if block else found["inline"]).strip()
        return str(convert(latex, display="block" if block else "inline"))

    return _EQUATION.sub(drawn, page)
