"""Whole simulated runs of coactive learning, beside nothing but the products that they cannot do without."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How many simulated rounds a CPU second, beside the bare products and the papers' own times?"

DOCUMENTS = 25
PAPERS_WEB = "the papers report 20 to 30 minutes for one run over their 28,000 queries"
PAPERS_MOVIES = "paper 2 reports 125 s for one user"


def cases(quick: bool) -> list[Case]:
    """Return the engine and the bare products on queries that no cache holds, and on items that leave."""
    found = []
    for n_features in (700, 136):
        n_queries = (400 if quick else 2_000) * 700 // n_features
        what = f"perceptron, {DOCUMENTS} documents × {n_features} features"
        found += [
            row(what, "Penchant", perceptron, n_queries, n_features),
            row(what, "Penchant, labels as feedback", noisy_perceptron, n_queries, n_features),
            row(what, "bare products, compiled", compiled_products, n_queries, n_features),
            row(what, "bare products, NumPy", numpy_products, n_queries, n_features),
            Case(what=what, who="the papers", cannot=PAPERS_WEB),
        ]
    n_users = 3 if quick else 20
    what = "perceptron, 3,900 items × 50 features, items leave"
    found += [
        row(what, "Penchant", movies, n_users, 50),
        row(what, "bare products, NumPy", movie_products, n_users, 50),
        Case(what=what, who="the papers", cannot=PAPERS_MOVIES),
    ]
    what = f"second order, {DOCUMENTS} documents × 700 features"
    return [*found, row(what, "Penchant", second_order, 400 if quick else 2_000, 700)]


def row(what: str, who: str, prepare: Callable[[int, int], Callable[[], int]], size: int, width: int) -> Case:
    """Return a row whose answer is the number of rounds a CPU second."""
    return Case(what=what, who=who, prepare=lambda: timed(prepare(size, width)), answer=rate)


def timed(call: Callable[[], int]) -> Callable[[], object]:
    """Return a call that gives its rounds and its CPU seconds."""

    def run() -> tuple[int, float]:
        begin = process_time()
        return call(), process_time() - begin

    return run


def rate(result: Any) -> Answer:
    """Tell rounds a CPU second."""
    rounds, seconds = result
    return {"rounds a CPU second": round(rounds / seconds, -2)}


def queries(n_queries: int, n_features: int) -> Any:
    """Return queries of equal length with random features and noisy labels."""
    import numpy as np

    from penchant.simulate import WebSearch

    random = np.random.default_rng(0)
    features = random.random((n_queries * DOCUMENTS, n_features))
    worth = features @ random.standard_normal(n_features)
    noisy = worth + worth.std() * random.standard_normal(len(worth))
    grades = np.searchsorted(np.quantile(noisy, [0.3, 0.6, 0.9, 0.98]), noisy)
    return WebSearch(features, np.arange(n_queries + 1) * DOCUMENTS, grades)


def perceptron(n_queries: int, n_features: int) -> Callable[[], int]:
    """Prepare Penchant against a strict user, ten orders of the queries."""
    from penchant.coactive import PreferencePerceptron, RankingMap
    from penchant.simulate import StrictRanking, play

    setting, learner = queries(n_queries, n_features), PreferencePerceptron(RankingMap(), n_features)
    return lambda: play(learner, StrictRanking(0.5), setting, runs=10).presented_utility.size


def noisy_perceptron(n_queries: int, n_features: int) -> Callable[[], int]:
    """Prepare Penchant against a user who goes by labels."""
    from penchant.coactive import PreferencePerceptron, RankingMap
    from penchant.simulate import NoisyRanking, play

    setting, learner = queries(n_queries, n_features), PreferencePerceptron(RankingMap(), n_features)
    return lambda: play(learner, NoisyRanking(10), setting, runs=10).presented_utility.size


def second_order(n_queries: int, n_features: int) -> Callable[[], int]:
    """Prepare the second-order learner, whose projection stays inactive here."""
    from penchant.coactive import RankingMap, SecondOrderPerceptron
    from penchant.simulate import StrictRanking, play

    setting, learner = queries(n_queries, n_features), SecondOrderPerceptron(RankingMap(), n_features)
    return lambda: play(learner, StrictRanking(0.5), setting, runs=1).presented_utility.size


def compiled_products(n_queries: int, n_features: int) -> Callable[[], int]:
    """Prepare X @ w of each round's query in a compiled loop, by BLAS."""
    import numba
    import numpy as np

    setting = queries(n_queries, n_features)
    weights = np.ones(n_features)

    @numba.njit
    def products(features: Any, starts: Any, order: Any, weights: Any) -> float:
        total = 0.0
        for query in order:
            total += np.dot(features[starts[query] : starts[query + 1]], weights)[0]
        return total

    def call() -> int:
        order = setting.queries(10 * n_queries, 0)
        products(setting.features, setting.starts, order, weights)
        return len(order)

    return call


def numpy_products(n_queries: int, n_features: int) -> Callable[[], int]:
    """Prepare X @ w of each round's query in a Python loop."""
    import numpy as np

    setting = queries(n_queries, n_features)
    weights = np.ones(n_features)

    def call() -> int:
        order = setting.queries(10 * n_queries, 0)
        for first, last in zip(
            setting.starts[order].tolist(), setting.starts[order + 1].tolist(), strict=True
        ):
            setting.features[first:last] @ weights
        return len(order)

    return call


def offers(n_users: int, n_features: int) -> Any:
    """Return 3,900 items with random features, the last of which is constant."""
    import numpy as np

    from penchant.simulate import Movies

    random = np.random.default_rng(0)
    features = 0.3 * random.standard_normal((3_900, n_features))
    features[:, -1] = 1.0
    return Movies(features, 0.3 * random.standard_normal((n_users, n_features)), mean=3.5)


def movies(n_users: int, n_features: int) -> Callable[[], int]:
    """Prepare Penchant against strict users, each until no item is left."""
    from penchant.coactive import ItemMap, PreferencePerceptron
    from penchant.simulate import StrictItem, play

    setting, learner = offers(n_users, n_features), PreferencePerceptron(ItemMap(), n_features)
    return lambda: play(learner, StrictItem(0.5), setting).presented_utility.size


def movie_products(n_users: int, n_features: int) -> Callable[[], int]:
    """Prepare X @ w over all items, once for each round."""
    import numpy as np

    setting = offers(n_users, n_features)
    weights = np.ones(n_features)

    def call() -> int:
        rounds = n_users * setting.n_rounds(None)
        for _ in range(rounds):
            setting.features @ weights
        return rounds

    return call
