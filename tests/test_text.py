"""Names that act become names that only print."""

from __future__ import annotations

import unicodedata

import pytest

from penchant.text import visible

OVERRIDES = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
NONCHARACTERS = [
    *range(0xFDD0, 0xFDF0),
    *(0x10000 * n + last for n in range(17) for last in (0xFFFE, 0xFFFF)),
]


def test_exactly_the_characters_that_act_are_escaped() -> None:
    """Of all code points, those of category Cc and Cs, separators, overrides and noncharacters change, no other."""
    acting = {*OVERRIDES, *NONCHARACTERS, 0x2028, 0x2029}
    acting |= {code for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Cs")}
    assert {code for code in range(0x110000) if visible(chr(code)) != chr(code)} == acting


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\nb\tc\x00", r"a\x0ab\x09c\x00"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\ud83d alone", r"\ud83d alone"),
        ("\U0001ffff", r"\U0001ffff"),
        ("plain \\x1b", "plain \\x1b"),
    ],
)
def test_an_escape_is_as_in_python(text: str, shown: str) -> None:
    """Each becomes the escape that Python's own source would use; a backslash that was there stays."""
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text", ["", "żółw", "שלום עולם", "مرحبا", "👩‍🚀", "❤️", "日本語", "a\u200db", "e\u0301"]
)
def test_ordinary_text_stays(text: str) -> None:
    """Scripts of either direction, combining marks, joiners and variation selectors are not touched."""
    assert visible(text) is text or visible(text) == text
