"""What the questions about worth are asked of: comparisons from a seed, and how far scores are from the best ones.

Everything here is plain NumPy and SciPy, so that a peer's own environment can judge the peer.
"""

from __future__ import annotations

from typing import Any

from benchmarks.case import Answer


def games(n: int, m: int) -> tuple[Any, Any]:
    """Return who was better and who was worse in ``m`` random comparisons of ``n`` items, as indices."""
    import numpy as np

    random = np.random.default_rng(0)
    worth = worths(n)
    first = random.integers(0, n, m)
    second = (first + random.integers(1, n, m)) % n
    won = random.random(m) < 1 / (1 + np.exp(worth[second] - worth[first]))
    return np.where(won, first, second), np.where(won, second, first)


def worths(n: int) -> Any:
    """Return the worths that the comparisons come from: normal with sd 1, told from their mean."""
    import numpy as np

    worth = np.random.default_rng(1).standard_normal(n)
    return worth - worth.mean()


def names(n: int) -> Any:
    """Return the items' ids, an array of Python strings."""
    import numpy as np

    return np.array([f"item-{number}" for number in range(n)], dtype=object)


def totals(better: Any, worse: Any, n: int) -> tuple[Any, Any, Any, Any]:
    """Return the two items of each pair that met, how often the first won, and how often they met."""
    import numpy as np
    from scipy.sparse import coo_array

    # Complex numbers carry both counts through one sparse sum.
    won = np.where(better < worse, 1 + 1j, 1j)
    low, high = np.minimum(better, worse), np.maximum(better, worse)
    pairs = coo_array((won, (low, high)), shape=(n, n)).tocsr().tocoo()
    first, second = pairs.coords
    return first, second, pairs.data.real, pairs.data.imag


def accuracy(scores: Any, better: Any, worse: Any) -> Answer:
    """Tell the largest slope of the log likelihood at ``scores``, and how far the worst is from the maximum's."""
    import numpy as np

    scores = np.asarray(scores) - np.mean(scores)
    best, slope = maximum(scores, better, worse)
    return {"gradient": f"{np.abs(slope).max():.0e}", "error": f"{np.abs(scores - best).max():.0e}"}


def maximum(scores: Any, better: Any, worse: Any) -> tuple[Any, Any]:
    """Return the most likely scores, by three of Newton's steps from ``scores``, and the slope at ``scores``."""
    import numpy as np
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import cg
    from scipy.special import expit

    n = len(scores)
    first, second, won, met = totals(better, worse, n)
    best, slopes = scores, []
    for _ in range(3):
        share = expit(best[first] - best[second])
        left = won - met * share
        slope = np.bincount(first, left, n) - np.bincount(second, left, n)
        slopes.append(slope - slope.mean())
        upper = coo_array((met * share * (1 - share), (first, second)), shape=(n, n)).tocsr()
        bend = upper + upper.T
        pull = bend.sum(axis=1)
        # What is left after some steps is rounding, which has a part that the curvature cannot answer.
        step, _ = cg(diags_array(pull) - bend, slopes[-1], rtol=1e-9, maxiter=100, M=diags_array(1 / pull))
        best = best + step - step.mean()
    return best, slopes[0]
