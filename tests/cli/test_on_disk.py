"""`fit ranker --on-disk` learns from a matrix on disk what it learns from LETOR text in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

import penchant
from penchant.errors import NoSpace
from penchant.rankers import RankSVM
from penchant.scale import mapped
from tests.cli.typed import run


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """LETOR text, one line of which cannot be used."""
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 3)).round(3)
    grades = np.digitize(X @ [1, 2, -1], [-1, 1])
    lines = [
        f"{grade} qid:{row // 9} " + " ".join(f"{k}:{x}" for k, x in enumerate(X[row], 1))
        for row, grade in enumerate(grades)
    ]
    place = tmp_path / "train.txt"
    place.write_text("\n".join([*lines, "nonsense"]) + "\n")
    return place


def test_the_model_is_that_of_memory(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same weights; the row that is left out is reported, and no file is left in the folder of temporary files."""
    folder = text.with_name("temporary")
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    saved = {way: text.with_name(f"{way}.penchant") for way in ("disk", "memory")}
    done = run("fit", "ranker", text, "--on-disk", "--save", saved["disk"])
    assert done.status == 0, done.err
    assert "line 91" in done.err
    assert "fitted to 90 documents of 10 queries" in done.out
    assert not list(folder.iterdir())
    assert run("fit", "ranker", text, "--save", saved["memory"]).status == 0
    disk, memory = (penchant.load(place) for place in saved.values())
    assert isinstance(disk, RankSVM)
    assert isinstance(memory, RankSVM)
    np.testing.assert_allclose(disk.coef_, memory.coef_, rtol=1e-4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "rankboost"], "--on-disk must be given with --model ranksvm"),
        (["--set", "kernel=rbf"], "--on-disk must be given with --model ranksvm and the linear kernel"),
        (["--curve", "curve.svg"], "--curve must not be given with --on-disk"),
        (["--dask", "tcp://127.0.0.1:1"], "--on-disk must not be given with --dask"),
        (["--limit", "bytes=100"], "must be at most 100"),
    ],
)
def test_what_does_not_fit_is_rejected(words: list[str], message: str, text: Path) -> None:
    """Other models, options that need the features in memory, and a limit that was typed."""
    done = run("fit", "ranker", text, "--on-disk", "--save", text.with_name("model.penchant"), *words)
    assert done.status == 2
    assert message in done.err


def test_a_table_is_rejected(tmp_path: Path) -> None:
    """Only LETOR text is written to disk."""
    (tmp_path / "rows.csv").write_text("grade,qid,x\n1,1,2\n")
    done = run("fit", "ranker", tmp_path / "rows.csv", "--on-disk", "--save", tmp_path / "model.penchant")
    assert done.status == 2
    assert "--on-disk must be given with a file of LETOR text" in done.err


def test_a_full_disk_is_named(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variable that chooses the folder."""

    def full(*given: object, **options: object) -> None:
        raise NoSpace.of("folder", "have space for the matrix", "/tmp (no space)", "free some")

    monkeypatch.setattr(mapped, "map_letor", full)
    done = run("fit", "ranker", text, "--on-disk", "--save", text.with_name("model.penchant"))
    assert done.status != 0
    assert "TMPDIR must have space for the matrix" in done.err
