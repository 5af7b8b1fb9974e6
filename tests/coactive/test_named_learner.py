"""A learner with named features: columns by first sight, new ones at 0, the same in parts as at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.coactive import ItemMap, NamedLearner, PerturbedPerceptron, PreferencePerceptron, RankingMap
from penchant.errors import InvalidInput, UnknownItem
from penchant.saving import from_bytes, to_bytes

NAMES = [f"feature {i}" for i in range(12)]
FEATURES = st.dictionaries(st.sampled_from(NAMES), st.floats(-3, 3), max_size=4)
ROUND = st.lists(FEATURES, min_size=1, max_size=5).flatmap(
    lambda features: st.tuples(
        st.just(features),
        st.permutations(range(len(features))),
        st.lists(st.integers(0, len(features) - 1), max_size=3),
        st.booleans(),
    )
)
MAKERS = [
    lambda **settings: PreferencePerceptron(RankingMap(3), 1, **settings),
    lambda **settings: PerturbedPerceptron(RankingMap(3), 1, seed=4, **settings),
]


def taught(learner: NamedLearner, rounds) -> NamedLearner:
    for features, presented, answer, by_clicks in rounds:
        learner.update(features, presented, answer, by_clicks=by_clicks)
    return learner


@pytest.mark.parametrize("make", MAKERS, ids=["perceptron", "perturbed"])
@settings(max_examples=15)
@given(
    chosen=st.sampled_from([{}, {"forget": 0.1, "averaged": True}, {"batch": 3}]),
    rounds=st.lists(ROUND, max_size=12),
    cut=st.integers(0, 12),
)
def test_in_two_parts_is_as_at_once(make, chosen, rounds, cut: int) -> None:
    """Saved and loaded anywhere in between, the bytes at the end are the same."""
    whole = taught(NamedLearner(make(**chosen)), rounds)
    first = from_bytes(to_bytes(taught(NamedLearner(make(**chosen)), rounds[:cut])))
    assert to_bytes(taught(first, rounds[cut:])) == to_bytes(whole)


@settings(max_examples=25)
@given(rounds=st.lists(ROUND, max_size=8))
def test_it_is_a_perceptron_on_the_columns_of_its_names(rounds) -> None:
    """Columns stand in the order of first sight, and the weights and scores are those of dense features."""
    named = taught(NamedLearner(PreferencePerceptron(RankingMap(3), 1)), rounds)
    seen = list(dict.fromkeys(name for features, *_ in rounds for values in features for name in values))
    assert list(named.names) == seen
    dense = PreferencePerceptron(RankingMap(3), max(1, len(seen)))
    contexts = [
        np.array([[values.get(name, 0.0) for name in seen] or [0.0] for values in features])
        for features, *_ in rounds
    ]
    for X, (_, presented, answer, _) in zip(contexts, rounds, strict=True):
        dense.update(X, np.array(presented), np.array(list(dict.fromkeys([*answer, *presented]))))
    np.testing.assert_allclose(list(named.weights.values()), dense.weights[: len(seen)], atol=1e-9)
    for X, (features, *_) in zip(contexts, rounds, strict=True):
        np.testing.assert_allclose(named.scores(features), X @ dense.weights, atol=1e-9)


def test_what_is_not_known_counts_nothing() -> None:
    """A feature without a weight is named and does not move the ranking."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 2, weights=[1.0, -1.0]), ["x", "y"])
    features = [{"y": 1.0, "z": 9.0}, {"x": 1.0}, {"q": 5.0}]
    assert named.unknown(features) == ("z", "q")
    assert named.scores(features).tolist() == [-1.0, 1.0, 0.0]
    assert named.present(features).tolist() == [1, 2, 0]
    assert named.names == ("x", "y")


def test_clicks_on_a_perturbed_ranking_swap_neighbours() -> None:
    """A perturbed learner lifts a clicked item over its neighbour only; a correction is taken as it is."""
    features = [{str(i): 1.0} for i in range(4)]
    clicks = NamedLearner(PerturbedPerceptron(RankingMap(), 1, seed=0)).feedback(
        [0, 1, 2, 3], [3], by_clicks=True
    )
    assert clicks.tolist() == [0, 1, 3, 2]
    named = NamedLearner(PerturbedPerceptron(RankingMap(), 1, seed=0)).update(features, [0, 1, 2, 3], [3])
    assert named.scores(features).argmax() == 3


