"""One list of documents, in which most of every two make a pair: too many to be written down."""

from __future__ import annotations

from typing import Any

from benchmarks.case import OURS, Answer, Case
from benchmarks.queries import EASY, FEATURES, HELD_OUT, Documents, documents, mean_ndcg
from benchmarks.rank_svm import TOLERANCE
from benchmarks.trees import CATBOOST, LIGHTGBM, XGBOOST, Call, catboost, lightgbm, xgboost

QUESTION = "What does one list of 100,000 graded documents cost, beside LightGBM, XGBoost and CatBoost?"


def cases(quick: bool) -> list[Case]:
    """Return RankSVM and RankBoost, and the peers, of which two refuse such a list."""
    n, rounds = (2_000, 10) if quick else (100_000, 100)
    what = f"one list of {n:,} × {FEATURES}"
    terabytes = 8 * FEATURES * 0.66 * n**2 / 2 / 1e12  # two in three pairs are of different grades
    return [
        Case(what=what, prepare=lambda: rank_svm(n, "squared_hinge"), answer=judged),
        Case(who=f"{OURS}, hinge", what=what, prepare=lambda: rank_svm(n, "hinge"), answer=judged, warm=3),
        Case(
            who=f"{OURS}, RankBoost, {rounds} rounds",
            what=what,
            prepare=lambda: rank_boost(n, rounds),
            answer=judged,
            warm=3,
        ),
        Case(
            who="LightGBM lambdarank",
            what=what,
            requires=LIGHTGBM,
            prepare=lambda: lightgbm(one_list(n), rounds),
            answer=judged,
            warm=1,
        ),
        Case(
            who="CatBoost PairLogit",
            what=what,
            requires=CATBOOST,
            prepare=lambda: catboost(one_list(n), rounds),
            answer=judged,
            warm=1,
        ),
        Case(
            who=f"XGBoost rank:pairwise, {rounds} trees",
            what=what,
            requires=XGBOOST,
            prepare=lambda: xgboost(one_list(n), rounds),
            answer=judged,
            cannot="all pairs: only those with one of its first 32",
            warm=1,
        ),
        Case(who="LinearSVC, pairs", what=what, cannot=f"its pairs would fill {terabytes:.2g} TB"),
    ]


def one_list(n: int) -> Documents:
    """Return a single query of ``n`` documents."""
    return documents(EASY, 1, n)


def rank_svm(n: int, loss: str) -> Call:
    """Prepare RankSVM, a pair counting as much as it would in 10,000 short queries."""
    from penchant.rankers import RankSVM

    given = one_list(n)
    model = RankSVM(C=1e6, loss=loss, tol=TOLERANCE)  # type: ignore[arg-type]
    return lambda: {"model": model.fit(given.X, given.grades, qid=given.qid)}


def rank_boost(n: int, rounds: int) -> Call:
    """Prepare RankBoost."""
    from penchant.rankers import RankBoost

    given = one_list(n)
    return lambda: {"model": RankBoost(rounds).fit(given.X, given.grades, qid=given.qid)}


def judged(result: Any) -> Answer:
    """Tell how well short queries are ordered, of the same kind as the list."""
    test = documents(EASY, HELD_OUT, held_out=True)
    return {"NDCG@10 of 25": f"{mean_ndcg(test, result['model'].predict(test.X)):.4f}"}
