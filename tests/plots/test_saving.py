"""Pictures as files, written and shown without a network."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import InvalidInput
from penchant.plots import ranking_chart, save_chart
from penchant.ranking import Ranking


@pytest.fixture
def chart() -> Any:
    return ranking_chart(
        Ranking.from_scores(["tea", "coffee", "<b>&"], [2, 1, -1], variance=[0.1, 0.2, 0.3], model="Test()")
    )


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a picture needs no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_a_png_is_a_png(chart: Any, tmp_path: Path) -> None:
    """The file begins as PNG files do, is twice as wide as the chart, and its path is given back."""
    path = save_chart(chart, tmp_path / "ranking.png")
    data = path.read_bytes()
    assert path == tmp_path / "ranking.png"
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(data[16:20], "big") > 2 * 460


def test_an_svg_holds_the_words(chart: Any, tmp_path: Path) -> None:
    """Ids and title stand in it as text, with their special signs escaped."""
    text = save_chart(chart, str(tmp_path / "ranking.SVG")).read_text()
    assert text.startswith("<svg")
    assert all(word in text for word in ("1  tea", "Test()", "&lt;b&gt;&amp;"))


def test_an_html_page_fetches_nothing(chart: Any, tmp_path: Path) -> None:
    """Everything that it runs is in the page: no script, style, image or import from elsewhere."""
    text = save_chart(chart, tmp_path / "ranking.html").read_text()
    assert "tea" in text
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", text.split("<script", 1)[0])
    for tag in re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", text):
        assert "http" not in tag
    assert 'src="http' not in text
    assert not re.search(r"""import\s*\(?\s*["']https?:""", text)
    assert not re.search(r"""@import\s+(url\()?["']?https?:""", text)


def test_names_cannot_put_a_script_into_a_page(tmp_path: Path) -> None:
    """An item or a model called </script><script>… is text in the page, and neither ends nor starts a script."""
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    pages = [
        save_chart(ranking_chart(Ranking.from_scores([name, "b"], [1, 2], model=name)), tmp_path / file)
        for name, file in ((hostile, "hostile.html"), ("a", "plain.html"))
    ]
    hostile_text, plain = (page.read_text() for page in pages)
    assert "<script>alert" not in hostile_text
    assert "<img src=x" not in hostile_text
    assert hostile_text.count("<script") == plain.count("<script")
    assert hostile_text.count("</script") == plain.count("</script")
    assert r"\u003cscript>alert(1)" in hostile_text


@pytest.mark.parametrize("name", ["ranking.pdf", "ranking", "png"])
def test_other_endings_are_refused(chart: Any, tmp_path: Path, name: str) -> None:
    """The ending says how the file is written; nothing is written where it says nothing."""
    with pytest.raises(InvalidInput, match=rf"must end in .png, .svg, .html, got '{name}': give one"):
        save_chart(chart, tmp_path / name)
    assert not list(tmp_path.iterdir())
