"""Draw every chart of Penchant, those that show items with few and with many of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from examples.gallery.data import graded, matches, votes
from penchant import Preferences, plots
from penchant.consensus import consensus
from penchant.gp import LinkedGP, MonotoneGP
from penchant.metrics import calibration_table
from penchant.orders import ranks_from_order
from penchant.rankers import RankSVM, learning_curve
from penchant.worth import BradleyTerry, CrowdBradleyTerry, rank_by

SIZES = (5, 50, 500)


class Entry(NamedTuple):
    """A chart of the gallery: the function that made it, what it shows, and where the data comes from."""

    name: str
    caption: str
    source: str
    chart: Any


def entries(data: Path | None, sizes: tuple[int, ...] = SIZES) -> Iterator[Entry]:
    """Yield every chart, one after the other."""
    yield from _of_items(data, sizes)
    yield from _of_few_items(data)
    yield from _of_voters()
    yield from _of_rankers(data)
    yield from _of_utilities()
    yield from _of_runs()


def _of_items(data: Path | None, sizes: tuple[int, ...]) -> Iterator[Entry]:
    for n_items in sizes:
        sample = votes(data, n_items) if n_items <= 59 else matches(data, n_items)
        model = BradleyTerry().fit(sample.preferences)
        n_answers = sample.preferences.n_answers
        shown = f"{n_items} items"
        yield Entry(
            "ranking_chart", shown, sample.source, plots.ranking_chart(model.rank(), n_answers=n_answers)
        )
        yield Entry("win_matrix_chart", shown, sample.source, plots.win_matrix_chart(model))
        yield Entry("tallies_chart", shown, sample.source, plots.tallies_chart(sample.preferences))


def _of_few_items(data: Path | None) -> Iterator[Entry]:
    people, machine = votes(data, 6), votes(data, 6, machine=True)
    model = BradleyTerry().fit(people.preferences)
    names = list(model.rank().items)
    other = BradleyTerry().fit(machine.preferences)
    shared = [name for name in names if name in other.items_]
    order = [shared.index(name) for name in other.rank().items if name in shared]
    chart = plots.crossings_chart(
        np.arange(1, len(shared) + 1),
        ranks_from_order(order),
        shared,
        sides=("people", "a language model"),
        title="Two judges",
    )
    yield Entry("crossings_chart", "people beside a language model", people.source, chart)
    probability = np.array(
        [[0.0 if a == b else model.win_probability(a, b) for b in names[:4]] for a in names[:4]]
    )
    stronger = np.where(probability > 0.5, np.round(probability, 2), 0.0)
    chart = plots.preference_graph_chart(stronger, names[:4], chosen=0, title="Who is preferred to whom")
    yield Entry("preference_graph_chart", "probabilities above one half", people.source, chart)
    belief = LinkedGP().fit(links=np.ones((len(names), len(names))) - np.eye(len(names)))
    places = {name: place for place, name in enumerate(names)}
    for better, worse in people.preferences.pairs()[:60].tolist():
        items = people.preferences.items
        belief.update(places[items[better]], places[items[worse]])
    draws = np.random.default_rng(0).multivariate_normal(belief.mean, belief.covariance(), 2)
    chart = plots.belief_chart(
        names, belief.mean, belief.variance(), draws=draws, subtitle="dashed: drawn from it"
    )
    yield Entry("belief_chart", "after 60 answers", people.source, chart)
    covariance = np.asarray(belief.covariance())
    chart = plots.linked_matrix_chart(
        names, covariance, links=np.ones_like(covariance), marked=[(0, 1)], marked_as="the first two"
    )
    yield Entry("linked_matrix_chart", "covariance after 60 answers", people.source, chart)
    pairs = people.preferences.pairs()
    items = people.preferences.items
    stated = model.win_probability([items[a] for a, _ in pairs], [items[b] for _, b in pairs])
    flipped = np.arange(len(stated)) % 2 == 0
    table = calibration_table(np.where(flipped, 0, 1), np.where(flipped, 1 - stated, stated), n_bins=8)
    yield Entry(
        "calibration_chart", "on the answers it was fitted to", people.source, plots.calibration_chart(table)
    )


def _of_voters() -> Iterator[Entry]:
    rng = np.random.default_rng(1)
    items, n_votes, source = tuple("abcdef"), 600, "simulated"
    first = rng.integers(6, size=n_votes)
    second = (first + rng.integers(1, 6, size=n_votes)) % 6
    length, topic, judge = (
        rng.normal(size=n_votes),
        rng.integers(2, size=n_votes),
        rng.integers(8, size=n_votes),
    )
    ahead = 0.4 * (second - first) * (1 - topic) + 0.5 * length + 0.2
    left = rng.random(n_votes) < 1 / (1 + np.exp(-np.where(judge == 0, 0.0, ahead)))
    preferences = Preferences.from_answers(
        [items[place] for place in first],
        [items[place] for place in second],
        ["left" if chosen else "right" for chosen in left],
        judge=[f"judge {place}" for place in judge],
        covariates={"length": length},
    )
    before = BradleyTerry().fit(preferences).rank()
    model = BradleyTerry().fit(preferences, covariates=["length"], side=True)
    chart = plots.adjusted_chart(model.rank(), model.effects_, before)
    yield Entry("adjusted_chart", "600 votes, adjusted for length and side", source, chart)
    yield Entry("effects_chart", "the same effects alone", source, plots.effects_chart(model.effects_))
    boards = rank_by(preferences, ["code" if code else "prose" for code in topic])
    yield Entry("boards_chart", "600 votes in two categories", source, plots.boards_chart(boards))
    judges = CrowdBradleyTerry().fit(preferences).judges(programs=["judge 1"])
    yield Entry("judges_chart", "eight judges, one at random", source, plots.judges_chart(judges))
    ballots = [[items[place] for place in np.argsort(rng.gumbel(size=6) - np.arange(6))] for _ in range(40)]
    found = consensus(Preferences.from_rankings(ballots))
    yield Entry("pairwise_chart", "the consensus of 40 voters", source, plots.pairwise_chart(found))
    values = rng.normal(0.05, 0.1, 30)
    chart = plots.query_values_chart([f"query {k}" for k in range(30)], values, metric="difference in NDCG")
    yield Entry("query_values_chart", "two rankers on 30 queries", source, chart)


def _of_rankers(data: Path | None) -> Iterator[Entry]:
    documents = graded(data)
    model = RankSVM().fit(documents.X, documents.y, qid=documents.qid)
    yield Entry("coefficients_chart", "RankSVM", documents.source, plots.coefficients_chart(model))
    weights = dict(zip(documents.X.columns, model.coef_.tolist(), strict=True))
    yield Entry("weights_chart", "the same by name", documents.source, plots.weights_chart(weights, most=10))
    scores = model.predict(documents.X)
    chart = plots.ranking_errors_chart(documents.y, scores, qid=documents.qid)
    yield Entry("ranking_errors_chart", "RankSVM", documents.source, chart)
    curve = learning_curve(RankSVM(), documents.X, documents.y, qid=documents.qid)
    yield Entry("learning_curve_chart", "RankSVM", documents.source, plots.learning_curve_chart(curve))


def _of_utilities() -> Iterator[Entry]:
    rng = np.random.default_rng(2)
    X = rng.random((24, 2))
    truth = lambda rows: rows[:, 0] + np.sqrt(rows[:, 1])  # noqa: E731
    pairs = rng.integers(24, size=(80, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    worth = truth(X)
    pairs = np.where((worth[pairs[:, 0]] >= worth[pairs[:, 1]])[:, None], pairs, pairs[:, ::-1])
    model = MonotoneGP(increasing=[0, 1], lengthscale=0.3, scale=1.0, noise=0.2).fit_pairs(X, pairs)
    source = "simulated"
    yield Entry("utility_chart", "two features", source, plots.utility_chart(model))
    yield Entry("slices_chart", "two features", source, plots.slices_chart(model))
    yield Entry("monotone_chart", "two features", source, plots.monotone_chart(model, truth))
    yield Entry("surface_chart", "a known utility", source, plots.surface_chart(truth, items=X))
    yield Entry("certificate_chart", "two features", source, plots.certificate_chart(model.certificate_))


def _of_runs() -> Iterator[Entry]:
    rng = np.random.default_rng(3)
    rounds = np.arange(1, 1001)
    runs = {f"learner {k}": (k + rng.random((5, 1000))) / np.sqrt(rounds) for k in range(1, 7)}
    source = "simulated"
    chart = plots.regret_chart(runs, bounds={"bound": 9 / np.sqrt(rounds)}, log_regret=True)
    yield Entry("regret_chart", "six learners", source, chart)
    answers = np.arange(0, 210, 10)
    gains = {f"rule {k}": 1 - np.exp(-answers / (40 * k)) + rng.normal(0, 0.05, (8, 21)) for k in range(1, 5)}
    yield Entry("answered_chart", "four rules", source, plots.answered_chart(answers, gains))
    boxes = {name: values[:, ::5] for name, values in list(gains.items())[:3]}
    yield Entry(
        "answered_boxes_chart", "three rules", source, plots.answered_boxes_chart(answers[::5], boxes)
    )
    outcomes = {f"set {k}": {f"method {j}": rng.normal(j, 1, 9) for j in range(1, 7)} for k in range(1, 6)}
    yield Entry("comparison_chart", "six methods", source, plots.comparison_chart(outcomes))
    groups = {f"group {k}": rng.normal(k, 1, 200) for k in range(4)}
    yield Entry("cumulative_chart", "four groups", source, plots.cumulative_chart(groups))
    values = {f"method {k}": k + rng.random((5, 6)) for k in range(1, 4)}
    chart = plots.sweep_chart([0.01, 0.1, 1, 10, 100], values, references={"method 1": 1.4})
    yield Entry("sweep_chart", "three methods", source, chart)
