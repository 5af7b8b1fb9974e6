"""The engine: round by round, compiled, and beside references written from the equations."""

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
    BoundedUser,
    ClickChain,
    Clicks,
    ExpectedUser,
    Movies,
    NoisyRanking,
    PreferredOfTwo,
    Record,
    StrictItem,
    StrictRanking,
    User,
    WebSearch,
    play,
)
from penchant.simulate.compiled_runs import compiled_run
from tests.simulate.tables import movies, web

MEASURES = ("presented_utility", "feedback_utility", "best_utility", "presented_dcg", "best_dcg")


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


def assert_same(one: Record, other: Record) -> None:
    """The same objects in every round, and weights and measures that differ by no more than rounding."""
    assert np.array_equal(one.presented, other.presented)
    assert np.array_equal(one.feedback, other.feedback)
    np.testing.assert_allclose(one.weights, other.weights, rtol=0, atol=1e-10)
    for measure in MEASURES:
        np.testing.assert_allclose(getattr(one, measure), getattr(other, measure), rtol=0, atol=1e-10)


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
    offer = Offer(nothing, nothing, utilities, by_utility, nothing, nothing, nothing, nothing)
    for wanted, item in ((0.0, 1), (1.5, 2), (3.0, 0), (3.5, 0), (9.0, 0), (np.inf, 0), (np.nan, 1)):
        assert lowest_from(wanted, offer, 2, left, np.arange(1, 5)) == item


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


def test_a_learner_who_draws_draws_anew_in_each_run() -> None:
    """A perturbed learner swaps other neighbours in each run of the same queries; one without chance is copied."""
    setting = WebSearch(np.ones((20, 1)), [0, 20], np.zeros(20), weights=[1.0], feature_map=RankingMap(20))
    record = play(PerturbedPerceptron(RankingMap(20), 1, seed=1), NoisyRanking(1), setting, runs=6, rounds=1)
    assert len({tuple(run) for run in record.presented[:, 0].tolist()}) == 6
    again = play(PerturbedPerceptron(RankingMap(20), 1, seed=1), NoisyRanking(1), setting, runs=2, rounds=1)
    assert np.array_equal(again.presented, record.presented[:2])


@pytest.mark.parametrize("user", [StrictRanking(), NoisyRanking(), Clicks(), ClickChain()], ids=repr)
def test_a_user_of_rankings_is_not_asked_about_items(user: User) -> None:
    """The refusal names the user and what was on the table."""
    with pytest.raises(InvalidInput, match="must be asked about Documents, got Items"):
        play(PreferencePerceptron(ItemMap(), 4), user, movies(10, 4), runs=1)


@pytest.mark.parametrize("user", [StrictItem(), BetterItem(), BestItem(), PreferredOfTwo()], ids=repr)
def test_a_user_of_items_is_not_asked_about_rankings(user: User) -> None:
    """The refusal names the user and what was on the table."""
    with pytest.raises(InvalidInput, match="must be asked about Items, got Documents"):
        play(PreferencePerceptron(RankingMap(), 4), user, web(5, 4), runs=1)


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


def test_the_perceptron_on_queries_is_algorithm_1() -> None:
    """Scores, orders, feedback at the first sufficient depth and w + φ(ȳ) − φ(y), written out with plain loops."""
    setting = web(40, 4, seed=3)
    record = play(PreferencePerceptron(RankingMap(), 4), StrictRanking(0.4), setting, runs=1, seed=5)
    order_seed = int(np.random.SeedSequence([5, 0]).generate_state(2, np.uint64)[0])
    discounts = [1 / np.log(place + 2) for place in range(5)]
    w = np.zeros(4)

    def features_of(X: np.ndarray, order: list[int]) -> np.ndarray:
        return sum(discount * X[document] for discount, document in zip(discounts, order, strict=False))

    for t, query in enumerate(setting.queries(40, order_seed)):
        X = setting.features[setting.starts[query] : setting.starts[query + 1]]
        truth = [float(setting.weights @ x) for x in X]
        shown = sorted(range(len(X)), key=lambda document, X=X: (-sum(w * X[document]), document))
        best = setting.weights @ features_of(X, sorted(range(len(X)), key=lambda document: -truth[document]))
        here = setting.weights @ features_of(X, shown)
        for depth in range(min(5, len(X)), len(X) + 1):
            lifted = sorted(shown[:depth], key=lambda document: -truth[document])[:5]
            answer = lifted + [document for document in shown if document not in lifted]
            if setting.weights @ features_of(X, answer) - here >= 0.4 * (best - here) - 1e-12:
                break
        assert record.presented_utility[0, t] == pytest.approx(here, abs=1e-10)
        assert record.feedback_utility[0, t] == pytest.approx(
            setting.weights @ features_of(X, answer), abs=1e-10
        )
        assert record.best_utility[0, t] == pytest.approx(best, abs=1e-10)
        w = w + features_of(X, answer) - features_of(X, shown)
    np.testing.assert_allclose(record.weights[0], w, atol=1e-10)


def test_what_was_shown_or_named_never_comes_back() -> None:
    """In a run over items each appears in one round at most."""
    record = play(PreferencePerceptron(ItemMap(), 5), BetterItem(), movies(60, 5))
    for shown, named in zip(record.presented[:, :, 0], record.feedback[:, :, 0], strict=True):
        rounds = [{a, b} for a, b in zip(shown.tolist(), named.tolist(), strict=True)]
        assert sum(map(len, rounds)) == len(set().union(*rounds))


