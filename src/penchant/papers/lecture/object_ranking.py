"""Paper 3, first task: object ranking.

RankSVM and RankBoost, which minimise a ranking loss, are compared with the lecture's two-step scheme (a classifier of
pairs, then Cohen's order), a regression on the grades, the best single feature and chance. Settings are chosen by
NDCG@10 on the validation queries of the fold. Linear models use standardised logarithms of the features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from time import process_time
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.papers.experiment import experiment
from penchant.papers.lecture.outcomes import Outcomes, total
from penchant.papers.lecture.sets import PARTS, QUERY_SETS, GradedQueries, query_parts, scaled
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run

SVM, BOOST, TWO_STEP, BAYES = "RankSVM", "RankBoost", "two steps, logistic", "two steps, naive Bayes"
KERNEL = "RankSVM, kernel"
KERNEL_ROWS = 1_000
"""The kernel's matrix is written out, so that it learns from at most so many documents."""
RIDGE, FEATURE, CHANCE = "ridge on grades", "best feature", "chance"
NDCG, MAP, PAIRS = "NDCG@10", "MAP", "pair accuracy"
# folds, documents of each part that teach and that judge (None: all), and rounds of boosting
PLAYED: BySize[tuple[int, int | None, int | None, int]] = BySize(
    quick=(2, 100, 400, 10),
    default=(5, 500, None, 100),
    full=(5, None, None, 300),
)

CLAIMS = (
    claim(
        "3.object-order",
        "a ranking function learned from preferences orders new sets of objects",
        *(f"{name}: {method} − chance, {NDCG} > 0" for name in QUERY_SETS for method in (SVM, BOOST)),
        section="Object ranking",
        quote="can order new sets of objects",
    ),
    claim(
        "3.kernel-order",
        "so does RankSVM with a kernel",
        *(f"{name}: {KERNEL} − chance, {NDCG} > 0" for name in QUERY_SETS),
        section="RankSVM with kernels",
        quote="use kernel functions to perform non-linear ranking",
    ),
    claim(
        "3.any-classifier",
        "any classification algorithm on pairs can learn which of two objects is preferred",
        *(f"{name}: {method}, {PAIRS} > 0.5" for name in QUERY_SETS for method in (TWO_STEP, BAYES)),
        section="First step: learning to order pairs",
        quote="any classification algorithm on the pairwise data",
    ),
    claim(
        "3.two-steps",
        "the two-step scheme is simple and can be effective",
        *(f"{name}: {TWO_STEP} − {FEATURE}, {NDCG} > 0" for name in QUERY_SETS),
        section="Preference learning through ranking loss minimization",
        quote="Although it simple and can be effective",
    ),
    claim(
        "3.ranking-loss",
        "methods that optimise a ranking loss directly put more pairs right than the two-step scheme, which does not",
        *(f"{name}: {method} − {TWO_STEP}, {PAIRS} > 0" for name in QUERY_SETS for method in (SVM, BOOST)),
        whose="ours",
        section="Preference learning through ranking loss minimization",
        quote="does not directly optimize a loss function for ranking",
    ),
    claim(
        "3.hinge-bound",
        "the hinge loss is an upper bound on the share of inverted pairs",
        *(f"{name}: hinge loss − inverted training pairs, least > 0" for name in QUERY_SETS),
        section="Hinge loss for preference learning",
        quote="convex upper bound, such as Hinge loss",
    ),
)

Scorer = Callable[[GradedQueries], Floats]


@experiment(
    "3.objects", "object ranking", "rankers on graded queries", needs=tuple(QUERY_SETS), claims=CLAIMS
)
def object_ranking(run: Run) -> Measured:
    """Rank the documents of unseen queries by each of the lecture's methods."""
    n_folds, documents, judging, rounds = PLAYED[run.size]
    tasks = []
    for name in QUERY_SETS:
        parts = query_parts(name, seed=run.seed, data=run.folder)
        for number in range(n_folds):
            turned = [parts[(number + place) % PARTS] for place in range(PARTS)]
            train = GradedQueries.joined([part.first(documents) for part in turned[:3]])
            vali, test = (part.first(judging) for part in turned[3:])
            tasks.append((name, number, train, vali, test, rounds, run.seed))
    found = run.each(_fold, tasks)
    outcomes = Outcomes.of([(name, number, methods) for name, number, methods, _, _ in found])
    numbers = _numbers(outcomes) | _sizes([(name, counts) for name, _, _, counts, _ in found])
    what = ", ".join(QUERY_SETS)
    taught, judged = (
        "all" if most is None else f"about {most:,}" for most in (documents and 3 * documents, judging)
    )
    charts = {
        measure: outcomes.chart(measure, f"Object ranking: {measure}", without=[CHANCE, BAYES])
        for measure in (NDCG, PAIRS)
    }
    return Measured(
        f"{run.source(what)}: {n_folds} folds, {taught} documents to learn from in each and {judged} to judge by",
        numbers,
        charts,
        outcomes.frame,
        total(took for *_, took in found),
        tables={"object ranking": outcomes.table((NDCG, MAP, PAIRS))},
    )


