"""Dueling bandit gradient descent."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.coactive import ItemMap, PreferencePerceptron, RankingMap
from penchant.errors import InvalidInput
from penchant.simulate import (
    DuelingBandit,
    DuelingItems,
    Items,
    Movies,
    NoisyRanking,
    PreferredOfTwo,
    StrictRanking,
    WebSearch,
    best_dueling_bandit,
    play,
)
from tests.simulate.tables import movies, web


def test_a_step_is_taken_only_for_strictly_more_votes() -> None:
    """Of the documents that the feedback puts on top, w + γu must have brought in more than w."""
    X = np.random.default_rng(0).random((8, 3))
    steps = {True: 0, False: 0}
    for seed in range(40):
        bandit = DuelingBandit(3, gamma=1.0, delta=0.25, feature_map=RankingMap(4), seed=seed)
        shown = bandit.present(X)
        teams = bandit._duel[1]
        answer = np.random.default_rng(seed).permutation(8)
        won = (teams[answer[:4]] == 1).sum() > 2
        moved = bandit.update(X, shown, answer).weights
        assert np.linalg.norm(moved) == pytest.approx(0.25 if won else 0.0)
        steps[bool(won)] += 1
    assert min(steps.values()) > 5


def test_two_items_are_dueled_by_what_each_names() -> None:
    """w names its best item and w + γu another; a vote for the second is a step of δ, one for the first is none."""
    X = np.eye(3)
    bandit = next(
        bandit
        for seed in range(20)
        if (bandit := DuelingItems(3, gamma=1.0, delta=0.5, seed=seed)).present(X)[1] != 0
    )
    first, second = pair = bandit.present(X)
    assert not bandit.copy().update(X, pair, first).weights.any()
    step = bandit.copy().update(X, pair, second).weights
    assert np.linalg.norm(step) == pytest.approx(0.5)
    assert step.argmax() == second
    with pytest.raises(InvalidInput, match="one of"):
        bandit.update(X, pair, 7)


def test_both_items_leave_and_the_mean_counts() -> None:
    """A round's utility is the mean of the two, and of 41 items each is seen in one of 21 rounds at most."""
    setting = movies(41, 4, n_users=1)
    record = play(DuelingItems(4, gamma=3.0, delta=0.1), PreferredOfTwo(), setting)
    utilities, pairs = setting.utilities(0), record.presented[0]
    assert pairs.shape == (21, 2)
    np.testing.assert_allclose(record.presented_utility[0], utilities[pairs].mean(axis=1))
    np.testing.assert_allclose(record.feedback_utility[0], utilities[pairs].max(axis=1))
    assert (record.feedback[0, :, 0] == np.where(*_compared(utilities, pairs))).all()
    rounds = [set(pair) for pair in pairs.tolist()]
    assert max(map(len, rounds)) == 2
    assert sum(map(len, rounds)) == len(set().union(*rounds))
    assert (record.best_utility >= record.feedback_utility).all()


def _compared(utilities: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, ...]:
    return utilities[pairs[:, 1]] > utilities[pairs[:, 0]], pairs[:, 1], pairs[:, 0]


@pytest.mark.parametrize("kind", ["rankings", "items"])
def test_each_run_has_directions_of_its_own(kind: str) -> None:
    """No two of four runs go the same ways, run r is the same whatever their number, and the seed counts too."""
    walked: list[list[tuple[float, ...]]] = []

    def spied(bandit: type[DuelingBandit]) -> type[DuelingBandit]:
        class Spy(bandit):  # type: ignore[misc, valid-type]
            def present(self, context: object) -> object:
                presented = super().present(context)
                walked[-1].append(tuple(self._duel[2]))
                return presented

            def seeded(self, seed: int) -> DuelingBandit:
                walked.append([])
                return super().seeded(seed)

        return Spy

    bandit, user, setting = {
        "rankings": (DuelingBandit, StrictRanking(0.5), web(20, 4)),
        "items": (DuelingItems, PreferredOfTwo(), movies(20, 4, n_users=4)),
    }[kind]
    for runs, seed in ((4, 0), (2, 0), (2, 1)):
        play(spied(bandit)(4, gamma=1.0, delta=0.1, seed=seed), user, setting, runs=runs, rounds=5)
    assert walked[:2] == walked[4:6]
    directions = [direction for run in (*walked[:4], *walked[6:]) for direction in run]
    assert len(set(directions)) == len(directions) == 6 * 5


