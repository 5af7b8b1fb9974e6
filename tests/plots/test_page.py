"""A chart as a page: its title, its width, and the table below it."""

from __future__ import annotations

import re
from pathlib import Path

from penchant.plots import crossings_chart, ranking_chart, save_chart
from penchant.plots.page import page_of
from penchant.ranking import Ranking

PAGE = "<!DOCTYPE html>\n<html>\n<head>\n<script>'</body>'</script></head>\n<body>picture</body>\n</html>"


def test_a_page_has_a_title_and_fits_its_window() -> None:
    """The title is escaped, the view is as wide as the device, and a picture never wider than the page."""
    page = page_of(PAGE, "a <b> & c")
    assert "<title>a &lt;b&gt; &amp; c</title>" in page
    assert 'name="viewport" content="width=device-width' in page
    assert re.search(r"svg \{ max-width: 100%; height: auto; \}", page)
    assert "<table" not in page
    assert page.index("picture") > page.index("</script>")


def test_a_table_lists_every_row_and_can_be_searched() -> None:
    """Below the picture, with text that is escaped; the field appears only where a script can use it."""
    page = page_of(PAGE, "t", [{"rank": "1", "item": "<i>Tea"}, {"rank": "2", "item": "Milk"}])
    assert page.index("picture") < page.index("<table>") < page.index("</table>")
    assert re.findall(r'<tr data-name="(.*?)">', page) == ["&lt;i&gt;tea", "milk"]
    assert '<td class="item">&lt;i&gt;Tea</td>' in page
    assert re.search(r'id="searching" hidden>.*type="search"', page)


def test_the_page_of_a_long_ranking_lists_all_items(tmp_path: Path) -> None:
    """500 items are a picture of the first and the last, and a table of all; other charts have a title alone."""
    names = [f"item {k}" for k in range(500)]
    chart = ranking_chart(Ranking.from_scores(names, range(500), variance=[1] * 500))
    page = save_chart(chart, tmp_path / "ranking.html").read_text(encoding="utf-8")
    assert "<title>500 items ranked</title>" in page
    assert len(re.findall(r"<tr data-name=", page)) == 500
    assert "usermeta" not in page[page.index("const spec") :]
    other = save_chart(crossings_chart([1, 2], [2, 1], "ab"), tmp_path / "other.html").read_text(
        encoding="utf-8"
    )
    assert "<title>Two rankings</title>" in other
    assert "<tr data-name" not in other