def _fold(
    name: str,
    number: int,
    train: GradedQueries,
    vali: GradedQueries,
    test: GradedQueries,
    rounds: int,
    seed: int,
) -> tuple[str, int, dict[str, dict[str, float]], dict[str, float], dict[str, float]]:
    """Return the measures of each method on the test queries, counts of the training pairs, and CPU seconds."""
    learners: dict[str, Callable[[], Scorer]] = {
        SVM: lambda: _rank_svm(train, vali),
        KERNEL: lambda: _kernel_svm(train.first(KERNEL_ROWS), vali),
        BOOST: lambda: _rank_boost(train, vali, rounds),
        TWO_STEP: lambda: _two_step(train, vali),
        BAYES: lambda: _naive_bayes(train),
        RIDGE: lambda: _ridge(train, vali),
        FEATURE: lambda: _best_feature(train, vali),
        CHANCE: lambda: lambda given: np.random.default_rng((seed, number)).random(len(given.grades)),
    }
    methods, seconds = {}, {}
    for method, learn in learners.items():
        began = process_time()
        methods[method] = _measured(test, learn()(test))
        seconds[method] = process_time() - began
    return name, number, methods, _counts(train), seconds


def _measured(test: GradedQueries, scores: Floats) -> dict[str, float]:
    from penchant.metrics import evaluate, pair_accuracy

    measures = evaluate(test.grades, scores, qid=test.qid)
    pairs = pair_accuracy(test.grades, scores, qid=test.qid)
    return {NDCG: measures[NDCG].mean, MAP: measures[MAP].mean, PAIRS: pairs.concordance}


def _ndcg(given: GradedQueries, scores: Floats) -> float:
    from penchant.metrics import ndcg

    return float(ndcg(given.grades, scores, qid=given.qid, k=10))


def _best(scorers: Iterable[Scorer], vali: GradedQueries) -> Scorer:
    """Return the one with the highest NDCG@10, the first of equal ones."""
    return max(scorers, key=lambda scorer: _ndcg(vali, scorer(vali)))


def _short_tailed(X: Floats) -> Floats:
    return np.sign(X) * np.log1p(np.abs(X))


def _view(train: GradedQueries) -> Callable[[GradedQueries], Floats]:
    """Return the features of linear models: logarithms with mean 0 and deviation 1 on the training queries."""
    seen = _short_tailed(train.X)
    return lambda given: scaled(seen, _short_tailed(given.X))[1]


def _rank_svm(train: GradedQueries, vali: GradedQueries) -> Scorer:
    from penchant.rankers import RankSVM

    view = _view(train)
    X = view(train)

    def fitted(C: float) -> Scorer:
        model = RankSVM(C=C, loss="hinge").fit(X, train.grades, qid=train.qid)
        return lambda given: model.predict(view(given))

    return _best(map(fitted, (0.01, 0.1, 1.0, 10.0)), vali)


def _kernel_svm(train: GradedQueries, vali: GradedQueries) -> Scorer:
    from penchant.rankers import RankSVM

    view = _view(train)
    X = view(train)

    def fitted(C: float) -> Scorer:
        model = RankSVM(C=C, kernel="rbf", tol=1e-3).fit(X, train.grades, qid=train.qid)
        return lambda given: model.predict(view(given))

    return _best(map(fitted, (1.0, 10.0)), vali)


