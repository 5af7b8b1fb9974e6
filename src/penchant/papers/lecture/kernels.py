"""Paper 3, RankSVM with kernels: the lecture's training pairs, its dual problem, and a ranking that is not linear.

The lecture replaces the inner product of difference vectors by any kernel on them. A kernel on objects, whose
differences are taken in its feature space, is the other reading; both are tried.
"""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Literal

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.experiment import experiment
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

BETTER = np.array([[0.74, 1, 25, 165], [0.47, 1, 46, 183], [0.25, 0, 26, 199]])
WORSE = np.array([[0.45, 0, 35, 155], [0.57, 1, 61, 177], [0.73, 0, 46, 185]])
"""The lecture's three training preferences, object by object."""
C = 10.0
DRAWS: BySize[int] = BySize(quick=2, default=20, full=100)
OBJECTS, NEW = 60, 200
SECTION = "RankSVM with kernels"
WAYS: dict[Literal["objects", "differences"], str] = {
    "objects": "kernel on objects",
    "differences": "kernel on differences",
}
NON_LINEAR = claim(
    "3.kernels",
    "kernels make rankings possible that are not linear",
    "peak: kernel on objects less linear, pair accuracy > 0.1",
    section=SECTION,
    quote="use kernel functions to perform non-linear ranking",
)
CLAIMS = (
    claim(
        "3.dual",
        "the dual problem solves RankSVM: its largest value is the least of the primal problem",
        "-0.001 < primal less dual, of the primal < 0.001",
        section=SECTION,
        quote="This is solved by the dual RankSVM problem",
    ),
    claim(
        "3.dual-variables",
        "there is a dual variable for each preference",
        "-0.5 < dual variables less preferences < 0.5",
        section=SECTION,
        quote="number of dual variables is proportional to the set of pairwise preferences",
    ),
    claim(
        "3.one-order",
        "only the preferred order has to be constrained: with both orders the solution is the same",
        "largest change of w with both orders < 0.001",
        section="RankSVM",
        quote="the constraints for (j,i) are automatically satisfied",
    ),
    claim(
        "3.training-pairs",
        "the learned function puts the lecture's three preferences in order",
        "training preferences in order > 2.5",
        section="Object ranking",
        quote="Pairwise preferences between objects",
    ),
    *(
        NON_LINEAR.by(f"peak: {name} less linear, pair accuracy > 0.1", setting=name)
        for name in WAYS.values()
    ),
)


@experiment("3.kernels", "RankSVM with kernels", "the dual problem, and what is not linear", claims=CLAIMS)
def kernel_ranking(run: Run) -> Measured:
    """Solve the lecture's example by primal and dual, and rank by a utility with a peak in the middle."""
    import pandas as pd

    from penchant.plots import comparison_chart

    began = process_time()
    peaks = run.each(_peak, [(run.seed, draw) for draw in range(DRAWS[run.size])])
    frame = pd.DataFrame(peaks)
    numbers: dict[str, Estimate | float] = {**_example()}
    for name in frame.columns:
        numbers[f"peak: {name}, pair accuracy"] = Estimate.of(frame[name].to_numpy())
        numbers[f"peak: {name} less linear, pair accuracy"] = Estimate.of(
            (frame[name] - frame["linear"]).to_numpy()
        )
    chart = comparison_chart(
        {"utility with a peak": {str(name): frame[name].to_numpy() for name in frame}},
        x="pair accuracy on new objects",
        title="RankSVM with and without kernels",
        subtitle=f"{OBJECTS} objects to learn from; mean over {len(frame)} draws ± one standard error",
    )
    return Measured(
        f"the lecture's three preferences, and {len(frame)} drawn sets of {OBJECTS} objects",
        numbers,
        {"accuracy": chart},
        frame,
        {"RankSVM": process_time() - began},
        tables={"the lecture's example": _scores()},
    )


def _scaled() -> Floats:
    """Return the six objects with features of mean 0 and deviation 1, better ones first."""
    rows = np.vstack([BETTER, WORSE])
    found: Floats = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return found


def _example() -> dict[str, float]:
    """Compare the primal solution of the lecture's example with a dual one, and with both orders constrained."""
    from penchant.rankers import RankSVM

    X, pairs = _scaled(), np.column_stack([np.arange(3), np.arange(3, 6)])
    model = RankSVM(C=C, loss="hinge", tol=1e-6).fit_pairs(X, pairs)
    apart = X[pairs[:, 0]] - X[pairs[:, 1]]
    alpha = _dual_solution(apart)
    w = alpha @ apart
    labels, turned = -np.ones((3, 1)), -apart  # the opposite order of each pair
    both = np.vstack([apart, labels * turned])
    dual = float(alpha.sum() - w @ w / 2)
    return {
        "primal less dual, of the primal": (model.objective_ - dual) / model.objective_,
        "dual variables less preferences": float(len(alpha) - len(pairs)),
        "largest change of w with both orders": float(np.abs(_dual_solution(both) @ both - w).max()),
        "training preferences in order": float((apart @ model.coef_ > 0).sum()),
    }


def _dual_solution(apart: Floats) -> Floats:
    """Return the dual variables of differences, one row each, by coordinate ascent between 0 and C/|P|."""
    gram = apart @ apart.T
    alpha = np.zeros(len(apart))
    for _ in range(2_000):
        for place in range(len(alpha)):
            best = alpha[place] + (1 - gram[place] @ alpha) / gram[place, place]
            alpha[place] = min(max(best, 0.0), C / len(alpha))
    return alpha


def _peak(seed: int, draw: int) -> dict[str, float]:
    """Return the accuracy on pairs of new objects where those near the origin are best."""
    from penchant.rankers import RankSVM

    random = np.random.default_rng((seed, draw))
    X, new = random.uniform(-1, 1, (OBJECTS, 2)), random.uniform(-1, 1, (NEW, 2))
    pairs = _preferred(X, random.choice(OBJECTS, (300, 2)))
    tested = _preferred(new, random.choice(NEW, (1_000, 2)))
    found = {"linear": RankSVM(C=100).fit_pairs(X, pairs)}
    for on, name in WAYS.items():
        found[name] = RankSVM(C=100, kernel="rbf", on=on).fit_pairs(X, pairs)
    return {name: _accuracy(model.predict(new), tested) for name, model in found.items()}


def _preferred(X: Floats, drawn: Ints) -> Ints:
    """Return the drawn pairs of different objects, the one nearer to the origin first."""
    pairs = drawn[drawn[:, 0] != drawn[:, 1]]
    far = (X**2).sum(axis=1)[pairs]
    return np.asarray(np.where(far[:, :1] < far[:, 1:], pairs, pairs[:, ::-1]))


def _accuracy(scores: Floats, pairs: Ints) -> float:
    return float((scores[pairs[:, 0]] > scores[pairs[:, 1]]).mean())


def _scores() -> pd.DataFrame:
    import pandas as pd

    from penchant.rankers import RankSVM

    X, pairs = _scaled(), np.column_stack([np.arange(3), np.arange(3, 6)])
    models = {
        "linear": RankSVM(C=C).fit_pairs(X, pairs),
        "rbf kernel": RankSVM(C=C, kernel="rbf").fit_pairs(X, pairs),
    }
    objects = [f"({', '.join(f'{value:g}' for value in row)})" for row in np.vstack([BETTER, WORSE])]
    scores = {name: model.predict(X).round(3) for name, model in models.items()}
    return pd.DataFrame({"object": objects, "preferred": ["yes"] * 3 + ["no"] * 3} | scores)
