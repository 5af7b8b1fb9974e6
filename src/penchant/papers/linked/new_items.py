"""Paper 5, the inductive case and sparse processes, which the paper names and leaves open."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.metrics import average_precision
from penchant.papers.experiment import experiment
from penchant.papers.linked.players import Asked
from penchant.papers.linked.sets import RELEVANT, SETS, Items, collection
from penchant.papers.result import BySize, Estimate, Measured, claim
from penchant.papers.run import Run
from penchant.simulate import DenseBelief

if TYPE_CHECKING:
    import pandas as pd

# the most queries, repetitions and questions
PLAYED: BySize[tuple[int, int, int]] = BySize(quick=(3, 1, 30), default=(40, 1, 150), full=(106, 2, 300))
TAU = 20.0
"""Of the questions here; with τ = 1 nearly all of them are about the first few items."""
INDUCING = (25, 50, 100, 200)
NOTHING, ADDED, ANEW, KNOWN = "nothing known", "added", "added, graph anew", "there from the start"
FEATURES = "added, features only"
INDUCTIVE = (
    claim(
        "5.inductive",
        "the method extends to items that come later: their covariance with the known ones ranks them",
        f"MAP of new items, {ADDED} − {NOTHING} > 0.02",
        section="2.2",
        quote="can also be extended to an inductive setting",
    ),
    claim(
        "5.inductive-loss",
        "items that come later are ranked nearly as well as if they had been there from the start",
        f"MAP of new items, {ADDED} − {KNOWN} > -0.02",
        whose="ours",
        section="2.2",
        quote="can also be extended to an inductive setting",
    ),
    claim(
        "5.inductive-links",
        "the links of new items help beside their features",
        f"MAP of new items, {ADDED} − {FEATURES} > 0",
        whose="ours",
        section="2.2",
        quote="the covariance between the new entities and the known ones",
    ),
)
SPARSE = (
    claim(
        "5.sparse-precision",
        "100 inducing items lose less than 0.02 of MAP",
        "MAP, 100 inducing − exact > -0.02",
        whose="ours",
        section="4",
        quote="sparse Gaussian processes techniques to tackle large-scale datasets",
    ),
    claim(
        "5.sparse-time",
        "the prior of 100 inducing items is made in less time than the exact one",
        "time of the prior, 100 inducing / exact < 1",
        whose="ours",
        section="4",
        quote="sparse Gaussian processes techniques to tackle large-scale datasets",
    ),
)


@experiment("5.inductive", "section 2.2", "items that come later", sets=SETS, claims=INDUCTIVE)
def inductive(run: Run, name: str) -> Measured:
    """Ask about one half of each query's items, then rank the other half."""
    found = collection(name, run)
    most, repetitions, questions = PLAYED[run.size]
    queries = found.drawn(most, run.seed)
    tasks = [
        (query, questions, (run.seed, number, repetition))
        for number, query in enumerate(queries)
        for repetition in range(repetitions)
    ]
    frame = _mean_by_query(run.each(_new_items, tasks), len(queries))
    numbers = _numbers(
        "MAP of new items", frame, [(ADDED, other) for other in (NOTHING, KNOWN, FEATURES, ANEW)]
    )
    what = f"{found.description}; {len(queries)} queries, {repetitions} repetitions, {questions} questions"
    return _measured(what, numbers, frame, "mean average precision of the new items", "Items that come later")


def _new_items(items: Items, questions: int, seed: tuple[int, ...]) -> dict[str, float]:
    """Return the average precision of the later half of the items, by what is known of it."""
    from penchant.gp import LinkedGP

    random = np.random.default_rng(seed)
    shuffled = items.shuffled(random)
    half = len(shuffled) // 2
    utility = shuffled.grades + random.uniform(-0.5, 0.5, len(shuffled))
    links, features = shuffled.links, shuffled.features
    began = process_time()
    known = Items(features[:half], links[:half, :half], shuffled.grades[:half], np.array([0, half]))
    answers = asked(known, known.prior("both"), utility, questions, random)
    fresh = slice(half, None)

    def model(*, with_links: bool) -> Any:
        given = LinkedGP().fit(features[:half], links[:half, :half] if with_links else None)
        return given.update(answers[:, 0], answers[:, 1])

    scores = {
        NOTHING: random.random(len(shuffled)),
        FEATURES: model(with_links=False).add_items(features[fresh]).mean,
        ADDED: model(with_links=True).add_items(features[fresh], links, refold=False).mean,
        ANEW: model(with_links=True).add_items(features[fresh], links, refold=True).mean,
        KNOWN: LinkedGP().fit(features, links).update(answers[:, 0], answers[:, 1]).mean,
    }
    grades = shuffled.grades[fresh]
    if not (grades >= RELEVANT).any():
        return dict.fromkeys([*scores, "seconds"], float("nan"))
    found = {
        name: average_precision(grades, score[fresh], relevant=RELEVANT, ties="order")
        for name, score in scores.items()
    }
    return found | {"seconds": process_time() - began}


