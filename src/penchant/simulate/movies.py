"""The movie recommendation setting: items with features, and users with true utilities.

The setting of paper 2, section 6.1.2: one half of the users give each movie its features, each user of the other
half is a run, and what was presented or named leaves.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, numbers, shown, vector
from penchant.coactive._kernels import loops
from penchant.coactive.features import scores
from penchant.errors import InvalidInput
from penchant.simulate.contexts import Items
from penchant.simulate.data.factors import check_ridge, chosen_by_validation, factorised, grouped, ridge_rows
from penchant.simulate.data.ratings import Ratings


class Movies:
    """Items with features, and users with a truth of their own.

    Parameters
    ----------
    features : array of shape (n_items, n_features)
        The last column is constant in the setting of the paper.
    weights : array of shape (n_users, n_features)
        w* of each user.
    mean : float
        What is added to w*ᵀx to impute a rating.
    ratings : Ratings, optional
        What users have in fact rated, in the numbers of ``weights`` and ``features``.

    Examples
    --------
    >>> movies = Movies(np.eye(3), [[1.0, 0.4, -9.0]], mean=3.0)
    >>> movies.utilities(0), movies.grades(0)
    (array([ 1. ,  0.4, -9. ]), array([4., 3., 1.]))
    """

    places = 1

    def __init__(
        self, features: ArrayLike, weights: ArrayLike, *, mean: float = 0.0, ratings: Ratings | None = None
    ) -> None:
        self.features = np.ascontiguousarray(numbers("features", features))
        self.weights = numbers("weights", weights)
        if (
            self.features.ndim != 2
            or self.weights.ndim != 2
            or not self.features.size
            or not self.weights.size
        ):
            raise InvalidInput(
                f"features and weights must be matrices with at least 1 row, got shapes {self.features.shape} "
                f"and {self.weights.shape}: give one row an item, and one a user"
            )
        if self.features.shape[1] != self.weights.shape[1]:
            raise InvalidInput(
                f"weights must have {self.features.shape[1]} columns, one a feature, got "
                f"{self.weights.shape[1]}: give the weights of these features"
            )
        self.mean = float(vector("mean", [mean])[0])
        shape = len(self.weights), len(self.features)
        if ratings is not None and (ratings.n_users, ratings.n_items) != shape:
            raise InvalidInput(
                f"ratings must be of {shape[0]} users and {shape[1]} items, got {ratings.n_users} and "
                f"{ratings.n_items}: give those of the weights and features"
            )
        self._rated = None
        if ratings is not None:
            self._rated = grouped(ratings.user, ratings.item, ratings.rating, ratings.n_users)

    @classmethod
    def from_ratings(
        cls, ratings: Ratings, *, dimension: int | None = None, ridge: float | None = None, seed: int = 0
    ) -> Self:
        """Split the users in halves: features from the first half, a ridge regression for each of the second.

        Candidates are the items that the first half rated. Ratings are centred at the first half's mean.

        Parameters
        ----------
        ratings : Ratings
        dimension : int, optional
            Of the features, to which a constant column is added; None: by cross-validation on the first half.
        ridge : float, optional
            Of the features and of the users' weights; None: by cross-validation, as above.
        seed : int
            Of the halves, of the parts left out, and of the features' start.
        """
        if ratings.n_users < 2:
            raise InvalidInput(f"ratings must come from at least 2 users, got {ratings.n_users}: give more")
        order = np.random.default_rng(seed).permutation(ratings.n_users)
        half = ratings.n_users // 2
        first, second = ratings.of_users(np.sort(order[:half])), ratings.of_users(np.sort(order[half:]))
        candidates = np.unique(first.item)
        first, second = first.of_items(candidates), second.of_items(candidates)
        mean = float(first.rating.mean())
        centred = _centred(first, mean)
        if dimension is None or ridge is None:
            fixed = {
                **({} if dimension is None else {"dimensions": (dimension,)}),
                **({} if ridge is None else {"ridges": (ridge,)}),
            }
            dimension, ridge = chosen_by_validation(centred, seed=seed, **fixed)  # type: ignore[arg-type]
        check_ridge(ridge)
        _, factors = factorised(centred, dimension, ridge, seed=seed)
        features = np.column_stack([factors, np.ones(len(factors))])
        by_user = grouped(second.user, second.item, second.rating - mean, second.n_users)
        return cls(features, ridge_rows(by_user, features, ridge), mean=mean, ratings=second)

    @classmethod
    def read(
        cls, path: str | Path, *, dimension: int | None = None, ridge: float | None = None, seed: int = 0
    ) -> Self:
        """Read a MovieLens file and make the setting of it, as `from_ratings` does."""
        return cls.from_ratings(Ratings.read(path), dimension=dimension, ridge=ridge, seed=seed)

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return len(self.weights)

    @property
    def n_items(self) -> int:
        """How many items every user begins with."""
        return len(self.features)

    @property
    def n_features(self) -> int:
        """How many features an item has."""
        return int(self.features.shape[1])

    @cached_property
    def gram(self) -> Floats:
        """XXᵀ, shape (n_items, n_items)."""
        return loops().gram_matrix(self.features)

    def utilities(self, user: int) -> Floats:
        """Return w*ᵀx of each item for one user."""
        return scores(self.features, self.weights[user])

    def grades(self, user: int) -> Floats:
        """Return one user's rating of each item: the actual one, or the imputed one rounded half up to 1 … 5."""
        given = np.clip(np.floor(self.mean + self.utilities(user) + 0.5), 1, 5)
        if self._rated is not None:
            starts, items, ratings = self._rated
            rows = slice(starts[user], starts[user + 1])
            given[items[rows]] = ratings[rows]
        return given

    def n_rounds(self, rounds: int | None) -> int:
        """Return how many rounds are played: as many as asked for, or until two a round have used up the items."""
        most = -(-self.n_items // 2)
        if rounds is not None and rounds > most:
            raise InvalidInput(
                f"rounds must be at most {most}, since two of {self.n_items} items leave a round, got {rounds}: "
                "play fewer"
            )
        return most if rounds is None else rounds

    def n_runs(self, runs: int | None) -> int:
        """Return how many users play: the first ones, as many as asked for, or all."""
        if runs is not None and runs > self.n_users:
            raise InvalidInput(
                f"runs must be at most the {self.n_users} users, got {shown(runs)}: play fewer"
            )
        return self.n_users if runs is None else runs

    def session(self, run: int, rounds: int, seed: int) -> OfferSession:
        """Return the rounds of one user; nothing is drawn for them."""
        return OfferSession(self, run)


class OfferSession:
    """One user's run: what was presented or named leaves."""

    def __init__(self, movies: Movies, user: int) -> None:
        self.movies = movies
        self.utilities, self.grades = movies.utilities(user), movies.grades(user)
        self.left = np.arange(movies.n_items)

    def context(self, t: int) -> Items:
        """Return the items that are left."""
        left = self.left
        return Items(self.movies.features[left], self.utilities[left], self.grades[left])

    def tops(self, presented: ArrayLike, feedback: int) -> tuple[Ints, Ints]:
        """Return the presented item, or both of two, and the answer by their first numbers; all of them leave."""
        gone = np.append(presented, feedback)
        numbers = self.left[gone]
        self.left = np.delete(self.left, gone)
        return numbers[:-1], numbers[-1:]


def _centred(ratings: Ratings, mean: float) -> Ratings:
    return Ratings(ratings.user, ratings.item, ratings.rating - mean, ratings.n_users, ratings.n_items)
