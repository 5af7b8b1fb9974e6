"""The peers of several questions about rankers: graded documents in, a call that fits boosted trees out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.queries import Documents

LIGHTGBM = ("lightgbm>=4.6", "scikit-learn")
XGBOOST = ("xgboost-cpu>=3", "scikit-learn")
CATBOOST = ("catboost>=1.2.8",)

Call = Callable[[], Any]


def lightgbm(given: Documents, rounds: int, **settings: Any) -> Call:
    """Prepare LightGBM's LambdaRank, with the gains by which everyone is judged."""
    from lightgbm import LGBMRanker  # type: ignore[import-not-found]

    gains = list(range(int(given.grades.max()) + 1))
    model = LGBMRanker(n_estimators=rounds, label_gain=gains, n_jobs=1, verbose=-1, **settings)
    return lambda: {"model": model.fit(given.X, given.grades, group=given.sizes)}


def xgboost(given: Documents, rounds: int, **settings: Any) -> Call:
    """Prepare XGBoost's pairwise objective."""
    from xgboost import XGBRanker  # type: ignore[import-not-found]

    model = XGBRanker(objective="rank:pairwise", n_estimators=rounds, n_jobs=1, **settings)
    return lambda: {"model": model.fit(given.X, given.grades, qid=given.qid)}


def catboost(given: Documents, rounds: int) -> Call:
    """Prepare CatBoost's pairwise objective."""
    from catboost import CatBoostRanker  # type: ignore[import-not-found]

    quiet = {"verbose": False, "allow_writing_files": False}

    def learn() -> Any:
        model = CatBoostRanker(loss_function="PairLogit", iterations=rounds, thread_count=1, **quiet)
        return {"model": model.fit(given.X, given.grades, group_id=given.qid)}

    return learn
