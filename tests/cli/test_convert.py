"""`penchant convert`: the same in another format."""

from __future__ import annotations

from pathlib import Path

import penchant
from tests.cli.typed import run, written

ANSWERS = "left,right,outcome,judge\na,b,left,x\nb,c,tie,y\nc,a,right,x\n"


def test_there_and_back_is_the_same(tmp_path: Path) -> None:
    """What JSONL carries comes back from it, and nothing is lost."""
    file, out = written(tmp_path / "a.csv", ANSWERS), tmp_path / "a.jsonl"
    said = run("convert", file, out)
    assert said.status == 0, said.err
    assert f"Written: 3 rows as jsonl to {out}\nLost: nothing\n" in said.out
    assert said.last == f"Next: penchant rank {out}"
    assert penchant.read(out) == penchant.read(file)


def test_what_a_format_cannot_carry_is_listed(tmp_path: Path) -> None:
    """PrefLib knows no judges and no sides; that is told, a line each."""
    said = run("convert", written(tmp_path / "a.csv", ANSWERS), tmp_path / "a.toi")
    assert said.status == 0, said.err
    lost = [line for line in said.out.splitlines() if line.startswith("Lost: ")]
    assert any("judge" in line for line in lost)


def test_it_does_not_overwrite_unless_forced(tmp_path: Path) -> None:
    """A file that is there stays, unless --force is typed; the input itself stays even then."""
    file, out = written(tmp_path / "a.csv", ANSWERS), written(tmp_path / "b.jsonl", "mine")
    said = run("convert", file, out)
    assert (said.status, said.out) == (2, "")
    assert said.err == f"penchant: {out} must not be there yet, got a file: give --force to overwrite it\n"
    assert out.read_text() == "mine"
    assert run("convert", file, out, "--force").status == 0
    assert run("convert", file, file, "--force").status == 2
    assert file.read_text() == ANSWERS


def test_formats_can_be_named(tmp_path: Path) -> None:
    """--from and --to name formats that endings do not; the next command names it too."""
    file = written(tmp_path / "answers", ANSWERS)
    said = run("convert", file, tmp_path / "out", "--from", "pairs", "--to", "jsonl")
    assert said.status == 0, said.err
    assert said.last == f"Next: penchant rank {tmp_path / 'out'} --format jsonl"
    assert "--from or --to" in run("convert", file, tmp_path / "x.nope").err


def test_refused_rows_are_told(tmp_path: Path) -> None:
    """What was not used is not in the new file, and that is said; --strict writes nothing then."""
    file, out = written(tmp_path / "a.csv", ANSWERS + "a,,left,x\n"), tmp_path / "a.jsonl"
    assert run("convert", file, out, "--strict").status == 2
    assert not out.exists()
    said = run("convert", file, out)
    assert "Refused: 1 of 4 rows\n  line 5: right is empty\n" in said.out
