"""Tables to play on: small random queries and offers, with ties, short lists and equal rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from penchant.coactive import RankingMap
from penchant.simulate import Documents, Items, Movies, Ratings, WebSearch


@st.composite
def queries(draw: st.DrawFn) -> tuple[Documents, np.ndarray]:
    """A query of 1 to 12 documents, many of equal utility or label, and a presented order."""
    n = draw(st.integers(1, 12))
    utilities = draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))
    grades = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    feature_map = RankingMap(draw(st.integers(1, 6)), log=draw(st.sampled_from(["natural", "base2"])))
    context = Documents(np.zeros((n, 1)), np.array(utilities) / 3, grades, feature_map)
    return context, np.array(draw(st.permutations(range(n))))


@st.composite
def offers(draw: st.DrawFn) -> tuple[Items, int]:
    """An offer of 1 to 12 items, many of equal utility or rating, and a presented one."""
    n = draw(st.integers(1, 12))
    utilities = draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))
    grades = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    return Items(np.zeros((n, 1)), np.array(utilities) / 3, grades), draw(st.integers(0, n - 1))


def web(n_queries: int, n_features: int, *, seed: int = 0, **settings: object) -> WebSearch:
    """Queries of 1 to 15 documents, a third of which are copies of another of the query."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 16, n_queries)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    features = random.random((starts[-1], n_features))
    for first, last in pairwise(starts):
        copies = np.flatnonzero(random.random(last - first) < 0.33) + first
        features[copies] = features[random.integers(first, last, len(copies))]
    grades = random.integers(0, 4, starts[-1])
    return WebSearch(features, starts, grades, weights=random.standard_normal(n_features), **settings)


def movies(n_items: int, n_features: int, n_users: int = 2, *, seed: int = 0) -> Movies:
    """Items with features of small integers, so that all scores are exact and many tie, and some ratings."""
    random = np.random.default_rng(seed)
    features = random.integers(-2, 3, (n_items, n_features)).astype(float)
    weights = random.integers(-2, 3, (n_users, n_features)) / 4
    rated = random.random((n_users, n_items)) < 0.2
    user, item = np.nonzero(rated)
    ratings = Ratings(user, item, random.integers(1, 6, len(user)).astype(float), n_users, n_items)
    return Movies(features, weights, mean=3.2, ratings=ratings)
