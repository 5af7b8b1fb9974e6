"""What notebooks show: text that is escaped and a picture, without scripts and requests."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from penchant import Preferences, Study
from penchant.coactive import make_learner
from penchant.gp import PreferenceGP
from penchant.plots.notebook import view
from penchant.worth import BradleyTerry
from tests.plots.test_certificate import certificate

HOSTILE = "<script>alert(1)</script>"
PAIRS = Preferences.from_pairs([(HOSTILE, "b"), ("b", "c"), ("c", HOSTILE), ("b", "c")])


class Tags(HTMLParser):
    """The tags of a piece of HTML with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def picture(html: str) -> str:
    """Return the SVG of a view, after checking that it has no scripts, links and requests."""
    pictures = []
    for tag, attributes in Tags(html).found:
        assert tag in {"div", "strong", "img"}
        assert attributes.keys() <= {"style", "alt", "src"}
        pictures += [str(attributes["src"])] if tag == "img" else []
    if not pictures:
        return ""
    kind, _, content = pictures[0].partition(",")
    assert kind == "data:image/svg+xml;base64"
    return b64decode(content).decode()


def test_a_model_shows_its_ranking_once_it_is_fitted() -> None:
    """Settings before; afterwards a picture of the first and the last items as well."""
    html = BradleyTerry(prior=2.0)._repr_html_()
    assert picture(html) == ""
    assert "BradleyTerry(prior=2.0)" in html
    assert "not fitted yet" in html
    svg = picture(BradleyTerry().fit(PAIRS)._repr_html_())
    assert "3 items ranked from 4 comparisons" in svg
    assert "&lt;script>" in svg or "&lt;script&gt;" in svg


def test_a_utility_shows_itself() -> None:
    """Of two features as a map."""
    X = np.random.default_rng(0).random((6, 2))
    model = PreferenceGP(optimizer=None).fit_pairs(X, [(0, 1), (2, 3), (4, 5)])
    html = model._repr_html_()
    assert "a utility of 2 features" in html
    assert "lines: equal utility" in picture(html)


def test_preferences_show_what_they_hold() -> None:
    """Counts in words, and how often items were preferred."""
    html = PAIRS._repr_html_()
    assert "4 comparisons of 3 items" in html
    assert "How often items were preferred" in picture(html)


def test_a_certificate_shows_its_slopes() -> None:
    """Names of features are escaped."""
    html = certificate()._repr_html_()
    assert "&lt;b&gt;price" in html
    assert "Proven least slopes" in picture(html)


def test_a_learner_shows_its_weights() -> None:
    """Nothing before the first round; afterwards a bar for each feature."""
    learner = make_learner("perceptron", names=("stars", "price"))
    assert picture(learner._repr_html_()) == ""
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    learner.update(X, [0, 1], [1, 0])
    assert "stars" in picture(learner._repr_html_())


def test_a_study_shows_its_progress_and_its_ranking(tmp_path: Path) -> None:
    """Words before the first answer, a picture after it; also of a study that is closed no traceback."""
    with Study.create(tmp_path / "drinks.db", ["tea", "milk"], title=HOSTILE, seed=1) as study:
        assert "0 answers" in study._repr_html_()
        study.tell(study.ask("ann"), "left")
        html = study._repr_html_()
        assert "1 answer" in html
        assert "2 items ranked from 1 answer" in picture(html)
    with Study.create(tmp_path / "search.db", kind="coactive") as study:
        assert "0 presentations" in study._repr_html_()


@pytest.mark.parametrize("text", ["a\x1b[2J", "x" * 1000, '"><img src=x onerror=alert(1)>'])
def test_text_is_shown_and_does_nothing(text: str) -> None:
    """Controls become escapes, long text is cut, and markup is text."""
    html = view(text, [text])
    assert picture(html) == ""
    assert "<img" not in html
    assert len(html) < 1500
    assert "\x1b" not in html
