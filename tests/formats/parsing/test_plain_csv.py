"""Large CSV files beside the same rows read one by one by the csv module, which is the reference."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from penchant.formats import Limits, pairs, read_file
from penchant.formats.parsing import blocks

HEADER = "left,right,outcome,judge,weight,note"
ODD = (
    "",
    "   ",
    "a,b,left",
    "a,b,left,j,1,x,y",
    " a , b ,left, j ,2,x",
    "a,a,left,j,1,x",
    ",b,left,j,1,x",
    "a,b,nobody,j,1,x",
    "a,b,left,j,-1,x",
    "'=1,b,right,,3,x",
    "007,7,tie,j,1,x",
    "~,b,left,~,1,~",
    "é,b,both_bad,j,1,x",
    "a,b,skip,j,1,x",
)
QUOTED = ('"a","b","left","j","1","x"', '"","b",left,"j",1,"x"')
ESCAPED = (
    '"a ""x""",b,left,j,1,x',
    '"a,b",b,left,j,1,x',
    'a,b,left,j,1,"two\nlines"',
    '5" pipe,6" pipe,left,j,1,x',
    '" a",b,left,j,1,x',
    'a,b,left,j,1,x"y"',
)


def rows(rng: random.Random, count: int, odd: tuple[str, ...]) -> list[str]:
    names = ["a", "b", "c", "10", "2.50", "true"]
    made = []
    for _ in range(count):
        left, right = rng.sample(names, 2)
        outcome = rng.choice(["left", "right", "tie"])
        made.append(f"{left},{right},{outcome},j{rng.randint(0, 3)},{rng.choice([1, 2.5])},some words")
    for line in odd:
        made.insert(rng.randrange(len(made)), line)
    return made


def outcome(path: Path, monkeypatch: pytest.MonkeyPatch, small: int, **options: object) -> tuple:
    monkeypatch.setattr(pairs, "SMALL", small)
    reading = read_file(path, **options)
    return (
        reading.preferences,
        reading.refusals,
        reading.n_rows,
        reading.skipped,
        reading.notes,
        reading.columns,
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "odd", [(), ODD, (*ODD, *QUOTED), (*QUOTED, *ESCAPED)], ids=["none", "odd", "quoted", "escaped"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_a_large_file_is_read_as_a_small_one(
    end: str, odd: tuple[str, ...], encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Preferences, rejected lines with their reasons, and counts are the same, wherever blocks end."""
    monkeypatch.setattr(blocks, "BLOCK", 1500)
    rng = random.Random(f"{end}{odd}{encoding}")
    text = end.join(["", HEADER, *rows(rng, 150, odd)]) + rng.choice(["", end])
    path = tmp_path / "votes.csv"
    path.write_bytes(text.encode(encoding))
    reference = outcome(path, monkeypatch, 1 << 60)
    assert outcome(path, monkeypatch, 0) == reference
    assert len(reference[1]) == {(): 0, ODD: 7}.get(odd, len(reference[1]))


@pytest.mark.parametrize("between", [";", "\t"])
def test_columns_of_numbers_stay_text(between: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leading zeros tell items apart, whatever separates the cells."""
    lines = [("winner", "loser"), ("007", "7"), ("7", "1.0"), ("1.0", "1"), ("true", "007")]
    for words in (lines, [("winner", "loser"), ("01", "1"), ("2", "01")]):
        path = tmp_path / "votes.csv"
        path.write_text("\n".join(map(between.join, words)), encoding="utf-8")
        found = outcome(path, monkeypatch, 0)
        assert found == outcome(path, monkeypatch, 1 << 60)
        assert set(found[0].items) == {name for pair in words[1:] for name in pair}


def test_a_cell_beyond_the_limit_is_one_rejected_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row by row reader takes over where a line may hold such a cell."""
    path = tmp_path / "votes.csv"
    path.write_text("winner,loser\na,b\n" + "x" * 50 + ",b\nb,a\n", encoding="utf-8")
    limits = Limits(field=40)
    found = outcome(path, monkeypatch, 0, limits=limits)
    assert found == outcome(path, monkeypatch, 1 << 60, limits=limits)
    assert [refusal.line for refusal in found[1]] == [3]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_mark_inside_the_file_is_a_character(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first characters of the file can be a byte order mark, those of a block cannot."""
    path = tmp_path / "votes.csv"
    path.write_text(f"{mark}winner,loser\n\ufeffa,b\nb,a\n", encoding="utf-8")
    found = outcome(path, monkeypatch, 0)
    assert found == outcome(path, monkeypatch, 1 << 60)
    assert set(found[0].items) == {"a", "b", "\ufeffa"}


def test_blank_lines_above_the_header_may_fill_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The header is no row, and rejected lines have their numbers, wherever the header is."""
    monkeypatch.setattr(blocks, "BLOCK", 50)
    path = tmp_path / "votes.csv"
    path.write_text("\n" * 120 + "winner,loser\na,b\n\nb,c,d\n", encoding="utf-8")
    found = outcome(path, monkeypatch, 0)
    assert found == outcome(path, monkeypatch, 1 << 60)
    assert [refusal.line for refusal in found[1]] == [124]
