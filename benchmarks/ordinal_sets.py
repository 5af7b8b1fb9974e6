"""Real rows with ordered categories: how far from the truth new rows are rated, beside mord.

Each call learns on the next of five folds, and the answer is about all folds so far.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Any

from benchmarks.case import Answer, Case
from benchmarks.ordinal import MORD
from benchmarks.sets import fold, scaler, table

QUESTION = "How far from the truth are real ratings foretold, beside mord?"
EVERY_CALL = True  # a call is a fold

LABEL_LAST = (
    "automobile balance_scale bondrate car contact-lenses era esl eucalyptus lev newthyroid pasture "
    "squash-stored squash-unstored swd tae winequality-red"
)
LABEL_FIRST = (
    "abalone_ord affairs auto_ord auto_riskness bostonhousing_ord cement_strength glass kinematics "
    "machine_ord skill stock_ord winequality-red winequality-white wisconsin_breast_ord"
)
FOLDS = 5

Rater = Callable[[Any, Any, Any], Any]


def cases(quick: bool) -> list[Case]:
    """Return both on all sets."""
    sets = (
        ["esl", "gagolews/glass"]
        if quick
        else [*LABEL_LAST.split(), *(f"gagolews/{name}" for name in LABEL_FIRST.split())]
    )
    return [
        Case(prepare=lambda: one_fold_a_call(sets, penchant), answer=told, warm=FOLDS - 1),
        Case(
            who="mord LogisticAT",
            requires=MORD,
            prepare=lambda: one_fold_a_call(sets, mord),
            answer=told,
            warm=FOLDS - 1,
        ),
    ]


def one_fold_a_call(names: list[str], rater: Rater) -> Callable[[], object]:
    """Return a call that learns on the next fold of every set, and returns how far off each row is so far."""
    import numpy as np

    sets = {name: features_and_categories(name) for name in names}
    seen: dict[str, list[Any]] = {name: [] for name in names}

    def learn() -> Any:
        for name, (X, y) in sets.items():
            train, test = fold(len(X), len(seen[name]), FOLDS)
            scale = scaler(X[train])
            known, codes = np.unique(y[train], return_inverse=True)
            rated = known[rater(scale(X[train]), codes, scale(X[test]))]
            seen[name].append(np.abs(rated - y[test]))
        return {name: np.concatenate(off[:FOLDS]) for name, off in seen.items()}

    return learn


def features_and_categories(name: str) -> tuple[Any, Any]:
    """Return the features of a set and its categories, numbered from 0."""
    import numpy as np

    rows = table("ordinal", f"{name}.csv")
    place = 0 if "/" in name else -1
    return np.delete(rows, place, axis=1), np.unique(rows[:, place], return_inverse=True)[1]


def penchant(X: Any, y: Any, new: Any) -> Any:
    """Rate new rows by the middle category, as mord does."""
    from penchant.rankers import OrdinalRegression

    return OrdinalRegression(predicts="median").fit(X, y).predict(new)


def mord(X: Any, y: Any, new: Any) -> Any:
    """Rate new rows with the same ridge."""
    from mord import LogisticAT  # type: ignore[import-not-found]

    return LogisticAT(alpha=1.0).fit(X, y).predict(new)


def told(off: Any) -> Answer:
    """Tell the mean over all sets, and of each set over its rows, with its standard error."""
    return {"mean": f"{fmean(rows.mean() for rows in off.values()):.4f}"} | {
        name: f"{rows.mean():.3f} ± {rows.std(ddof=1) / len(rows) ** 0.5:.3f}" for name, rows in off.items()
    }
