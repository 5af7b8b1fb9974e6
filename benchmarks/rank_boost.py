"""RankBoost with threshold stumps, beside libraries of boosted trees that are held to one threshold a tree."""

from __future__ import annotations

from typing import Any

from benchmarks.case import Answer, Case
from benchmarks.queries import DOCUMENTS, EASY, FEATURES, HELD_OUT, documents, mean_ndcg
from benchmarks.trees import LIGHTGBM, XGBOOST, Call, lightgbm, xgboost

QUESTION = "How fast is RankBoost, beside LightGBM and XGBoost with stumps?"


def cases(quick: bool) -> list[Case]:
    """Return RankBoost, binning included, and the peers, whose trees have one threshold each."""
    n, rounds = (100, 30) if quick else (10_000, 300)
    what = f"{n:,} × {DOCUMENTS} × {FEATURES}, {rounds} rounds"
    return [
        Case(what=what, prepare=lambda: penchant(n, rounds), answer=judged, warm=3),
        Case(
            who="LightGBM lambdarank, 2 leaves",
            what=what,
            requires=LIGHTGBM,
            prepare=lambda: lightgbm(documents(EASY, n), rounds, num_leaves=2),
            answer=judged,
            warm=1,
        ),
        Case(
            who="XGBoost rank:pairwise, depth 1",
            what=what,
            requires=XGBOOST,
            prepare=lambda: xgboost(documents(EASY, n), rounds, max_depth=1),
            answer=judged,
            warm=1,
        ),
    ]


def penchant(n: int, rounds: int) -> Call:
    """Prepare Penchant's row."""
    from penchant.rankers import RankBoost

    given = documents(EASY, n)
    model = RankBoost(rounds)
    return lambda: {"model": model.fit(given.X, given.grades, qid=given.qid)}


def judged(result: Any) -> Answer:
    """Tell how well held-out queries are ordered and, of RankBoost, the share of training pairs it gets wrong."""
    model, test = result["model"], documents(EASY, HELD_OUT, held_out=True)
    figures = {"NDCG@10": f"{mean_ndcg(test, model.predict(test.X)):.4f}"}
    if hasattr(model, "risk_"):
        figures |= {"training pairs wrong": f"{model.risk_:.1%}", "bound": f"{model.bound_:.1%}"}
    return figures
