"""Choose the compiled loop that plays a whole run of a learner, a user and a setting, where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    ItemMap,
    PreferencePerceptron,
    SecondOrderPerceptron,
)
from penchant.coactive import _kernels as kernels
from penchant.coactive._kernels import LearnerState
from penchant.simulate.dueling import (
    ROUNDS_DRAWN,
    DuelingBandit,
    DuelingItems,
    PreferredOfTwo,
    directions_and_coins,
)
from penchant.simulate.item_users import BestItem, BetterItem, StrictItem
from penchant.simulate.movies import Movies
from penchant.simulate.ranking_users import NoisyRanking, StrictRanking
from penchant.simulate.record import Record
from penchant.simulate.web import WebSearch

PULLS = 32  # rank-one steps of the second-order learner that are taken together


class Seeds(NamedTuple):
    """The seeds of a run: of the order of the queries, of the user and of the learner."""

    order: int
    user: int
    learner: int


Table = tuple[Floats, Ints, Floats, Floats, Floats, Floats]
Run = Callable[[Record, int, int, Seeds], bool]
"""Plays a run into a row of a record, given its number and seeds; false: it could not."""


def compiled_run(learner: Any, user: Any, setting: Any) -> Run | None:
    """Return a function that plays these three compiled; None if they must be played round by round."""
    if isinstance(learner, DuelingBandit):
        return _dueling(learner, user, setting)
    start = _start(learner)
    if start is None:
        return None
    if type(setting) is WebSearch and learner.feature_map == setting.feature_map:
        return _on_queries(*start, user, setting)
    if type(setting) is Movies and type(learner.feature_map) is ItemMap:
        return _on_items(*start, user, setting)
    return None


def _start(learner: Any) -> tuple[LearnerState, Floats | None] | None:
    """Return a learner's start, and room for waiting squares unless it is a perceptron."""
    kind = type(learner)
    if kind not in (PreferencePerceptron, ConvexPerceptron, ExponentiatedPerceptron, SecondOrderPerceptron):
        return None
    if learner.rounds or learner.averaged or getattr(learner, "forget", 0.0):
        return None
    n = learner.n_features
    memory, pulls = np.zeros((1, n)), np.zeros((0, n))
    if kind is PreferencePerceptron:
        settings = [float(learner.batch)]
        return LearnerState(kernels.PERCEPTRON, np.array(settings), learner.weights, memory), None
    if kind is ConvexPerceptron:
        rule, settings = kernels.CONVEX, [learner.radius]
    elif kind is ExponentiatedPerceptron:
        rule, settings = kernels.EXPONENTIATED, [learner.bound, learner.horizon or 0]
        n_weights = n * (2 if learner.signed else 1)
        memory = np.full((1, n_weights), -np.log(n_weights))
    else:
        rule, settings = kernels.SECOND_ORDER, [learner.radius, learner.gamma]
        memory, pulls = np.eye(n) / learner.epsilon, np.zeros((PULLS, n))
    return LearnerState(rule, np.array(settings, dtype=np.float64), learner.weights, memory), pulls


def _ranking_user(user: Any, web: WebSearch) -> tuple[float, int] | None:
    """Return α, 0 for a user who goes by grades, and how many documents are looked at; None for another user."""
    if type(user) is StrictRanking:
        return float(user.alpha), int(np.diff(web.starts).max())
    return (0.0, int(user.depth)) if type(user) is NoisyRanking else None


def _on_queries(start: LearnerState, pulls: Floats | None, user: Any, web: WebSearch) -> Run | None:
    answering = _ranking_user(user, web)
    if answering is None:
        return None

    def run(record: Record, row: int, number: int, seeds: Seeds) -> bool:
        queries, learner = web.queries(record.n_rounds, seeds.order), start.copy()
        table = kernels.Web(*_table(web))
        rounds = kernels.Rounds(record.presented[row], record.feedback[row], np.empty((3, record.n_rounds)))
        done = kernels.loops().play_rankings(table, queries, answering, learner, pulls, rounds)
        record.presented_utility[row], record.feedback_utility[row], record.presented_dcg[row] = (
            rounds.reached
        )
        record.best_utility[row] = web.best_utilities[queries]
        record.best_dcg[row] = web.best_dcgs[queries]
        record.weights[row] = learner.weights
        return done

    return run


def _table(web: WebSearch) -> Table:
    discounts = np.array(web.feature_map.discounts)
    return web.features, web.starts, web.grades, web.utilities, web.best_utilities, discounts