def asked(items: Items, prior: Floats, utility: Floats, questions: int, random: np.random.Generator) -> Ints:
    """Return the answers to questions chosen by the largest expected loss, better first, shape (questions, 2)."""
    belief, chooser = DenseBelief(prior), Asked(items.starts)
    answers = []
    for question in range(questions):
        pair = chooser.choose(belief, TAU if question else None, random)
        better, worse = sorted(pair, key=lambda item: -utility[item])
        belief.update(better, worse)
        answers.append((better, worse))
    return np.array(answers)


@experiment("5.sparse", "future work", "inducing items", sets=SETS, claims=SPARSE)
def sparse(run: Run, name: str) -> Measured:
    """Rank all items with priors of a few inducing items and with the exact one."""
    found = collection(name, run)
    most, repetitions, questions = PLAYED[run.size]
    queries = found.drawn(min(most, 20), run.seed)
    tasks = [
        (query, questions, (run.seed, number, repetition))
        for number, query in enumerate(queries)
        for repetition in range(repetitions)
    ]
    frame = _mean_by_query(run.each(_sparse, tasks), len(queries))
    ways = [f"{count} inducing" for count in INDUCING]
    numbers = _numbers("MAP", frame, [(way, "exact") for way in ways])
    for way in ways:
        numbers[f"time of the prior, {way} / exact"] = Estimate.ratio(
            frame[f"time, {way}"].to_numpy(), frame["time, exact"].to_numpy()
        )
    what = f"{found.description}; {len(queries)} queries, {repetitions} repetitions, {questions} questions"
    drawn = frame[[*ways, "exact", "seconds"]]
    return _measured(what, numbers, drawn, "mean average precision", "Inducing items in place of all")


def _sparse(items: Items, questions: int, seed: tuple[int, ...]) -> dict[str, float]:
    """Return average precision and the CPU time of the prior, with inducing items and without."""
    from penchant.gp import LinkedGP

    random = np.random.default_rng(seed)
    shuffled = items.shuffled(random)
    utility = shuffled.grades + random.uniform(-0.5, 0.5, len(shuffled))
    found, began = {}, process_time()
    for inducing in (*INDUCING, None):
        way = "exact" if inducing is None else f"{inducing} inducing"
        start = process_time()
        model = LinkedGP(inducing=inducing).fit(shuffled.features, shuffled.links)
        found[f"time, {way}"] = process_time() - start
        prior = model.covariance()
        answers = asked(shuffled, prior, utility, questions, np.random.default_rng(seed))
        belief = DenseBelief(prior)
        for better, worse in answers.tolist():
            belief.update(better, worse)
        found[way] = float(shuffled.precision(belief.mean)[0])
    return found | {"seconds": process_time() - began}


def _mean_by_query(rows: list[dict[str, float]], queries: int) -> pd.DataFrame:
    """Return a row a query, the mean over its repetitions; queries without a relevant item are left out."""
    import pandas as pd

    frame = pd.DataFrame(rows)
    frame.insert(0, "query", np.repeat(np.arange(queries), len(rows) // queries))
    return frame.groupby("query").mean().dropna().reset_index(drop=True)


def _numbers(what: str, frame: pd.DataFrame, pairs: list[tuple[str, str]]) -> dict[str, Estimate | float]:
    names = dict.fromkeys(name for pair in pairs for name in pair)
    numbers: dict[str, Estimate | float] = {
        f"{what}, {name}": Estimate.of(frame[name].to_numpy()) for name in names
    }
    for way, other in pairs:
        numbers[f"{what}, {way} − {other}"] = Estimate.of((frame[way] - frame[other]).to_numpy())
    return numbers


def _measured(
    data: str, numbers: dict[str, Estimate | float], frame: pd.DataFrame, x: str, title: str
) -> Measured:
    from penchant.plots import comparison_chart

    shown = {str(name): frame[name].to_numpy() for name in frame.columns if name != "seconds"}
    chart = comparison_chart(
        {"all queries": shown},
        x=x,
        title=title,
        subtitle="mean over queries ± one standard error",
    )
    return Measured(data, numbers, {"MAP": chart}, frame, {"all": float(frame["seconds"].sum())})
