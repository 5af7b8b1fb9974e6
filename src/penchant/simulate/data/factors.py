"""Factor ratings into features of users and items.

A regularised singular value decomposition of the ratings that are there, by alternating least squares (Bell and
Koren, Scalable collaborative filtering with jointly derived neighborhood interpolation weights, ICDM 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from penchant.checks import Floats, Ints, check_number, whole
from penchant.simulate.data.ratings import Ratings

DIMENSIONS = (5, 10, 20, 50)
RIDGES = (3.0, 10.0, 30.0)
SWEEPS = 12


def factorised(
    ratings: Ratings, dimension: int, ridge: float, *, sweeps: int = SWEEPS, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return P and Q with P Qᵀ near the ratings: least Σ (r − pᵀq)² + ridge·(Σ‖p‖² + Σ‖q‖²), by turns.

    Parameters
    ----------
    ratings : Ratings
        Centred; a user or an item without ratings gets a zero factor.
    dimension : int
    ridge : float
        Above 0.
    sweeps : int
        How often users and items take their turns.
    seed : int
        Of the items' first factors.

    Returns
    -------
    users : ndarray of shape (n_users, dimension)
    items : ndarray of shape (n_items, dimension)

    Examples
    --------
    >>> given = Ratings.of([0, 0, 1, 1], [0, 1, 0, 1], [2.0, -2.0, 1.0, -1.0])
    >>> users, items = factorised(given, 1, 0.01)
    >>> (users @ items.T).round(1)
    array([[ 2., -2.],
           [ 1., -1.]])
    """
    whole("dimension", dimension, 1)
    check_ridge(ridge)
    by_user = grouped(ratings.user, ratings.item, ratings.rating, ratings.n_users)
    by_item = grouped(ratings.item, ratings.user, ratings.rating, ratings.n_items)
    items = 0.1 * np.random.default_rng(seed).standard_normal((ratings.n_items, dimension))
    users = np.zeros((ratings.n_users, dimension))
    for _ in range(sweeps):
        users = ridge_rows(by_user, items, ridge)
        items = ridge_rows(by_item, users, ridge)
    return users, items


def ridge_rows(grouped: tuple[Ints, Ints, Floats], factors: Floats, ridge: float) -> Floats:
    """Return each row's ridge regression of its values on the factors that they belong to, shape (n_rows, width)."""
    from penchant.simulate.data._factor_kernels import solve_rows

    found = np.empty((len(grouped[0]) - 1, factors.shape[1]))
    solve_rows(*grouped, np.ascontiguousarray(factors), float(ridge), found)
    return found


def grouped(rows: Ints, others: Ints, values: Floats, n_rows: int) -> tuple[Ints, Ints, Floats]:
    """Return where each row's entries begin, and the others and values of all entries row after row."""
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n_rows))])
    return starts, others[order], values[order]


def chosen_by_validation(
    ratings: Ratings,
    *,
    dimensions: Sequence[int] = DIMENSIONS,
    ridges: Sequence[float] = RIDGES,
    folds: int = 3,
    sweeps: int = SWEEPS,
    seed: int = 0,
) -> tuple[int, float]:
    """Return the dimension and ridge with the least squared error on ratings left out, the first of equal ones.

    Parameters
    ----------
    ratings : Ratings
        Centred.
    dimensions, ridges : sequences
    folds : int
        In how many parts the ratings are left out, at least 2.
    sweeps, seed
        As of `factorised`; ``seed`` also deals the ratings into parts.
    """
    whole("folds", folds, 2)
    part = np.random.default_rng(seed).permutation(len(ratings)) % folds
    errors = {
        (dimension, ridge): sum(
            _squared_error(ratings[part != fold], ratings[part == fold], dimension, ridge, sweeps, seed)
            for fold in range(folds)
        )
        for dimension, ridge in product(dimensions, ridges)
    }
    return min(errors, key=lambda choice: errors[choice])


def check_ridge(ridge: float) -> None:
    """Raise unless the ridge is a number above 0."""
    check_number("ridge", ridge, above=0, remedy="10 is usual")


def _squared_error(
    known: Ratings, left_out: Ratings, dimension: int, ridge: float, sweeps: int, seed: int
) -> float:
    users, items = factorised(known, dimension, ridge, sweeps=sweeps, seed=seed)
    predicted = (users[left_out.user] * items[left_out.item]).sum(axis=1)
    return float(((left_out.rating - predicted) ** 2).sum())