def _rank_boost(train: GradedQueries, vali: GradedQueries, rounds: int) -> Scorer:
    from penchant.rankers import RankBoost

    model = RankBoost(rounds).fit(train.X, train.grades, qid=train.qid)
    risen = [_ndcg(vali, scores) for scores in model.staged_predict(vali.X)]
    best = risen.index(max(risen))
    return lambda given: next(islice(model.staged_predict(given.X), best, None))


def _in_two_steps(train: GradedQueries, classifier: Any) -> Scorer:
    from penchant.rankers import PairwiseRanker

    view = _view(train)
    model = PairwiseRanker(classifier, features="difference").fit(view(train), train.grades, qid=train.qid)
    return lambda given: model.predict(view(given), qid=given.qid)


def _two_step(train: GradedQueries, vali: GradedQueries) -> Scorer:
    from sklearn.linear_model import LogisticRegression

    classifiers = (LogisticRegression(C=C, fit_intercept=False, max_iter=1_000) for C in (1e-5, 1e-3))
    return _best((_in_two_steps(train, classifier) for classifier in classifiers), vali)


def _naive_bayes(train: GradedQueries) -> Scorer:
    from sklearn.naive_bayes import GaussianNB

    return _in_two_steps(train, GaussianNB())


def _ridge(train: GradedQueries, vali: GradedQueries) -> Scorer:
    from sklearn.linear_model import Ridge

    view = _view(train)
    X = view(train)

    def fitted(alpha: float) -> Scorer:
        model = Ridge(alpha=alpha).fit(X, train.grades)
        return lambda given: np.asarray(model.predict(view(given)))

    return _best(map(fitted, (1.0, 10.0, 100.0, 1_000.0)), vali)


def _best_feature(train: GradedQueries, vali: GradedQueries) -> Scorer:
    """Return the feature, ascending or descending, that ranks the training and validation queries best."""
    both = GradedQueries.joined([train, vali])

    def by(feature: int, sign: float) -> Scorer:
        return lambda given: sign * given.X[:, feature]

    return _best((by(feature, sign) for feature in range(both.X.shape[1]) for sign in (1.0, -1.0)), both)


def _counts(train: GradedQueries) -> dict[str, float]:
    """Return the numbers of pairs and objects, and the hinge loss less the share of inverted pairs."""
    from penchant.metrics import pair_accuracy
    from penchant.rankers import RankSVM

    X = _view(train)(train)
    model = RankSVM(C=1.0, loss="hinge").fit(X, train.grades, qid=train.qid)
    pairs = pair_accuracy(train.grades, model.predict(X), qid=train.qid)
    hinge = model.objective_ - float(model.coef_ @ model.coef_) / 2
    return {
        "objects": len(train.grades),
        "preferences": pairs.n_pairs,
        "hinge loss − inverted": hinge - pairs.wrong / pairs.n_pairs,
    }


def _numbers(outcomes: Outcomes) -> dict[str, Estimate]:
    numbers = {}
    for name in QUERY_SETS:
        for method in (SVM, KERNEL, BOOST):
            numbers[f"{name}: {method} − {CHANCE}, {NDCG}"] = outcomes.lead(method, CHANCE, NDCG, name)
            numbers[f"{name}: {method} − {TWO_STEP}, {PAIRS}"] = outcomes.lead(method, TWO_STEP, PAIRS, name)
        numbers[f"{name}: {KERNEL} − {SVM}, {NDCG}"] = outcomes.lead(KERNEL, SVM, NDCG, name)
        for method in (TWO_STEP, BAYES):
            numbers[f"{name}: {method}, {PAIRS}"] = outcomes.mean(method, PAIRS, name)
        numbers[f"{name}: {TWO_STEP} − {FEATURE}, {NDCG}"] = outcomes.lead(TWO_STEP, FEATURE, NDCG, name)
    return numbers


def _sizes(counted: list[tuple[str, dict[str, float]]]) -> dict[str, Estimate]:
    numbers = {}
    for name in QUERY_SETS:
        folds = [counts for set_name, counts in counted if set_name == name]
        preferences, objects, apart = (
            np.array([counts[what] for counts in folds])
            for what in ("preferences", "objects", "hinge loss − inverted")
        )
        numbers[f"{name}: preferences / objects"] = Estimate.ratio(preferences, objects)
        numbers[f"{name}: hinge loss − inverted training pairs, least"] = Estimate(float(apart.min()))
    return numbers
