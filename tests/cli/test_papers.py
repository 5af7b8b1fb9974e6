"""The experiments of the papers on the command line: listed, run, resumed, reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penchant.papers import catalogue
from penchant.papers.sources import SOURCES
from tests.cli.typed import run
from tests.papers.made_up import experiment, play


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two small experiments in the place of all; what was played, in order."""
    seen: list[str] = []

    def noted(name: str) -> Any:
        def noted_play(run: Any, *on: str) -> Any:
            seen.append(name)
            return play(run, *on)

        return noted_play

    both = [experiment("2.fig0/ml-1m"), experiment("2.fig99", needs=())]
    for one in both:
        object.__setattr__(one, "play", noted(one.id))
    monkeypatch.setattr(catalogue, "experiments", lambda: tuple(both))
    monkeypatch.delenv("PENCHANT_DATA", raising=False)
    return seen


def test_experiments_are_listed_with_what_was_found(two: list[str], tmp_path: Path) -> None:
    """Before a run nothing, then how many claims hold, in part and not."""
    assert "2.fig0/ml-1m" in run("papers", "--out", tmp_path).out
    assert "1 holds, 1 holds in part" not in run("papers", "--out", tmp_path).out
    run("papers", "run", "2.fig99", "--out", tmp_path)
    listed = run("papers", "--out", tmp_path).out
    assert "1 holds, 1 holds in part, 1 does not hold here" in listed
    assert listed.splitlines()[-1] == "Next: penchant papers run 2.fig0/ml-1m"


def test_a_run_tells_verdicts_and_limits_that_were_broken(two: list[str], tmp_path: Path) -> None:
    """And where the files are, and what to type next."""
    done = run("papers", "run", "2.fig99", "--quick", "--out", tmp_path)
    assert "  holds: it is small" in done.out
    assert "    asked 50 < age, found 10" in done.out
    assert f"written to {tmp_path}/quick/2.fig99" in done.out
    assert done.last == f"Next: penchant papers report --quick --out {tmp_path}"


def test_a_run_of_all_goes_on_where_it_stopped(two: list[str], tmp_path: Path) -> None:
    """What is kept is not run again unless asked for; another seed is another run."""
    run("papers", "run", "2.fig0", "--out", tmp_path)
    done = run("papers", "run", "--all", "--out", tmp_path)
    assert two == ["2.fig0/ml-1m", "2.fig99"]
    assert "1 of 2 were run before and are kept" in done.out
    run("papers", "run", "--all", "--out", tmp_path)
    assert len(two) == 2
    run("papers", "run", "--all", "--out", tmp_path, "--again")
    assert len(two) == 4
    run("papers", "run", "2.fig99", "--out", tmp_path, "--seed", 1)
    assert len(two) == 5


def test_a_run_can_be_made_in_parts(two: list[str], tmp_path: Path) -> None:
    """After the minutes that are given nothing is begun, and the same command goes on later."""
    done = run("papers", "run", "--all", "--minutes", 0, "--out", tmp_path)
    assert done.status == 0
    assert two == []
    assert "2 of 2 are left: the same command goes on with 2.fig0/ml-1m." in done.out
    run("papers", "run", "--all", "--minutes", 10, "--out", tmp_path)
    assert two == ["2.fig0/ml-1m", "2.fig99"]


def test_one_that_fails_does_not_cost_the_others(
    two: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named at once and at the end, and the status says so."""
    broken = experiment("2.fig1/ml-1m")
    object.__setattr__(broken, "play", lambda *_: 1 / 0)
    rest = catalogue.experiments()
    monkeypatch.setattr(catalogue, "experiments", lambda: (broken, *rest))
    done = run("papers", "run", "--all", "--out", tmp_path)
    assert done.status == 2
    assert two == ["2.fig0/ml-1m", "2.fig99"]
    assert "1/3 2.fig1/ml-1m failed with ZeroDivisionError" in done.err
    assert "run penchant papers run 2.fig1/ml-1m again" in done.err


def test_the_report_is_one_page(two: list[str], tmp_path: Path) -> None:
    """Beside the results, or where it is wanted; without results it says what to do."""
    assert "run penchant papers run first" in run("papers", "report", "--out", tmp_path).err
    run("papers", "run", "--all", "--out", tmp_path)
    assert "with 2 of 2 experiments" in run("papers", "report", "--out", tmp_path).out
    assert (tmp_path / "default" / "report.html").exists()
    page = tmp_path / "page.html"
    run("papers", "report", page, "--out", tmp_path)
    assert page.read_text(encoding="utf-8") == (tmp_path / "default" / "report.html").read_text(
        encoding="utf-8"
    )


def test_claims_are_listed_with_their_rules_before_a_run(two: list[str]) -> None:
    """Each claim once, with every experiment that tries it."""
    done = run("papers", "claims").out
    assert done.count("2.small: it is small") == 1
    assert "tried by 2.fig0/ml-1m, data: ml-1m" in done
    assert "tried by 2.fig99, data: drawn" in done
    assert "50 < age" in done
    assert done.splitlines()[-1] == "3 distinct claims"


def test_data_that_are_missing_are_told_with_their_owners_and_terms(tmp_path: Path) -> None:
    """And those that are there."""
    (tmp_path / "sushi").mkdir()
    (tmp_path / "sushi" / "sushi.tar.xz").write_bytes(b"")
    done = run("papers", "data", "--data", tmp_path).out
    assert "sushi: there" in done
    assert "ml-1m: missing" in done
    for source in SOURCES:
        assert source.where in done
        assert source.terms in done


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run",), "ID… or --all must be given, got both or none"),
        (("run", "2.fig0", "--all"), "ID… or --all must be given, got both or none"),
        (("run", "7.fig1"), "must be one that penchant papers lists"),
        (("run", "--all", "--data", "nowhere"), "data must be a folder, got nowhere"),
        (("run", "--all", "--quick", "--full"), "--quick and --full exclude each other"),
    ],
)
def test_what_cannot_be_run_is_rejected(two: list[str], words: tuple[str, ...], message: str) -> None:
    """In words, before anything is played."""
    done = run("papers", *words)
    assert done.status == 2
    assert message in " ".join(done.err.split())
    assert two == []


def test_options_stand_behind_the_word_that_they_belong_to(two: list[str], tmp_path: Path) -> None:
    """Before it they would be lost, so they are rejected; a report needs the name of a file."""
    done = run("papers", "--quick", "run", "2.fig99", "--out", tmp_path)
    assert done.status == 2
    assert "options of run stand behind it" in " ".join(done.err.split())
    assert two == []
    assert (
        "must be the name of a file, got a folder" in run("papers", "report", tmp_path, "--out", tmp_path).err
    )


def test_data_inside_the_results_are_not_deleted(two: list[str], tmp_path: Path) -> None:
    """A folder of data that a run would replace is rejected before anything is written."""
    kept = tmp_path / "quick" / "data" / "kept.csv"
    kept.parent.mkdir(parents=True)
    kept.write_text("kept")
    done = run("papers", "run", "--all", "--quick", "--out", tmp_path, "--data", kept.parent)
    assert done.status == 2
    assert "--data must be outside of the results" in done.err
    assert kept.read_text() == "kept"
