"""NDCG over many queries, the figure that every ranker is judged by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How fast is NDCG of 100,000 rows in 5,000 queries, beside scikit-learn's and trec_eval's?"


def cases(quick: bool) -> list[Case]:
    """Return Penchant, scikit-learn query by query, and trec_eval, which does NDCG query by query in C."""
    queries = 250 if quick else 5_000
    return [
        Case(prepare=lambda: penchant(queries), answer=mean),
        Case(
            who="scikit-learn ndcg_score",
            prepare=lambda: sklearn(queries),
            answer=mean,
            cannot="no queries: one call for each",
        ),
        Case(
            who="pytrec_eval",
            requires=("pytrec-eval-terrier", "numpy"),
            prepare=lambda: trec(queries),
            answer=mean,
            cannot="dictionaries only; not timed: making them",
        ),
    ]


def judged(queries: int) -> tuple[Any, Any, Any]:
    """Return grades, scores and query of 20 rows a query."""
    import numpy as np

    random = np.random.default_rng(0)
    rows = 20 * queries
    grades = random.choice(5, rows, p=[0.5, 0.2, 0.15, 0.1, 0.05])
    grades[::20] = 1  # every query has something to find, or the peers' means would differ
    return grades, grades + random.normal(0, 2, rows), np.repeat(np.arange(queries), 20)


def penchant(queries: int) -> Callable[[], object]:
    """Prepare Penchant's row."""
    from penchant.metrics import ndcg

    grades, scores, qid = judged(queries)
    return lambda: ndcg(grades, scores, qid=qid)


def sklearn(queries: int) -> Callable[[], object]:
    """Prepare scikit-learn's row."""
    import numpy as np
    from sklearn.metrics import ndcg_score

    grades, scores, qid = judged(queries)
    starts = np.flatnonzero(np.diff(qid)) + 1

    def average() -> float:
        groups = zip(np.split(grades, starts), np.split(scores, starts), strict=True)
        return float(np.mean([ndcg_score([truth], [guess]) for truth, guess in groups]))

    return average


def trec(queries: int) -> Callable[[], object]:
    """Prepare trec_eval's row."""
    import pytrec_eval  # type: ignore[import-not-found]

    grades, scores, _ = judged(queries)
    truth = {str(q): {str(i): int(grades[20 * q + i]) for i in range(20)} for q in range(queries)}
    guess = {str(q): {str(i): float(scores[20 * q + i]) for i in range(20)} for q in range(queries)}

    def average() -> float:
        judge = pytrec_eval.RelevanceEvaluator(truth, {"ndcg"})
        return float(sum(of_query["ndcg"] for of_query in judge.evaluate(guess).values()) / queries)

    return average


def mean(result: Any) -> Answer:
    """Tell the mean over the queries."""
    return {"NDCG": round(float(result), 9)}
