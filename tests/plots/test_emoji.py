"""Emoji in pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.plots import ranking_chart, save_chart, saving
from penchant.plots.emoji import spelled_out
from penchant.ranking import Ranking


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("🍵", "[teacup without handle]"),
        ("👩‍🚀 one", "[woman, rocket] one"),
        ("👍🏽", "[thumbs up sign]"),
        ("🇩🇪🇫🇷", "[flag DE][flag FR]"),
        ("☕", "[hot beverage]"),
        ("❤️", "[heavy black heart]"),
        ("7️⃣", "[7]"),
        ("żółw, שלום, 寿司, a → b, 5 × 3 ≥ ½, #1 *", "żółw, שלום, 寿司, a → b, 5 × 3 ≥ ½, #1 *"),
    ],
)
def test_an_emoji_is_spelled_out(text: str, shown: str) -> None:
    """Its name stands in its place; letters of any script, arrows and signs stay."""
    assert spelled_out(text) == shown


def test_a_png_names_emoji_and_an_svg_keeps_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The renderer of the PNG gets names in place of emoji; in an SVG the reader's own fonts draw them."""
    drawn: list[str] = []
    monkeypatch.setattr(saving, "_png", lambda svg: drawn.append(svg) or b"")
    chart = ranking_chart(Ranking.from_scores(["🍵", "milk"], [1, 2]))
    save_chart(chart, tmp_path / "ranking.png")
    assert "2  [teacup without handle]" in drawn[0]
    assert "2  🍵" in save_chart(chart, tmp_path / "ranking.svg").read_text(encoding="utf-8")