def _on_items(start: LearnerState, pulls: Floats | None, user: Any, movies: Movies) -> Run | None:
    kinds: dict[type, int] = {StrictItem: kernels.STRICT, BetterItem: kernels.BETTER, BestItem: kernels.BEST}
    if type(user) not in kinds:
        return None
    kind, alpha = kinds[type(user)], float(getattr(user, "alpha", 0.0))
    gram = movies.gram if pulls is None else np.zeros((0, 0))

    def run(record: Record, row: int, number: int, seeds: Seeds) -> bool:
        utilities, learner = movies.utilities(number), start.copy()
        _, levels, counts = np.unique(movies.grades(number), return_inverse=True, return_counts=True)
        by_utility, members = np.argsort(utilities, kind="stable"), np.argsort(levels, kind="stable")
        level_starts = np.cumsum(counts) - counts
        offer = kernels.Offer(
            movies.features, gram, utilities, by_utility, levels, members, level_starts, counts
        )
        draws = np.random.default_rng(seeds.user).random(record.n_rounds)
        objects = record.presented[row, :, 0], record.feedback[row, :, 0]
        rounds = kernels.Rounds(*objects, np.empty((3, record.n_rounds)))
        done = kernels.loops().play_items(offer, (kind, alpha, draws), learner, pulls, rounds)
        record.presented_utility[row], record.feedback_utility[row], record.best_utility[row] = rounds.reached
        record.weights[row] = learner.weights
        return done

    return run


def _dueling(bandit: DuelingBandit, user: Any, setting: Any) -> Run | None:
    if bandit.rounds:
        return None
    if type(bandit) is DuelingBandit and type(setting) is WebSearch:
        return _dueling_rankings(bandit, user, setting) if bandit.feature_map == setting.feature_map else None
    if type(bandit) is DuelingItems and type(setting) is Movies and type(user) is PreferredOfTwo:
        return _dueling_items(bandit, user, setting)
    return None


def _dueling_rankings(bandit: DuelingBandit, user: Any, web: WebSearch) -> Run | None:
    answering = _ranking_user(user, web)
    if answering is None:
        return None

    def run(record: Record, row: int, number: int, seeds: Seeds) -> bool:
        from penchant.simulate._dueling_kernels import duel_rankings

        queries, weights = web.queries(record.n_rounds, seeds.order), bandit.weights
        reached = np.empty((3, record.n_rounds))
        for rounds, directions, coins in _chances(bandit, seeds.learner, record.n_rounds):
            written = record.presented[row, rounds], record.feedback[row, rounds], reached[:, rounds]
            chance = directions, coins
            asked = *answering, kernels.TOLERANCE
            duel_rankings(
                _table(web),
                queries[rounds],
                asked,
                (bandit.gamma, bandit.delta),
                chance,
                weights,
                written,
            )
        record.presented_utility[row], record.feedback_utility[row], record.presented_dcg[row] = reached
        record.best_utility[row] = web.best_utilities[queries]
        record.best_dcg[row] = web.best_dcgs[queries]
        record.weights[row] = weights
        return True

    return run


def _dueling_items(bandit: DuelingBandit, user: PreferredOfTwo, movies: Movies) -> Run:
    def run(record: Record, row: int, number: int, seeds: Seeds) -> bool:
        from penchant.simulate._dueling_kernels import duel_items

        utilities, weights = movies.utilities(number), bandit.weights
        values = utilities if user.by == "utilities" else movies.grades(number)
        opinion = utilities, values, np.argsort(utilities, kind="stable")
        reached, left = np.empty((3, record.n_rounds)), np.ones(movies.n_items, dtype=np.int64)
        for rounds, directions, _ in _chances(bandit, seeds.learner, record.n_rounds):
            written = record.presented[row, rounds], record.feedback[row, rounds], reached[:, rounds]
            steps = bandit.gamma, bandit.delta
            duel_items(movies.features, opinion, left, steps, directions, weights, written)
        record.presented_utility[row], record.feedback_utility[row], record.best_utility[row] = reached
        record.weights[row] = weights
        return True

    return run


def _chances(bandit: DuelingBandit, seed: int, n_rounds: int) -> Iterator[tuple[slice, Floats, Ints]]:
    """Yield the rounds of each block of a run, with their directions and coins."""
    own = bandit.seeded(seed).seed
    for block in range(-(-n_rounds // ROUNDS_DRAWN)):
        first, last = block * ROUNDS_DRAWN, min((block + 1) * ROUNDS_DRAWN, n_rounds)
        directions, coins = directions_and_coins(own, block, bandit.n_features)
        yield slice(first, last), directions[: last - first], coins[: last - first]
