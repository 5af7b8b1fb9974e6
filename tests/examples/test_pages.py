"""Figures stand between marks."""

from __future__ import annotations

from examples.pages import filled, table


def test_only_what_stands_between_marks_is_replaced() -> None:
    """Marks of other figures are left alone, and so is the text around."""
    text = "a\n<!-- x size -->\nold\n<!-- end of x -->\nb\n<!-- y size -->\nold\n<!-- end of y -->\n"
    made = filled(text, "x", {"size": lambda figures: f"{figures['n']} items"}, {"n": 3})
    assert made == text.replace("old", "3 items", 1)
    assert filled(made, "x", {"size": lambda figures: "3 items"}, {}) == made


def test_a_table() -> None:
    """The first column is aligned to the left, others to the right."""
    assert table(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"
