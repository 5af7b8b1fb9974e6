from __future__ import annotations

import pytest

from benchmarks import harness
from benchmarks.harness import Question, discover, rounds, run
from benchmarks.peers import ROOT
from benchmarks.rows import Row

FAKES = "tests.benchmarks.fakes"


@pytest.fixture(scope="module")
def question() -> Question:
    return discover(FAKES)["adding"]


@pytest.fixture(scope="module")
def steps() -> list[int]:
    return []


@pytest.fixture(scope="module")
def rows(question: Question, steps: list[int]) -> dict[str, Row]:
    measured = run(question, quick=True, repeats=2, step=lambda: steps.append(1))
    return {row.who: row for row in measured}


def test_a_question_is_a_module_with_a_sentence_and_cases() -> None:
    """Modules that define QUESTION and cases are found, others are not."""
    assert list(discover(FAKES)) == ["adding"]


def test_every_file_of_the_folder_is_a_question_or_part_of_the_harness() -> None:
    """No benchmark is overlooked because its sentence or its cases are missing."""
    machinery = {
        "__init__",
        "__main__",
        "case",
        "child",
        "clusters",
        "designer",
        "echo",
        "figures",
        "games",
        "harness",
        "load",
        "peers",
        "picture",
        "queries",
        "report",
        "rows",
        "served",
        "stores",
        "sets",
        "standing",
        "trees",
    }
    files = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    assert files - machinery - {"wire", "wording", "worker"} == set(discover())


@pytest.mark.parametrize("name", discover())
def test_a_question_names_its_rows_apart(name: str) -> None:
    """Each row of a question can be told from the others, and each task has a row of Penchant's."""
    for quick in (True, False):
        cases = discover()[name].cases(quick)
        labels = [(case.what, case.who) for case in cases]
        assert len(set(labels)) == len(labels)
        assert {what for what, who in labels if who.startswith("Penchant")} == {what for what, _ in labels}
        assert all(case.prepare or case.cannot for case in cases)


def test_the_first_call_is_measured_apart(rows: dict[str, Row]) -> None:
    """With two repeats each row is called three times, and its cost is that of the last two."""
    row = rows["Penchant"]
    assert len(row.samples) == 3
    assert row.cost is not None
    assert row.cost.least == min(sample.cpu for sample in row.samples[1:])


def test_a_long_call_is_made_as_often_as_its_row_allows(rows: dict[str, Row]) -> None:
    """A row that allows one warm call is called twice, whatever the number of turns."""
    assert len(rows["long"].samples) == 2


def test_a_row_makes_no_more_calls_than_its_time_allows(
    question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the seconds of a row are over it has its first call and a warm one, which make a cost."""
    monkeypatch.setattr(harness, "QUICK_SECONDS", 0.0)
    measured = {row.who: row for row in run(question, quick=True)}
    assert len(measured["Penchant"].samples) == 2
    assert measured["Penchant"].cost is not None


def test_the_answer_and_the_versions_come_back(rows: dict[str, Row]) -> None:
    """What the call returned is told through the case's answer function."""
    assert rows["Penchant"].answer == {"total": sum(range(10_000))}
    assert rows["Penchant"].versions == {}


def test_what_a_library_prints_does_not_disturb(rows: dict[str, Row]) -> None:
    """Standard output belongs to the protocol; a row that prints is measured all the same."""
    assert len(rows["talks"].samples) == 3
    assert rows["talks"].cannot == "half of it"


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("unable", "no addition"),
        ("unprepared", "LookupError: no data"),
        ("refuses", "wants more data"),
        ("fails", "ValueError: wrong sign"),
        ("dies", "ended with status 3: it left no word"),
        ("hangs", "not done in 0.3 s"),
    ],
)
def test_a_row_that_fails_says_so_in_words(rows: dict[str, Row], who: str, words: str) -> None:
    """Whatever happens to one row, the run goes on and the row tells why it has no cost."""
    assert rows[who].cost is None
    assert rows[who].samples == []
    assert rows[who].cannot == words


def test_every_row_has_a_process_of_its_own_and_one_thread(rows: dict[str, Row]) -> None:
    """An ordinary row keeps its process, a fresh row gets a new one each time, threads are the case's."""
    assert rows["process"].answer["pid"] > 0
    assert len(rows["fresh"].samples) == 3
    assert rows["threads"].answer == {"threads": "22"}


def test_the_progress_counts_every_turn(question: Question, rows: dict[str, Row], steps: list[int]) -> None:
    """One step for each row and turn, measured or not, so that the bar ends full."""
    assert len(steps) == len(question.cases(True)) * rounds(True, 2)


def test_quick_repeats_less() -> None:
    """One cold turn, then three warm ones when quick, seven otherwise, or as many as asked."""
    assert [rounds(True, None), rounds(False, None), rounds(True, 5)] == [4, 8, 6]


def test_tasks_of_a_question_that_only_counts_run_side_by_side(
    question: Question, rows: dict[str, Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are the same, in the same order, and those that gave an answer give one."""
    monkeypatch.setattr(question.module, "TIMED", False, raising=False)
    counted = run(question, quick=True, repeats=2)
    assert [row.who for row in counted] == list(rows)
    assert [set(row.answer) for row in counted] == [set(row.answer) for row in rows.values()]
