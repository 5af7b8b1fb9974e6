"""One page: every verdict with its limits and numbers, pictures inside, nothing taken for markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from penchant.errors import InvalidInput
from penchant.papers.report import write_report
from penchant.papers.results import Results
from tests.papers.made_up import experiment, played


@pytest.fixture
def page(tmp_path: Path) -> str:
    results, one, other = Results(tmp_path), experiment(), experiment("2.fig99", needs=())
    results.put(one, played(), data=None, wall=75)
    assert write_report(tmp_path / "report.html", results, [one, other]) == 1
    return (tmp_path / "report.html").read_text(encoding="utf-8")


class Text(HTMLParser):
    """What a reader sees, and where links go."""

    def __init__(self) -> None:
        super().__init__()
        self.seen, self.tags, self.links, self.ids = "", [], [], []  # type: ignore[var-annotated]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        told = dict(attrs)
        self.links.append(told.get("href"))
        self.ids.append(told.get("id"))

    def handle_data(self, data: str) -> None:
        self.seen += data


def read(page: str) -> Text:
    text = Text()
    text.feed(page)
    return text


def test_the_page_tells_every_verdict_with_its_limits(page: str) -> None:
    """Also what was played, on what, how long it took and how long the authors took."""
    seen = read(page).seen
    for word in (
        "it is small",
        "size < 2",
        "1.00 ± 0.1",
        "does not hold here",
        "50 < age: found 10",
        "a made-up stand-in for ml-1m: two rounds",
        "75 s from start to end; the authors took a day",
        "94.4 ± 0.1",
        "2.fig99",
    ):
        assert word in seen


def test_what_people_wrote_is_never_markup(page: str) -> None:
    """A claim or a cell with signs of HTML is shown as it is."""
    text = read(page)
    assert "it is <b>small</b> & old" in text.seen
    assert "i" not in text.tags


def test_the_page_needs_nothing_beside_it(page: str) -> None:
    """Pictures are inside, and no address of anything else."""
    assert page.count("<svg ") == 1
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    assert "<script" not in page


def test_a_picture_of_very_many_marks_is_kept_as_png(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And stands inside the page as well."""
    monkeypatch.setattr("penchant.papers.results.MOST_SVG", 100)
    results, one = Results(tmp_path), experiment()
    assert results.put(one, played(), data=None, wall=1).pictures["T·REG"].suffix == ".png"
    write_report(tmp_path / "report.html", results, [one])
    assert "data:image/png;base64,iVBOR" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_pictures_do_not_share_names_inside_the_page(tmp_path: Path) -> None:
    """Two pictures of one kind keep their own clip paths."""
    results, both = Results(tmp_path), [experiment(), experiment("2.fig00/ml-1m")]
    for one in both:
        results.put(one, played(), data=None, wall=1)
    write_report(tmp_path / "report.html", results, both)
    ids = [name for name in read((tmp_path / "report.html").read_text(encoding="utf-8")).ids if name]
    assert len(ids) == len(set(ids))


def test_every_link_has_its_place(page: str) -> None:
    """Inside the page."""
    text = read(page)
    assert {link[1:] for link in text.links if link} <= set(text.ids)


def test_without_results_there_is_no_report(tmp_path: Path) -> None:
    """It says what to run first, and writes nothing."""
    with pytest.raises(InvalidInput, match="at least one result, got none: run penchant papers run first"):
        write_report(tmp_path / "report.html", Results(tmp_path), [experiment()])
    assert not (tmp_path / "report.html").exists()
