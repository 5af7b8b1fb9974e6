"""Paper 3, the theorem on RankBoost: the training risk and its bounds in each round.

The pairs are written out, so that risk, exponential loss and weights are those of the lecture's formulas and not
of the estimator. The queries are the training queries of the first fold of MQ2008.
"""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.experiment import experiment
from penchant.papers.lecture.sets import GradedQueries, query_parts
from penchant.papers.result import BySize, Measured, claim
from penchant.papers.run import Run

if TYPE_CHECKING:
    import pandas as pd

    from penchant.rankers import RankBoost

NAME = "letor4-mq2008"
# documents of each part (None: all) and rounds
PLAYED: BySize[tuple[int | None, int]] = BySize(
    quick=(300, 50),
    default=(None, 300),
    full=(None, 2_000),
)
ROUNDING = 1e-9

CLAIMS = (
    claim(
        "3.weak-rankers",
        "weak rankers rank more pairs right than wrong, so that their weights are above 0",
        "least edge ε⁺ − ε⁻ > 0",
        "least weight α > 0",
        section="Weak ranker?",
        quote="rank correctly more pairs than incorrectly",
    ),
    claim(
        "3.normaliser",
        "Z_t = ε⁰ + 2 √(ε⁺ ε⁻) normalises the weights",
        f"Z less ε⁰ + 2 √(ε⁺ ε⁻), largest < {ROUNDING}",
        section="Re-weighting of examples",
        quote="is a normalization factor",
    ),
    claim(
        "3.reweighting",
        "pairs that the weak ranker has wrong weigh more in the next round, pairs that it has right less",
        "D₂ / D₁ of pairs that round 1 has wrong > 1",
        "D₂ / D₁ of pairs that round 1 has right < 1",
        section="Re-weighting of examples",
        quote="up-weighting the example for the next iteration",
    ),
    claim(
        "3.undecided",
        "the weights of pairs on which the weak ranker cannot decide are unchanged, but for the normalisation",
        f"{1 - ROUNDING} < Z₁ D₂ / D₁ of pairs that round 1 leaves undecided < {1 + ROUNDING}",
        section="Re-weighting of examples",
        quote="weights are unchanged",
    ),
    claim(
        "3.exponential-loss",
        "RankBoost minimises the exponential loss: it falls in every round, and its mean is ∏ Z",
        "largest rise of the exponential loss in a round < 0",
        f"mean exponential loss less ∏ Z, largest < {ROUNDING}",
        section="RankBoost error",
        quote="RankBoost can be shown to minimize the loss function",
    ),
    claim(
        "3.upper-bound",
        "the exponential loss is an upper bound on the share of inverted pairs",
        f"largest risk − ∏ Z < {ROUNDING}",
        section="RankBoost error",
        quote="convex upper bound of the empirical risk",
    ),
    claim(
        "3.boosting-theorem",
        "if all edges satisfy (ε⁺ − ε⁻)/2 ≥ γ ≥ 0, the risk is at most exp(−2 γ² T)",
        f"largest ∏ Z − exp(−2 Σ γ_t²) < {ROUNDING}",
        f"largest risk − exp(−2 γ² T) < {ROUNDING}",
        section="RankBoost error",
        quote="If all weak rankers satisfy",
        whose="theorem",
    ),
    claim(
        "3.exponential-fall",
        "the risk goes down exponentially in the rounds",
        "risk at the end / after round 1 < 1",
        "fall of log risk in the second half of the rounds / in the first > 0.5",
        section="RankBoost error",
        quote="empirical risk goes exponentially down",
    ),
    claim(
        "3.larger-edge",
        "a larger edge makes the risk fall faster",
        "rank correlation of edge and fall of log ∏ Z > 0.5",
        "rank correlation of edge and fall of the risk > 0",
        section="RankBoost error",
        quote="gives faster decrease of the risk",
    ),
)


@experiment("3.boosting", "RankBoost's bound", "training risk under the bound", needs=[NAME], claims=CLAIMS)
def boosting_bound(run: Run) -> Measured:
    """Compare the training risk of RankBoost with ∏ Z and with the bounds by the edges."""
    from penchant.plots import regret_chart
    from penchant.preferences import Preferences
    from penchant.rankers import RankBoost

    began = process_time()
    documents, rounds = PLAYED[run.size]
    parts = query_parts(NAME, seed=run.seed, data=run.folder)
    train = GradedQueries.joined([part.first(documents) for part in parts[:3]])
    model = RankBoost(rounds).fit(train.X, train.grades, qid=train.qid)
    took = process_time() - began
    pairs = Preferences.from_grades(train.grades, train.qid).pairs()
    frame = _rounds(model, train, pairs)
    chart = regret_chart(
        {name: frame[name] for name in ("risk", "∏ Z", "exp(−2 Σ γ²)", "exp(−2 γ² T)")},
        y="share of training pairs",
        title="RankBoost: training risk under its bounds",
        subtitle=f"{len(pairs):,} pairs of {len(np.unique(train.qid)):,} queries",
    )
    return Measured(
        f"{run.source(NAME)}: {len(pairs):,} pairs of {len(train.grades):,} documents, {len(frame):,} rounds",
        _numbers(model, frame, train, pairs),
        {"risk": chart},
        frame,
        seconds={"RankBoost": took, "pairs": process_time() - began - took},
        tables={"rounds": _table(frame)},
    )


