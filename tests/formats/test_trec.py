"""Runs and judgements of TREC as files."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from penchant.errors import InvalidInput
from penchant.formats.trec import looks_like_qrels, looks_like_run, read_qrels, read_run

RUN = "q1 Q0 a 1 2.5 mine\r\nq1\tQ0\tb 2 -1e-2 mine\n\nq2 Q0 a 1 7 mine"
QRELS = "q1 0 a 2\nq1 0 b -1\nq2 0 ü 0\n"


def test_runs_and_judgements_are_read(tmp_path: Path) -> None:
    """Spaces, tabs, blank lines and gzip; scores in every way of writing."""
    run, qrels = tmp_path / "run.txt.gz", tmp_path / "qrels.txt"
    run.write_bytes(gzip.compress(RUN.encode()))
    qrels.write_text(QRELS, encoding="utf-8")
    assert read_run(run).scores == {"q1": {"a": 2.5, "b": -0.01}, "q2": {"a": 7.0}}
    assert (read_run(run).name, read_run(run).n_documents) == ("mine", 3)
    assert read_qrels(qrels).grades == {"q1": {"a": 2, "b": -1}, "q2": {"ü": 0}}
    assert (looks_like_run(run), looks_like_run(qrels)) == (True, False)
    assert (looks_like_qrels(run), looks_like_qrels(qrels)) == (False, True)


@pytest.mark.parametrize(
    ("read", "line", "words"),
    [
        (
            read_run,
            "q2 Q0 b 1 2.5",
            r"run.txt:5: a line must be like 'query Q0 document rank score name', got",
        ),
        (read_run, "q2 Q0 b 1 nan mine", "run.txt:5: the score must be a finite number, got 'nan': repair"),
        (read_run, "q2 Q0 b 1 1e999 mine", "finite number, got '1e999'"),
        (read_run, "q2 Q0 a 2 1 mine", "query q2 must name a document once, got 'a'"),
        (read_qrels, "q1 0 c 0.5", "txt:4: the grade must be a whole number, got '0.5'"),
        (read_qrels, "q1 0 a 1", "must name a document once"),
        (read_qrels, "q1 a 1", "a line must be like 'query 0 document grade'"),
    ],
)
def test_a_wrong_line_is_named(read: Callable, line: str, words: str, tmp_path: Path) -> None:
    """The error has the line, what is expected and what came."""
    path = tmp_path / "run.txt"
    before = f"{RUN}\n" if read is read_run else QRELS
    path.write_text(f"{before}{line}\n", encoding="utf-8", newline="")
    with pytest.raises(InvalidInput, match=words):
        read(path)
