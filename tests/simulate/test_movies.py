"""The movie setting: ratings, features of items, and what users would think."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.simulate import Movies, Ratings
from penchant.simulate.data.factors import factorised


def planted(n_users: int, n_items: int, noise: float, *, seed: int = 0) -> Ratings:
    """Centred ratings of a third of all pairs, from two factors and noise."""
    random = np.random.default_rng(seed)
    truth = random.standard_normal((n_users, 2)) @ random.standard_normal((2, n_items))
    user, item = np.nonzero(random.random((n_users, n_items)) < 0.33)
    return Ratings(
        user, item, truth[user, item] + noise * random.standard_normal(len(user)), n_users, n_items
    )


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
