"""Generate synthetic web search data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints, whole
from penchant.threads import one_thread

SHARES = (0.26, 0.36, 0.28, 0.08, 0.02)
"""How many documents have each label from 0 to 4."""
FACTORS = 30  # what features have in common
BLOCK = 2_000  # queries made at once


RANK, CONDITION = 7.0, 5_500.0
"""Effective rank (Σλ)²/Σλ² and condition number of the covariance of redundant features: about those of MQ2008."""


def made_up(
    n_queries: int, n_documents: int, n_features: int, seed: int, *, redundant: bool = False
) -> tuple[NDArray[np.float32], Ints, Floats]:
    """Return features, starts of queries and grades.

    Features are what a document has in common with others (thirty factors) and something of their own, cut to
    [0, 1]. A label is a linear function of the features with a query's own level and as much noise as signal,
    cut where the shares of the five labels want it.

    With ``redundant`` the factors differ in strength and hardly anything is a feature's own, so that the covariance has
    the effective rank and the condition number of real sets; without, its condition number is about 14.

    Examples
    --------
    >>> features, starts, grades = made_up(100, 25, 40, seed=0)
    >>> features.dtype, features.shape[0] == starts[-1], np.unique(grades)
    (dtype('float32'), np.True_, array([0., 1., 2., 3., 4.]))
    """
    for name, size in (("n_queries", n_queries), ("n_documents", n_documents), ("n_features", n_features)):
        whole(name, size, 1)
    random = np.random.default_rng(seed)
    sizes = np.maximum(1, random.poisson(n_documents, n_queries))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    loadings = random.standard_normal((FACTORS, n_features), dtype=np.float32) / np.float32(np.sqrt(FACTORS))
    spread, own = 0.2, 1.0
    if redundant:
        spread, own = 0.15, _redundant(loadings)
    weights = random.standard_normal(n_features) * (random.random(n_features) < 0.3)
    features = np.empty((starts[-1], n_features), dtype=np.float32)
    worth = np.empty(starts[-1])
    for first in range(0, n_queries, BLOCK):
        rows = slice(starts[first], starts[min(first + BLOCK, n_queries)])
        n = rows.stop - rows.start
        with one_thread():
            common = random.standard_normal((n, FACTORS), dtype=np.float32) @ loadings
        features[rows] = np.clip(
            0.5
            + spread * (common + np.float32(own) * random.standard_normal((n, n_features), dtype=np.float32)),
            0,
            1,
        )
        with one_thread():
            worth[rows] = features[rows] @ weights
    worth /= worth.std() or 1.0
    level = np.repeat(random.standard_normal(n_queries), sizes)
    noisy = worth + 0.5 * level + random.standard_normal(len(worth))
    cuts = np.quantile(noisy, np.cumsum(SHARES)[:-1])
    return features, starts, np.searchsorted(cuts, noisy, side="right").astype(np.float64)


def _redundant(loadings: NDArray[np.float32]) -> float:
    """Give the factors geometric strengths; return the standard deviation of what is a feature's own.

    The eigenvalues of factors whose variances are 1, ρ, ρ², … have the effective rank (1 + ρ)/(1 − ρ).
    """
    n_factors, n_features = loadings.shape
    ratio = (RANK - 1) / (RANK + 1)
    shares = ratio ** np.arange(n_factors)
    shares /= shares.sum()
    loadings *= np.sqrt(n_factors * shares, dtype=np.float32)[:, None]
    return float(np.sqrt(shares[0] * n_features / CONDITION))
