"""One page, or one JSON file: every verdict with its limits and numbers, pictures inside, nothing taken for markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import pytest

from benchmarks.figures import DOCS, table
from penchant.errors import InvalidInput
from penchant.papers.catalogue import experiments
from penchant.papers.report import VERDICTS, Figure, write_report
from penchant.papers.results import Kept, Results
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
        attributes = dict(attrs)
        self.links.append(attributes.get("href"))
        self.ids.append(attributes.get("id"))

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
        "fig0/ml-1m: 50 < age, found 10",
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


def test_the_ending_json_gives_the_verdicts_and_their_numbers(tmp_path: Path) -> None:
    """Counts for each paper in the form of the docs' tables, each check with its number, and how to run it again."""
    results, one, other = Results(tmp_path), experiment(), experiment("2.fig99", needs=())
    results.put(one, played(size="quick"), data=None, wall=75)
    assert write_report(tmp_path / "verdicts.json", results, [one, other]) == 1
    report = json.loads((tmp_path / "verdicts.json").read_text(encoding="utf-8"))
    assert report["command"] == "penchant papers run 2.fig0/ml-1m --quick"
    assert report["not run"] == ["2.fig99"]
    (row,) = report["rows"]
    assert [row["answer"][verdict] for verdict in VERDICTS] == [1, 1, 1]
    assert report["experiments"]["2.fig0/ml-1m"]["size"] == "quick"
    both = report["claims"][1]
    assert both["verdict"] == "holds in part"
    assert both["tried"]["2.fig0/ml-1m"]["found"] == {"size < 2": "1.00 ± 0.1", "50 < age": "10"}
    assert "Coactive Learning (2015) | 1 experiments | 1 | 1 | 1 |" in table(report)
    results.put(other, played(size="quick"), data=None, wall=1)
    write_report(tmp_path / "verdicts.json", results, [one, other])
    report = json.loads((tmp_path / "verdicts.json").read_text(encoding="utf-8"))
    assert report["command"] == "penchant papers run --all --quick"
    assert len(report["claims"]) == 3
    assert list(report["claims"][0]["tried"]) == ["2.fig0/ml-1m", "2.fig99"]


def test_a_verdict_that_depends_on_a_setting_is_listed_apart(tmp_path: Path) -> None:
    """With the verdict of each setting; one that several settings share is said to survive them."""
    results, one = Results(tmp_path), experiment()
    small, _, old = one.claims
    claims = (small, small.by("size > 2", setting="C"), old, old.by("age > 60", setting="C"))
    object.__setattr__(one, "claims", claims)
    results.put(one, one.run(), data=None, wall=1)
    write_report(tmp_path / "report.html", results, [one])
    seen = " ".join(read((tmp_path / "report.html").read_text(encoding="utf-8")).seen.split())
    assert "the usual one: holds C: does not hold here" in seen
    assert "the verdict is the same: 2.old (does not hold here)." in seen


def test_the_sets_of_a_figure_stand_side_by_side() -> None:
    """Web search left and movies right; kinds of feedback side by side where one figure has two."""
    by_set = [experiment("2.fig0/mslr-sample"), experiment("2.fig0/ml-1m")]
    by_feedback = [experiment("2.fig9-strict/mslr-sample"), experiment("2.fig9-noisy/mslr-sample")]
    for group, columns in (
        (by_set, ["web search", "movie recommendation"]),
        (by_feedback, ["strict", "noisy"]),
    ):
        assert list(Figure("Figure 0", [(each, cast("Kept", None)) for each in group], ()).columns) == columns


def test_the_docs_tell_the_counts_of_the_run_that_is_kept() -> None:
    """The sentence of docs/papers.md and the sums of the figures agree; each run is of an experiment of today."""
    report = json.loads((DOCS / "figures" / "papers.json").read_text(encoding="utf-8"))
    assert set(report["experiments"]) <= {each.id for each in experiments()}
    sums = [sum(row["answer"][verdict] for row in report["rows"]) for verdict in VERDICTS]
    holds, in_part, not_here = sums
    sentence = (
        f"Of {sum(sums)} distinct claims {holds} hold, {in_part} in part, and {not_here} do not hold here"
    )
    assert sentence in (DOCS / "papers.md").read_text(encoding="utf-8")
