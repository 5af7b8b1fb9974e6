"""Dueling bandit gradient descent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.coactive import PreferencePerceptron, RankingMap
from penchant.errors import InvalidInput
from penchant.simulate import (
    DuelingBandit,
    DuelingItems,
    Movies,
    NoisyRanking,
    PreferredOfTwo,
    StrictRanking,
    WebSearch,
    best_dueling_bandit,
    play,
    team_draft,
)
from tests.simulate.tables import movies, web


def drafted(mine: list[int], theirs: list[int], coins: list[bool]) -> tuple[list[int], list[int]]:
    """The draft as it is told: in each turn a coin says who goes first, and both bring in their best."""
    order: list[int] = []
    teams = [-1] * len(mine)
    for coin in coins:
        for captain in (0, 1) if coin else (1, 0):
            out = [document for document in (mine, theirs)[captain] if document not in order]
            if out:
                order.append(out[0])
                teams[out[0]] = captain
    return order, teams


@given(st.data())
def test_the_draft_is_the_one_that_is_told(data: st.DataObject) -> None:
    """Every document comes in once, by the captain whose turn it is, and teams differ by one document at most."""
    n = data.draw(st.integers(1, 9))
    mine, theirs = (data.draw(st.permutations(range(n))) for _ in range(2))
    coins = data.draw(st.lists(st.booleans(), min_size=-(-n // 2), max_size=-(-n // 2)))
    order, teams = team_draft(np.array(mine), np.array(theirs), coins)
    assert (order.tolist(), teams.tolist()) == drafted(mine, theirs, coins)
    assert abs(int((teams == 0).sum()) - int((teams == 1).sum())) <= 1


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
    """A round's utility is the mean of the two, and each item is seen in one round at most."""
    setting = movies(41, 4, n_users=1)
    record = play(DuelingItems(4, gamma=3.0, delta=0.1), PreferredOfTwo(), setting)
    utilities = setting.utilities(0)
    shown = record.presented[0, :, 0]
    assert len(set(shown.tolist())) == record.n_rounds == 21
    assert (record.best_utility >= record.presented_utility - 1e-12).all()
    assert (record.feedback_utility >= record.presented_utility - 1e-12).all()
    other = 2 * record.presented_utility[0] - utilities[shown]
    assert np.isclose(other[:, None], utilities).any(axis=1).all()


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
