"""Play whole runs of the baselines compiled: dueling bandits, and the SVM between two trainings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.coactive import ItemMap
from penchant.coactive import _kernels as kernels
from penchant.coactive._kernels import LearnerState
from penchant.simulate.compiled_tables import (
    ITEM_USERS,
    Run,
    Seeds,
    item_lapses,
    item_user,
    offered,
    ranking_lapses,
    ranking_user,
    table,
)
from penchant.simulate.dueling import (
    ROUNDS_DRAWN,
    DuelingBandit,
    DuelingItems,
    PreferredOfTwo,
    directions_and_coins,
)
from penchant.simulate.movies import Movies
from penchant.simulate.ranking_users import NoisyRanking, StrictRanking
from penchant.simulate.record import Record
from penchant.simulate.retrained_svm import RetrainedSVM
from penchant.simulate.uncertain_users import ExpectedUser
from penchant.simulate.web import WebSearch

NEVER = 2.0**62  # rounds until weights move that are not to move


def baseline_run(learner: Any, user: Any, setting: Any) -> Run | None:
    """Return a function that plays a baseline compiled; None if it must be played round by round."""
    if isinstance(learner, DuelingBandit):
        return _dueling(learner, user, setting)
    if type(learner) is not RetrainedSVM or learner.n_examples:
        return None
    if type(setting) is WebSearch and type(user) in (StrictRanking, NoisyRanking):
        return _svm_on_queries(learner, user, setting) if learner.feature_map == setting.feature_map else None
    if type(setting) is Movies and type(user) in ITEM_USERS and type(learner.feature_map) is ItemMap:
        return _svm_on_items(learner, user, setting)
    return None


def _svm_on_queries(svm: RetrainedSVM, user: Any, web: WebSearch) -> Run:
    """Return what plays an SVM: the rounds up to the next training, which cannot come earlier, at once."""

    def run(record: Record, row: int, number: int, seeds: Seeds) -> bool:
        queries, own = web.queries(record.n_rounds, seeds.order), svm.seeded(seeds.learner)
        asked = ranking_user(user, web) or (0.0, 0)
        reached, first = np.empty((3, record.n_rounds)), 0
        while first < record.n_rounds:
            if not own.n_examples:  # the first object is drawn
                context = web.documents(queries[first])
                presented = own.present(context.features)
                feedback = user.answer(context, presented)
                own.update(context.features, presented, feedback)
                for into, top in ((record.presented, presented), (record.feedback, feedback)):
                    into[row, first, : min(web.places, len(top))] = top[: web.places]
                reached[:, first] = (
                    context.utility(presented),
                    context.utility(feedback),
                    context.dcg(presented),
                )
                first += 1
                continue
            rounds = slice(first, first + own.missing)
            part = queries[rounds]
            written = record.presented[row, rounds], record.feedback[row, rounds]
            done = kernels.loops().play_rankings(
                kernels.Web(*table(web)),
                part,
                (*asked, ranking_lapses(user, 0, web, part)),
                _unmoved(own),
                None,
                kernels.Rounds(*written, reached[:, rounds]),
            )
            if not done:
                return False
            for query, shown, named in zip(part, *written, strict=True):
                own.learn(_difference(web, query, shown, named))
            first += len(part)
        record.presented_utility[row], record.feedback_utility[row], record.presented_dcg[row] = reached
        record.best_utility[row] = web.best_utilities[queries]
        record.best_dcg[row] = web.best_dcgs[queries]
        record.weights[row] = own.weights
        return True

    return run


def _svm_on_items(svm: RetrainedSVM, user: Any, movies: Movies) -> Run:
    def run(record: Record, row: int, number: int, seeds: Seeds) -> bool:
        own, offer = svm.seeded(seeds.learner), offered(movies, number, np.zeros((0, 0)))
        kind, alpha, draws = item_user(user, seeds.user, record.n_rounds)
        answering, session = user.seeded(seeds.user), movies.session(number, record.n_rounds, seeds.order)
        reached, first = np.empty((3, record.n_rounds)), 0
        while first < record.n_rounds:
            if not own.n_examples:
                context = session.context(first)
                presented = own.present(context.features)
                feedback = answering.answer(context, presented)
                own.update(context.features, presented, feedback)
                reached[:, first] = (
                    context.utility(presented),
                    context.utility(feedback),
                    context.best_utility,
                )
                gone = [int(top[0]) for top in session.tops(presented, feedback)]
                record.presented[row, first, 0], record.feedback[row, first, 0] = gone
                for item in set(gone):
                    kernels.strike(item, offer)
                    offer.left[item] = 0
                first += 1
                continue
            rounds = slice(first, first + own.missing)
            written = record.presented[row, rounds, 0], record.feedback[row, rounds, 0]
            asked = kind, alpha, draws[rounds], item_lapses(user, 0, 0)
            done = kernels.loops().play_items(
                offer, asked, _unmoved(own), None, kernels.Rounds(*written, reached[:, rounds])
            )
            if not done:
                return False
            for difference in movies.features[written[1]] - movies.features[written[0]]:
                own.learn(difference)
            first += len(written[0])
        record.presented_utility[row], record.feedback_utility[row], record.best_utility[row] = reached
        record.weights[row] = own.weights
        return True

    return run


def _unmoved(svm: RetrainedSVM) -> LearnerState:
    """Return a learner with the weights of the last training, which stay as they are."""
    return LearnerState(kernels.PERCEPTRON, np.array([NEVER]), svm.weights, np.zeros((1, svm.n_features)))


def _difference(web: WebSearch, query: int, shown: Ints, named: Ints) -> Floats:
    """Return φ(x, ȳ) − φ(x, y) of two tops, as `RankingMap.difference` computes it."""
    rows = web.features[web.starts[query] : web.starts[query + 1]]
    n = len(rows)
    return web.feature_map.checked_difference(rows, named[:n], shown[:n])


def _dueling(bandit: DuelingBandit, user: Any, setting: Any) -> Run | None:
    if bandit.rounds or type(user) is ExpectedUser:
        return None
    if type(bandit) is DuelingBandit and type(setting) is WebSearch:
        return _dueling_rankings(bandit, user, setting) if bandit.feature_map == setting.feature_map else None
    if type(bandit) is DuelingItems and type(setting) is Movies and type(user) is PreferredOfTwo:
        return _dueling_items(bandit, user, setting)
    return None


def _dueling_rankings(bandit: DuelingBandit, user: Any, web: WebSearch) -> Run | None:
    answering = ranking_user(user, web)
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
                table(web),
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
