from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import __main__ as command
from benchmarks.harness import Question
from benchmarks.picture import chart, scale
from benchmarks.report import machine, markdown, on_terminal, record, table, write, write_overview
from benchmarks.rows import Row, Sample, ratios
from benchmarks.wording import between, figure, megabytes, seconds, times

QUESTION = Question("adding", "How fast is adding?", sys.modules[__name__])


def row(who: str, *cpu: float, what: str = "", cannot: str = "") -> Row:
    return Row(who, what, cannot, [Sample(value, 2 * value, 100 * value) for value in cpu])


ROWS = [
    row("Penchant", 2.0, 0.1, 0.3, 0.2),
    row("slower", 1.0, 0.4, 0.4, 0.5, cannot="ties | none"),
    row("absent", cannot="not installed: no"),
]
ROWS[0].answer, ROWS[0].versions = {"sum": 1_000_000, "error": 0.25}, {"numpy": "2.0"}


def test_ratios_are_to_penchants_row_of_the_same_task() -> None:
    """Each task has its own unit; a row without a cost, or a task without Penchant's, has no ratio."""
    rows = [
        *ROWS,
        row("Penchant", 1, 4, what="b"),
        row("faster", 1, 2, what="b"),
        row("alone", 1, 1, what="c"),
    ]
    assert ratios(rows) == [1, pytest.approx(2), None, 1, 0.5, None]


def test_the_cost_is_the_median_of_the_warm_calls_with_its_spread() -> None:
    """The first call is left out; memory is the most of the warm calls."""
    cost = ROWS[0].cost
    assert cost is not None
    assert (cost.cpu, cost.least, cost.most, cost.wall, cost.memory) == (0.2, 0.1, 0.3, 0.4, 30)


def test_the_table_leaves_out_columns_that_say_nothing() -> None:
    """One unnamed task needs no column of tasks; rows in words fill only the last cell."""
    headings, ours, theirs, absent = table(ROWS)
    assert headings[:3] == ["who", "CPU time", "least – most"]
    assert ours[:6] == ["Penchant", "200 ms", "100 – 300 ms", "1.0", "2.00 s", "400 ms"]
    assert ours[6:] == ["30 MB", "sum 1,000,000, error 0.25", ""]
    assert theirs[3] == "2.0"
    assert absent == ["absent", *[""] * 7, "cannot: not installed: no"]
    assert table(ROWS[:1])[0][-1] == "answer"


def test_a_row_that_is_measured_once_shows_its_first_call() -> None:
    """Its answer stands in the table, and it is not taken for one that cannot be measured."""
    once = row("Penchant", 120.0)
    once.answer = {"peak MB": 1300}
    headings, cells = table([once])
    shown = dict(zip(headings, cells, strict=True))
    assert shown["first call"] == "120 s"
    assert shown["answer"] == "peak MB 1,300"
    assert "cannot" not in shown


def test_markdown_is_a_section_with_a_table_and_a_line_on_the_machine() -> None:
    """Every line of the table has as many cells as its head, whatever the words in it."""
    lines = markdown(QUESTION, ROWS, quick=True).splitlines()
    bars = [line for line in lines if line.startswith("|")]
    assert lines[0] == "## How fast is adding?"
    assert len(bars) == 5
    assert len({line.count("|") for line in bars}) == 1
    assert "Quick run" in lines[-1]


def test_the_machine_line_tells_cores_python_and_versions() -> None:
    """Who reads the table later knows what it ran on."""
    line = machine(ROWS, quick=False)
    assert "cores, Python 3." in line
    assert "numpy 2.0" in line
    assert "Median of 3 warm calls" in line


def test_the_record_holds_every_sample() -> None:
    """A program finds all that was measured, and what was made of it."""
    told = json.loads(json.dumps(record(QUESTION, ROWS, quick=False, commit="abc")))
    assert [len(entry["samples"]) for entry in told["rows"]] == [4, 4, 0]
    assert told["rows"][1]["ratio"] == pytest.approx(2)
    assert told["rows"][2]["cost"] is None


def test_the_terminal_shows_every_row() -> None:
    """The table on the terminal names all rows and the reason of the one that could not."""
    console = Console(width=200, file=io.StringIO())
    with console.capture() as shown:
        console.print(on_terminal(QUESTION, ROWS))
    text = shown.get()
    assert all(word in text for word in ("Penchant", "slower", "cannot: not installed: no"))


