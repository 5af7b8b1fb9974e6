"""Choose the compiled loop that plays a whole run of a learner, a user and a setting, where there is one."""

from __future__ import annotations

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
from penchant.simulate.compiled_baselines import baseline_run
from penchant.simulate.compiled_tables import (
    ITEM_USERS,
    Run,
    Seeds,
    inner_user,
    item_lapses,
    item_user,
    offered,
    ranking_lapses,
    ranking_user,
    table,
)
from penchant.simulate.movies import Movies
from penchant.simulate.record import Record
from penchant.simulate.web import WebSearch

PULLS = 32  # rank-one steps of the second-order learner that are taken together


def compiled_run(learner: Any, user: Any, setting: Any) -> Run | None:
    """Return a function that plays these three compiled; None if they must be played round by round."""
    start = _start(learner)
    if start is None:
        return baseline_run(learner, user, setting)
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
    answering = ranking_user(user, web)
    if answering is None:
        return None

    def run(record: Record, row: int, number: int, seeds: Seeds) -> bool:
        queries, learner = web.queries(record.n_rounds, seeds.order), start.copy()
        asked = *answering, ranking_lapses(user, seeds.user, web, queries)
        rounds = kernels.Rounds(record.presented[row], record.feedback[row], np.empty((3, record.n_rounds)))
        done = kernels.loops().play_rankings(kernels.Web(*table(web)), queries, asked, learner, pulls, rounds)
        record.presented_utility[row], record.feedback_utility[row], record.presented_dcg[row] = (
            rounds.reached
        )
        record.best_utility[row] = web.best_utilities[queries]
        record.best_dcg[row] = web.best_dcgs[queries]
        record.weights[row] = learner.weights
        return done

    return run


def _on_items(start: LearnerState, pulls: Floats | None, user: Any, movies: Movies) -> Run | None:
    if type(inner_user(user)) not in ITEM_USERS:
        return None
    gram = movies.gram if pulls is None else np.zeros((0, 0))

    def run(record: Record, row: int, number: int, seeds: Seeds) -> bool:
        offer, learner = offered(movies, number, gram), start.copy()
        lapses = item_lapses(user, seeds.user, record.n_rounds)
        asked = *item_user(user, seeds.user, record.n_rounds), lapses
        objects = record.presented[row, :, 0], record.feedback[row, :, 0]
        rounds = kernels.Rounds(*objects, np.empty((3, record.n_rounds)))
        done = kernels.loops().play_items(offer, asked, learner, pulls, rounds)
        record.presented_utility[row], record.feedback_utility[row], record.best_utility[row] = rounds.reached
        record.weights[row] = learner.weights
        return done

    return run
