"""Evaluating models, scores of other models and runs on the command line, and comparing two."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from penchant.cli.evaluate import MetricName
from penchant.metrics import compare, evaluate
from penchant.metrics.by_query import METRICS
from tests.cli.typed import run


@pytest.fixture
def scored(documents: Path) -> tuple[Path, Path, pd.DataFrame]:
    """Return two files of scores of the documents, one by a feature and one by noise, and the documents."""
    rows = pd.read_csv(documents.with_suffix(".csv"))
    good, bad = documents.with_name("good.txt"), documents.with_name("bad.txt")
    good.write_text("".join(f"{value}\n" for value in rows["match"]))
    bad.write_text("".join(f"{value}\n" for value in rows["noise"]))
    return good, bad, rows


def test_scores_of_any_model_are_evaluated(scored: tuple[Path, Path, pd.DataFrame], documents: Path) -> None:
    """A line each, in the order of the documents; every metric can be asked for."""
    good, _, rows = scored
    done = run(
        "evaluate", good, documents, "--json", "--k", 3, *(w for name in METRICS for w in ("--metric", name))
    )
    assert done.status == 0, done.err
    expected = evaluate(rows["grade"], rows["match"], qid=rows["qid"], k=3, metrics=list(METRICS))
    asked = ("--k", 3, "--metric", "err", "--ties", "order")
    proposed = run("evaluate", good, documents, *asked).last
    assert proposed.endswith("--k 3 --metric err --ties order --plot errors.png")
    found = {figure["metric"]: figure["mean"] for figure in json.loads(done.out)["figures"]}
    assert found == pytest.approx({figure.metric: figure.mean for figure in expected.figures})
    assert [name.value for name in MetricName] == list(METRICS)


def test_two_rankings_are_compared(scored: tuple[Path, Path, pd.DataFrame], documents: Path) -> None:
    """As JSON, as a table and as a picture, a saved model beside scores included."""
    good, bad, rows = scored
    done = run("evaluate", good, documents, "--against", bad, "--json")
    expected = compare(rows["grade"], rows["match"], rows["noise"], qid=rows["qid"])
    assert json.loads(done.out)["differences"][0] == pytest.approx(vars(expected.differences[0]))
    saved, picture = documents.with_name("model.penchant"), documents.with_name("apart.svg")
    assert run("fit", "ranker", documents, "--save", saved).status == 0
    done = run("evaluate", saved, documents, "--against", bad, "--plot", picture)
    assert done.status == 0, done.err
    assert "model.penchant − bad.txt, with 95 % intervals" in done.out
    assert "better in" in done.out
    assert "model.penchant less bad.txt, query by query" in picture.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n2\n", "must have a score for each of the 120 documents"),
        ("1\ntwo\n", "scores.txt:2: a line must be one score, a number, got 'two'"),
    ],
)
def test_wrong_scores_are_explained(text: str, message: str, documents: Path) -> None:
    """Too few scores, and a line that is none."""
    scores = documents.with_name("scores.txt")
    scores.write_text(text)
    done = run("evaluate", scores, documents)
    assert done.status == 2
    assert message in done.err


def test_runs_are_evaluated_as_trec_eval_does(tmp_path: Path) -> None:
    """Its lines and values; queries without judgements are named, and two runs are compared and drawn."""
    first, second, qrels = (tmp_path / name for name in ("one.run", "two.run", "qrels.txt"))
    first.write_text("".join(f"q{q} Q0 d{d} {d} {9 - d} one\n" for q in range(5) for d in range(4)))
    second.write_text("".join(f"q{q} Q0 d{d} {d} {d} two\n" for q in range(4) for d in range(4)))
    qrels.write_text("".join(f"q{q} 0 d0 1\nq{q} 0 d3 0\n" for q in range(4)))
    done = run("evaluate", first, qrels)
    assert done.status == 0, done.err
    assert [line.split() for line in done.out.splitlines()][4] == ["map", "all", "1.0000"]
    assert "queries without judgements, which are left out: 1 (q4)" in done.err
    assert done.last == f"Next: penchant evaluate {first} {qrels} --plot queries.png"
    assert run("evaluate", first, qrels, "--k", 5).last.endswith(f"{qrels} --k 5 --plot queries.png")
    picture = tmp_path / "queries.svg"
    done = run("evaluate", first, qrels, "--against", second, "--json", "--plot", picture)
    found = json.loads(done.out)
    assert (found["measures"]["map"], found["by_query"]["q1"]["recip_rank"]) == (1.0, 1.0)
    assert [row["metric"] for row in found["differences"]] == ["map", "ndcg_cut_10", "recip_rank", "P_10"]
    assert found["differences"][0]["difference"] == pytest.approx(0.75)
    assert "one.run less two.run" in picture.read_text()
    assert run("evaluate", second, qrels, "--plot", picture).status == 0
    assert "Average precision of two.run" in picture.read_text()
    assert "a line must be like 'query 0 document grade'" in run("evaluate", first, second).err


RUN, QRELS = "q1 Q0 d1 1 2 mine\nq1 Q0 d2 2 1 mine\n", "q1 0 d1 0\nq1 0 d2 1\n"


@pytest.mark.parametrize(
    ("first", "second", "options", "message"),
    [
        (RUN, QRELS, ["--metric", "err"], "--metric must be given with graded documents only, got a run"),
        (RUN, QRELS, ["--ties", "order"], "--ties must be given with graded documents only, got a run"),
        (
            RUN.replace(" ", ","),
            QRELS,
            [],
            "a.txt:1: a line must be like 'query Q0 document rank score name'",
        ),
        (RUN.replace("mine", "my run"), QRELS, [], "a.txt:1: a line must be like"),
        (RUN.replace("1 2 mine", "1 nan mine"), QRELS, [], "a.txt:1: the score must be a finite number"),
        ("1\n2\n", RUN, [], "got a run in"),
    ],
)
def test_what_is_wrong_with_a_run_is_explained(
    first: str, second: str, options: list[str], message: str, tmp_path: Path
) -> None:
    """The message is about the file that is wrong, and no option is left out silently."""
    (tmp_path / "a.txt").write_text(first)
    (tmp_path / "b.txt").write_text(second)
    done = run("evaluate", tmp_path / "a.txt", tmp_path / "b.txt", *options)
    assert done.status == 2
    assert message in " ".join(done.err.split())


def test_either_file_may_be_the_standard_input(tmp_path: Path) -> None:
    """A run or its judgements, but not both."""
    ran, judged = tmp_path / "a.txt", tmp_path / "b.txt"
    ran.write_text(RUN)
    judged.write_text(QRELS)
    expected = run("evaluate", ran, judged, "--json").out
    assert json.loads(expected)["measures"]["map"] == 0.5
    assert run("evaluate", "-", judged, "--json", input=RUN).out == expected
    assert run("evaluate", ran, "-", "--json", input=QRELS).out == expected
    assert "Next" not in run("evaluate", "-", judged, input=RUN).out
    assert "must be given once" in run("evaluate", "-", "-", input=RUN).err
