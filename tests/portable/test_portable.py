"""The run under other arithmetics: what it runs, and that an arithmetic is really another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.portable import __main__ as portable
from tests.portable.__main__ import main, passed_tests
from tests.portable.configuration import CORES, Configuration, probed
from tests.portable.selection import NOT_QUICK, NUMERICAL, OTHER
from tests.portable.table import BEGIN, END, table

TESTS = Path(__file__).parents[1]
DOCS = TESTS.parent / "docs"


def test_every_folder_of_tests_is_numerical_or_not() -> None:
    """A new folder is not left out by accident."""
    folders = {path.name for path in TESTS.iterdir() if (path / "__init__.py").exists()}
    files = {path.name for path in TESTS.glob("test_*.py")}
    assert folders | files == {*NUMERICAL, *OTHER}
    assert set(NUMERICAL).isdisjoint(OTHER)


def test_a_quick_run_leaves_out_what_is_there() -> None:
    """What was renamed is not run again in secret, and nothing is left out of a package that is not run."""
    for name in NOT_QUICK:
        path, _, function = name.partition("::")
        assert f"def {function}" in (TESTS / path).read_text(encoding="utf-8"), name
        assert path.partition("/")[0] in NUMERICAL


@pytest.fixture(scope="module")
def oldest() -> Configuration:
    """The oldest kernels, plain instructions and one thread, where BLAS is OpenBLAS on x86-64."""
    native = probed()
    told = probed(OPENBLAS_CORETYPE=CORES[0])
    assert native is not None
    assert told is not None
    if told["blas"] == native["blas"]:
        pytest.skip("this BLAS has no older kernels: nothing to choose")
    return Configuration(CORES[0], "generic", 1, tuple(native["numpy"]), told["blas"][0])


def test_a_configuration_takes_effect(oldest: Configuration) -> None:
    """BLAS, NumPy and Numba of a process report what its environment asks for."""
    assert oldest.difference() == ""


def test_a_configuration_without_effect_is_found(
    oldest: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels, threads and compiled code that are not as told are named."""
    monkeypatch.setattr(Configuration, "environment", lambda self, cache: {"OPENBLAS_NUM_THREADS": "1"})
    found = replace(oldest, threads=2).difference()
    assert "BLAS kernels are" in found
    assert "BLAS threads are [1]" in found
    assert "Numba's processor" in found


class FakeRun:
    """A machine with two configurations whose tests end as they are told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
        self.failing: set[tuple[str, str]] = set()
        self.tested: list[tuple[str, str]] = []
        page = place / "reliability.md"
        page.write_text(f"Before.\n{BEGIN}\n{END}\nAfter.\n")
        self.page = page
        two = [Configuration(core, "generic", 1, (), core) for core in ("Old", "New")]
        monkeypatch.setattr(portable, "configurations", lambda: iter(two))
        monkeypatch.setattr(portable, "WORK", place / "out")
        (place / "figures").mkdir()
        monkeypatch.setattr(portable, "FIGURES", place / "figures" / "portability.json")
        monkeypatch.setattr(portable, "current_commit", lambda: "abc")
        monkeypatch.setattr(Configuration, "difference", lambda self: "")
        fake = self

        def tested(run: portable.Run, package: str) -> tuple[float, int, list[str]]:
            unit = (run.configuration.name, package)
            fake.tested.append(unit)
            return 1.0, 2, ["FAILED test"] if unit in fake.failing else []

        monkeypatch.setattr(portable.Run, "_tested", tested)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeRun:
    return FakeRun(monkeypatch, tmp_path)


def test_a_run_that_was_stopped_continues(fake: FakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    """A failure ends the run with 1; what has passed is not run again, and the figures are recorded at the end."""
    fake.failing = {("old-generic-1", NUMERICAL[0])}
    assert main([]) == 1
    assert "old-generic-1: failed" in capsys.readouterr().out
    assert {name for name, _ in fake.tested} == {"old-generic-1"}
    assert not portable.FIGURES.exists()
    fake.failing, fake.tested = set(), []
    assert main([]) == 0
    assert fake.tested[0] == ("old-generic-1", NUMERICAL[0])
    assert fake.tested[1:] == [("new-generic-1", package) for package in NUMERICAL]
    printed = capsys.readouterr().out
    assert f"old-generic-1: passed, {2 * len(NUMERICAL)} tests passed, {len(NUMERICAL)} s\n" in printed
    page = fake.page.read_text()
    assert page.startswith("Before.\n")
    assert page.endswith("\nAfter.\n")
    assert table(portable.FIGURES) in page
    assert "| old (Old), generic, 1 |" in page


def test_a_run_out_of_time_says_what_is_left(fake: FakeRun, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is started after the time is up, and that is no failure."""
    assert main(["new", "--minutes", "0"]) == 0
    assert fake.tested == []
    assert f"new-generic-1: unfinished, 0 tests passed, 0 s; {len(NUMERICAL)} of" in capsys.readouterr().out


def test_a_part_of_the_packages_is_not_recorded(fake: FakeRun) -> None:
    """One configuration may be tested alone, and only a run of all packages leaves figures."""
    assert main(["--one", "--packages", "orders"]) == 0
    assert fake.tested == [("old-generic-1", "all")]
    assert not portable.FIGURES.exists()


@pytest.mark.parametrize("wrong", [["newest"], ["--packages", "cooking"]])
def test_an_unknown_name_is_rejected(
    fake: FakeRun, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The message lists what there is."""
    with pytest.raises(SystemExit):
        main(wrong)
    assert "choose from" in capsys.readouterr().err


def test_the_number_of_passed_tests_is_read() -> None:
    """From pytest's last line, whatever else it counts."""
    assert passed_tests(["", "1 failed, 23 passed, 4 skipped in 5.6s"]) == 23
    assert passed_tests(["no tests ran in 0.1s"]) == 0


def test_the_docs_show_the_recorded_figures() -> None:
    """The table on the page is the one that the figures make."""
    page = (DOCS / "reliability.md").read_text()
    assert page.partition(BEGIN)[2].partition(END)[0].strip() == table(DOCS / "figures" / "portability.json")
