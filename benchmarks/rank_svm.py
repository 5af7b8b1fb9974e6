"""Linear RankSVM from graded documents, beside the same on pairs that are written out, trees, and a ridge."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.case import OURS, Answer, Case
from benchmarks.queries import (
    CORRELATED,
    DOCUMENTS,
    EASY,
    FEATURES,
    HELD_OUT,
    OFFSETS,
    Documents,
    differences,
    documents,
    mean_ndcg,
    relative_gradient,
)
from benchmarks.trees import CATBOOST, LIGHTGBM, XGBOOST, Call, catboost, lightgbm, xgboost

QUESTION = "How fast is RankSVM, beside LinearSVC on pairs, LightGBM, XGBoost, CatBoost and a ridge?"

TOLERANCE = 1e-3


def cases(quick: bool) -> list[Case]:
    """Return many easy queries, fewer ill-conditioned ones, and some that need pairs."""
    n, ill, moved, rounds = (50, 20, 20, 10) if quick else (10_000, 500, 1_000, 100)
    tasks = [
        (kind, queries, f"{queries:,} × {DOCUMENTS} × {FEATURES}, {kind}")
        for kind, queries in ((EASY, n), (CORRELATED, ill), (OFFSETS, moved))
    ]
    easy, correlated, offsets = tasks
    return [
        *linear(*easy),
        *trees(*easy, rounds),
        *linear(*correlated),
        *linear(*offsets),
        *trees(*offsets, rounds),
    ]


def linear(kind: str, n: int, what: str) -> list[Case]:
    """Return the linear models; each pair counts 1 beside ½‖w‖², as is LinearSVC's habit."""
    judge = judged(kind, n)
    return [
        Case(what=what, prepare=lambda: penchant(kind, n, "squared_hinge"), answer=judge),
        Case(
            who=f"{OURS}, hinge",
            what=what,
            prepare=lambda: penchant(kind, n, "hinge"),
            answer=judged(kind, n, smooth=False),
            warm=3,
        ),
        Case(who="LinearSVC, pairs", what=what, prepare=lambda: linear_svc(kind, n), answer=judge, warm=1),
        Case(
            who="LogisticRegression, pairs",
            what=what,
            prepare=lambda: logistic(kind, n),
            answer=judged(kind, n, smooth=False),
            warm=1,
        ),
        Case(
            who="Ridge on grades",
            what=what,
            prepare=lambda: ridge(kind, n),
            answer=judged(kind, n, smooth=False),
        ),
    ]


def trees(kind: str, n: int, what: str, rounds: int) -> list[Case]:
    """Return the boosted trees, with their usual depth and learning rate."""
    made = {
        "LightGBM lambdarank": (LIGHTGBM, lightgbm),
        "XGBoost rank:pairwise": (XGBOOST, xgboost),
        "CatBoost PairLogit": (CATBOOST, catboost),
    }
    return [
        Case(
            who=f"{who}, {rounds} trees",
            what=what,
            requires=requires,
            prepare=lambda learner=learner: learner(documents(kind, n), rounds),  # type: ignore[misc]
            answer=judged(kind, n, smooth=False),
            warm=1,
        )
        for who, (requires, learner) in made.items()
    ]


def penchant(kind: str, n: int, loss: str) -> Call:
    """Prepare Penchant's row, which ends at a relative duality gap."""
    from penchant.rankers import RankSVM

    given = documents(kind, n)
    model = RankSVM(C=given.n_pairs, loss=loss, tol=TOLERANCE)  # type: ignore[arg-type]
    return lambda: {"model": model.fit(given.X, given.grades, qid=given.qid)}


def linear_svc(kind: str, n: int) -> Call:
    """Prepare scikit-learn's SVM, whose relative gradient is told per half of the balanced signs."""
    from sklearn.svm import LinearSVC

    return on_pairs(kind, n, LinearSVC(tol=2 * TOLERANCE, dual=False, fit_intercept=False))


def logistic(kind: str, n: int) -> Call:
    """Prepare logistic regression as it comes."""
    from sklearn.linear_model import LogisticRegression

    return on_pairs(kind, n, LogisticRegression(fit_intercept=False, max_iter=1_000))


def on_pairs(kind: str, n: int, classifier: Any) -> Call:
    """Return a call that writes the pairs out and learns which of two documents is better."""
    given = documents(kind, n)

    def learn() -> Any:
        start = time.process_time()
        pairs, sign = differences(given)
        written = time.process_time() - start
        return {"model": classifier.fit(pairs, sign), "pairs written in": f"{written:.1f} s"}

    return learn


def ridge(kind: str, n: int) -> Call:
    """Prepare a regression on the grades, which knows no queries."""
    from sklearn.linear_model import Ridge

    given = documents(kind, n)
    return lambda: {"model": Ridge().fit(given.X, given.grades)}


def judged(kind: str, n: int, *, smooth: bool = True) -> Callable[[Any], Answer]:
    """Tell how well held-out queries are ordered and, of the squared hinge, how flat its objective is."""

    def tell(result: Any) -> Answer:
        model, others = result["model"], {name: value for name, value in result.items() if name != "model"}
        test = documents(kind, HELD_OUT, held_out=True)
        figures: dict[str, Any] = {"NDCG@10": f"{mean_ndcg(test, scores(model, test)):.4f}"}
        if smooth:
            given = documents(kind, n)
            figures["gradient"] = f"{relative_gradient(given, model.coef_.ravel()):.0e}"
        return figures | others

    return tell


def scores(model: Any, test: Documents) -> Any:
    """Return one number a document; of a classifier of pairs, its weights give them."""
    return test.X @ model.coef_[0] if hasattr(model, "decision_function") else model.predict(test.X)
