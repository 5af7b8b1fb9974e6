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


def made_up(
    n_queries: int, n_documents: int, n_features: int, seed: int
) -> tuple[NDArray[np.float32], Ints, Floats]:
    """Return features, starts of queries and grades.

    Features are what a document has in common with others (thirty factors) and something of their own, cut to
    [0, 1]. A label is a linear function of the features with a query's own level and as much noise as signal,
    cut where the shares of the five labels want it.

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
    weights = random.standard_normal(n_features) * (random.random(n_features) < 0.3)
    features = np.empty((starts[-1], n_features), dtype=np.float32)
    worth = np.empty(starts[-1])
    for first in range(0, n_queries, BLOCK):
        rows = slice(starts[first], starts[min(first + BLOCK, n_queries)])
        n = rows.stop - rows.start
        with one_thread():
            common = random.standard_normal((n, FACTORS), dtype=np.float32) @ loadings
        features[rows] = np.clip(
            0.5 + 0.2 * (common + random.standard_normal((n, n_features), dtype=np.float32)), 0, 1
        )
        with one_thread():
            worth[rows] = features[rows] @ weights
    worth /= worth.std() or 1.0
    level = np.repeat(random.standard_normal(n_queries), sizes)
    noisy = worth + 0.5 * level + random.standard_normal(len(worth))
    cuts = np.quantile(noisy, np.cumsum(SHARES)[:-1])
    return features, starts, np.searchsorted(cuts, noisy, side="right").astype(np.float64)