@pytest.mark.parametrize(
    "user",
    [ExpectedUser(user=StrictRanking(0.5)), BoundedUser(), Clicks()],
    ids=lambda user: type(user).__name__,
)
def test_any_user_can_be_played_against(user: User) -> None:
    """Where no compiled way is known the rounds go through the public one, and the same seed gives the same runs."""
    learner, setting = PreferencePerceptron(RankingMap(), 4), web(20, 4)
    assert compiled_run(learner, user, setting) is None
    assert_same(*(play(learner, user, setting, runs=2, seed=8) for _ in range(2)))


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


def test_a_run_depends_on_its_number_and_the_seed_alone() -> None:
    """The first runs are the same whatever the number of runs, unlike one another, and other with another seed."""
    learner, setting = PreferencePerceptron(RankingMap(), 4), web(30, 4)
    few, many = (play(learner, NoisyRanking(5), setting, runs=runs, seed=2) for runs in (2, 4))
    other = play(learner, NoisyRanking(5), setting, runs=2, seed=3)
    assert np.array_equal(few.presented, many.presented[:2])
    assert not np.array_equal(many.presented[0], many.presented[1])
    assert not np.array_equal(few.presented, other.presented)


def test_the_learner_stays_and_progress_is_told() -> None:
    """Runs are played by copies, and the call after each says how many are done."""
    learner, told = PreferencePerceptron(RankingMap(), 4), []
    for compiled in (True, False):
        play(
            learner,
            StrictRanking(),
            web(10, 4),
            runs=3,
            compiled=compiled,
            progress=lambda *done: told.append(done),
        )
    assert learner.rounds == 0
    assert not learner.weights.any()
    assert told == [(1, 3), (2, 3), (3, 3)] * 2


def test_more_rounds_than_queries_begin_them_anew() -> None:
    """Each query comes once before any comes twice."""
    setting = web(12, 3)
    queries = setting.queries(30, 1)
    assert sorted(queries[:12]) == sorted(queries[12:24]) == list(range(12))
    assert not np.array_equal(queries[:12], queries[12:24])


def test_only_the_ratio_of_gamma_and_epsilon_matters_inside_the_ball() -> None:
    """Second-order learners with the same γ/ε present the same rankings while the projection is inactive."""
    setting = web(60, 5)
    first, second, third = (
        play(
            SecondOrderPerceptron(RankingMap(), 5, epsilon=e, gamma=g, radius=1e6),
            StrictRanking(),
            setting,
            runs=2,
        )
        for e, g in ((1.0, 1.0), (4.0, 4.0), (1.0, 4.0))
    )
    assert np.array_equal(first.presented, second.presented)
    assert not np.array_equal(first.presented, third.presented)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"runs": 0}, "runs"),
        ({"runs": 3}, "at most the 2 users"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 11}, "at most 10"),
        ({"seed": -1}, "seed"),
    ],
)
def test_runs_that_cannot_be_played_are_refused(settings: dict[str, int], message: str) -> None:
    """Too few or too many runs or rounds, or a seed that is none."""
    with pytest.raises(InvalidInput, match=message):
        play(PreferencePerceptron(ItemMap(), 5), StrictItem(), movies(20, 5), **settings)


def test_a_learner_of_another_dimension_is_refused() -> None:
    """The learner must have a weight for each feature."""
    setting: WebSearch = web(5, 4)
    with pytest.raises(InvalidInput, match="must have 4 weights"):
        play(PreferencePerceptron(RankingMap(), 3), StrictRanking(), setting)


@pytest.mark.parametrize("way", [True, False], ids=["compiled", "round by round"])
def test_slices_of_the_runs_are_the_whole_to_the_bit(way: bool) -> None:
    """Runs 0 to 1 and 2 to 5, played apart and merged, are runs 0 to 5, of queries and of users who draw."""
    games: list[tuple[Learner, User, WebSearch | Movies]] = [
        (PreferencePerceptron(RankingMap(), 4), StrictRanking(0.3), web(30, 4)),
        (SecondOrderPerceptron(ItemMap(), 4), BetterItem(), movies(40, 4, 6)),
        (PerturbedPerceptron(RankingMap(), 4, seed=1), ExpectedUser(user=StrictRanking()), web(30, 4)),
    ]
    for learner, user, setting in games:
        settings = {"rounds": 12, "seed": 3, "compiled": way}
        whole = play(learner, user, setting, runs=6, **settings)  # type: ignore[arg-type]
        parts = [
            play(learner, user, setting, runs=runs, first=first, **settings)  # type: ignore[arg-type]
            for first, runs in ((0, 2), (2, 4))
        ]
        merged = Record.merged(parts)
        for name in (*MEASURES, "presented", "feedback", "weights"):
            np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name))


def test_a_first_run_that_there_is_not_is_refused() -> None:
    """Below 0, behind the last, and more runs than users from there on; nothing is merged of no records."""
    learner, setting = PreferencePerceptron(ItemMap(), 4), movies(10, 4)
    for first, runs, words in (
        (-1, 1, "first must be a whole number of at least 0, got -1"),
        (2, None, "first must be below the 2 runs, got 2: begin earlier"),
        (1, 2, "runs must be at most the 2 users, got 3"),
    ):
        with pytest.raises(InvalidInput, match=words):
            play(learner, StrictItem(), setting, runs=runs, first=first)
    with pytest.raises(InvalidInput, match="records must hold at least 1, got none"):
        Record.merged([])
