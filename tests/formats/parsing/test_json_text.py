"""Decoding of untrusted JSON within limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import penchant
from penchant.errors import InvalidInput
from penchant.formats import read_file, read_presentations
from penchant.formats.parsing.json_text import JsonDecoder
from penchant.formats.parsing.reading import Wrong
from penchant.formats.parsing.source import Limits
from tests.formats.files import LOG, only_reason, peak_memory
from tests.formats.strategies import file


@pytest.mark.parametrize("deep", [101, 900, 20_000, 2_000_000])
def test_nesting_is_no_deeper_than_the_limit(deep: int, tmp_path: Path) -> None:
    """Lists inside lists are one rejected line, in answers and in logs; brackets inside text count nothing."""
    inside = "[" * deep + "]" * deep
    good = '{"order": ["a", "b"]}\n{"order": ["' + "[{" * 300 + '", "\\"[", "c"]}\n'
    path = file(tmp_path, "x.jsonl", f'{good}{{"order": {inside}}}\n')
    assert only_reason(path).startswith(
        "lists and objects inside one another must be at most 100"
        if deep < 500_000
        else "values of a line must be at most 1,000,000"
    )
    log = file(tmp_path, "log.jsonl", f'{LOG}\n{{"candidates": {inside}}}\n')
    with pytest.warns(penchant.errors.PenchantWarning, match="1 row rejected"):
        assert len(list(read_presentations(log))) == 1


def test_values_of_a_line_are_no_more_than_the_limit(tmp_path: Path) -> None:
    """A line of millions of empty lists is rejected before it is decoded; commas inside text count nothing."""
    good = json.dumps({"order": ["a" + "," * 100, "b"]})
    path = file(tmp_path, "x.jsonl", f'{good}\n{{"order": [{"[]," * 40}"a"]}}\n')
    assert only_reason(path, values=50).startswith("values of a line must be at most 50, got 8")
    assert "order must be a list of items" in only_reason(path)
    path.write_text('{"order": [' + "[]," * 5_000_000 + '"a"]}\n')
    assert peak_memory(lambda: read_file(path)) < 200_000_000
    with pytest.raises(InvalidInput, match="values of a line must be at most 1,000,000"):
        read_file(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.jsonl", '{{"winner": "a", "loser": "b"}}\n{{"winner": "a", "loser": "b", "weight": {}}}\n'),
        ("x.jsonl", '{{"order": ["a", "b"]}}\n{{"order": ["a", {}]}}\n'),
        ("x.letor", "1 qid:1 1:1\n0 qid:1 1:{}\n"),
        ("x.letor", "1 qid:1 1:1\n{} qid:1 1:1\n"),
    ],
)
@pytest.mark.parametrize("length", [1001, 5000])
def test_numbers_have_no_more_digits_than_the_limit(
    name: str, text: str, length: int, tmp_path: Path
) -> None:
    """A number of thousands of digits is one rejected row, also where Python itself would read it."""
    reason = only_reason(file(tmp_path, name, text.format("9" * length)))
    assert reason.startswith("digits of a number must be at most 1,000")


@pytest.mark.parametrize("most", [1, 2, 7, 8])
def test_digits_are_counted_wherever_the_number_stands(most: int) -> None:
    """A number within the limit is read and one beyond it is not, at every place of a line, with and without a sign."""
    decoder = JsonDecoder(Limits(digits=most))
    for before in range(3 * most):
        for number in (sign + "9" * length for length in (most, most + 1) for sign in ("", "-")):
            line = "[" + " " * before + number + ",   0]"
            if len(number.lstrip("-")) <= most:
                assert decoder.decode(line) == [int(number), 0]
            else:
                with pytest.raises(Wrong, match=f"at most {most}, got {most + 1}"):
                    decoder.decode(line)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.csv", "winner,loser\na,b\na,{}\n"),
        ("x.csv", "winner,loser,weight\na,b,1\na,b,{}\n"),
        ("x.csv", "winner,loser,period\na,b,1\na,b,{}\n"),
        ("x.csv", "winner,loser\n{},{}\n7,8\n"),
        ("x.order", "3 1\n0 2 1 2\n0 2 1 {}\n"),
        ("x.toi", "# FILE NAME: x\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: 1,2\n2: 1,{}\n"),
        ("x.toi", "# FILE NAME: x\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME {}: b\n1: 1\n"),
        ("x.dat", "1::2::3\n1::4::{}\n"),
        ("x.dat", "1::2::3\n1::{}::4\n"),
    ],
)
def test_long_numbers_do_no_harm_elsewhere(name: str, text: str, tmp_path: Path) -> None:
    """Where digits are ids they stay such; where a number is wanted, the row is rejected."""
    for value in ("9" * 5000, "1e400", "٣"):
        reading = read_file(file(tmp_path, name, text.format(value, value + "1")))
        assert len(reading.refusals) <= 1
