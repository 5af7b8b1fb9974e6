"""Groups of commands in which a file alone means its list."""

from __future__ import annotations

from pathlib import Path

from tests.cli.typed import run


def test_a_file_without_a_command_is_listed(study: Path) -> None:
    """`penchant items FILE` is `penchant items list FILE`; a misspelt command is still an error."""
    assert run("items", study) == run("items", "list", study)
    done = run("items", "remove", study)
    assert done.status == 2
    assert "No such command 'remove'" in done.err
    assert run("items", "--help").status == 0


def test_a_file_that_is_absent_is_no_misspelt_command(tmp_path: Path) -> None:
    """A path and the standard input are places."""
    assert "must be a file" in run("judges", tmp_path / "absent.csv").err
    assert "must be a file" in run("judges", "absent.csv").err
    rows = "left,right,outcome,judge\na,b,left,ann\nb,a,left,bob\n"
    assert run("judges", "-", input=rows).status == 0
