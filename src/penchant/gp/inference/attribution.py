"""Split the difference of two utilities into parts: by features, along the line between two items, and by links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from penchant.checks import Floats

_STEPS = 32


class Explanation(NamedTuple):
    """Weights that add up to the expected utility of an item less that of another one.

    Attributes
    ----------
    features : list of (str, float)
        The part of each named feature.
    links : list of (int, float)
        The part of each linked item, by its row.
    answers : list of (int, int, float)
        What each compared pair of rows contributes to the parts that belong to either of the two items alone.
    """

    features: list[tuple[str, float]]
    links: list[tuple[int, float]]
    answers: list[tuple[int, int, float]]

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return float(sum(part[-1] for parts in self for part in parts))


def integrated_gradients(
    utility: Callable[[Floats], Floats], a: Floats, b: Floats, *, steps: int = _STEPS
) -> Floats:
    """Return the part of each feature in utility(a) − utility(b), shape (n_features,); they add up to it.

    The gradient is integrated along the line from b to a (Sundararajan, Taly and Yan, 2017), in equal steps; in each,
    the change along one feature is a central difference as wide as the step. What is missing to the whole difference,
    which falls with the square of the steps, is shared in proportion to the sizes of the parts.

    Parameters
    ----------
    utility : callable
        From rows (k, n_features) to utilities (k,).
    a, b : array of shape (n_features,)
    steps : int

    Examples
    --------
    >>> a, b = np.array([3.0, 1.0]), np.array([1.0, 0.0])
    >>> integrated_gradients(lambda rows: rows[:, 0] ** 2 - rows[:, 1], a, b).round(6)
    array([ 8., -1.])
    """
    apart = a - b
    middles = b + apart * ((np.arange(steps) + 0.5) / steps)[:, None]
    moves = np.diag(apart / (2 * steps))  # one feature at a time
    rows = np.concatenate(
        [(middles[:, None] + side * moves).reshape(-1, len(a)) for side in (1, -1)] + [np.stack([a, b])]
    )
    values = utility(rows)
    ahead, behind = values[:-2].reshape(2, steps, len(a))
    return adding_up((ahead - behind).sum(axis=0), float(values[-2] - values[-1]))


def adding_up(weights: Floats, total: float) -> Floats:
    """Return ``weights`` with what is missing to ``total`` shared in proportion to their sizes.

    Examples
    --------
    >>> adding_up(np.array([3.0, -1.0]), 2.4).round(6)
    array([ 3.3, -0.9])
    """
    sizes = np.abs(weights)
    if not sizes.sum() > 0:
        return weights
    return np.asarray(weights + (total - weights.sum()) * sizes / sizes.sum())


def complete(explanation: Explanation, total: float, pair: tuple[int, int]) -> Explanation:
    """Return the explanation with its weights changed by rounding errors so that they add up to ``total``.

    Without any weights the difference is that of the ``pair`` of rows itself.
    """
    parts: Sequence[Sequence[tuple[object, ...]]] = explanation
    weights = np.array([part[-1] for part_list in parts for part in part_list], dtype=np.float64)
    if not np.abs(weights).sum() > 0:
        return explanation if total == 0 else explanation._replace(answers=[(*pair, total)])
    shared = iter(adding_up(weights, total).tolist())
    return Explanation(
        [(name, next(shared)) for name, _ in explanation.features],
        [(row, next(shared)) for row, _ in explanation.links],
        [(first, second, next(shared)) for first, second, _ in explanation.answers],
    )
