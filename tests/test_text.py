"""Names that act become names that only print."""

from __future__ import annotations

import unicodedata

import pytest

from penchant.text import first_hidden, percent, text_table, visible, visible_lines

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


def test_a_table_aligns_its_columns() -> None:
    """Cells are padded to the widest of their column, header included, and lines have no trailing blanks."""
    rows = [{"item": "tea", "rank": "1", "note": ""}, {"item": "coffee", "rank": "12", "note": "new"}]
    assert text_table(rows, right={"rank"}) == [
        "item    rank  note",
        "tea        1",
        "coffee    12  new",
    ]


def test_a_share_is_written_in_percent() -> None:
    """With a blank before the sign and as many places as asked for."""
    assert (percent(1.0), percent(0.005, 1)) == ("100 %", "0.5 %")


def test_printable_text_hides_nothing() -> None:
    """No character that is escaped is printable, which the fast way of `first_hidden` relies on."""
    assert all(first_hidden(chr(code)) or visible(chr(code)) == chr(code) for code in range(0x110000))


def test_lines_and_tabs_of_a_text_stay() -> None:
    """All else that is obeyed is escaped as in one line."""
    assert visible_lines("a\n\tb\r\x1b") == "a\n\tb\\x0d\\x1b"
    assert visible_lines("plain") == "plain"
