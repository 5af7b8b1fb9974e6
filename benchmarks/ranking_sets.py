"""Real queries with graded documents: every ranker on the official folds, its settings chosen on validation.

Each call learns on the next fold, and the answer is about the test queries of all folds so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from benchmarks.case import OURS, Answer, Case
from benchmarks.queries import Documents, average_precision, mean_ndcg, ndcg
from benchmarks.sets import letor, scaler
from benchmarks.trees import LIGHTGBM, XGBOOST

QUESTION = "How well do rankers order real queries, beside LightGBM, XGBoost and a ridge?"
EVERY_CALL = True  # a call is a fold

FIVE = tuple(tuple(f"S{(first + k) % 5 + 1}.txt" for k in range(5)) for first in range(5))
FOLDS = {
    "letor4-mq2008": tuple((part[:3], part[3:4], part[4:]) for part in FIVE),
    "letor2-ohsumed": tuple((part[:3], part[3:4], part[4:]) for part in FIVE),
    "mslr-sample": ((("train.txt",), ("vali.txt",), ("test.txt",)),),
}
ROUNDS, PATIENCE = 300, 50

Scorer = Callable[[Documents], Any]


def cases(quick: bool) -> list[Case]:
    """Return every ranker on every set; the smallest, and two folds of it, where it must be quick."""
    names = ["letor4-mq2008"] if quick else list(FOLDS)
    learners: dict[str, tuple[tuple[str, ...], Callable[[Documents, Documents], Scorer]]] = {
        f"{OURS}, RankSVM": ((), rank_svm),
        f"{OURS}, RankBoost": ((), rank_boost),
        f"{OURS}, PairwiseRanker": ((), pairwise),
        f"{OURS}, OrdinalRegression": ((), ordinal),
        "LightGBM": (LIGHTGBM, lightgbm),
        "XGBoost": (XGBOOST, xgboost),
        "Ridge on grades": ((), ridge),
    }
    return [
        Case(
            who=who,
            what=name,
            requires=requires,
            prepare=lambda name=name, learner=learner: one_fold_a_call(name, learner),  # type: ignore[misc]
            answer=told,
            warm=1 if quick else max(1, len(FOLDS[name]) - 1),
        )
        for name in names
        for who, (requires, learner) in learners.items()
    ]


def one_fold_a_call(name: str, learner: Callable[[Documents, Documents], Scorer]) -> Callable[[], object]:
    """Return a call that learns on the next fold and returns what was measured of each fold so far."""
    folds = [[letor(name, *members) for members in fold] for fold in FOLDS[name]]
    seen: list[list[tuple[float, float]]] = []

    def learn() -> Any:
        train, vali, test = folds[len(seen) % len(folds)]
        scores = learner(train, vali)(test)
        queries = zip(test.by_query(test.grades), test.by_query(scores), strict=True)
        seen.append([(ndcg(*query), average_precision(*query)) for query in queries])
        return seen[: len(folds)]

    return learn


def told(folds: Any) -> Answer:
    """Tell the means over all test queries with a relevant document, with their standard errors."""
    import numpy as np

    values = np.array([query for fold in folds for query in fold])
    values = values[~np.isnan(values[:, 0])]
    means, errors = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
    figures = {
        name: f"{mean:.3f} ± {error:.3f}"
        for name, mean, error in zip(("NDCG@10", "MAP"), means, errors, strict=True)
    }
    return figures | {"queries": len(values)}


def best(candidates: Iterable[Scorer], vali: Documents) -> Scorer:
    """Return the candidate with the highest NDCG@10 on the validation queries, the first of equal ones."""
    return max(candidates, key=lambda scorer: mean_ndcg(vali, scorer(vali)))


def views(train: Documents) -> Iterable[Callable[[Documents], Documents]]:
    """Yield the two ways in which linear models see features, on one scale: as they are, and their logarithms."""
    import numpy as np

    def as_is(X: Any) -> Any:
        return X

    def short_tailed(X: Any) -> Any:
        return np.sign(X) * np.log1p(np.abs(X))

    for view in (as_is, short_tailed):
        scale = scaler(view(train.X))
        yield lambda given, view=view, scale=scale: Documents(  # type: ignore[misc]
            scale(view(given.X)), given.grades, given.qid
        )


def linear(
    make: Callable[[float], Any],
    settings: tuple[float, ...],
    train: Documents,
    vali: Documents,
    score: Callable[[Any, Documents], Any] = lambda model, given: model.predict(given.X),
) -> Scorer:
    """Fit a linear model with each setting on each view of the features, and return the best of them."""

    def fitted(seen: Callable[[Documents], Documents], setting: float) -> Scorer:
        model, given = make(setting), seen(train)
        model.fit(given.X, given.grades, **({"qid": given.qid} if hasattr(model, "fit_pairs") else {}))
        return lambda documents: score(model, seen(documents))

    return best((fitted(seen, setting) for seen in views(train) for setting in settings), vali)


def rank_svm(train: Documents, vali: Documents) -> Scorer:
    """Choose C."""
    from penchant.rankers import RankSVM

    return linear(RankSVM, (0.01, 0.1, 1, 10, 100), train, vali)


def pairwise(train: Documents, vali: Documents) -> Scorer:
    """Choose C of a logistic regression on differences, put in order by Cohen's rule."""
    from sklearn.linear_model import LogisticRegression

    from penchant.rankers import PairwiseRanker

    def make(C: float) -> Any:
        classifier = LogisticRegression(C=C, fit_intercept=False, max_iter=1_000)
        return PairwiseRanker(classifier, features="difference")

    return linear(make, (1e-5, 1e-3), train, vali, lambda model, given: model.predict(given.X, qid=given.qid))


