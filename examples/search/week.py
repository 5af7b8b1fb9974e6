"""Play a week of searches through two studies, and measure what they learned.

A server in a process of its own has the studies, and everything reaches it over HTTP. Both see the same people with the
same queries. The first has one model for all and always presents its own order: to it Theorem 1 applies. The second has
a model for each person. In every third search it interleaves its order with that of the text match, so that clicks say
which of the two people prefer; no theorem is claimed for interleaved rounds, and it does not learn from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from examples.search.collection import MATCH, QUERIES, Collection
from examples.search.people import TASTES, Features, Taste, population
from examples.serving import served
from penchant import Client
from penchant.coactive import Interleaving, NamedLearner, RankingMap, perceptron_bound, slack, utility_regret
from penchant.study.coactive import CoactiveStudy

ALPHA = 0.5
"""The α of Theorem 1 for which the bound is drawn; it holds for each."""
EVERY = 3
"""Every so many searches, the second study interleaves."""
POINTS = 40
"""Points of a curve that are kept."""

Searched = CoactiveStudy | Client
"""A study in this process or in that of a server; both have the same methods."""


@dataclass
class Week:
    """What was measured."""

    days: int
    searches: int
    presented: list[float] = field(default_factory=list)
    improved: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)
    by_day: list[Interleaving] = field(default_factory=list)


@dataclass(frozen=True)
class World:
    """The candidates of each query with their features, and the map by which orders have utilities."""

    contexts: Mapping[str, Mapping[str, Features]]
    ranking: RankingMap

    @classmethod
    def of(cls, collection: Collection) -> World:
        """Return the world of all queries."""
        return cls({query: collection.candidates(query) for query in QUERIES}, RankingMap())

    def utility(self, taste: Taste, query: str, order: Sequence[str]) -> float:
        """Return U(x, y), what an order is worth to a person: its first five places, with discounts."""
        context = self.contexts[query]
        worth = [taste.utility(context[id]) for id in order[: self.ranking.depth]]
        return float(np.dot(worth, self.ranking.discounts[: len(worth)]))

    def largest(self, taste: Taste, query: str) -> float:
        """Return U(x, y*), what the best order is worth."""
        context = self.contexts[query]
        return self.utility(taste, query, sorted(context, key=lambda id: -taste.utility(context[id])))

    def radius(self) -> float:
        """Return R: no ‖φ(x, y)‖ is larger."""
        norms = [
            sum(1.0 if isinstance(value, str) else value * value for value in features.values())
            for context in self.contexts.values()
            for features in context.values()
        ]
        return float(np.sqrt(max(norms)) * self.ranking.discounts.sum())


def play(
    folder: Path,
    *,
    days: int = 7,
    searches: int = 150,
    seed: int = 1,
    every: int = EVERY,
    learn_interleaved: bool = False,
    in_process: bool = False,
) -> dict[str, Any]:
    """Play the week, leave both studies in a folder, and return all figures.

    Parameters
    ----------
    folder : Path
        Where ``plain.db`` and ``search.db`` go, which must not exist yet.
    days, searches : int
        So many days with so many searches each.
    seed : int
        Of people, queries and clicks.
    every : int
        Every so many searches, the second study interleaves.
    learn_interleaved : bool
        Whether it learns from those searches too.
    in_process : bool
        Whether to use the studies without a server. The figures are the same.
    """
    world, together = World.of(Collection.read()), population()
    week = Week(days, searches)
    random = np.random.default_rng(seed)
    files = folder / "plain.db", folder / "search.db"
    tokens = _create(*files, seed)
    with _opened(files) if in_process else _connected(files, tokens) as (plain, live):
        for _ in range(days):
            for number in range(searches):
                taste = TASTES[random.integers(len(TASTES))]
                query = QUERIES[random.integers(len(QUERIES))]
                _search_plain(plain, world, week, taste, together, query, random)
                interleave = "baseline" if number % every == 0 else None
                learn = interleave is None or learn_interleaved
                _search_live(live, world, taste, query, random, interleave=interleave, learn=learn)
            week.by_day.append(live.interleaving())
    return _measured(week, world, together, files)


def _create(plain: Path, live: Path, seed: int) -> tuple[str, str]:
    """Make both studies, and return the token of an app for each."""
    options = {"per_user": True, "baseline": {"feature": MATCH}}
    with (
        CoactiveStudy.create(plain, seed=seed, title="Search, one order") as first,
        CoactiveStudy.create(live, seed=seed, title="Search", **options) as second,
    ):
        return first.tokens.make("app", "search page"), second.tokens.make("app", "search page")


@contextmanager
def _opened(files: tuple[Path, Path]) -> Iterator[tuple[Searched, Searched]]:
    with CoactiveStudy.open(files[0]) as plain, CoactiveStudy.open(files[1]) as live:
        yield plain, live


@contextmanager
def _connected(files: tuple[Path, Path], tokens: tuple[str, str]) -> Iterator[tuple[Searched, Searched]]:
    with served(*files) as url, Client(url, tokens[0]) as plain, Client(url, tokens[1]) as live:
        yield plain, live


def _measured(week: Week, world: World, together: Taste, files: tuple[Path, Path]) -> dict[str, Any]:
    """Return all figures, from what was seen during the week and from the studies after it."""
    with (
        CoactiveStudy.open(files[0], write=False) as plain,
        CoactiveStudy.open(files[1], write=False) as live,
    ):
        return {
            "days": week.days,
            "searches": week.days * week.searches,
            "documents": len(Collection.read().documents),
            "queries": len(QUERIES),
            "interleaving": [_who_wins(found) for found in week.by_day],
            "regret": _regret(week, world, together),
            "weights": _weights(plain),
            "people": _people(plain, live, world),
            "first place": _first_places(live),
        }


def _search_plain(
    study: Searched,
    world: World,
    week: Week,
    taste: Taste,
    together: Taste,
    query: str,
    random: np.random.Generator,
) -> None:
    """One search in the study with one order for all; its utilities are those of all people together."""
    context = world.contexts[query]
    shown = study.present(context)
    feedback = study.feedback(shown, clicked=taste.clicks(shown.order, context, random))
    week.presented.append(world.utility(together, query, shown.order))
    week.improved.append(world.utility(together, query, feedback.improved))
    week.best.append(world.largest(together, query))


def _search_live(
    study: Searched,
    world: World,
    taste: Taste,
    query: str,
    random: np.random.Generator,
    **options: Any,
) -> None:
    """One search in the study with a model for each person."""
    context = world.contexts[query]
    shown = study.present(context, user=taste.name, **options)
    study.feedback(shown, clicked=taste.clicks(shown.order, context, random))


def _who_wins(found: Interleaving) -> dict[str, Any]:
    counts = {"wins": found.wins, "losses": found.losses, "ties": found.ties}
    low, high = found.interval
    return {**counts, "share": _round(found.share), "low": _round(low), "high": _round(high)}


def _regret(week: Week, world: World, together: Taste) -> dict[str, Any]:
    """Return the mean regret after each of some rounds, and the bound of Theorem 1."""
    radius, norm = world.radius(), float(np.linalg.norm(list(together.weights.values())))
    missing = slack(week.presented, week.improved, week.best, alpha=ALPHA)
    regret = utility_regret(week.presented, week.best)
    bound = perceptron_bound(missing, alpha=ALPHA, R=radius, norm=norm)
    rounds = np.unique(np.geomspace(1, len(regret), POINTS).round().astype(int))
    return {
        "alpha": ALPHA,
        "R": _round(radius),
        "norm": _round(norm),
        "largest": _round(float(np.mean(week.best))),
        "rounds": rounds.tolist(),
        "regret": [_round(regret[place - 1]) for place in rounds],
        "bound": [_round(bound[place - 1]) for place in rounds],
    }


def _weights(study: CoactiveStudy) -> list[dict[str, Any]]:
    rows = study.weight_report().to_frame().to_dict("records")
    return [
        {name: _round(value) if name != "feature" else value for name, value in row.items()} for row in rows
    ]


def _people(plain: CoactiveStudy, study: CoactiveStudy, world: World) -> list[dict[str, Any]]:
    """Return for each person the mean regret of four orders over all queries, by the person's own utility."""
    one, start = plain.learner(), study.learner()
    return [
        {
            "person": taste.name,
            "text match": _mean_regret(world, taste, None),
            "one for all": _mean_regret(world, taste, one),
            "start": _mean_regret(world, taste, start),
            "own": _mean_regret(world, taste, study.learner(taste.name)),
            "wants": _words(study.weights(taste.name)),
        }
        for taste in TASTES
        if taste.name in study.users
    ]


def _mean_regret(world: World, taste: Taste, learner: NamedLearner | None) -> float:
    lost = []
    for query, context in world.contexts.items():
        ids = list(context)
        order = (
            ids
            if learner is None
            else [ids[row] for row in learner.present(learner.matrix(list(context.values())))]
        )
        lost.append(world.largest(taste, query) - world.utility(taste, query, order))
    return _round(float(np.mean(lost)))


def _words(weights: Mapping[str, float], most: int = 3) -> str:
    """Return the features that matter most, in words: what a learned order puts first, and what it puts last."""
    order = sorted(weights, key=lambda name: -abs(weights[name]))[:most]
    return ", ".join(f"{'more' if weights[name] > 0 else 'less'} {name}" for name in order if weights[name])


def _first_places(study: CoactiveStudy) -> list[dict[str, Any]]:
    rows = study.learning_curve().to_frame().to_dict("records")
    return [
        {
            "from": int(row["from"]),
            "to": int(row["to"]),
            "first": _round(row["first"]),
            "ndcg": _round(row["ndcg"]),
        }
        for row in rows
    ]


def _round(value: Any) -> float:
    return round(float(value), 4)
