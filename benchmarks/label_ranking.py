"""Real rows that each rank some labels: how well the ranking of a new row is foretold.

Each call learns on the next of five folds, and the answer is about all folds so far.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from benchmarks.case import OURS, Answer, Cannot, Case
from benchmarks.sets import fold, opened, scaler, table

QUESTION = "How well do label rankers foretell the rankings of real sets?"
EVERY_CALL = True  # a call is a fold

COMPLETE = (
    "authorship bodyfat calhousing cold cpu diau dtt elevators fried glass heat housing iris "
    "pendigits segment spo stock vehicle vowel wine wisconsin"
)
PARTIAL = (
    "authorship blocks breast ecoli glass iris letter libras pendigits satimage segment vehicle "
    "vowel wine yeast"
)
FOLDS = 5
NEIGHBOURS = (5, 10, 20, 40)

Learner = Callable[[Any, Any], Any]


def cases(quick: bool) -> list[Case]:
    """Return both rankers on the sets with complete rankings and on those with ties, and a peer."""
    complete, partial = (("iris", "glass"), ("iris",)) if quick else (COMPLETE.split(), PARTIAL.split())
    tasks = {
        "complete rankings, tau": [f"label_ranking/{name}.csv" for name in complete],
        "rankings with ties, tau-x": [f"partial_label_ranking/{name}.csv" for name in partial],
    }
    rankers = {"LabelRanker": by_pairs, "NearestLabelRanker": by_neighbours}
    return [
        *(
            Case(
                who=f"{OURS}, {who}",
                what=what,
                prepare=lambda members=members, learner=learner: one_fold_a_call(members, learner),  # type: ignore[misc]
                answer=told,
                warm=FOLDS - 1,
            )
            for what, members in tasks.items()
            for who, learner in rankers.items()
        ),
        Case(who="scikit-lr", what=next(reversed(tasks)), requires=("scikit-lr",), prepare=scikit_lr),
    ]


def one_fold_a_call(members: list[str], learner: Learner) -> Callable[[], object]:
    """Return a call that learns on the next fold of every set, and returns the agreement in each so far."""
    sets = {member: features_and_ranks(member) for member in members}
    seen: dict[str, list[float]] = {member: [] for member in members}

    def learn() -> Any:
        for member, (X, ranks) in sets.items():
            train, test = fold(len(X), len(seen[member]), FOLDS)
            scale = scaler(X[train])
            model = learner(scale(X[train]), ranks[train])
            measure = model.score_tau_x if member.startswith("partial") else model.score
            seen[member].append(measure(scale(X[test]), ranks[test]))
        return {member: values[:FOLDS] for member, values in seen.items()}

    return learn


def features_and_ranks(member: str) -> tuple[Any, Any]:
    """Return the features and the ranks of a set, whose first line says how many there are of each."""
    import numpy as np

    width = int(opened("label-ranking", member).readline().split(b",")[1])
    rows = table("label-ranking", member)
    return rows[:, :width], rows[:, width:].astype(np.int64)


def by_pairs(X: Any, ranks: Any) -> Any:
    """Return a ranker with a logistic regression for each two labels, as it comes."""
    from penchant.rankers import LabelRanker

    return LabelRanker().fit(X, ranks)


def by_neighbours(X: Any, ranks: Any) -> Any:
    """Return a ranker that asks as many neighbours as did best on a fifth of the rows, at most 1,000."""
    from penchant.rankers import NearestLabelRanker

    train, vali = fold(len(X), 0)
    vali = vali[:1_000]
    models = {k: NearestLabelRanker(k).fit(X[train], ranks[train]) for k in NEIGHBOURS}
    k = max(NEIGHBOURS, key=lambda k: models[k].score(X[vali], ranks[vali]))
    return NearestLabelRanker(k).fit(X, ranks)


def scikit_lr() -> Callable[[], object]:
    """Say what to do where the peer can be installed: neither its old wheels nor its new ones fit Python 3.11."""
    raise Cannot("it is installed here, and nobody has written its row yet")


def told(result: Any) -> Answer:
    """Tell the mean over all sets, and of each set over its folds, with its standard error."""
    means = {Path(member).stem: values for member, values in result.items()}
    return {"mean": f"{fmean(map(fmean, means.values())):.3f}"} | {
        name: f"{fmean(values):.3f} ± {stdev(values) / len(values) ** 0.5:.3f}"
        for name, values in means.items()
        if len(values) > 1
    }
