"""The movie setting: ratings, features of items, and what users would think."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.simulate import Movies, Ratings
from penchant.simulate.data.factors import chosen_by_validation, factorised, grouped, ridge_rows


def planted(n_users: int, n_items: int, noise: float, *, seed: int = 0) -> Ratings:
    """Centred ratings of a third of all pairs, from two factors and noise."""
    random = np.random.default_rng(seed)
    truth = random.standard_normal((n_users, 2)) @ random.standard_normal((2, n_items))
    user, item = np.nonzero(random.random((n_users, n_items)) < 0.33)
    return Ratings(
        user, item, truth[user, item] + noise * random.standard_normal(len(user)), n_users, n_items
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("u.data", "5\t20\t3\t881250949\n7\t20\t4\t1\n5\t9\t1\t2\n"),
        ("ratings.dat", "5::20::3::978300760\n7::20::4::1\n5::9::1::1\n"),
        ("ratings.csv", "user_id,movie_id,rating\n5,20,3\n7,20,4\n5,9,1\n"),
    ],
)
def test_the_three_forms_of_movielens_are_read(name: str, text: str, tmp_path: Path) -> None:
    """Users and items are numbered in the order of their ids."""
    (tmp_path / name).write_text(text)
    given = Ratings.read(tmp_path / name)
    assert given.user.tolist() == [0, 1, 0]
    assert given.item.tolist() == [1, 1, 0]
    assert given.rating.tolist() == [3, 4, 1]
    assert (given.n_users, given.n_items, len(given)) == (2, 2, 3)


def test_ratings_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    """None at all, two of one pair, a missing one, and a file of something else."""
    with pytest.raises(InvalidInput, match="at least 1"):
        Ratings.of([], [], [])
    with pytest.raises(InvalidInput, match="ann and 3 2 times"):
        Ratings.of(["ann", "ann"], [3, 3], [1, 2])
    with pytest.raises(InvalidInput, match="finite"):
        Ratings.of([1], [1], [np.nan])
    (tmp_path / "other.csv").write_text("title\nHeat\n")
    with pytest.raises(InvalidInput, match="must have a user, an item and a rating"):
        Ratings.read(tmp_path / "other.csv")


def test_each_turn_is_a_ridge_regression() -> None:
    """Rows are (FᵀF + λI)⁻¹Fᵀr over their own entries, and 0 without any."""
    random = np.random.default_rng(0)
    factors, rows, others = (
        random.standard_normal((20, 4)),
        random.integers(0, 5, 40),
        random.integers(0, 20, 40),
    )
    values = random.standard_normal(40)
    found = ridge_rows(grouped(rows, others, values, 6), factors, 0.7)
    for row in range(6):
        F = factors[others[rows == row]]
        expected = np.linalg.solve(F.T @ F + 0.7 * np.eye(4), F.T @ values[rows == row])
        np.testing.assert_allclose(found[row], expected, atol=1e-10)


def test_turns_never_raise_what_is_minimised() -> None:
    """Σ (r − pᵀq)² + λ(Σ‖p‖² + Σ‖q‖²) falls with every further sweep."""
    ratings = planted(30, 25, 0.1)

    def objective(sweeps: int) -> float:
        users, items = factorised(ratings, 3, 0.5, sweeps=sweeps)
        errors = ratings.rating - (users[ratings.user] * items[ratings.item]).sum(axis=1)
        return float((errors**2).sum() + 0.5 * ((users**2).sum() + (items**2).sum()))

    values = [objective(sweeps) for sweeps in (1, 2, 4, 8, 16)]
    assert all(later <= before + 1e-9 for before, later in pairwise(values))


def test_validation_finds_the_planted_dimension() -> None:
    """Of 1, 2 and 6 dimensions two are chosen, and of three ridges the one that errs least on ratings left out."""
    ratings = planted(80, 60, 0.5)
    assert chosen_by_validation(ratings, dimensions=(1, 2, 6), ridges=(0.1, 1.0, 50.0)) == (2, 1.0)


def test_the_halves_are_as_the_paper_wants_them() -> None:
    """Candidates were rated in the first half, a constant column is added, users are the other half."""
    random = np.random.default_rng(1)
    user, item = np.nonzero(random.random((41, 30)) < 0.3)
    keep = (item != 29) | (user < 1)  # hardly anybody rated the last one
    ratings = Ratings.of(user[keep], item[keep], random.integers(1, 6, keep.sum()))
    setting = Movies.from_ratings(ratings, dimension=3, ridge=1.0, seed=2)
    halves = np.random.default_rng(2).permutation(41)
    first, second = np.sort(halves[:20]), np.sort(halves[20:])
    candidates = np.unique(ratings.item[np.isin(ratings.user, first)])
    assert (setting.n_items, setting.n_users, setting.n_features) == (len(candidates), 21, 4)
    assert (setting.features[:, -1] == 1).all()
    assert setting.mean == pytest.approx(ratings.rating[np.isin(ratings.user, first)].mean())
    who = second[4]
    rows = np.flatnonzero((ratings.user == who) & np.isin(ratings.item, candidates))
    places = np.searchsorted(candidates, ratings.item[rows])
    F, centred = setting.features[places], ratings.rating[rows] - setting.mean
    expected = np.linalg.solve(F.T @ F + np.eye(4), F.T @ centred)
    np.testing.assert_allclose(setting.weights[4], expected, atol=1e-10)
    assert setting.grades(4)[places].tolist() == ratings.rating[rows].tolist()


def test_imputed_ratings_are_rounded_half_up_and_cut() -> None:
    """2.5 is 3, 3.49 is 3, 9 is 5, −2 is 1."""
    setting = Movies(np.eye(4), [[-0.5, 0.49, 6.0, -5.0]], mean=3.0)
    assert setting.grades(0).tolist() == [3, 3, 5, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Movies(np.ones(3), [[1.0]]), "matrices"),
        (lambda: Movies(np.ones((3, 2)), [[1.0]]), "2 columns"),
        (lambda: Movies(np.ones((3, 1)), [[np.nan]]), "finite"),
        (lambda: Movies(np.ones((3, 1)), [[1.0]], ratings=planted(4, 4, 0.0)), "1 users and 3 items"),
        (lambda: Movies.from_ratings(Ratings.of([1], [1], [1])), "at least 2 users"),
        (lambda: factorised(planted(4, 4, 0.0), 0, 1.0), "dimension"),
        (lambda: factorised(planted(4, 4, 0.0), 1, 0.0), "ridge must be a number above 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make: object, message: str) -> None:
    """Each says what the limit is."""
    with pytest.raises(InvalidInput, match=message):
        make()
