"""Learning to rank on the command line: fit, predict, evaluate."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.typed import run


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Twenty queries of six documents whose grade follows the first feature; the third is noise."""
    rng = np.random.default_rng(0)
    lines = []
    for query in range(1, 21):
        for _ in range(6):
            x = rng.normal(size=3)
            grade = int(x[0] > -0.5) + int(x[0] > 0.7)
            lines.append(f"{grade} qid:{query} 1:{x[0]:.4f} 2:{x[1]:.4f} 3:{x[2]:.4f}")
    file = tmp_path / "train.letor"
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize("model", ["ranksvm", "rankboost"])
def test_what_is_fitted_is_saved_and_ranks(model: str, documents: Path) -> None:
    """Fitted, saved, loaded and evaluated, it has found the feature that matters."""
    saved = documents.with_name("model.penchant")
    done = run("fit", documents, "--model", model, "--save", saved)
    assert done.status == 0
    assert "120 documents of 20 queries" in done.out
    assert done.last == f"Next: penchant evaluate {saved} {documents}"
    found = json.loads(run("evaluate", saved, documents, "--json").out)
    assert [figure["metric"] for figure in found] == ["NDCG@10", "MAP", "tau"]
    assert found[0]["mean"] > 0.95
    assert "NDCG@5" in run("evaluate", saved, documents, "--k", 5).out
    scores = [float(line) for line in run("predict", saved, documents).out.splitlines()]
    assert len(scores) == 120
    run("predict", saved, documents, "--out", documents.with_name("scores.txt"))
    assert len(documents.with_name("scores.txt").read_text().splitlines()) == 120


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "nope=1"], "--set must be NAME=VALUE with one of C,"),
        (["--set", "C"], "--set must be NAME=VALUE"),
        (["--set", "C=-1"], "C must be"),
    ],
)
def test_wrong_settings_are_refused(words: list[str], said: str, documents: Path) -> None:
    """A setting that is not there, or means nothing, is named, and nothing is saved."""
    saved = documents.with_name("model.penchant")
    done = run("fit", documents, "--save", saved, *words)
    assert done.status == 2
    assert said in done.err
    assert not saved.exists()


def test_what_is_no_ranker_or_has_other_features_is_refused(documents: Path) -> None:
    """A file that holds no model, and documents of more features, are refused in words."""
    assert "cannot be read" in run("evaluate", documents, documents).err
    saved, wider = documents.with_name("model.penchant"), documents.with_name("wider.letor")
    run("fit", documents, "--save", saved)
    wider.write_text("1 qid:1 4:1.0\n0 qid:1 1:1.0\n")
    assert "at most 3 features, got 4" in run("predict", saved, wider).err
