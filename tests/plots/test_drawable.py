"""Nothing that stands in a chart can end the process that draws it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from penchant.errors import InvalidInput
from penchant.plots import ranking_chart, save_chart, svg_text
from penchant.plots.drawable import LONGEST_VALUE, MOST_ROWS, drawable
from penchant.ranking import Ranking

HOSTILE = [
    "a\x00",
    "b\x01",
    "c\x08",
    "d\x0b",
    "e\x1b[31m",
    "f\x7f",
    "g\x9f",
    "h\ufffe",
    "i\uffff",
    "j\u202ek",
]
PROGRAM = """
import sys
from penchant.plots import ranking_chart, save_chart
from penchant.ranking import Ranking
names = [*{names!r}, "long " * 20_000, "plain"]
ranking = Ranking.from_scores(names, range(len(names)), variance=[1.0] * len(names), model="model \\x01")
for kind in ("svg", "png"):
    print(save_chart(ranking_chart(ranking), sys.argv[1] + "." + kind).stat().st_size)
"""


def chart(**parts: Any) -> Any:
    frame = alt.Data(values=[{"item": "a", "x": 1.0}, {"item": "b", "x": 2.0}])
    return alt.Chart(frame).mark_bar().encode(x="x:Q", y="item:N").properties(**parts)


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_hostile_names_are_drawn(tmp_path: Path) -> None:
    """Control characters, surrogates, noncharacters and very long names end in a picture."""
    sizes = run("-c", PROGRAM.format(names=HOSTILE), str(tmp_path / "picture")).split()
    assert len(sizes) == 2
    text = (tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert all(shown in text for shown in (r"b\x01", r"e\x1b[31m", r"h\ufffe", r"j\u202ek", r"model \x01"))


def test_the_command_draws_hostile_names(tmp_path: Path) -> None:
    """`penchant rank FILE --plot` draws an item whose name holds an escape sequence."""
    answers = tmp_path / "answers.csv"
    answers.write_text("winner,loser\ntea\x1b[2J,coffee\ncoffee,wa\x01ter\ntea\x1b[2J,wa\x01ter\n")
    run("-m", "penchant", "rank", str(answers), "--plot", str(tmp_path / "ranking.svg"))
    assert r"wa\x01ter" in (tmp_path / "ranking.svg").read_text(encoding="utf-8")


def test_texts_change_alike_wherever_they_stand() -> None:
    """A name is the same in data, domain, sort order and title, and a field the same in rows and encoding."""
    given = {
        "title": "a\x01",
        "data": {"values": [{"fie\x02ld": "a\x01", "x": 1.0}]},
        "encoding": {"y": {"field": "fie\x02ld", "sort": ["a\x01"], "scale": {"domain": ["a\x01"]}}},
    }
    assert drawable(given) == {
        "title": r"a\x01",
        "data": {"values": [{r"fie\x02ld": r"a\x01", "x": 1.0}]},
        "encoding": {"y": {"field": r"fie\x02ld", "sort": [r"a\x01"], "scale": {"domain": [r"a\x01"]}}},
    }


def test_lone_surrogates_are_escaped() -> None:
    """Half a character, which no file can hold, is drawn as its escape."""
    assert r"\ud800" in svg_text(chart(title="half \ud800"))


def test_different_names_stay_different() -> None:
    """Two names that would look alike when escaped or cut are numbered, so that they keep a row each."""
    long = "x" * LONGEST_VALUE
    names = ["a\x01", r"a\x01", r"a\x01 (2)", long + "1", long + "2"]
    drawn = drawable({"data": {"values": [{"item": name} for name in names]}})
    shown = [row["item"] for row in drawn["data"]["values"]]
    assert len(set(shown)) == len(names)
    assert shown[:3] == [r"a\x01 (3)", r"a\x01", r"a\x01 (2)"]
    assert max(map(len, shown)) <= LONGEST_VALUE + 4


def test_ordinary_charts_are_not_changed() -> None:
    """A chart of ordinary names is drawn from the very specification that Altair gives."""
    ranking = Ranking.from_scores(["żółw", "👩‍🚀", "שלום"], [3, 2, 1], variance=[1, 1, 1], model="Test()")
    given = ranking_chart(ranking).to_dict()
    assert drawable(given) == given


def test_numbers_that_are_not_finite_are_left_out() -> None:
    """NaN and the infinities become null, which draws nothing."""
    drawn = drawable({"data": {"values": [{"x": float("nan")}, {"x": float("inf")}, {"x": 1.0}]}})
    assert drawn["data"]["values"] == [{"x": None}, {"x": None}, {"x": 1.0}]


def test_too_many_rows_are_an_error() -> None:
    """Rows are counted over all tables of a chart before the renderer sees them."""
    half = [{"x": 1.0}] * (MOST_ROWS // 2 + 1)
    with pytest.raises(InvalidInput, match=r"at most 100,000 rows of data, got 100,002: draw fewer items"):
        drawable({"datasets": {"a": half}, "layer": [{"data": {"values": half}}]})


@pytest.mark.parametrize("side", ["width", "height"])
@pytest.mark.parametrize("size", [10**5 + 1, 1e300, float("inf"), float("nan")])
def test_a_side_longer_than_memory_is_an_error(side: str, size: float) -> None:
    """An axis has a tick every forty points, and the renderer ends the process where it has too many."""
    with pytest.raises(
        InvalidInput, match=rf"{side} of a picture must be at most 100,000 points, got .*: draw fewer"
    ):
        drawable({"layer": [{"mark": "bar", side: size}]})


def test_a_png_larger_than_memory_is_an_error(tmp_path: Path) -> None:
    """The size is known before memory is asked for, which the renderer would end the process over."""
    with pytest.raises(
        InvalidInput, match=r"at most 200,000,000 pixels, got [\d,]+ by [\d,]+: write an \.svg"
    ):
        save_chart(chart(height=10**5, width=5000), tmp_path / "large.png")
    assert not (tmp_path / "large.png").exists()


def test_what_the_renderer_rejects_is_told() -> None:
    """What cannot be drawn at all is an error of the chart, with the renderer's reason."""
    with pytest.raises(InvalidInput, match=r"(?s)the chart cannot be drawn \(.*\): correct it"):
        svg_text(chart().transform_filter("datum.("))
