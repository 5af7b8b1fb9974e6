"""Choose the compiled loop that plays a whole run of a learner, a user and a setting, where there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    ItemMap,
    PreferencePerceptron,
    SecondOrderPerceptron,
)
from penchant.coactive import _kernels as kernels
from penchant.coactive._kernels import LearnerState
from penchant.simulate.item_users import BestItem, BetterItem, StrictItem
from penchant.simulate.movies import Movies
from penchant.simulate.ranking_users import NoisyRanking, StrictRanking
from penchant.simulate.record import Record
from penchant.simulate.web import WebSearch

PULLS = 32  # rank-one steps of the second-order learner that are taken together

Run = Callable[[Record, int, int, int, int], bool]
"""Plays a run into a row of a record, given its number and the seeds of its order and user; false: it could not."""


def compiled_run(learner: Any, user: Any, setting: Any) -> Run | None:
    """Return a function that plays these three compiled; None if they must be played round by round."""
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


def _on_queries(start: LearnerState, pulls: Floats | None, user: Any, web: WebSearch) -> Run | None:
    if type(user) is StrictRanking:
        alpha, depth = float(user.alpha), int(np.diff(web.starts).max())
    elif type(user) is NoisyRanking:
        alpha, depth = 0.0, int(user.depth)
    else:
        return None

    def run(record: Record, row: int, number: int, order_seed: int, user_seed: int) -> bool:
        queries, learner = web.queries(record.n_rounds, order_seed), start.copy()
        table = kernels.Web(
            web.features,
            web.starts,
            web.grades,
            web.utilities,
            web.best_utilities,
            np.array(web.feature_map.discounts),
        )
        rounds = kernels.Rounds(record.presented[row], record.feedback[row], np.empty((3, record.n_rounds)))
        done = kernels.loops().play_rankings(table, queries, (alpha, depth), learner, pulls, rounds)
        record.presented_utility[row], record.feedback_utility[row], record.presented_dcg[row] = (
            rounds.reached
        )
        record.best_utility[row] = web.best_utilities[queries]
        record.best_dcg[row] = web.best_dcgs[queries]
        record.weights[row] = learner.weights
        return done

    return run


def _on_items(start: LearnerState, pulls: Floats | None, user: Any, movies: Movies) -> Run | None:
    kinds: dict[type, int] = {StrictItem: kernels.STRICT, BetterItem: kernels.BETTER, BestItem: kernels.BEST}
    if type(user) not in kinds:
        return None
    kind, alpha = kinds[type(user)], float(getattr(user, "alpha", 0.0))
    gram = movies.gram if pulls is None else np.zeros((0, 0))

    def run(record: Record, row: int, number: int, order_seed: int, user_seed: int) -> bool:
        utilities, learner = movies.utilities(number), start.copy()
        _, levels, counts = np.unique(movies.grades(number), return_inverse=True, return_counts=True)
        by_utility, members = np.argsort(utilities, kind="stable"), np.argsort(levels, kind="stable")
        level_starts = np.cumsum(counts) - counts
        offer = kernels.Offer(
            movies.features, gram, utilities, by_utility, levels, members, level_starts, counts
        )
        draws = np.random.default_rng(user_seed).random(record.n_rounds)
        objects = record.presented[row, :, 0], record.feedback[row, :, 0]
        rounds = kernels.Rounds(*objects, np.empty((3, record.n_rounds)))
        done = kernels.loops().play_items(offer, (kind, alpha, draws), learner, pulls, rounds)
        record.presented_utility[row], record.feedback_utility[row], record.best_utility[row] = rounds.reached
        record.weights[row] = learner.weights
        return done

    return run
