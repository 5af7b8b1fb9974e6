"""Text that people wrote, made safe to print."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from penchant.text import visible


def test_every_control_character_becomes_an_escape() -> None:
    """Controls, surrogates, line separators and direction overrides never come through; all else does."""
    overrides = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        obeyed = unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or code in overrides
        assert (visible(sign) != sign) == obeyed, hex(code)
        if obeyed:
            assert visible(sign).isascii()
            assert f"{code:x}" in visible(sign)


@pytest.mark.parametrize(
    "text", ["tea", "naïve café", "שלום", "\u200fab\u200e", "👩\u200d🔬 ❤\ufe0f", "[red]x[/red]", ""]
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    """Letters of any script, joined emoji and plain direction marks are what they were."""
    assert visible(text) == text


def test_escapes_are_those_of_python() -> None:
    """An escape is read as Python's own."""
    assert visible("a\x1b[31m\x9b\n\u202eb") == r"a\x1b[31m\x9b\x0a\u202eb"
