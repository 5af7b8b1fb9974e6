"""Compiled runs beside the public way, round by round."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    ItemMap,
    Learner,
    PerturbedPerceptron,
    PreferencePerceptron,
    RankingMap,
    SecondOrderPerceptron,
)
from penchant.errors import InvalidInput
from penchant.simulate import (
    BestItem,
    BetterItem,
    DuelingBandit,
    DuelingItems,
    Movies,
    NoisyRanking,
    PreferredOfTwo,
    StrictItem,
    StrictRanking,
    User,
    WebSearch,
    play,
)
from penchant.simulate.compiled_runs import compiled_run
from tests.simulate.tables import movies, web
from tests.simulate.test_engine import assert_same


def learners(feature_map: RankingMap | ItemMap, n: int) -> list[Learner]:
    """Every kind that has a compiled way, with batches, projections and starts that are not 0."""
    return [
        PreferencePerceptron(feature_map, n),
        PreferencePerceptron(feature_map, n, batch=7, weights=np.linspace(-1, 1, n)),
        ConvexPerceptron(feature_map, n, radius=0.5),
        ExponentiatedPerceptron(feature_map, n, bound=3.0),
        ExponentiatedPerceptron(feature_map, n, bound=3.0, horizon=100, signed=False),
        SecondOrderPerceptron(feature_map, n, gamma=0.5, epsilon=2.0),
        SecondOrderPerceptron(feature_map, n, radius=0.2),
    ]


@pytest.mark.parametrize("learner", learners(RankingMap(3, log="base2"), 6), ids=repr)
@pytest.mark.parametrize(
    "user", [StrictRanking(0.1), StrictRanking(1.0), NoisyRanking(2), NoisyRanking(10)], ids=repr
)
def test_compiled_rankings_are_those_of_the_public_way(learner: Learner, user: User) -> None:
    """Presented and improved rankings are equal in 300 rounds with short lists and documents that tie."""
    setting = web(80, 6, feature_map=RankingMap(3, log="base2"))
    assert compiled_run(learner, user, setting) is not None
    fast, slow = (play(learner, user, setting, runs=1, rounds=300, compiled=way) for way in (True, False))
    assert_same(fast, slow)


@pytest.mark.parametrize("learner", learners(ItemMap(), 5), ids=repr)
@pytest.mark.parametrize("user", [StrictItem(0.1), StrictItem(1.0), BetterItem(), BestItem()], ids=repr)
def test_compiled_items_are_those_of_the_public_way(learner: Learner, user: User) -> None:
    """Presented and named items are equal until none is left, with ties in scores, utilities and ratings."""
    setting = movies(101, 5)
    assert compiled_run(learner, user, setting) is not None
    fast, slow = (play(learner, user, setting, compiled=way) for way in (True, False))
    assert fast.n_rounds == 51
    if isinstance(learner, PreferencePerceptron):  # integers: other rules round, and ties need not be kept
        assert_same(fast, slow)
    else:
        continuous = Movies(setting.features + np.random.default_rng(1).random((101, 5)), setting.weights)
        assert_same(*(play(learner, user, continuous, compiled=way) for way in (True, False)))


@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_large_utilities_are_played_as_small_ones(alpha: float) -> None:
    """With utilities around 1e5, where rounding is larger than any tolerance, both ways name what is no worse."""
    random = np.random.default_rng(1)
    features = random.standard_normal((60, 4))
    taste = random.standard_normal((6, 4))
    small, large = Movies(features, taste), Movies(features, 1e5 * taste)
    learner, user = PreferencePerceptron(ItemMap(), 4), StrictItem(alpha)
    fast, slow = (play(learner, user, large, compiled=way) for way in (True, False))
    assert np.array_equal(fast.presented, slow.presented)
    assert np.array_equal(fast.feedback, slow.feedback)
    assert np.array_equal(fast.feedback, play(learner, user, small).feedback)
    assert (fast.feedback_utility >= fast.presented_utility).all()


def test_whatever_is_wanted_an_item_that_is_left_is_named() -> None:
    """The search ends at the best item left, also for what no item has and for NaN."""
    from penchant.coactive._kernels import Offer, lowest_from

    utilities, by_utility = np.array([3.0, 1.0, 2.0, 4.0]), np.array([1, 2, 0, 3])
    nothing, left = np.zeros(0), np.array([1, 1, 1, 0])
    levels = (nothing,) * 4
    offer = Offer(nothing, nothing, utilities, by_utility, *levels, left, np.arange(1, 5))
    for wanted, item in ((0.0, 1), (1.5, 2), (3.0, 0), (3.5, 0), (9.0, 0), (np.inf, 0), (np.nan, 1)):
        offer.jumps[:] = np.arange(1, 5)
        assert lowest_from(wanted, offer, 2) == item


@pytest.mark.parametrize("learner", learners(RankingMap(), 2)[:1] + learners(RankingMap(), 2)[2:], ids=repr)
def test_what_is_too_large_to_hold_is_refused_both_ways(learner: Learner) -> None:
    """Features of 1e160 on queries and on items overflow in scores or steps: compiled or not, that is said."""
    random = np.random.default_rng(0)
    features = 1e160 * random.random((12, 2))
    setting = WebSearch(features, [0, 6, 12], np.arange(12) % 3, weights=[1e-160, -1e-160])
    items = Movies(features, 1e-160 * random.standard_normal((1, 2)))
    of_items = deepcopy(learner)
    of_items.feature_map = ItemMap()
    for way in (True, False):
        for own, user, where in ((learner, StrictRanking(1.0), setting), (of_items, StrictItem(1.0), items)):
            if not isinstance(learner, ExponentiatedPerceptron):  # whose weights stay below 1
                with pytest.raises(InvalidInput, match="scale the features down"):
                    play(own, user, where, runs=1, compiled=way)
    exponentiated = ExponentiatedPerceptron(RankingMap(), 2, bound=1e-300)
    for way in (True, False):
        with pytest.raises(InvalidInput, match="scale the features down"):
            play(exponentiated, StrictRanking(1.0), setting, runs=1, compiled=way)


def test_scores_of_items_that_overflow_between_recomputations_are_refused() -> None:
    """Steps along the Gram matrix that become infinite are seen, also in items that are never shown."""
    features = np.array([[1.0, 0.0]] * 20 + [[-1e200, 1e200], [1e200, -1e200]])
    setting = Movies(features, [[1e-200, 0.0]])
    learner = PreferencePerceptron(ItemMap(), 2)
    for way in (True, False):
        with pytest.raises(InvalidInput, match="scale the features down"):
            play(learner, StrictItem(1.0), setting, compiled=way)


def test_scores_from_the_gram_matrix_do_not_drift() -> None:
    """Over three times as many rounds as lie between two recomputations the same items are presented."""
    random = np.random.default_rng(0)
    setting = Movies(random.standard_normal((1600, 12)), random.standard_normal((1, 12)))
    learner = PreferencePerceptron(ItemMap(), 12)
    assert_same(*(play(learner, StrictItem(0.3), setting, compiled=way) for way in (True, False)))


def test_steps_of_scores_keep_nine_digits() -> None:
    """After as many rounds as lie between two recomputations scores are off by less than 1e-9."""
    from penchant.coactive._kernels import REFRESH, gram_matrix, step_scores

    random = np.random.default_rng(0)
    X, pairs = 10 * random.standard_normal((300, 20)), random.integers(0, 300, (2, REFRESH))
    weights = (X[pairs[1]] - X[pairs[0]]).sum(axis=0)
    scores = np.zeros(300)
    step_scores(scores, gram_matrix(X), pairs[0], pairs[1])
    np.testing.assert_allclose(scores, X @ weights, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "learner",
    [
        PerturbedPerceptron(RankingMap(), 4, seed=1),
        PreferencePerceptron(RankingMap(), 4, averaged=True),
        PreferencePerceptron(RankingMap(), 4, forget=0.1),
        PreferencePerceptron(RankingMap(2), 4),
        PreferencePerceptron(RankingMap(), 4).update(np.eye(4), [0, 1, 2, 3], [1, 0, 2, 3]),
    ],
)
def test_learners_that_compiled_code_does_not_know_are_not_played_by_it(learner: Learner) -> None:
    """Another kind, averages, forgetting, another map or rounds already learned go round by round."""
    assert compiled_run(learner, StrictRanking(0.5), web(20, 4)) is None


@pytest.mark.parametrize(
    "user", [StrictRanking(0.1), StrictRanking(1.0), NoisyRanking(2), NoisyRanking(10)], ids=repr
)
@pytest.mark.parametrize("depth", [1, 3, 20])
def test_compiled_duels_of_rankings_are_those_of_the_public_way(user: User, depth: int) -> None:
    """Drafts, answers and steps of two runs are equal, with short lists, documents that tie and a block half used."""
    setting = web(80, 6, feature_map=RankingMap(depth, log="base2"))
    bandit = DuelingBandit.for_setting(setting, gamma=1.0, delta=0.2, seed=5)
    assert compiled_run(bandit, user, setting) is not None
    fast, slow = (play(bandit, user, setting, runs=2, rounds=150, compiled=way) for way in (True, False))
    assert_same(fast, slow)
    assert np.abs(fast.weights).min() > 0


@pytest.mark.parametrize("by", ["utilities", "grades"])
def test_compiled_duels_of_items_are_those_of_the_public_way(by: str) -> None:
    """Pairs, answers and steps are equal until no item is left."""
    setting = movies(141, 5)
    bandit = DuelingItems.for_setting(setting, gamma=1.0, delta=0.3, seed=2)
    user = PreferredOfTwo(by)  # type: ignore[arg-type]
    continuous = Movies(
        setting.features + np.random.default_rng(1).random((141, 5)), setting.weights, mean=3.2
    )
    assert compiled_run(bandit, user, continuous) is not None
    fast, slow = (play(bandit, user, continuous, compiled=way) for way in (True, False))
    assert fast.n_rounds == 71
    assert_same(fast, slow)


def test_a_draft_of_more_documents_than_coins_throws_them_again() -> None:
    """A query of 700 documents, whose draft has 350 turns, is presented compiled as it is otherwise."""
    random = np.random.default_rng(0)
    setting = WebSearch(random.random((700, 3)), [0, 700], random.integers(0, 3, 700))
    bandit = DuelingBandit.for_setting(setting, gamma=1.0, delta=0.5)
    assert_same(
        *(play(bandit, NoisyRanking(700), setting, runs=1, rounds=5, compiled=way) for way in (True, False))
    )


def test_only_the_ratio_of_both_steps_counts() -> None:
    """Ten times γ and ten times δ present the same in every round, since the weights start at 0."""
    setting = web(50, 4)
    small, large = (
        play(DuelingBandit(4, gamma=by, delta=0.1 * by), StrictRanking(), setting, runs=1, rounds=200)
        for by in (1.0, 8.0)
    )
    assert np.array_equal(small.presented, large.presented)
    np.testing.assert_allclose(8 * small.weights, large.weights)
