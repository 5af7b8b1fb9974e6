"""Bradley–Terry scores with covariates of each comparison, beside a logistic regression on the same design."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How fast are Bradley–Terry scores with covariates, beside scikit-learn's logistic regression?"


def cases(quick: bool) -> list[Case]:
    """Return one size without a prior, with errors and tests in Penchant's row, and one with the learned prior."""
    n, m, k = (20, 20_000, 5) if quick else (100, 1_000_000, 10)
    what = f"{n:,} items × {m:,} rows × {k} covariates and side"
    return [
        Case(what=what, prepare=lambda: penchant(n, m, k, 0.0), answer=ours(n, m, k), warm=3),
        Case(
            who="scikit-learn LogisticRegression",
            what=what,
            prepare=lambda: regression(n, m, k),
            answer=theirs(n, m, k),
            cannot="no standard errors; not timed: making the sparse design",
            warm=3,
        ),
        Case(
            who="Penchant, learned prior",
            what=what,
            prepare=lambda: penchant(n, m, k, "learned"),
            answer=ours(n, m, k),
            warm=3,
        ),
    ]


@cache
def votes(n: int, m: int, k: int) -> tuple[Any, ...]:
    """Return left and right items, covariates of left less right in different units, and whether left won."""
    import numpy as np

    rng = np.random.default_rng(0)
    scores, effects = rng.normal(size=n), 0.2 * rng.normal(size=k)
    left = rng.integers(n, size=m)
    right = (left + 1 + rng.integers(n - 1, size=m)) % n
    x = rng.normal(size=(m, k))
    won = rng.random(m) < 1 / (1 + np.exp(-(scores[left] - scores[right] + x @ effects + 0.1)))
    return left, right, x * np.arange(1, k + 1), won


def penchant(n: int, m: int, k: int, prior: float | str) -> Callable[[], object]:
    """Prepare Penchant's row, which ends with the effects and their errors."""
    import numpy as np

    from penchant import Preferences
    from penchant.worth import BradleyTerry

    left, right, x, won = votes(n, m, k)
    names = [f"x{j}" for j in range(k)]
    prefs = Preferences.from_answers(
        left,
        right,
        np.where(won, "left", "right").tolist(),
        items=range(n),
        covariates=dict(zip(names, x.T, strict=True)),
    )

    def fit() -> Any:
        model = BradleyTerry(prior).fit(prefs, covariates=names, side=True)
        return model.scores_, model.effects_.estimate

    return fit


def regression(n: int, m: int, k: int) -> Callable[[], object]:
    """Prepare the row of scikit-learn: a sparse design of items and standardised covariates, no penalty."""
    import numpy as np
    from scipy.sparse import csr_array, hstack
    from sklearn.linear_model import LogisticRegression

    left, right, x, won = votes(n, m, k)
    rows, scale = np.tile(np.arange(m), 2), np.arange(1, k + 1)
    items = csr_array((np.repeat([1.0, -1.0], m), (rows, np.concatenate([left, right]))), shape=(m, n))
    design = hstack([items, csr_array(x / scale)]).tocsr()

    def fit() -> Any:
        model = LogisticRegression(C=np.inf, tol=1e-6, max_iter=1000).fit(design, won)
        found = model.coef_[0]
        return found[:n] - found[:n].mean(), np.append(found[n:] / scale, model.intercept_)

    return fit


def ours(n: int, m: int, k: int) -> Callable[[Any], Answer]:
    """Judge scores and effects by the log likelihood and its gradient."""
    return lambda found: judged(found, n, m, k)


theirs = ours


def judged(found: Any, n: int, m: int, k: int) -> Answer:
    """Return the mean log likelihood, and the largest gradient by a score or a standardised effect."""
    import numpy as np

    left, right, x, won = votes(n, m, k)
    scores, effects = found
    worth = scores[left] - scores[right] + x @ effects[:k] + effects[k]
    chance = 1 / (1 + np.exp(-worth))
    rest = won - chance
    gradient = np.concatenate(
        [
            np.bincount(left, rest, n) - np.bincount(right, rest, n),
            rest @ (x / np.arange(1, k + 1)),
            [rest.sum()],
        ]
    )
    likelihood = float(np.log(np.where(won, chance, 1 - chance)).mean())
    return {"log likelihood": f"{likelihood:.9f}", "largest gradient": f"{np.abs(gradient).max():.1e}"}
