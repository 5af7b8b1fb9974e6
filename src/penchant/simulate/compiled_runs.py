"""Whole runs at once. Learner, user and setting in, a compiled way to play them out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
from penchant.simulate.item_users import BestItem, BetterItem, StrictItem
from penchant.simulate.movies import Movies
from penchant.simulate.ranking_users import NoisyRanking, StrictRanking
from penchant.simulate.record import Record
from penchant.simulate.web import WebSearch

PULLS = 32  # rank-one steps of the second-order learner that are taken together

Run = Callable[[Record, int, int, int, int], bool]
"""Plays a run into a row of a record, given its number and the seeds of its order and user; false: it could not."""


@dataclass(frozen=True, eq=False)
class _Start:
    """A learner's rule and state in the form that compiled code takes; without ``pulls``, a perceptron's."""

    rule: int
    settings: Floats
    weights: Floats
    memory: Floats
    pulls: Floats | None = None

    def fresh(self) -> tuple[int, Floats, Floats, Floats, Floats | None]:
        """Return all of it for one run, which moves the arrays."""
        pulls = None if self.pulls is None else self.pulls.copy()
        return self.rule, self.settings, self.weights.copy(), self.memory.copy(), pulls


def compiled_run(learner: Any, user: Any, setting: Any) -> Run | None:
    """Return how to play these three compiled; None if only round by round will do."""
    start = _start(learner)
    if start is None:
        return None
    if type(setting) is WebSearch and learner.feature_map == setting.feature_map:
        return _on_queries(start, user, setting)
    if type(setting) is Movies and type(learner.feature_map) is ItemMap:
        return _on_items(start, user, setting)
    return None


def _start(learner: Any) -> _Start | None:
    from penchant.simulate import _kernels as kernels

    kind = type(learner)
    if kind not in (PreferencePerceptron, ConvexPerceptron, ExponentiatedPerceptron, SecondOrderPerceptron):
        return None
    if learner.rounds or learner.averaged or getattr(learner, "forget", 0.0):
        return None
    weights, n = learner.weights.copy(), learner.n_features
    memory, pulls = weights[None, :].copy(), np.zeros((0, n))
    if kind is PreferencePerceptron:
        return _Start(kernels.PERCEPTRON, np.array([learner.batch], dtype=np.float64), weights, memory)
    if kind is ConvexPerceptron:
        rule, settings = kernels.CONVEX, [learner.radius]
    elif kind is ExponentiatedPerceptron:
        rule, settings = kernels.EXPONENTIATED, [learner.bound, learner.horizon or 0]
        memory = np.full((2 if learner.signed else 1, n), -np.log(n * (2 if learner.signed else 1)))
    else:
        rule, settings = kernels.SECOND_ORDER, [learner.radius, learner.gamma]
        memory, pulls = np.eye(n) / learner.epsilon, np.zeros((PULLS, n))
    return _Start(rule, np.array(settings, dtype=np.float64), weights, memory, pulls)


def _on_queries(start: _Start, user: Any, web: WebSearch) -> Run | None:
    from penchant.simulate._kernels import play_rankings

    longest = int(np.diff(web.starts).max())
    if type(user) is StrictRanking:
        alpha, depth = float(user.alpha), longest
    elif type(user) is NoisyRanking:
        alpha, depth = 0.0, int(user.depth)
    else:
        return None

    def run(record: Record, row: int, number: int, order_seed: int, user_seed: int) -> bool:
        queries = web.queries(record.n_rounds, order_seed)
        rule, settings, weights, memory, pulls = start.fresh()
        reached = np.empty((3, record.n_rounds))
        done = play_rankings(
            web.features,
            web.starts,
            queries,
            web.utilities,
            web.grades,
            web.best_utilities,
            np.array(web.feature_map.discounts),
            alpha,
            depth,
            rule,
            settings,
            weights,
            memory,
            pulls,
            np.empty(longest),
            record.presented[row],
            record.feedback[row],
            reached,
        )
        record.presented_utility[row], record.feedback_utility[row] = reached[:2]
        record.presented_dcg[row] = reached[2]
        record.best_utility[row] = web.best_utilities[queries]
        record.best_dcg[row] = web.best_dcgs[queries]
        record.weights[row] = weights
        return done

    return run


def _on_items(start: _Start, user: Any, movies: Movies) -> Run | None:
    from penchant.simulate import _kernels as kernels

    kinds: dict[type, int] = {StrictItem: kernels.STRICT, BetterItem: kernels.BETTER, BestItem: kernels.BEST}
    if type(user) not in kinds:
        return None
    gram = movies.gram if start.pulls is None else np.zeros((0, 0))

    def run(record: Record, row: int, number: int, order_seed: int, user_seed: int) -> bool:
        utilities = movies.utilities(number)
        _, levels, counts = np.unique(movies.grades(number), return_inverse=True, return_counts=True)
        draws = np.random.default_rng(user_seed).random(record.n_rounds)
        rule, settings, weights, memory, pulls = start.fresh()
        reached = np.empty((3, record.n_rounds))
        done = kernels.play_items(
            movies.features,
            gram,
            utilities,
            np.argsort(utilities, kind="stable"),
            levels,
            np.argsort(levels, kind="stable"),
            np.cumsum(counts) - counts,
            counts,
            kinds[type(user)],
            float(getattr(user, "alpha", 0.0)),
            draws,
            rule,
            settings,
            weights,
            memory,
            pulls,
            record.presented[row, :, 0],
            record.feedback[row, :, 0],
            reached,
        )
        record.presented_utility[row], record.feedback_utility[row] = reached[:2]
        record.best_utility[row] = reached[2]
        record.weights[row] = weights
        return done

    return run
