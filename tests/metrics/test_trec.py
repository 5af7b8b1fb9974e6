"""Runs against judgements, beside trec_eval itself."""

from __future__ import annotations

import random

import pytest
import pytrec_eval

from penchant.errors import InvalidInput
from penchant.metrics import Qrels, Run, compare_runs, evaluate_run
from penchant.metrics.trec import COUNTED

CUTS = (5, 10, 20, 100)
MEASURES = {"map", "Rprec", "bpref", "recip_rank", "ndcg", "P", "recall", "ndcg_cut", *COUNTED}


def drawn(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Return a run with many ties, unjudged documents and queries of every kind, and judgements."""
    rng = random.Random(seed)
    documents = [f"d{number}é" if number % 7 == 0 else f"d{number}" for number in range(60)]
    run, qrels = {}, {}
    for query in map(str, range(12)):
        found = rng.sample(documents, rng.randint(1, 50))
        run[query] = {name: rng.choice([1.0, 2.5, -3.0, rng.random(), 1 + 1e-9, 1e-42]) for name in found}
        judged = rng.sample(documents, rng.randint(1, 40))
        top = 0 if query == "3" else 3
        qrels[query] = {name: rng.randint(-1 if query == "5" else 0, top) for name in judged}
    del qrels["7"], run["9"]
    return run, qrels


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("relevant", [1, 2])
def test_every_measure_is_that_of_trec_eval(seed: int, relevant: int) -> None:
    """Ties, scores that differ beyond single precision, unjudged documents and queries without relevant ones."""
    run, qrels = drawn(seed)
    found = evaluate_run(Run(run), Qrels(qrels), k=CUTS, relevant=relevant)
    reference = pytrec_eval.RelevanceEvaluator(qrels, MEASURES, relevance_level=relevant).evaluate(run)
    assert set(found.queries) == set(reference)
    assert (found.without_judgements, found.not_found) == (("7",), ("9",))
    for row, query in enumerate(found.queries):
        for measure, values in found.values.items():
            assert values[row] == pytest.approx(reference[query][measure], abs=1e-12), (query, measure)
    for measure in found.values:
        per_query = [values[measure] for values in reference.values()]
        mean = pytrec_eval.compute_aggregated_measure(measure, per_query)
        assert f"{found[measure]:.4f}" == f"{mean:.4f}"


def test_it_prints_what_trec_eval_prints() -> None:
    """Names, tabs, counts without decimals and means with four."""
    found = evaluate_run(Run({"q": {"a": 2.0, "b": 1.0}}), Qrels({"q": {"b": 1}}), k=[5])
    lines = repr(found).splitlines()
    assert lines[:5] == [
        "num_q                 \tall\t1",
        "num_ret               \tall\t2",
        "num_rel               \tall\t1",
        "num_rel_ret           \tall\t1",
        "map                   \tall\t0.5000",
    ]


def test_queries_that_a_run_lacks_count_when_asked() -> None:
    """As with trec_eval's -c, they are 0."""
    qrels = Qrels({"a": {"x": 1}, "b": {"x": 1}})
    run = Run({"a": {"x": 1.0}})
    assert evaluate_run(run, qrels)["map"] == 1.0
    assert evaluate_run(run, qrels, complete=True)["map"] == 0.5
    with pytest.raises(InvalidInput, match="must share a query, got z and a, b"):
        evaluate_run(Run({"z": {"x": 1.0}}), qrels)


def test_runs_are_compared_query_by_query() -> None:
    """A query that one of them lacks counts as 0 there; an unknown measure is named."""
    qrels = Qrels({str(query): {"x": 1} for query in range(6)})
    full = Run({str(query): {"x": 2.0, "y": 1.0} for query in range(6)})
    half = Run({str(query): {"x": 2.0} for query in range(3)})
    found = compare_runs(full, half, qrels, measures=["map"])["map"]
    assert (found.first, found.second, found.queries, found.better) == (1.0, 0.5, 6, 3)
    with pytest.raises(InvalidInput, match="measures must be among num_ret"):
        compare_runs(full, half, qrels, measures=["MAP"])
