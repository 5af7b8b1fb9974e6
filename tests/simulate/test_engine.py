"""The engine: round by round, compiled, and beside references written from the equations."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.coactive import (
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


def assert_same(one: Record, other: Record) -> None:
    """The same objects in every round, and weights and measures that differ by no more than rounding."""
    assert np.array_equal(one.presented, other.presented)
    assert np.array_equal(one.feedback, other.feedback)
    np.testing.assert_allclose(one.weights, other.weights, rtol=0, atol=1e-10)
    for measure in MEASURES:
        np.testing.assert_allclose(getattr(one, measure), getattr(other, measure), rtol=0, atol=1e-10)


def test_a_learner_who_draws_draws_anew_in_each_run() -> None:
    """A perturbed learner swaps other neighbours in each run of the same queries; one without chance is copied."""
    setting = WebSearch(np.ones((20, 1)), [0, 20], np.zeros(20), weights=[1.0], feature_map=RankingMap(20))
    record = play(PerturbedPerceptron(RankingMap(20), 1, seed=1), NoisyRanking(1), setting, runs=6, rounds=1)
    assert len({tuple(run) for run in record.presented[:, 0].tolist()}) == 6
    again = play(PerturbedPerceptron(RankingMap(20), 1, seed=1), NoisyRanking(1), setting, runs=2, rounds=1)
    assert np.array_equal(again.presented, record.presented[:2])


@pytest.mark.parametrize("user", [StrictRanking(), NoisyRanking(), Clicks(), ClickChain()], ids=repr)
def test_a_user_of_rankings_is_not_asked_about_items(user: User) -> None:
    """The error names the user and what was on the table."""
    with pytest.raises(InvalidInput, match="must be asked about Documents, got Items"):
        play(PreferencePerceptron(ItemMap(), 4), user, movies(10, 4), runs=1)


@pytest.mark.parametrize("user", [StrictItem(), BetterItem(), BestItem(), PreferredOfTwo()], ids=repr)
def test_a_user_of_items_is_not_asked_about_rankings(user: User) -> None:
    """The error names the user and what was on the table."""
    with pytest.raises(InvalidInput, match="must be asked about Items, got Documents"):
        play(PreferencePerceptron(RankingMap(), 4), user, web(5, 4), runs=1)


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
    [BoundedUser(), Clicks()],
    ids=lambda user: type(user).__name__,
)
def test_any_user_can_be_played_against(user: User) -> None:
    """Where no compiled way is known the rounds go through the public one, and the same seed gives the same runs."""
    learner, setting = PreferencePerceptron(RankingMap(), 4), web(20, 4)
    assert compiled_run(learner, user, setting) is None
    assert_same(*(play(learner, user, setting, runs=2, seed=8) for _ in range(2)))


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


def test_an_executor_plays_the_same_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """In more tasks than one and in the order of the runs, also from a later first run; a client of Dask has one."""
    from concurrent.futures import ThreadPoolExecutor

    from penchant.simulate import engine

    monkeypatch.setattr(engine, "_TASKS", 3)
    setting, learner = web(9, 4), PreferencePerceptron(RankingMap(), 4)
    seen: list[tuple[int, int]] = []
    with ThreadPoolExecutor(2) as threads:

        class Client:
            def get_executor(self, **options: bool) -> ThreadPoolExecutor:
                return threads

        for executor in (threads, Client()):
            given = {"runs": 5, "first": 2, "rounds": 6, "seed": 3, "compiled": False}
            found = play(
                learner,
                StrictRanking(),
                setting,
                executor=executor,
                progress=lambda *done: seen.append(done),
                **given,
            )
            assert_same(found, play(learner, StrictRanking(), setting, **given))
    assert seen == 2 * [(2, 5), (4, 5), (5, 5)]