def test_the_picture_has_a_bar_for_each_row_inside_its_scale() -> None:
    """The scale is made of decades around every whisker; words stand where there is no bar."""
    decades = scale(ROWS)
    assert decades[0] < 0.1
    assert decades[-1] >= 0.5
    spec = json.dumps(chart("How fast?", ROWS).to_dict(), ensure_ascii=False)
    assert "400 ms · 2.0×" in spec
    assert "cannot: not installed: no" in spec
    assert scale([row("absent")]) == [10.0**power for power in range(-4, 2)]


def test_four_files_are_written(tmp_path: Path) -> None:
    """Table, record and picture of each question, and one page that collects what is there."""
    paths = write(QUESTION, ROWS, quick=True, commit="abc", folder=tmp_path / "new")
    overview = write_overview(["adding", "never-asked"], tmp_path / "new")
    assert [path.name for path in paths] == ["adding.md", "adding.json", "adding.png"]
    assert paths[2].read_bytes().startswith(b"\x89PNG")
    assert paths[0].read_text() in overview.read_text()
    assert "![CPU time of adding](adding.png)" in overview.read_text()


def test_times_sizes_and_figures_are_short() -> None:
    """Three digits in the unit that suits; large integers with commas; text as it is."""
    assert [seconds(value) for value in (0, 3.2e-7, 1.5e-4, 0.25, 61.0, 4321.0)] == [
        "0.00 µs", "0.32 µs", "150 µs", "250 ms", "61.0 s", "4321 s"
    ]  # fmt: skip
    assert between(0.9e-3, 1.1e-3) == "0.90 – 1.10 ms"
    assert [times(value) for value in (0.1, 1.0, 14.2, 1500.0)] == ["0.10", "1.0", "14", "1,500"]
    assert [megabytes(value) for value in (0.04, 3.21, 1234.5)] == ["0.0 MB", "3.2 MB", "1,234 MB"]
    assert [figure(value) for value in (12345678, 0.5, 1e7, "b d")] == [
        "12,345,678",
        "0.5",
        "10,000,000",
        "b d",
    ]


def test_the_list_names_every_question(capsys: pytest.CaptureFixture[str]) -> None:
    """--list says what can be asked, and asks nothing."""
    command.main(["--list"])
    assert "Kendall's distance" in capsys.readouterr().out


def test_an_unknown_question_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt name ends the command with the names that there are."""
    with pytest.raises(SystemExit):
        command.main(["kendal"])
    assert "there is no question 'kendal': ask one of" in capsys.readouterr().err


def test_repeats_below_one_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """There is no median of nothing."""
    with pytest.raises(SystemExit):
        command.main(["kendall", "--repeats", "0"])
    assert "--repeats must be at least 1, got 0" in capsys.readouterr().err


def test_the_command_measures_shows_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a name on the command line to the table on the terminal and the files in the folder."""
    monkeypatch.setattr(command, "discover", lambda: {"adding": QUESTION})
    monkeypatch.setattr(command, "run", lambda question, *, quick, repeats, step: ROWS)
    command.main(["adding", "--quick", "--out", str(tmp_path)])
    out = capsys.readouterr().out
    assert "slower" in out
    assert f"All tables together: {tmp_path / 'README.md'}" in out
    assert (tmp_path / "adding.png").exists()


def test_all_questions_go_on_where_an_earlier_run_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without names what was asked at this commit is left out, unless --again; a named question is always asked."""
    asked = []
    monkeypatch.setattr(command, "discover", lambda: {"adding": QUESTION})
    monkeypatch.setattr(command, "run", lambda *_, **__: asked.append(1) or ROWS)
    monkeypatch.setattr(command, "current_commit", lambda: "abc")
    words = ["--quick", "--out", str(tmp_path)]
    for more, count in ([], 1), ([], 1), (["--again"], 2), (["adding"], 3):
        command.main([*more, *words])
        assert len(asked) == count
    monkeypatch.setattr(command, "current_commit", lambda: "abd")
    command.main(words)
    assert len(asked) == 4


def test_no_question_is_asked_after_the_minutes_are_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output names what was not asked yet."""
    monkeypatch.setattr(command, "discover", lambda: {"adding": QUESTION})
    command.main(["--minutes", "-1", "--out", str(tmp_path)])
    assert "Not asked yet: adding. The same command goes on." in capsys.readouterr().out


def cases(quick: bool) -> list[object]:
    return []
