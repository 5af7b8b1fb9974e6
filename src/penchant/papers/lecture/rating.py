"""Paper 3, third task: rating.

Ordinal regression, which uses the order of the categories and assumes no distances between them, is compared with a
classifier, which ignores the order, a regression on the categories' numbers, which assumes that they are equally far
apart, and the middle category for all rows. The ridge penalty is 1 for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.experiment import experiment
from penchant.papers.lecture.outcomes import Outcomes, by_folds
from penchant.papers.lecture.sets import CATEGORY_SETS, Rows, category_rows
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run

MIDDLE, LIKELIEST = "ordinal, middle category", "ordinal, likeliest"
CLASSES, REGRESSION = "classification", "regression, rounded"
ONE, COMMONEST = "one category for all", "the commonest category for all"
OFF, RIGHT = "categories off (MAE)", "right (accuracy)"
# sets (None: all), folds and most rows of a set (None: all)
PLAYED: BySize[tuple[tuple[str, ...] | None, int, int | None]] = BySize(
    quick=(("contact-lenses", "esl", "newthyroid", "gagolews/glass"), 2, 200),
    default=(None, 5, 1_000),
    full=(None, 5, None),
)

CLAIMS = (
    claim(
        "3.rating-category",
        "given an input, one of the ordered categories can be foretold",
        f"{MIDDLE} − {ONE}, {OFF} < 0",
        f"{LIKELIEST} − {COMMONEST}, {RIGHT} > 0",
        section="Preference learning tasks",
        quote="assign it to one of pre-ordered categories",
    ),
    claim(
        "3.ordinal-order",
        "on an ordinal scale the order is defined: who uses it is off by fewer categories than a classifier",
        f"{MIDDLE} − {CLASSES}, {OFF} < 0",
        f"share of sets on which {MIDDLE} is off by less than {CLASSES} > 0.5",
        whose="ours",
        section="Absolute preferences",
        quote="Ordinal scale preferences: order or objects is defined",
    ),
    claim(
        "3.ordinal-distance",
        "on an ordinal scale distance is not defined: who assumes one (regression) does worse",
        f"{MIDDLE} − {REGRESSION}, {OFF} < 0",
        f"share of sets on which {MIDDLE} is off by less than {REGRESSION} > 0.5",
        f"{LIKELIEST} − {REGRESSION}, {RIGHT} > 0",
        whose="ours",
        section="Absolute preferences",
        quote="but distance is not",
    ),
)


@experiment("3.ratings", "rating", "ordered categories", needs=["ordinal"], claims=CLAIMS)
def rating(run: Run) -> Measured:
    """Predict the ordered category of unseen rows."""
    names, n_folds, most = PLAYED[run.size]
    sets = category_rows(names=names or tuple(CATEGORY_SETS), seed=run.seed, data=run.folder)
    outcomes, seconds = by_folds(_measured_methods, sets, n_folds, most, run)
    rows = "all rows" if most is None else f"at most {most:,} rows of each"
    chart = outcomes.chart(OFF, "Rating: how many categories off", without=[LIKELIEST, ONE, COMMONEST])
    return Measured(
        f"{run.source('ordinal')}: {len(sets)} sets, {rows}, {n_folds} folds",
        _numbers(outcomes, list(sets)),
        {"MAE": chart},
        outcomes.frame,
        seconds,
        tables={measure: outcomes.wide(measure, list(sets), "mean of all") for measure in (OFF, RIGHT)},
    )


def _measured_methods(train: Rows, test: Rows) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return the measures of each method on the test rows, and the CPU seconds."""
    X, new = train.X, test.X
    present, codes = np.unique(train.target, return_inverse=True)
    raters: dict[str, Callable[[], dict[str, Ints]]] = {
        "ordinal": lambda: dict(zip((MIDDLE, LIKELIEST), _ordinal(X, codes, new), strict=True)),
        CLASSES: lambda: {CLASSES: _classified(X, codes, new)},
        REGRESSION: lambda: {REGRESSION: _regressed(X, codes, new)},
        ONE: lambda: {ONE: np.full(len(new), np.sort(codes)[len(codes) // 2])},
        COMMONEST: lambda: {COMMONEST: np.full(len(new), np.bincount(codes).argmax())},
    }
    methods, seconds = {}, {}
    for method, rate in raters.items():
        began = process_time()
        rated = rate()
        seconds[method] = process_time() - began
        for variant, categories in rated.items():
            off = np.abs(present[categories] - test.target)
            methods[variant] = {OFF: float(off.mean()), RIGHT: float((off == 0).mean())}
    return methods, seconds


def _ordinal(X: Floats, codes: Ints, new: Floats) -> tuple[Ints, Ints]:
    """Return the middle and the likeliest category of the same model."""
    from penchant.rankers import OrdinalRegression

    model = OrdinalRegression(predicts="median").fit(X, codes)
    return model.predict(new), model.classes_[model.predict_proba(new).argmax(axis=1)]


def _classified(X: Floats, codes: Ints, new: Floats) -> Ints:
    from sklearn.linear_model import LogisticRegression

    return np.asarray(LogisticRegression(max_iter=2_000).fit(X, codes).predict(new))


def _regressed(X: Floats, codes: Ints, new: Floats) -> Ints:
    """Return the number of the category that is nearest to a ridge regression."""
    from sklearn.linear_model import Ridge

    predicted = Ridge(alpha=1.0).fit(X, codes).predict(new)
    return np.asarray(np.clip(np.floor(predicted + 0.5), 0, codes.max()), dtype=np.int64)


def _numbers(outcomes: Outcomes, sets: list[str]) -> dict[str, Estimate]:
    numbers = {
        f"{method}, {OFF}": outcomes.mean(method, OFF, *sets) for method in (MIDDLE, CLASSES, REGRESSION, ONE)
    }
    numbers[f"{LIKELIEST} − {COMMONEST}, {RIGHT}"] = outcomes.lead(LIKELIEST, COMMONEST, RIGHT, *sets)
    for other in (ONE, CLASSES, REGRESSION):
        numbers[f"{MIDDLE} − {other}, {OFF}"] = outcomes.lead(MIDDLE, other, OFF, *sets)
        numbers[f"{LIKELIEST} − {other}, {RIGHT}"] = outcomes.lead(LIKELIEST, other, RIGHT, *sets)
        fewer = np.array(
            [outcomes.lead(MIDDLE, other, OFF, name).value < 0 for name in sets], dtype=np.float64
        )
        numbers[f"share of sets on which {MIDDLE} is off by less than {other}"] = Estimate.of(fewer)
    return numbers
