"""Scores and metrics of partitions are those of one machine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant.errors import InvalidInput, NotFitted
from penchant.metrics import evaluate as measured
from penchant.metrics.by_query import METRICS
from penchant.rankers import RankBoost, RankSVM
from penchant.scale import evaluate, predict
from penchant.scale.graded_files import GradedChunk
from penchant.scale.predicting import add_sums, metric_sums
from tests.scale.graded_data import client_peak, graded, letor, many, table

dask = pytest.importorskip("dask")
X, GRADES, QID, WEIGHT = graded(20, 8, 4, decimals=1)
FRAME = table(X, GRADES, QID, WEIGHT)
NAMES = [f"x{k}" for k in range(4)]


def test_scores_are_those_of_one_machine(tmp_path):
    """Of arrays, tables with more columns, and text, without a cluster; the chunks are the partitions."""
    import dask.array as da
    import dask.dataframe as dd

    plain, named = RankSVM().fit(X, GRADES, qid=QID), RankBoost(4).fit(FRAME[NAMES], GRADES, qid=QID)
    scores = predict(plain, da.from_array(X, chunks=(70, 2)))
    assert scores.chunks == ((70, 70, 20),)
    assert_allclose(scores.compute(scheduler="synchronous"), plain.predict(X))
    found = predict(named, dd.from_pandas(FRAME, npartitions=2)).compute(scheduler="synchronous")
    assert_allclose(found, named.predict(FRAME[NAMES]))
    (tmp_path / "0.txt").write_text(letor(X[:80], GRADES[:80], QID[:80]))
    (tmp_path / "1.txt").write_text(letor(X[80:], GRADES[80:], QID[80:]))
    found = predict(plain, str(tmp_path / "*.txt")).compute(scheduler="synchronous")
    assert_allclose(found, plain.predict(X))


def test_scores_can_be_computed_by_workers(client):
    """With a client they are computed there at once."""
    model = RankSVM().fit(FRAME[NAMES], GRADES, qid=QID)
    scores = predict(model, [dask.delayed(FRAME[:90]), dask.delayed(FRAME[90:])], client=client)
    assert_allclose(client.compute(scores).result(), model.predict(FRAME[NAMES]))


@pytest.mark.parametrize("weight", [None, "w"])
def test_figures_are_those_of_one_machine(client, weight):
    """Every metric, its error and its counts, of queries that partitions cut and that have no relevant row."""
    frame = FRAME.assign(grade=np.where(QID == 3, 0, GRADES))
    model = RankSVM().fit(frame[NAMES], frame["grade"], qid=QID)
    parts = [dask.delayed(frame[start : start + 55]) for start in range(0, len(X), 55)]
    found = evaluate(model, parts, weight=weight, k=3, metrics=list(METRICS), client=client)
    expected = measured(
        frame["grade"],
        model.predict(frame[NAMES]),
        qid=QID,
        k=3,
        metrics=list(METRICS),
        sample_weight=None if weight is None else WEIGHT,
    )
    for figure, other in zip(found.figures, expected.figures, strict=True):
        assert (figure.metric, figure.queries, figure.skipped) == (other.metric, other.queries, other.skipped)
        assert_allclose([figure.mean, figure.standard_error], [other.mean, other.standard_error], rtol=1e-9)


def test_partitions_that_count_nothing_add_nothing():
    """Without rows, and with rows of weight 0."""
    model = RankSVM().fit(X, GRADES, qid=QID)
    settings = {
        "model": model,
        "highest": 3.0,
        "metrics": ("ndcg",),
        "k": 5,
        "ties": "average",
        "relevant": 1.0,
    }
    rows = GradedChunk("", X, GRADES, QID, WEIGHT)
    sums = metric_sums(rows, weighted=True, **settings)
    assert metric_sums(rows.taken([]), weighted=True, **settings) == {}
    assert add_sums(sums, {}) == add_sums({}, sums) == sums
    nothing = metric_sums(GradedChunk("", X, GRADES, QID, 0 * WEIGHT), weighted=True, **settings)
    both = add_sums(sums, nothing)["NDCG@5"]
    assert both.figure("NDCG@5").mean == sums["NDCG@5"].figure("NDCG@5").mean


def test_what_cannot_be_evaluated_is_rejected(client):
    """Models that are not fitted or need whole queries, wrong settings, and rows without grades."""
    with pytest.raises(NotFitted):
        predict(RankSVM(), [dask.delayed(X)])
    with pytest.raises(InvalidInput, match="model must be a fitted ranker"):
        predict(7, [dask.delayed(X)])
    circles = RankSVM(kernel="rbf", on="differences").fit(X[:8], GRADES[:8])
    with pytest.raises(InvalidInput, match="a score by itself"):
        evaluate(circles, [dask.delayed(X)])
    model = RankSVM().fit(X, GRADES, qid=QID)
    with pytest.raises(InvalidInput, match="metrics must be"):
        evaluate(model, [dask.delayed(X)], metrics=["good"])
    with pytest.raises(InvalidInput, match="partition 0: y must be the grades"):
        evaluate(model, [dask.delayed((X, None, QID))], client=client)


def test_the_client_holds_figures_only(client):
    """60,000 rows of 40 features, 19 MB as arrays, are scored and evaluated in less than 3 MB of the client."""
    parts = [dask.delayed(many)(seed) for seed in range(4)]
    X, grades, qid = many(0)
    model = RankSVM(tol=0.1).fit(X, grades, qid=qid)

    def work():
        client.compute(predict(model, parts, client=client).sum()).result()
        return evaluate(model, parts, client=client)

    found, peak = client_peak(work)
    assert found.figures[0].queries == 2400
    assert peak < 3
