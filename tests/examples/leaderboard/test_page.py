"""The page of the leaderboard is made from its figures."""

from __future__ import annotations

from examples.leaderboard.page import DOCS, PAGE, PARTS, figures_of_docs, filled, judges, runs
from examples.leaderboard.pictures import draw


def test_the_page_is_made_from_the_figures() -> None:
    """Filled again, it is the same; every part stands on it."""
    text, figures = PAGE.read_text(encoding="utf-8"), figures_of_docs()
    assert filled(text, figures) == text
    for part in PARTS:
        assert f"<!-- board {part} -->" in text
    other = filled(text, {**figures, "prompts": 13})
    assert "13 prompts" in other
    assert "13 prompts" not in text


def test_the_picture_is_drawn_from_the_figures(tmp_path) -> None:
    """Drawn again, it is the one that the page shows."""
    picture = draw(figures_of_docs(), tmp_path)
    assert (DOCS / picture.name).exists()
    assert f"({picture.name})" in PAGE.read_text(encoding="utf-8")


def test_what_did_not_happen_is_said(tmp_path) -> None:
    """Nobody set aside, and an order that was not settled."""
    figures = {**figures_of_docs(), "aside": [], "doubted": []}
    assert "The owner set nobody aside." in judges(figures)
    row = {**figures["runs"][0], "aside": [], "enough": False}
    assert "| no | " in runs({"runs": [row]})
    assert "| nobody | " in runs({"runs": [row]})
    assert draw(figures, tmp_path).exists()