def _rounds(model: RankBoost, train: GradedQueries, pairs: Ints) -> pd.DataFrame:
    """Return risk, loss, weights and bounds after each round, by the lecture's formulas over all pairs."""
    import pandas as pd

    t = np.arange(1, len(model.z_) + 1)
    risk, loss = np.empty(len(t)), np.empty(len(t))
    for place, scores in enumerate(model.staged_predict(train.X)):
        margins = scores[pairs[:, 0]] - scores[pairs[:, 1]]
        risk[place], loss[place] = (margins <= 0).mean(), np.exp(-margins).mean()
    return pd.DataFrame(
        {
            "t": t,
            "edge": 2 * model.edges_,
            "alpha": [stump[3] for stump in model.stumps_],
            "Z": model.z_,
            "risk": risk,
            "exponential loss": loss,
            "∏ Z": np.cumprod(model.z_),
            "exp(−2 Σ γ²)": np.exp(-2 * np.cumsum(model.edges_**2)),
            "exp(−2 γ² T)": np.exp(-2 * t * np.minimum.accumulate(model.edges_) ** 2),
        }
    )


def _numbers(model: RankBoost, frame: pd.DataFrame, train: GradedQueries, pairs: Ints) -> dict[str, float]:
    from scipy.stats import spearmanr

    risk, loss, bound = (frame[name].to_numpy() for name in ("risk", "exponential loss", "∏ Z"))
    edges = frame["edge"].to_numpy()
    half = len(risk) // 2
    log_risk = np.log(risk)
    return {
        "risk at the end": risk[-1],
        "∏ Z at the end": bound[-1],
        "largest risk − ∏ Z": (risk - bound).max(),
        "largest ∏ Z − exp(−2 Σ γ_t²)": (bound - frame["exp(−2 Σ γ²)"]).max(),
        "largest risk − exp(−2 γ² T)": (risk - frame["exp(−2 γ² T)"]).max(),
        "mean exponential loss less ∏ Z, largest": np.abs(loss - bound).max(),
        "largest rise of the exponential loss in a round": np.diff(loss, prepend=1.0).max(),
        "Z less ε⁰ + 2 √(ε⁺ ε⁻), largest": np.abs(model.z_ - _lecture_z(frame)).max(),
        "least edge ε⁺ − ε⁻": edges.min(),
        "least weight α": frame["alpha"].min(),
        "risk at the end / after round 1": risk[-1] / risk[0],
        "fall of log risk in the second half of the rounds / in the first": (log_risk[half] - log_risk[-1])
        / (log_risk[0] - log_risk[half]),
        "rank correlation of edge and fall of log ∏ Z": spearmanr(edges, -np.log(model.z_)).statistic,
        "rank correlation of edge and fall of the risk": spearmanr(edges[1:], -np.diff(risk)).statistic,
        **_reweighted(model, train, pairs),
    }


def _lecture_z(frame: pd.DataFrame) -> Floats:
    """Return ε⁰ + 2 √(ε⁺ ε⁻), with ε⁺ and ε⁻ from the edge and α = ½ log(ε⁺ / ε⁻)."""
    odds = np.exp(2 * frame["alpha"].to_numpy())
    wrong = frame["edge"].to_numpy() / (odds - 1)
    right = odds * wrong
    return np.asarray(1 - right - wrong + 2 * np.sqrt(right * wrong))


def _reweighted(model: RankBoost, train: GradedQueries, pairs: Ints) -> dict[str, float]:
    """Return D₂ / D₁ of the pairs that the first weak ranker orders rightly, wrongly and not at all (also times Z₁)."""
    scores = next(model.staged_predict(train.X))
    margins = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    ratio = np.exp(-margins) / model.z_[0]
    kinds = {"has right": margins > 0, "has wrong": margins < 0, "leaves undecided": margins == 0}
    ratios = {
        f"D₂ / D₁ of pairs that round 1 {kind}": float(ratio[which].mean()) for kind, which in kinds.items()
    }
    undecided = "D₂ / D₁ of pairs that round 1 leaves undecided"
    return ratios | {f"Z₁ {undecided}": float(model.z_[0]) * ratios[undecided]}


def _table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a few rounds, each twice as late as the one before, and the last."""
    rounds = sorted({*(2**power for power in range(12) if 2**power < len(frame)), len(frame)})
    return frame.iloc[[t - 1 for t in rounds]].round(4).reset_index(drop=True)
