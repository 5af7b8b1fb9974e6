"""The arrays that compiled runs read: queries, offers, and what their users do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints
from penchant.coactive import _kernels as kernels
from penchant.coactive._kernels import Lapses
from penchant.simulate.item_users import BestItem, BetterItem, StrictItem
from penchant.simulate.movies import Movies
from penchant.simulate.ranking_users import NoisyRanking, StrictRanking
from penchant.simulate.record import Record
from penchant.simulate.uncertain_users import ExpectedUser
from penchant.simulate.web import WebSearch

Table = tuple[Floats, Ints, Floats, Floats, Floats, Floats]
ITEM_USERS: dict[type, int] = {
    StrictItem: kernels.STRICT,
    BetterItem: kernels.BETTER,
    BestItem: kernels.BEST,
}


class Seeds(NamedTuple):
    """The seeds of a run: of the order of the queries, of the user and of the learner."""

    order: int
    user: int
    learner: int


Run = Callable[[Record, int, int, Seeds], bool]
"""Plays a run into a row of a record, given its number and seeds; false: it could not."""


def table(web: WebSearch) -> Table:
    """Return the queries of a setting."""
    discounts = np.array(web.feature_map.discounts)
    return web.features, web.starts, web.grades, web.utilities, web.best_utilities, discounts


def inner_user(user: Any) -> Any:
    """Return who answers where chance does not."""
    return user.user if type(user) is ExpectedUser else user


def ranking_user(user: Any, web: WebSearch) -> tuple[float, int] | None:
    """Return α, 0 for a user who goes by grades, and how many documents are looked at; None for another user."""
    answering = inner_user(user)
    if type(answering) is StrictRanking:
        return float(answering.alpha), int(np.diff(web.starts).max())
    return (0.0, int(answering.depth)) if type(answering) is NoisyRanking else None


def item_user(user: Any, seed: int, n_rounds: int) -> tuple[int, float, Floats]:
    """Return the kind of a user of items, α and a random number for each round."""
    own = user.seeded(seed).user.seed if _draws_inside(user) else seed
    answering = inner_user(user)
    draws = np.random.default_rng(own).random(n_rounds)
    return ITEM_USERS[type(answering)], float(getattr(answering, "alpha", 0.0)), draws


def ranking_lapses(user: Any, seed: int, web: WebSearch, queries: Ints) -> Lapses:
    """Return the rankings that an `ExpectedUser` draws in each round; none of another user."""
    if type(user) is not ExpectedUser:
        return Lapses(0.0, np.zeros((len(queries), 0, 0)), np.zeros((0, 2)))
    random, sizes = user.seeded(seed)._random, np.diff(web.starts)
    objects = np.zeros((len(queries), user.objects, web.places))
    luck = np.empty((len(queries), 2))
    for t, n in enumerate(sizes[queries].tolist()):
        shown = min(n, web.places)
        for one in range(user.objects):
            objects[t, one, :shown] = random.permutation(n)[:shown]
        luck[t] = random.random(2)
    return Lapses(float(user.alpha), objects, luck)


def item_lapses(user: Any, seed: int, n_rounds: int) -> Lapses:
    """Return the numbers by which an `ExpectedUser` draws items in each round; none of another user."""
    if type(user) is not ExpectedUser:
        return Lapses(0.0, np.zeros((n_rounds, 0, 0)), np.zeros((0, 2)))
    drawn = user.seeded(seed)._random.random((n_rounds, user.objects + 2))
    objects = np.ascontiguousarray(drawn[:, : user.objects, None])
    return Lapses(float(user.alpha), objects, np.ascontiguousarray(drawn[:, user.objects :]))


def offered(movies: Movies, user: int, gram: Floats) -> kernels.Offer:
    """Return the items of a setting, and what one of its users thinks of them."""
    utilities, left = movies.utilities(user), np.ones(movies.n_items, dtype=np.int64)
    _, levels, counts = np.unique(movies.grades(user), return_inverse=True, return_counts=True)
    by_utility, members = np.argsort(utilities, kind="stable"), np.argsort(levels, kind="stable")
    by_level = levels, members, np.cumsum(counts) - counts, counts
    jumps = np.arange(1, movies.n_items + 1)
    return kernels.Offer(movies.features, gram, utilities, by_utility, *by_level, left, jumps)


def _draws_inside(user: Any) -> bool:
    return type(user) is ExpectedUser and hasattr(user.user, "seed")
