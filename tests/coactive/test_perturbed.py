from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from penchant.coactive import (
    ItemMap,
    PerturbedPerceptron,
    PreferencePerceptron,
    RankingMap,
    swap_clicked,
)
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders import prepend
from penchant.saving import from_bytes, to_bytes


def slow_swap(presented: list[int], clicked: set[int]) -> list[int]:
    """Pair by pair: only the lower clicked, swap."""
    found = list(presented)
    for upper in range(0, len(found) - 1, 2):
        if found[upper + 1] in clicked and found[upper] not in clicked:
            found[upper], found[upper + 1] = found[upper + 1], found[upper]
    return found


def test_clicks_swap_neighbours_of_which_only_the_lower_was_clicked() -> None:
    """As the rule says, for lists of any length and any clicks; a last one without a neighbour stays."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        presented = rng.permutation(rng.integers(1, 10))
        clicked = rng.choice(presented, size=rng.integers(len(presented) + 1), replace=False).tolist()
        assert swap_clicked(presented, clicked).tolist() == slow_swap(presented.tolist(), set(clicked))


def test_each_pair_is_swapped_half_the_time_and_alone() -> None:
    """Over 2,000 rounds each pair of neighbours stands swapped in 50 ± 5 % of lists, the odd last one never."""
    learner = PerturbedPerceptron(RankingMap(), 1, seed=1)
    X, swaps = np.arange(7.0)[::-1, None], np.zeros(3)
    learner._weights = np.ones(1)
    for _ in range(2000):
        presented = learner.present(X)
        assert sorted(presented[:2]) == [0, 1]
        assert presented[6] == 6
        swaps += presented[:6:2] != [0, 2, 4]
        learner.update(X, presented, presented)
    assert (abs(swaps / 2000 - 0.5) < 0.05).all()


def test_each_query_has_coins_of_its_own() -> None:
    """Of 2,000 queries between two updates each of three pairs is swapped in 50 ± 5 %, all eight ways being met."""
    learner = PerturbedPerceptron(RankingMap(), 2, seed=1)
    learner._weights = np.array([1.0, 0.0])
    places = np.arange(6.0)[::-1]
    for form in (np.asarray, csr_array):
        contexts = [form(np.column_stack([places, np.full(6, query / 7)])) for query in range(2000)]
        lists = np.array([learner.present(X) for X in contexts])
        swapped = lists[:, ::2] != [0, 2, 4]
        assert (abs(swapped.mean(axis=0) - 0.5) < 0.05).all()
        assert len(np.unique(swapped, axis=0)) == 8
        again = [learner.present(X.copy()) for X in contexts[:50]]
        assert np.array_equal(again, lists[:50])


def test_a_seeded_copy_throws_other_coins() -> None:
    """What another seed gives depends on both seeds, and the learner itself stays as it was."""
    X = np.eye(30)
    learner = PerturbedPerceptron(RankingMap(), 30, seed=1)
    before = to_bytes(learner)
    seeds = [(1, 2), (1, 3), (2, 2), (2, 3), (1, 2)]
    lists = [
        tuple(PerturbedPerceptron(RankingMap(), 30, seed=own).seeded(other).present(X))
        for own, other in seeds
    ]
    assert len(set(lists)) == 4
    assert lists[0] == lists[4] == tuple(learner.seeded(2).present(X))
    assert to_bytes(learner) == before
    with pytest.raises(InvalidInput, match="seed must be a whole number"):
        learner.seeded(-1)


def test_coins_are_a_function_of_the_seed_and_the_round() -> None:
    """A loaded learner goes on with the same coins; another seed has others; asking twice changes nothing."""
    X = np.eye(12)
    one, other = (PerturbedPerceptron(RankingMap(), 12, seed=seed) for seed in (3, 4))
    lists: dict[str, list[list[int]]] = {"one": [], "loaded": [], "other": []}
    for _ in range(10):
        loaded = from_bytes(to_bytes(one))
        for name, learner in (("one", one), ("loaded", loaded), ("other", other)):
            lists[name].append(learner.present(X).tolist())  # type: ignore[attr-defined]
        one.update(X, lists["one"][-1], lists["one"][-1])
        other.update(X, lists["other"][-1], lists["other"][-1])
    assert lists["one"] == lists["loaded"]
    assert lists["one"] != lists["other"]
    assert len({tuple(order) for order in lists["one"]}) > 5


def test_learning_is_the_perceptron_on_the_swapped_clicks() -> None:
    """The update is φ(x, ȳ) − φ(x, y) with the list as it was shown."""
    rng = np.random.default_rng(2)
    learner, plain = PerturbedPerceptron(RankingMap(), 4, seed=0), PreferencePerceptron(RankingMap(), 4)
    for _ in range(50):
        X = rng.normal(size=(7, 4))
        shown = learner.present(X)
        feedback = swap_clicked(shown, rng.choice(7, size=2, replace=False))
        learner.update(X, shown, feedback)
        plain.update(X, shown, feedback)
    assert np.array_equal(learner.weights, plain.weights)


def test_position_bias_is_cancelled() -> None:
    """People who click the highest relevant-looking result they see: perturbation ends nearer to their taste.

    The cosine with the taste after 1,000 rounds of biased clicks, on average over three seeds.
    """
    ends = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        taste = rng.normal(size=6)

        def clicks(X: Any, shown: Any, taste: Any = taste, rng: Any = rng) -> list[int]:
            relevant = 1 / (1 + np.exp(-X[shown] @ taste))
            seen = 0.6 ** np.arange(len(shown))
            return shown[rng.random(len(shown)) < relevant * seen].tolist()

        perturbed = PerturbedPerceptron(RankingMap(10), 6, seed=seed)
        plain = PreferencePerceptron(RankingMap(10), 6)
        for _ in range(1000):
            X = rng.normal(size=(8, 6))
            shown = perturbed.present(X)
            perturbed.update(X, shown, swap_clicked(shown, clicks(X, shown)))
            shown = plain.present(X)
            plain.update(X, shown, prepend(shown, clicks(X, shown)))

        def cosine(w: Any, taste: Any = taste) -> float:
            return float(w @ taste / np.linalg.norm(w) / np.linalg.norm(taste))

        ends.append([cosine(perturbed.weights), cosine(plain.weights)])
    mean = np.mean(ends, axis=0)
    assert mean[0] > 0.9
    assert mean[0] > mean[1] + 0.05


def test_other_maps_and_seeds_are_refused() -> None:
    """Only rankings have neighbours, and the seed is said."""
    with pytest.raises(InvalidInput, match="feature_map must be a RankingMap"):
        PerturbedPerceptron(ItemMap(), 2, seed=0)
    for seed in (-1, 1.5, None, True):
        with pytest.raises(InvalidInput, match="seed must be a whole number of at least 0"):
            PerturbedPerceptron(RankingMap(), 2, seed=seed)  # type: ignore[arg-type]


def test_clicks_on_what_was_not_presented_are_refused() -> None:
    """An unknown document, a fraction, a list with a repeat."""
    with pytest.raises(UnknownItem, match="clicked must be a presented document, got 3"):
        swap_clicked([0, 1, 2], [3])
    for wrong in (-1, 0.5, "a"):
        with pytest.raises(InvalidInput, match="clicked must be"):
            swap_clicked([0, 1, 2], [wrong])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="presented"):
        swap_clicked([0, 1, 1], [0])
