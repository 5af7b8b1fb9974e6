"""Paper 3, second task: label ranking.

A classifier for each pair of labels and the nearest rows are compared with one order for all rows. The first label is
also predicted by a plain classifier, since the lecture states that label ranking generalises classification.
"""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.experiment import experiment
from penchant.papers.lecture.outcomes import Outcomes, by_folds, timed
from penchant.papers.lecture.sets import LABEL_SETS, Rows, label_rows, sushi_rows
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run

BY_PAIRS, NEAREST, ONE, CLASSIFIER = (
    "by pairs",
    "by neighbours",
    "one order for all",
    "classifier of the first",
)
TAU, RHO, FIRST = "Kendall's tau", "Spearman's rho", "first label right"
NEIGHBOURS = 20
SUSHI = "sushi"
ALL = "mean of the label-ranking sets"
# sets (None: all), folds and most rows of a set (None: all)
PLAYED: BySize[tuple[tuple[str, ...] | None, int, int | None]] = BySize(
    quick=(("glass", "iris", "wine"), 2, 200),
    default=(None, 5, 1_000),
    full=(None, 5, None),
)

CLAIMS = (
    claim(
        "3.label-order",
        "given an input, the order of the labels can be predicted",
        *(
            f"{where}: {method} − {ONE}, {TAU} > 0"
            for where in (ALL, SUSHI)
            for method in (BY_PAIRS, NEAREST)
        ),
        section="Preference learning tasks",
        quote="predict the (relevance) order of the labels",
    ),
    claim(
        "3.label-classification",
        "label ranking generalises multi-class classification: its first label is as good as a classifier's",
        *(f"{where}: {BY_PAIRS} − {CLASSIFIER}, {FIRST} > -0.05" for where in (ALL, SUSHI)),
        section="Preference learning tasks",
        quote="generalization of multi-class classification",
    ),
)


@experiment(
    "3.labels",
    "label ranking",
    "rankings of labels from features",
    needs=["label-ranking", "sushi"],
    claims=CLAIMS,
)
def label_ranking(run: Run) -> Measured:
    """Predict the order of the labels of unseen rows."""
    names, n_folds, most = PLAYED[run.size]
    sets = label_rows(names=names or tuple(LABEL_SETS), seed=run.seed, data=run.folder)
    sets[SUSHI] = sushi_rows(seed=run.seed, data=run.folder)
    outcomes, seconds = by_folds(_measured_methods, sets, n_folds, most, run)
    many = [name for name in sets if name != SUSHI]
    rows = "all rows" if most is None else f"at most {most:,} rows of each"
    return Measured(
        f"{run.source('label-ranking and sushi')}: {len(many)} sets and sushi, {rows}, {n_folds} folds",
        _numbers(outcomes, many),
        {TAU: outcomes.chart(TAU, f"Label ranking: {TAU}", without=[CLASSIFIER])},
        outcomes.frame,
        seconds,
        tables={
            measure: outcomes.wide(measure, [SUSHI, *many], "mean of all") for measure in (TAU, RHO, FIRST)
        },
    )


def _measured_methods(train: Rows, test: Rows) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return the measures of each method on the test rows, and the CPU seconds."""
    from penchant.rankers import LabelRanker, NearestLabelRanker

    X, ranks, new, truth = train.X, train.target, test.X, test.target
    methods, seconds = timed(
        {
            BY_PAIRS: lambda: LabelRanker().fit(X, ranks).predict(new),
            NEAREST: lambda: NearestLabelRanker(min(NEIGHBOURS, len(X))).fit(X, ranks).predict(new),
            ONE: lambda: np.broadcast_to(_order_for_all(ranks), truth.shape),
        },
        lambda predicted: _measured(truth, predicted),
    )
    right = _first_label(X, ranks.argmin(axis=1), new) == truth.argmin(axis=1)
    methods[CLASSIFIER] = {TAU: np.nan, RHO: np.nan, FIRST: float(right.mean())}
    return methods, seconds


def _measured(truth: Ints, predicted: Ints) -> dict[str, float]:
    from penchant.rankers import mean_tau

    right = truth.argmin(axis=1) == predicted.argmin(axis=1)
    return {TAU: mean_tau(truth, predicted), RHO: mean_rho(truth, predicted), FIRST: float(right.mean())}


def mean_rho(truth: Ints, predicted: Ints) -> float:
    """Return the mean over rows of Spearman's ρ = 1 − 6 Σ d² / (m(m² − 1)) between complete rankings.

    Examples
    --------
    >>> mean_rho(np.array([[1, 2, 3], [1, 2, 3]]), np.array([[1, 2, 3], [3, 2, 1]]))
    0.0
    """
    m = truth.shape[1]
    apart: Floats = ((truth - predicted) ** 2).sum(axis=1) / (m * (m**2 - 1))
    return float(1 - 6 * apart.mean())


def _order_for_all(ranks: Ints) -> Ints:
    """Return the ranks by which the fewest pairs of labels are inverted, all rows together."""
    from penchant.orders import component_order, ranks_from_order

    before = (ranks[:, :, None] < ranks[:, None, :]).mean(axis=0)
    return ranks_from_order(component_order(before))


def _first_label(X: Floats, first: Ints, new: Floats) -> Ints:
    """Return the label that a logistic regression puts first."""
    from sklearn.linear_model import LogisticRegression

    if len(np.unique(first)) == 1:
        return np.full(len(new), first[0])
    return np.asarray(LogisticRegression(max_iter=1_000).fit(X, first).predict(new))


def _numbers(outcomes: Outcomes, many: list[str]) -> dict[str, Estimate]:
    numbers = {}
    for where, sets in ((ALL, many), (SUSHI, [SUSHI])):
        for method in (BY_PAIRS, NEAREST, ONE):
            numbers[f"{where}: {method}, {TAU}"] = outcomes.mean(method, TAU, *sets)
        for method in (BY_PAIRS, NEAREST):
            numbers[f"{where}: {method} − {ONE}, {TAU}"] = outcomes.lead(method, ONE, TAU, *sets)
        numbers[f"{where}: {BY_PAIRS} − {CLASSIFIER}, {FIRST}"] = outcomes.lead(
            BY_PAIRS, CLASSIFIER, FIRST, *sets
        )
    return numbers
