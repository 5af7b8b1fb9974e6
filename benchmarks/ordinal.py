"""Proportional odds on made rows, whose true weights are known, beside two libraries of ordinal regression."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How fast is OrdinalRegression, and how far from the truth, beside mord and statsmodels?"

MORD = ("mord>=0.7", "scikit-learn")
STATSMODELS = ("statsmodels>=0.14.4",)
NUMERICAL = 50  # the most features for statsmodels, whose slopes take one likelihood each: minutes beyond
CUTS = (-1.5, -0.5, 0.5, 1.5)


def cases(quick: bool) -> list[Case]:
    """Return a small, a long and a wide table."""
    sizes = [(500, 5)] if quick else [(1_000, 10), (100_000, 20), (5_000, 200)]
    return [case for size in sizes for case in of_size(*size)]


def of_size(n: int, width: int) -> list[Case]:
    """Return the rows of one task."""
    what = f"{n:,} × {width}, {len(CUTS) + 1} categories"
    judge = judged(width)
    by_statsmodels = Case(
        who="statsmodels OrderedModel",
        what=what,
        requires=STATSMODELS,
        prepare=lambda: statsmodels(n, width),
        answer=judge,
        cannot="no ridge",
        warm=1,
    )
    return [
        Case(what=what, prepare=lambda: penchant(n, width), answer=judge),
        Case(
            who="mord LogisticAT",
            what=what,
            requires=MORD,
            prepare=lambda: mord(n, width),
            answer=judge,
            warm=3,
        ),
        *([by_statsmodels] if width <= NUMERICAL else []),
    ]


@cache
def rated(n: int, width: int, seed: int = 0) -> tuple[Any, Any]:
    """Return features and categories 0 to 4, which follow proportional odds."""
    import numpy as np

    random = np.random.default_rng(seed)
    X = random.standard_normal((n, width))
    return X, np.searchsorted(CUTS, X @ weights(width) + random.logistic(size=n))


def weights(width: int) -> Any:
    """Return the weights that the categories follow, of length 2."""
    import numpy as np

    drawn = np.random.default_rng(1).standard_normal(width)
    return 2 * drawn / np.linalg.norm(drawn)


def penchant(n: int, width: int) -> Callable[[], Any]:
    """Prepare Penchant's row."""
    from penchant.rankers import OrdinalRegression

    X, y = rated(n, width)

    def fitted() -> Any:
        model = OrdinalRegression().fit(X, y)
        return model.coef_, model.thresholds_

    return fitted


def mord(n: int, width: int) -> Callable[[], Any]:
    """Prepare mord's row, with the same ridge."""
    from mord import LogisticAT  # type: ignore[import-not-found]

    X, y = rated(n, width)

    def fitted() -> Any:
        model = LogisticAT(alpha=1.0).fit(X, y)
        return model.coef_, model.theta_

    return fitted


def statsmodels(n: int, width: int) -> Callable[[], Any]:
    """Prepare statsmodels' row, which tells cuts by the first and the logarithms of the steps between them."""
    import numpy as np
    from statsmodels.miscmodels.ordinal_model import OrderedModel  # type: ignore[import-not-found]

    X, y = rated(n, width)

    def fitted() -> Any:
        found = np.asarray(OrderedModel(y, X, distr="logit").fit(method="bfgs", maxiter=1_000, disp=0).params)
        steps = np.r_[found[width], np.exp(found[width + 1 :])]
        return found[:width], np.cumsum(steps)

    return fitted


def judged(width: int) -> Callable[[Any], Answer]:
    """Tell how far new rows are rated from their category, and how far the weights are from the true ones."""

    def tell(result: Any) -> Answer:
        import numpy as np

        coef, cuts = result
        X, y = rated(50_000, width, seed=2)
        off = np.linalg.norm(coef - weights(width)) / np.linalg.norm(weights(width))
        return {
            "MAE": f"{np.abs(np.searchsorted(cuts, X @ coef) - y).mean():.4f}",
            "weights off": f"{off:.1%}",
        }

    return tell
