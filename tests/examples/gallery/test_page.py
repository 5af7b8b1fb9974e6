"""The page of the gallery."""

from __future__ import annotations

from pathlib import Path

from examples.gallery.charts import Entry
from examples.gallery.data import MADE_UP
from examples.gallery.page import write_gallery
from penchant.plots import crossings_chart, ranking_chart
from penchant.ranking import Ranking


def test_a_page_shows_every_picture_and_marks_what_is_made_up(tmp_path: Path) -> None:
    """One file a picture, a page of its own for a ranking, and text that is escaped."""
    ranking = ranking_chart(Ranking.from_scores("ab", [1, 2]))
    drawn = [
        Entry("ranking_chart", "2 items", MADE_UP, ranking),
        Entry("crossings_chart", "<b>", "simulated", crossings_chart([1, 2], [2, 1], "ab")),
    ]
    page = write_gallery(drawn, tmp_path / "gallery").read_text(encoding="utf-8")
    assert sorted(path.name for path in (tmp_path / "gallery").iterdir()) == [
        "01-ranking_chart.html",
        "01-ranking_chart.svg",
        "02-crossings_chart.svg",
        "index.html",
    ]
    assert '<span class="made-up">made-up data</span>' in page
    assert "&lt;b&gt;; <span>simulated</span>" in page
    assert page.count("<img src=") == 2