def test_a_refused_round_changes_nothing() -> None:
    """An unknown item, an order that is none, features too large to add: the bytes stay the same."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 1)).update([{"x": 1.0}, {"y": 1.0}], [0, 1], [1])
    before = to_bytes(named)
    for features, presented, answer, error in (
        ([{"new": 1.0}, {}], [0, 1], [2], UnknownItem),
        ([{"new": 1.0}, {}], [0, 0], [0], InvalidInput),
        ([{"new": 1.7e308}, {"new": -1.7e308}], [0, 1], [1], InvalidInput),
        ([{"new": float("nan")}, {}], [0, 1], [1], InvalidInput),
        ([{str(i): 1.0 for i in range(9)}, {}], [0, 1], [2], UnknownItem),
    ):
        with pytest.raises(error):
            named.update(features, presented, answer)
        assert to_bytes(named) == before
        assert named._learner.n_features == 2


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, None, "1", [1.0], 1j])
def test_features_that_are_no_numbers_are_refused(value) -> None:
    """In scores, in what is presented and in an update, whether the feature is known or not."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 1)).update([{"x": 1.0}, {"y": 1.0}], [0, 1], [1])
    before = to_bytes(named)
    for name in ("x", "new"):
        features = [{"y": 1.0}, {name: value}]
        for wrong in (named.scores, named.present, lambda given: named.update(given, [0, 1], [1])):
            with pytest.raises(InvalidInput, match=f"a name and a finite number, got '{name}'"):
                wrong(features)
    assert to_bytes(named) == before


def test_scores_too_large_to_hold_are_refused() -> None:
    """A score is a number or a refusal, never NaN."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 2, weights=[1.0, -1.0]), ["x", "y"])
    with pytest.raises(InvalidInput, match="scores must be finite"):
        named.scores([{"x": 1.7e308, "y": -1.7e308}])


def test_an_order_of_fractions_is_refused() -> None:
    """Items are whole numbers; nothing is rounded for them."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 1))
    with pytest.raises(InvalidInput, match="presented of row 0 must be a whole number"):
        named.update([{"x": 1.0}, {"y": 1.0}], [1.9, 0.2], [0.2])  # type: ignore[list-item]
    assert named.rounds == 0


def test_coins_do_not_depend_on_the_room_for_new_names() -> None:
    """A perturbed learner shows the same before it was saved and after, whatever room its columns had."""
    named = NamedLearner(PerturbedPerceptron(RankingMap(), 9, seed=2))
    features = [{str(i): 1.0 + i} for i in range(7)]
    named.update(features[:3], [0, 1, 2], [1])
    loaded = from_bytes(to_bytes(named))
    assert named._learner.n_features != loaded._learner.n_features
    for shift in range(20):
        shown = [{name: value + shift for name, value in values.items()} for values in features]
        assert named.present(shown).tolist() == loaded.present(shown).tolist()


@pytest.mark.parametrize(
    ("learner", "names", "said"),
    [
        (PreferencePerceptron(ItemMap(), 1), [], "a perceptron of rankings"),
        (PreferencePerceptron(RankingMap(), 2), ["x", "x"], "different texts"),
        (PreferencePerceptron(RankingMap(), 2), [1, 2], "different texts"),
        (PreferencePerceptron(RankingMap(), 2), ["x"], "names must be 2, one a feature"),
        (PreferencePerceptron(RankingMap(), 1, weights=[1.0]), [], "names must be 1"),
        (
            PreferencePerceptron(RankingMap(), 2, batch=2).update(np.eye(2), [0, 1], [1, 0]),
            [],
            "none of a learner that has not begun",
        ),
    ],
)
def test_names_that_do_not_fit_are_refused(learner, names, said: str) -> None:
    """One name a column, each once, and only rankings."""
    with pytest.raises(InvalidInput, match=said):
        NamedLearner(learner, names)


@pytest.mark.parametrize("names", [("x", "y"), ("x", "x", "y"), ("x", "y", 3), "xyz"])
def test_a_state_that_does_not_fit_together_is_refused(names) -> None:
    """A file whose names are too few, repeated or no texts is not loaded."""
    learner = PreferencePerceptron(RankingMap(), 3, weights=[1.0, 2.0, 3.0])
    with pytest.raises(InvalidInput, match="names must be"):
        NamedLearner.__load_state__({"learner": learner, "names": names})
