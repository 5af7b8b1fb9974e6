"""Which format a file has: by its ending, by its contents, or rejected with the candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import FORMATS, read_file, write_file
from tests.formats.strategies import file

PREFLIB = "# FILE NAME: x\n# DATA TYPE: soi\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n3: 1,2\n"
SAMPLES = {
    "pairs": "winner,loser\na,b\n",
    "jsonl": '{"winner": "a", "loser": "b"}\n',
    "letor": "1 qid:1 1:0.5 #docid = a\n0 qid:1 2:1\n",
    "preflib": PREFLIB,
    "movielens": "1\t2\t3\t881250949\n1\t3\t4\t881250949\n",
    "sushi": "3 1\n0 2 1 2\n",
}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_contents_alone_are_recognised(name: str, tmp_path: Path) -> None:
    """Each text format is recognised in a file whose name says nothing."""
    assert read_file(file(tmp_path, "something", SAMPLES[name])).format == name


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_written_files_are_recognised_by_their_contents(name: str, tmp_path: Path) -> None:
    """What each format writes is recognised as that format, whatever the file is called."""
    write_file(
        Preferences.from_rankings([["a", "b", "c"]], judge=["ann"]), tmp_path / "something", format=name
    )
    assert read_file(tmp_path / "something").format == name


@pytest.mark.parametrize(
    ("name", "sample", "format"),
    [
        ("votes.txt", "pairs", "pairs"),
        ("S1.txt", "letor", "letor"),
        ("u.data", "movielens", "movielens"),
        ("sushi3a.5000.10.order", "sushi", "sushi"),
        ("votes.ndjson", "jsonl", "jsonl"),
        ("00002-00000001.soi", "preflib", "preflib"),
    ],
)
def test_one_ending_may_belong_to_several_formats(
    name: str, sample: str, format: str, tmp_path: Path
) -> None:
    """Where an ending is not enough, the contents decide."""
    assert read_file(file(tmp_path, name, SAMPLES[sample])).format == format


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "x.csv",
            "user,item,rating,winner,loser\n1,a,5,a,b\n",
            "may be pairs or movielens: give format='pairs' or",
        ),
        ("x.csv", SAMPLES["jsonl"], "may be pairs or jsonl: give format='pairs' or format='jsonl'"),
        (
            "x.bin",
            "user,item,rating,winner,loser\n1,a,5,a,b\n",
            "looks like pairs or movielens: give format=",
        ),
        (
            "x.bin",
            "lorem ipsum\n",
            "recognised neither by its ending nor by its contents: give format='pairs' or",
        ),
    ],
)
def test_what_is_ambiguous_is_rejected_with_the_candidates(
    name: str, text: str, words: str, tmp_path: Path
) -> None:
    """Two formats that fit, or none, are rejected with a message that name what to give."""
    with pytest.raises(InvalidInput, match=words):
        read_file(file(tmp_path, name, text))


def test_the_given_format_counts(tmp_path: Path) -> None:
    """With format= nothing is guessed."""
    path = file(tmp_path, "x.csv", "user,item,rating,winner,loser\n1,a,5,a,b\n1,b,3,a,b\n")
    assert read_file(path, format="pairs").preferences.n_pairs == 2
    assert read_file(path, format="movielens").preferences.n_pairs == 1


def test_reading_a_table_loads_nothing_heavy(tmp_path: Path) -> None:
    """`penchant.read` of a CSV file needs neither Numba nor scikit-learn nor pandas nor pyarrow."""
    import subprocess
    import sys

    path = file(tmp_path, "votes.csv", SAMPLES["pairs"])
    code = f"import sys, penchant\nprint(penchant.read({str(path)!r}))\n"
    code += "print({'numba', 'sklearn', 'pandas', 'pyarrow', 'altair', 'scipy.stats'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["Preferences: 1 comparison of 2 items, connected", "set()"]
