"""Learning to rank on the command line: fit, predict, evaluate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from penchant import save
from penchant.cli.evaluate import TiesName
from penchant.metrics import pair_accuracy
from penchant.metrics.ties import Ties
from penchant.worth import WinRate
from tests.cli.test_real_data import unpacked
from tests.cli.typed import run
from tests.rankers.published import housing, wine

FACTORS = ("Infl", "Type", "Cont")

MODELS = ["ranksvm", "rankboost", "pairwise", "ordinal"]


@pytest.mark.parametrize("model", MODELS)
def test_what_is_fitted_is_saved_and_ranks(model: str, documents: Path) -> None:
    """Fitted, saved, loaded and evaluated, it has found the feature that matters."""
    saved = documents.with_name("model.penchant")
    done = run("fit", "ranker", documents, "--model", model, "--save", saved)
    assert done.status == 0, done.err
    assert "120 documents of 20 queries" in done.out
    assert done.last == f"Next: penchant evaluate {saved} UNSEEN{documents.suffix}"
    found = json.loads(run("evaluate", saved, documents, "--json").out)
    assert [figure["metric"] for figure in found["figures"]] == ["NDCG@10", "MAP", "tau"]
    assert found["figures"][0]["mean"] > 0.95
    assert found["pairs"]["correct"] > 9 * found["pairs"]["wrong"]
    answers = [float(line) for line in run("predict", saved, documents).out.splitlines()]
    assert len(answers) == 120
    out = documents.with_name("scores.txt")
    done = run("predict", saved, documents, "--out", out)
    assert done.last == f"Next: penchant evaluate {saved} {documents}"
    assert [float(line) for line in out.read_text().splitlines()] == answers


def test_equal_scores_are_worth_a_random_order_unless_the_rows_are_in_order(table: Path) -> None:
    """A model without any signal ranks sorted documents no better than a random order does."""
    saved = table.with_name("model.penchant")
    assert run("fit", "ranker", table, "--save", saved).status == 0
    frame = pd.read_csv(table).assign(match=0.0, age=0.0, noise=0.0)
    frame.sort_values("grade", ascending=False, kind="stable").to_csv(table, index=False)
    averaged = json.loads(run("evaluate", saved, table, "--json").out)["figures"]
    in_order = json.loads(run("evaluate", saved, table, "--json", "--ties", "order").out)["figures"]
    assert [figure["mean"] for figure in in_order[:2]] == [1.0, 1.0]
    assert averaged[0]["mean"] < 0.9
    assert averaged[1]["mean"] < 0.9
    assert [figures[2]["mean"] for figures in (averaged, in_order)] == [0.0, 0.0]
    assert {choice.value for choice in TiesName} == set(get_args(Ties))


def test_tied_pairs_are_told_apart_from_wrong_ones(documents: Path) -> None:
    """One stump ties many documents: they are no inversions, and the figures are those of the library."""
    saved = documents.with_name("model.penchant")
    run("fit", "ranker", documents, "--model", "rankboost", "--set", "n_estimators=1", "--save", saved)
    found = json.loads(run("evaluate", saved, documents, "--json").out)["pairs"]
    scores = [float(line) for line in run("predict", saved, documents).out.splitlines()]
    rows = pd.read_csv(documents.with_suffix(".csv"))
    assert found == vars(pair_accuracy(rows["grade"], scores, qid=rows["qid"]))
    assert found["tied"] > 0
    done = run("evaluate", saved, documents, "--k", 5)
    assert "NDCG@5" in done.out
    share = 100 * found["tied"] / sum(found.values())
    assert f"{share:.1f} % tied" in done.out
    assert done.last == f"Next: penchant evaluate {saved} {documents} --k 5 --plot errors.png"


def test_queries_are_ordered_one_by_one(documents: Path) -> None:
    """A pairwise ranker is told the queries: best in its query is 0, whatever stands in others."""
    saved = documents.with_name("model.penchant")
    run("fit", "ranker", documents, "--model", "pairwise", "--save", saved)
    scores = np.array([float(line) for line in run("predict", saved, documents).out.splitlines()])
    assert (scores.reshape(20, 6).max(axis=1) == 0).all()
    assert scores.min() >= -5


def test_grades_may_be_words_in_their_order(table: Path) -> None:
    """An ordinal model predicts words, and ranks by what is behind them; others reject words."""
    worded, saved = table.with_name("words.csv"), table.with_name("model")
    words = ["poor", "fair", "good"]
    pd.read_csv(table).assign(grade=lambda rows: rows["grade"].map(dict(enumerate(words)))).to_csv(
        worded, index=False
    )
    picture = table.with_name("curve.svg")
    ordered = ["--model", "ordinal", "--set", f"categories={json.dumps(words)}"]
    done = run("fit", "ranker", worded, "--save", saved, *ordered, "--curve", picture)
    assert done.status == 0, done.err
    assert picture.exists()
    assert set(run("predict", saved, worded).out.split()) <= set(words)
    assert json.loads(run("evaluate", saved, worded, "--json").out)["figures"][0]["mean"] > 0.95
    assert "grade must be numbers" in run("fit", "ranker", worded, "--save", saved, "--force").err
    worded.write_text(worded.read_text().replace("fair", "middling"))
    assert "got 'middling'" in run("evaluate", saved, worded).err


@pytest.mark.parametrize("model", ["ranksvm", "rankboost", "ordinal"])
def test_pictures_are_drawn(model: str, documents: Path) -> None:
    """Weights, a learning curve and where it errs: each a file, each told."""
    saved = documents.with_name("model.penchant")
    weights, curve, errors = (documents.with_name(f"{name}.png") for name in ("weights", "curve", "errors"))
    done = run(
        "fit", "ranker", documents, "--model", model, "--save", saved, "--plot", weights, "--curve", curve
    )
    assert done.status == 0, done.err
    assert [line for line in done.out.splitlines() if line.startswith("Picture")] == [
        f"Picture: {weights}",
        f"Picture: {curve}",
    ]
    done = run("evaluate", saved, documents, "--plot", errors)
    assert done.last == f"Next: penchant predict {saved} {documents} --out scores.txt"
    for picture in (weights, curve, errors):
        assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "nope=1"], "--set must be NAME=VALUE with one of C,"),
        (["--set", "C"], "--set must be NAME=VALUE"),
        (["--set", "C=-1"], "--set C must be a number above 0, got -1"),
        (["--plot", "weights.pdf"], "--plot must end in"),
        (["--set", "kernel=rbf", "--plot", "weights.png"], "--plot needs a model with one weight a feature"),
        (["--model", "pairwise", "--plot", "weights.png"], "take ranksvm with the linear kernel"),
        (["--plot", "nowhere/weights.png"], "nowhere must be a folder, got none"),
    ],
)
def test_wrong_words_are_rejected(words: list[str], message: str, documents: Path) -> None:
    """A setting that is not there or means nothing, and a picture that cannot be, are named; nothing is saved."""
    saved = documents.with_name("model.penchant")
    done = run("fit", "ranker", documents, "--save", saved, *words)
    assert done.status == 2
    assert message in done.err
    assert not saved.exists()


def test_what_is_no_ranker_or_has_other_features_is_rejected(documents: Path, table: Path) -> None:
    """Files that hold no model or no ranker, and documents of other features, are rejected with a message."""
    assert "a line must be one score" in run("evaluate", documents, documents).err
    assert "cannot be read" in run("predict", documents, documents).err
    saved, wider = documents.with_name("model.penchant"), documents.with_name("wider.letor")
    save(WinRate(), saved)
    assert (
        "must hold a ranker or a utility of features, got a WinRate" in run("predict", saved, documents).err
    )
    run("fit", "ranker", documents, "--save", saved, "--force")
    wider.write_text("1 qid:1 4:1.0\n0 qid:1 1:1.0\n")
    assert "at most 3 features, got 4" in run("predict", saved, wider).err
    assert "must be LETOR" in run("predict", saved, table).err
    run("fit", "ranker", table, "--save", saved, "--force")
    assert "must be a table with the columns" in run("predict", saved, documents).err
    narrow = table.with_name("narrow.csv")
    pd.read_csv(table).drop(columns="age").to_csv(narrow, index=False)
    assert "got none called 'age'" in run("predict", saved, narrow).err


def test_a_curve_needs_queries(tmp_path: Path) -> None:
    """Without queries nothing can be held out, and that is said before fitting."""
    file = tmp_path / "one.csv"
    file.write_text("grade,x\n1,0.5\n0,0.25\n")
    done = run("fit", "ranker", file, "--save", tmp_path / "model", "--curve", tmp_path / "curve.png")
    assert "Note: no column 'qid': all rows are taken for one query" in done.err
    assert "--curve needs queries" in done.err
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("model", ["ranksvm", "rankboost"])
@pytest.mark.parametrize(
    ("name", "train", "test", "band"),
    [
        pytest.param(*case, marks=pytest.mark.needs(f"data:{case[0]}"), id=case[0])
        for case in (
            ("letor2-ohsumed", "S1.txt", "S5.txt", (0.32, 0.42)),
            ("letor4-mq2008", "S1.txt", "S5.txt", (0.65, 0.75)),
            ("mslr-sample", "train.txt", "test.txt", (0.43, 0.54)),
        )
    ],
)
def test_public_sets_are_learned(
    name: str, train: str, test: str, band: tuple[float, float], model: str, tmp_path: Path
) -> None:
    """From the files as they come, with usual settings, NDCG@10 on unseen queries lies in its band."""
    saved = tmp_path / "model"
    done = run("fit", "ranker", unpacked(name, train, tmp_path), "--model", model, "--save", saved)
    assert done.status == 0, done.err
    found = json.loads(run("evaluate", saved, unpacked(name, test, tmp_path), "--json").out)
    assert band[0] < found["figures"][0]["mean"] < band[1]


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """The published wine data: ratings with two columns of words."""
    file = tmp_path / "wine.csv"
    wine().to_csv(file, index=False)
    return file


def test_the_summary_of_an_ordinal_model_has_errors_and_tests(ratings: Path, tmp_path: Path) -> None:
    """Columns of words are encoded, and the published estimates are printed; a saved model predicts from words."""
    typed = [
        "--model",
        "ordinal",
        "--set",
        "alpha=0",
        "--grade",
        "rating",
        "--encode",
        "temp",
        "--encode",
        "contact",
    ]
    done = run("fit", "ranker", ratings, *typed, "--without", "judge", "--summary")
    assert done.status == 0, done.err
    lines = [line.split() for line in done.out.splitlines()]
    assert ["temp=warm", "2.503", "0.529", "4.735", "2.2e-06"] in lines
    assert done.last == "logit link, 72 observations, log-likelihood -86.49, AIC 184.98"
    model = tmp_path / "wine.penchant"
    done = run("fit", "ranker", ratings, *typed, "--without", "judge", "--summary", "--json", "--save", model)
    assert json.loads(done.out)["parameters"][0]["name"] == "temp=warm"
    predicted = run("predict", model, ratings, "--grade", "rating").out.split()
    assert len(predicted) == 72
    assert set(predicted) == {"2", "3", "4"}


def test_a_table_of_counts_is_fitted_with_its_counts(tmp_path: Path) -> None:
    """The published housing data: 72 cells with their frequencies, and the residual deviance of polr."""
    housing().to_csv(tmp_path / "housing.csv", index=False)
    typed = ["--model", "ordinal", "--set", "alpha=0", "--set", 'categories=["Low","Medium","High"]']
    columns = [
        "--grade",
        "Sat",
        "--weight",
        "Freq",
        *(word for name in FACTORS for word in ("--encode", name)),
    ]
    done = run("fit", "ranker", tmp_path / "housing.csv", *typed, *columns, "--summary", "--json")
    assert done.status == 0, done.err
    assert f"{json.loads(done.out)['deviance']:.3f}" == "3479.149"
    done = run(
        "fit", "ranker", tmp_path / "housing.csv", *typed, "--grade", "Sat", "--weight", "n", "--summary"
    )
    assert done.err.splitlines()[-1].startswith("penchant: --weight must name a column of a table")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["--summary"], "--summary must be given with --model ordinal, got RankSVM(): leave it out"),
        (
            ["--model", "ordinal", "--json", "--save", "m"],
            "--json must be given with --summary, got it alone",
        ),
        (["--model", "ordinal", "--summary", "--encode", "heat"], "--encode must name a column of"),
    ],
)
def test_a_summary_that_cannot_be_is_rejected(ratings: Path, typed: list[str], message: str) -> None:
    """Other models have none, JSON is of the summary, and a column must be there."""
    done = run("fit", "ranker", ratings, "--grade", "rating", *typed)
    assert done.status == 2
    assert message in done.err
