"""Paper 2 on movies with features of rank 5, 20 and 50: which verdicts depend on the embedding.

The paper chose "the dimensionality of the feature vectors" by cross-validation and does not report it. Every experiment
on movies is played again at each rank, with fewer users, and its claims are judged at each.
"""

from __future__ import annotations

from dataclasses import replace

from penchant.papers.coactive import baselines, convex, exponentiated, perceptron
from penchant.papers.coactive.runs import undrawn
from penchant.papers.coactive.sets import EMBEDDINGS, MOVIES, scene
from penchant.papers.experiment import MADE, Experiment, experiment
from penchant.papers.result import Claim, Estimate, Measured
from penchant.papers.run import Run
from penchant.plots import sweep_chart

_MODULES = {module.__name__ for module in (baselines, convex, exponentiated, perceptron)}
PARTS = tuple(each for each in MADE if each.module in _MODULES and each.on in MOVIES)
"""The experiments on movies."""
RANKS = {f"d = {rank}": name for name, (rank, _) in EMBEDDINGS.items() if name not in MOVIES}


def _at(part: Experiment, rank: str, claim: Claim) -> Claim:
    """Return a claim of a part, judged by its numbers at one rank."""
    checks = (
        replace(check, quantity=f"{part.shows}{_feedback(part)}, {rank}: {check.quantity}")
        for check in claim.checks
    )
    setting = ", ".join(filter(None, (part.shows + _feedback(part), claim.setting, rank)))
    return replace(claim, checks=tuple(checks), setting=setting)


def _feedback(part: Experiment) -> str:
    return f", {part.settings['feedback']}" if part.settings else ""


CLAIMS = tuple(
    _at(part, rank, claim)
    for rank in RANKS
    for part in PARTS
    for claim in part.claims
    if claim.whose != "theorem" and "CPU" not in claim.checks[0].quantity
)


@experiment(
    "2.ranks", "section 6.1.2", "movies with features of rank 5, 20 and 50", needs=MOVIES, claims=CLAIMS
)
def ranks(run: Run) -> Measured:
    """Play every experiment on movies at each rank, and list the verdicts that differ."""
    import pandas as pd

    numbers: dict[str, Estimate | float] = {}
    seconds: dict[str, float] = {}
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    ends: dict[str, list[float]] = {}
    for place, (rank, name) in enumerate(RANKS.items()):
        alone = replace(run, progress=None)
        if run.progress is not None:
            run.progress(place, len(RANKS))
        for part in PARTS:
            with undrawn():
                measured = part.play(alone, name, **part.settings)
            own = {key: _estimate(value) for key, value in measured.numbers.items()}
            where = part.shows + _feedback(part)
            numbers |= {f"{where}, {rank}: {key}": value for key, value in own.items()}
            seconds[rank] = seconds.get(rank, 0.0) + sum(measured.seconds.values())
            for claim in part.claims:
                if claim.whose != "theorem":
                    row = found.setdefault((where, claim.setting, claim.says), {})
                    row[rank] = claim.verdict(own)
            if part.shows == "Figure 4":
                for k in (10, 100):
                    ends.setdefault(f"k = {k}", []).append(own[f"k = {k} / k = 1"].value)
    rows = [(*key, *row.values(), len(set(row.values())) > 1) for key, row in found.items()]
    table = pd.DataFrame(rows, columns=["figure", "setting", "claim", *RANKS, "depends on the rank"])
    numbers["share of verdicts that depend on the rank"] = float(table["depends on the rank"].mean())
    chart = sweep_chart(
        [EMBEDDINGS[name][0] for name in RANKS.values()],
        ends,
        x="rank of the embedding",
        y="regret / that of k = 1",
        title="The price of batches by the rank of the movies' features",
    )
    on = scene(RANKS["d = 5"], run)
    data = f"{on.description}; {on.length} or fewer"
    return Measured(data, numbers, {"batches": chart}, table, seconds, {"verdicts by rank": table})


def _estimate(value: Estimate | float) -> Estimate:
    return value if isinstance(value, Estimate) else Estimate(float(value))
