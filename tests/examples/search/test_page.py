"""The page of the search example is made from its figures."""

from __future__ import annotations

from examples.search.page import DOCS, PAGE, PARTS, figures_of_docs, filled
from examples.search.pictures import draw


def test_the_page_is_made_from_the_figures() -> None:
    """Filled again, it is the same; every part stands on it."""
    text, figures = PAGE.read_text(encoding="utf-8"), figures_of_docs()
    assert filled(text, figures) == text
    for part in PARTS:
        assert f"<!-- week {part} -->" in text
    other = filled(text, {**figures, "documents": 61})
    assert "61 documents" in other
    assert "61 documents" not in text


def test_the_pictures_are_drawn_from_the_figures(tmp_path) -> None:
    """Drawn again, all pictures that the page shows are there."""
    for picture in draw(figures_of_docs(), tmp_path):
        assert (DOCS / picture.name).exists()
        assert f"({picture.name})" in PAGE.read_text(encoding="utf-8")