@pytest.mark.parametrize("depth", [2, 5])
def test_there_are_as_many_votes_as_documents_count(depth: int) -> None:
    """A bandit for a setting votes with the documents that its feature map counts, five in eq. 21."""
    bandits = []

    class Spy(DuelingBandit):
        def __init__(self, *given: object, **settings: object) -> None:
            super().__init__(*given, **settings)  # type: ignore[arg-type]
            bandits.append(self)

    setting = web(10, 3, feature_map=RankingMap(depth))
    best_dueling_bandit(Spy, StrictRanking(0.5), setting, gammas=(1.0,), deltas=(0.1,), runs=1)
    assert [bandit.feature_map.depth for bandit in bandits] == [depth]
    assert DuelingBandit(3, gamma=1.0, delta=0.1).feature_map.depth == 5
    assert DuelingItems.for_setting(movies(10, 4), gamma=1.0, delta=0.1).n_features == 4


def test_one_item_is_no_pair() -> None:
    """A user who compares two items says so to learners who present one."""
    for presented in (0, [0], [0, 1, 2]):
        with pytest.raises(InvalidInput, match="presented must be two items"):
            PreferredOfTwo().answer(Items(np.zeros((3, 1)), np.zeros(3), np.zeros(3)), presented)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="play DuelingItems"):
        play(PreferencePerceptron(ItemMap(), 4), PreferredOfTwo(), movies(10, 4))


def test_a_bandit_learns_and_a_perceptron_learns_faster() -> None:
    """On 250 queries the best bandit in hindsight ends below half of where it begins, above the perceptron's end."""
    setting = WebSearch.synthetic(n_queries=250, n_documents=10, n_features=4, seed=1)
    best = best_dueling_bandit(
        DuelingBandit, StrictRanking(0.5), setting, gammas=(0.3, 1.0), deltas=(0.1, 0.3), runs=1
    )
    assert len(best.regrets) == 4
    assert best.regrets[best.gamma, best.delta] == min(best.regrets.values())
    ends = best.record.frame(at=[1, 250]).groupby("t")["regret"].mean()
    perceptron = play(PreferencePerceptron(RankingMap(), 4), StrictRanking(0.5), setting, runs=1)
    assert perceptron.frame(at=[250])["regret"].mean() < ends[250] < 0.5 * ends[1]


def test_the_same_seed_gives_the_same_duels() -> None:
    """Runs are a function of the seeds, and presenting twice shows the same."""
    setting = web(20, 4)
    one, two = (
        play(DuelingBandit(4, gamma=1.0, delta=0.1, seed=3), NoisyRanking(), setting, runs=1) for _ in "ab"
    )
    assert np.array_equal(one.presented, two.presented)
    bandit = DuelingBandit(4, gamma=1.0, delta=0.1)
    assert np.array_equal(bandit.present(np.eye(4)), bandit.present(np.eye(4)))


def test_an_update_without_its_presentation_is_refused_and_changes_nothing() -> None:
    """Teams are known for what was presented last alone."""
    bandit = DuelingBandit(2, gamma=1.0, delta=0.1)
    with pytest.raises(InvalidInput, match="present before each update"):
        bandit.update(np.eye(2), [0, 1], [1, 0])
    shown = bandit.present(np.eye(2))
    with pytest.raises(InvalidInput, match="present before each update"):
        bandit.update(np.eye(2), shown[::-1], shown)
    with pytest.raises(InvalidInput, match="feedback"):
        bandit.update(np.eye(2), shown, [0, 0])
    assert not bandit.weights.any()


@pytest.mark.parametrize("settings", [{"gamma": 0.0, "delta": 1.0}, {"gamma": 1.0, "delta": -1.0}])
def test_steps_that_go_nowhere_are_refused(settings: dict[str, float]) -> None:
    """γ and δ must be above 0."""
    with pytest.raises(InvalidInput, match="above 0"):
        DuelingBandit(2, **settings)


def test_an_empty_grid_is_refused() -> None:
    """There must be something to choose from."""
    setting: Movies = movies(10, 4)
    with pytest.raises(InvalidInput, match="grid"):
        best_dueling_bandit(DuelingItems, PreferredOfTwo("grades"), setting, gammas=())
