from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.case import Cannot, Case
from benchmarks.worker import Worker


def test_nothing_required_is_the_main_environment() -> None:
    """Penchant's own row runs in the Python that runs the harness."""
    assert peers.interpreter(()) == Path(sys.executable)


def test_each_set_of_requirements_has_an_environment_of_its_own(tmp_path: Path) -> None:
    """The order of the requirements does not matter, anything else does."""
    one = peers.environment(("a", "b"), tmp_path)
    assert one == peers.environment(("b", "a"), tmp_path)
    assert one != peers.environment(("a", "b>=2"), tmp_path)
    assert one.name.startswith("peers-")


def test_uv_is_used_where_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """With uv both steps are uv's; without it they are venv's and pip's."""
    monkeypatch.setattr(peers, "find_uv", lambda: "/bin/uv")
    assert [command[0] for command in peers.recipe(Path("env"), ("choix",))] == ["/bin/uv", "/bin/uv"]
    monkeypatch.setattr(peers, "find_uv", lambda: None)
    commands = peers.recipe(Path("env"), ("choix",))
    assert commands[0] == [sys.executable, "-m", "venv", "env"]
    assert commands[1][:4] == ["env/bin/python", "-m", "pip", "install"]
    assert commands[1][-1] == "choix"


def test_torch_is_installed_by_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local wheels of torch are seen by pip alone, so uv is left out even where it is there."""
    monkeypatch.setattr(peers, "find_uv", lambda: "/bin/uv")
    assert "pip" in peers.recipe(Path("env"), ("torch==2.13.0",))[1]


def test_an_environment_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finished environment is kept; one whose making was broken off is made anew."""
    done: list[list[str]] = []
    monkeypatch.setattr(peers, "recipe", lambda home, requires: [["make", str(home)]])
    monkeypatch.setattr(
        peers, "carry_out", lambda command: (done.append(command), Path(command[1]).mkdir(parents=True))
    )
    python = peers.interpreter(("choix",), folder=tmp_path)
    assert python == peers.interpreter(("choix",), folder=tmp_path)
    assert len(done) == 1
    (python.parents[1] / "ready").unlink()
    peers.interpreter(("choix",), folder=tmp_path)
    assert len(done) == 2


def test_what_stops_an_installation_is_told_in_one_line() -> None:
    """The line that names the error is the reason."""
    program = "import sys; sys.exit('some words\\nERROR: No matching distribution found\\nnotice: upgrade')"
    with pytest.raises(Cannot, match=r"^not installed: ERROR: No matching distribution found$"):
        peers.carry_out([sys.executable, "-S", "-c", program])


def test_a_peer_that_cannot_be_installed_becomes_a_row_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row says that it was not installed, and nothing is raised."""
    failing = [sys.executable, "-S", "-c", "import sys; sys.exit('error: no such package')"]
    monkeypatch.setattr(peers, "recipe", lambda home, requires: [failing])
    case = Case(who="peer", requires=("no-such-package-anywhere",), prepare=lambda: lambda: None)
    worker = Worker("tests.benchmarks.fakes.adding", 0, case, quick=True)
    worker.attempt(worker.start)
    worker.attempt(worker.measure)
    assert worker.row.cannot == "not installed: error: no such package"
    assert worker.row.cost is None
