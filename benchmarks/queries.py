"""What the questions about rankers are asked of: graded documents from a seed, and how well scores order them.

Everything here is plain NumPy, so that a peer's own environment can judge the peer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

DOCUMENTS, FEATURES = 25, 136
EASY, CORRELATED, OFFSETS = "easy features", "condition 1,000", "offsets and heavy tails"
NOISE = 0.5
HELD_OUT = 1_000


@dataclass(frozen=True, eq=False)
class Documents:
    """Graded documents, those of one query together.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
    grades : int ndarray of shape (n,)
    qid : int ndarray of shape (n,)
        The query of each document, rising.
    """

    X: Any
    grades: Any
    qid: Any

    @property
    def sizes(self) -> Any:
        """The number of documents of each query."""
        import numpy as np

        return np.unique(self.qid, return_counts=True)[1]

    @property
    def n_pairs(self) -> int:
        """The number of pairs of different grades inside a query."""
        import numpy as np

        alike = np.unique(np.column_stack([self.qid, self.grades]), axis=0, return_counts=True)[1]
        return int((self.sizes**2).sum() - (alike**2).sum()) // 2

    def by_query(self, column: Any) -> list[Any]:
        """Split one value a document into one array a query."""
        import numpy as np

        return np.split(column, np.cumsum(self.sizes)[:-1])


@cache
def documents(kind: str, n_queries: int, length: int = DOCUMENTS, *, held_out: bool = False) -> Documents:
    """Return queries, to learn from or held out, whose grades follow one direction of the features.

    Parameters
    ----------
    kind : str
        ``EASY``: independent features of one scale, five grades.
        ``CORRELATED``: the same, turned, and their singular values spread from 1 to 1/1,000.
        ``OFFSETS``: each query moves its features along a direction of its own that has much of the one that
        counts in it, and grades are rounded lognormal numbers up to 30.
    """
    import numpy as np

    random = np.random.default_rng((2, held_out))
    direction = np.random.default_rng(1).standard_normal(FEATURES) / np.sqrt(FEATURES)
    qid = np.repeat(np.arange(n_queries), length)
    X = random.standard_normal((len(qid), FEATURES))
    relevance = X @ direction + NOISE * random.standard_normal(len(X))
    if kind == OFFSETS:
        moves = (
            2 * random.standard_normal((n_queries, 1)) * (direction + 0.05 * random.standard_normal(FEATURES))
        )
        X += moves[qid]
        return Documents(X, np.minimum(np.exp(1.2 * relevance).astype(np.int64), 30), qid)
    if kind == CORRELATED:
        X = X @ spread()
    return Documents(X, five_grades(relevance), qid)


def spread() -> Any:
    """Return a matrix with singular values from 1 to 1/1,000 and without a favoured axis."""
    import numpy as np

    random = np.random.default_rng(3)
    left, right = (np.linalg.qr(random.standard_normal((FEATURES, FEATURES)))[0] for _ in range(2))
    return (left * np.logspace(0, -3, FEATURES)) @ right


def five_grades(relevance: Any) -> Any:
    """Return grades 0 to 4, the higher the rarer, of relevances with variance 1 + NOISE²."""
    import numpy as np

    # Normal quantiles of 50, 75, 90 and 97 %.
    cuts = np.array([0.0, 0.674, 1.282, 1.881]) * np.sqrt(1 + NOISE**2)
    return np.searchsorted(cuts, relevance)


def differences(given: Documents) -> tuple[Any, Any]:
    """Return every pair of different grades as a row x − x' and its sign, half of them turned at random.

    All queries must be equally long, which makes writing the pairs out as fast as it can be.
    """
    import numpy as np

    graded = np.reshape(given.grades, (len(given.sizes), -1))
    query, better, worse = np.nonzero(graded[:, :, None] > graded[:, None, :])
    turned = np.random.default_rng(0).random(len(query)) < 0.5
    before = query * graded.shape[1]
    pairs = given.X[before + np.where(turned, worse, better)]
    pairs -= given.X[before + np.where(turned, better, worse)]
    return pairs, np.where(turned, -1, 1)


def relative_gradient(given: Documents, coef: Any) -> float:
    """Return the norm of the gradient of ½‖w‖² + Σ max(0, 1 − margin)² over that at w = 0.

    All queries must be equally long.
    """
    import numpy as np

    graded = np.reshape(given.grades, (len(given.sizes), -1))
    better = graded[:, :, None] > graded[:, None, :]

    def size(w: Any) -> float:
        scores = np.reshape(given.X @ w, graded.shape)
        short = np.maximum(0, 1 - scores[:, :, None] + scores[:, None, :]) * better
        pull = (short.sum(axis=2) - short.sum(axis=1)).ravel()
        return float(np.linalg.norm(w - 2 * (given.X.T @ pull)))

    return size(coef) / size(np.zeros_like(coef))


def ndcg(grades: Any, scores: Any, k: int = 10) -> float:
    """Return NDCG@k of one query, gains linear, averaged over orders of equal scores; NaN where all grades are 0."""
    import numpy as np

    best = np.sort(grades)[::-1][:k]
    order, starts, sizes = ranked(scores)
    expected = (np.add.reduceat(np.asarray(grades)[order], starts) / sizes).repeat(sizes)[:k]
    discount = 1 / np.log2(np.arange(2, len(best) + 2))
    return float(expected @ discount / (best @ discount)) if best.any() else float("nan")


def average_precision(grades: Any, scores: Any) -> float:
    """Return the mean precision at the relevant documents (grade above 0) of one query; NaN without one.

    It is averaged over the orders of equal scores: the closed form is that of ``penchant.metrics``.
    """
    import numpy as np

    relevant = np.asarray(grades) > 0
    if not relevant.any():
        return float("nan")
    order, starts, sizes = ranked(scores)
    inside = np.add.reduceat(relevant[order].astype(float), starts)
    position = np.arange(1, len(relevant) + 1)
    place = position - (starts + 1).repeat(sizes)
    before = (np.cumsum(inside) - inside).repeat(sizes)
    found = before + 1 + place * ((inside - 1) / np.maximum(sizes - 1, 1)).repeat(sizes)
    return float(((inside / sizes).repeat(sizes) * found / position).sum() / relevant.sum())


def ranked(scores: Any) -> tuple[Any, Any, Any]:
    """Return documents by falling score, and where among them each group of equal scores begins, and its size."""
    import numpy as np

    falling = -np.asarray(scores)
    order = falling.argsort(kind="stable")
    in_order = falling[order]
    bounds = np.zeros(len(order) + 1, dtype=bool)
    bounds[0] = bounds[-1] = True
    np.not_equal(in_order[1:], in_order[:-1], out=bounds[1:-1])
    ends = bounds.nonzero()[0]
    return order, ends[:-1], ends[1:] - ends[:-1]


def mean_ndcg(given: Documents, scores: Any) -> float:
    """Return the mean NDCG@10 over the queries that have a relevant document."""
    import numpy as np

    queries = zip(given.by_query(given.grades), given.by_query(scores), strict=True)
    return float(np.nanmean([ndcg(*query) for query in queries]))
