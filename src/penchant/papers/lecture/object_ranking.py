"""Paper 3, first task: object ranking.

RankSVM and RankBoost, which minimise a ranking loss, are compared with the lecture's two-step scheme (a classifier of
pairs, then Cohen's order), a regression on the grades, the best single feature and chance.
"""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats
from penchant.papers.experiment import experiment
from penchant.papers.lecture import rankers
from penchant.papers.lecture.outcomes import Outcomes, timed, total
from penchant.papers.lecture.sets import PARTS, QUERY_SETS, GradedQueries, query_parts
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run

SVM, BOOST, TWO_STEP, BAYES = "RankSVM", "RankBoost", "two steps, logistic", "two steps, naive Bayes"
KERNEL = "RankSVM, kernel"
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
    methods, seconds = timed(
        {
            SVM: lambda: rankers.rank_svm(train, vali),
            KERNEL: lambda: rankers.kernel_svm(train, vali),
            BOOST: lambda: rankers.rank_boost(train, vali, rounds),
            TWO_STEP: lambda: rankers.two_step(train, vali),
            BAYES: lambda: rankers.naive_bayes(train),
            RIDGE: lambda: rankers.ridge(train, vali),
            FEATURE: lambda: rankers.best_feature(train, vali),
            CHANCE: lambda: lambda given: np.random.default_rng((seed, number)).random(len(given.grades)),
        },
        lambda learned: _measured(test, learned(test)),
    )
    return name, number, methods, _counts(train), seconds


def _measured(test: GradedQueries, scores: Floats) -> dict[str, float]:
    from penchant.metrics import evaluate, pair_accuracy

    measures = evaluate(test.grades, scores, qid=test.qid)
    pairs = pair_accuracy(test.grades, scores, qid=test.qid)
    return {NDCG: measures[NDCG].mean, MAP: measures[MAP].mean, PAIRS: pairs.concordance}


def _counts(train: GradedQueries) -> dict[str, float]:
    """Return the numbers of pairs and objects, and the hinge loss less the share of inverted pairs."""
    from penchant.metrics import pair_accuracy
    from penchant.rankers import RankSVM

    X = rankers.view(train)(train)
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
        folds = [list(counts.values()) for set_name, counts in counted if set_name == name]
        objects, preferences, apart = np.array(folds).T
        numbers[f"{name}: preferences / objects"] = Estimate.ratio(preferences, objects)
        numbers[f"{name}: hinge loss − inverted training pairs, least"] = Estimate(float(apart.min()))
    return numbers