def ordinal(train: Documents, vali: Documents) -> Scorer:
    """Choose the ridge of proportional odds, whose scores know no queries."""
    from penchant.rankers import OrdinalRegression

    return linear(
        OrdinalRegression, (1, 10, 100, 1_000), train, vali, lambda model, given: model.decision(given.X)
    )


def ridge(train: Documents, vali: Documents) -> Scorer:
    """Choose the ridge of a regression on the grades."""
    from sklearn.linear_model import Ridge

    return linear(Ridge, (1, 10, 100, 1_000), train, vali)


def rank_boost(train: Documents, vali: Documents) -> Scorer:
    """Choose the number of rounds, and how much long queries count."""
    from penchant.rankers import RankBoost

    def fitted(balance: float) -> Scorer:
        model = RankBoost(ROUNDS, balance=balance).fit(train.X, train.grades, qid=train.qid)
        risen = [mean_ndcg(vali, scores) for scores in model.staged_predict(vali.X)]
        rounds = risen.index(max(risen))
        return lambda documents: next(islice(model.staged_predict(documents.X), rounds, None))

    return best(map(fitted, (0.0, 0.5, 1.0)), vali)


def lightgbm(train: Documents, vali: Documents) -> Scorer:
    """Choose the number of leaves, and of trees by early stopping."""
    from lightgbm import LGBMRanker, early_stopping  # type: ignore[import-not-found]

    def fitted(leaves: int) -> Scorer:
        model = LGBMRanker(
            n_estimators=ROUNDS,
            num_leaves=leaves,
            learning_rate=0.05,
            label_gain=list(range(5)),
            n_jobs=1,
            verbose=-1,
        )
        model.fit(
            train.X,
            train.grades,
            group=train.sizes,
            eval_set=[(vali.X, vali.grades)],
            eval_group=[vali.sizes],
            eval_at=[10],
            callbacks=[early_stopping(PATIENCE, verbose=False)],
        )
        return lambda documents: model.predict(documents.X)

    return best(map(fitted, (7, 31)), vali)


def xgboost(train: Documents, vali: Documents) -> Scorer:
    """Choose the depth, and the number of trees by early stopping."""
    from xgboost import XGBRanker  # type: ignore[import-not-found]

    def fitted(depth: int) -> Scorer:
        model = XGBRanker(
            objective="rank:ndcg",
            eval_metric="ndcg@10",
            ndcg_exp_gain=False,
            n_estimators=ROUNDS,
            max_depth=depth,
            learning_rate=0.05,
            early_stopping_rounds=PATIENCE,
            n_jobs=1,
        )
        validation = {"eval_set": [(vali.X, vali.grades)], "eval_qid": [vali.qid], "verbose": False}
        model.fit(train.X, train.grades, qid=train.qid, **validation)
        return lambda documents: model.predict(documents.X)

    return best(map(fitted, (3, 6)), vali)
