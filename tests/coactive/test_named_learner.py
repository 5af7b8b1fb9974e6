"""A learner with named features: the plain learner's bits, columns by first sight, the same in parts as at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    ItemMap,
    NamedLearner,
    NamedMatrix,
    PerturbedPerceptron,
    PreferencePerceptron,
    RankingMap,
    Scaling,
    SecondOrderPerceptron,
    SequenceMap,
)
from penchant.coactive.features import scores
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders import prepend
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


@given(
    order=st.permutations(range(7)), answer=st.lists(st.integers(0, 6), max_size=9), as_array=st.booleans()
)
def test_an_answer_is_prepended(order, answer, as_array: bool) -> None:
    """As `prepend` does it: clicked items first, in the order of the first click on each."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 1))
    given = (np.array(order), np.array(answer, dtype=np.int64)) if as_array else (order, answer)
    for by_clicks in (True, False):
        assert named.feedback(*given, by_clicks=by_clicks).tolist() == prepend(order, answer)


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


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 10**400, 1e101, None, [1.0], 1j], ids=lambda value: str(value)[:9]
)
def test_features_that_are_no_numbers_are_refused(value) -> None:
    """In scores, in what is presented and in an update, whether the feature is known or not."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 1)).update([{"x": 1.0}, {"y": 1.0}], [0, 1], [1])
    before = to_bytes(named)
    for name in ("x", "new"):
        features = [{"y": 1.0}, {name: value}]
        for wrong in (named.scores, named.present, lambda given: named.update(given, [0, 1], [1])):
            with pytest.raises(
                InvalidInput, match=f"feature '{name}' of candidate 1 must be a number within"
            ):
                wrong(features)
    assert to_bytes(named) == before


def test_scores_too_large_to_hold_are_refused() -> None:
    """A score is a number or a refusal, never NaN."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 2, weights=[1e300, -1e300]), ["x", "y"])
    with pytest.raises(InvalidInput, match="scores must be finite"):
        named.scores([{"x": 1e100, "y": 1e100}])


def test_an_order_of_fractions_is_refused() -> None:
    """Items are whole numbers; nothing is rounded for them."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 1))
    with pytest.raises(InvalidInput, match="presented of row 0 must be a whole number"):
        named.update([{"x": 1.0}, {"y": 1.0}], [1.9, 0.2], [0.2])  # type: ignore[list-item]
    assert named.rounds == 0


@pytest.mark.parametrize(
    ("learner", "names", "said"),
    [
        (PreferencePerceptron(SequenceMap(2), 6), [], "a learner of rankings or items"),
        (ConvexPerceptron(RankingMap(), 2), [], "names must be 2"),
        (PreferencePerceptron(RankingMap(), 2), ["x", "x"], "different texts"),
        (PreferencePerceptron(RankingMap(), 2), [1, 2], "different texts"),
        (PreferencePerceptron(RankingMap(), 2), ["x"], "names must be 2, one a feature"),
        (PreferencePerceptron(RankingMap(), 1, weights=[1.0]), [], "names must be 1"),
        (
            PreferencePerceptron(RankingMap(), 2, batch=2).update(np.eye(2), [0, 1], [1, 0]),
            [],
            "none of a perceptron that has not begun",
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


# -- every learner and map -----------------------------------------------------------------------------------

COLUMNS = [f"f{i}" for i in range(6)]
LEARNERS = {
    "perceptron": (PreferencePerceptron, {}),
    "batch": (PreferencePerceptron, {"batch": 3}),
    "forgetting": (PreferencePerceptron, {"forget": 0.1, "averaged": True}),
    "perturbed": (PerturbedPerceptron, {"seed": 3}),
    "exponentiated": (ExponentiatedPerceptron, {"bound": 3.0}),
    "exponentiated forgetting": (ExponentiatedPerceptron, {"bound": 3.0, "forget": 0.1, "averaged": True}),
    "unsigned": (ExponentiatedPerceptron, {"bound": 3.0, "signed": False, "horizon": 9}),
    "convex": (ConvexPerceptron, {"radius": 1.0}),
    "convex forgetting": (ConvexPerceptron, {"forget": 0.2}),
    "second-order": (SecondOrderPerceptron, {"radius": 0.5, "averaged": True}),
}
MAPS = {"ranking": RankingMap(3), "item": ItemMap()}
EVERY = [
    pytest.param(kind, chosen, feature_map, id=f"{name} of {what}")
    for name, (kind, chosen) in LEARNERS.items()
    for what, feature_map in MAPS.items()
    if (name, what) != ("perturbed", "item")
]
every_learner = pytest.mark.parametrize(("kind", "chosen", "feature_map"), EVERY)


def plays(seed: int, n_rounds: int = 12):
    """Rounds of dense candidates, the order shown, and what was put first; often nothing."""
    rng = np.random.default_rng(seed)
    for _ in range(n_rounds):
        X = rng.normal(size=(int(rng.integers(1, 7)), 6)).round(1) * (rng.random(6) < 0.7)
        order = rng.permutation(len(X))
        yield X, order, order[: int(rng.integers(0, 2))][::-1].tolist() or order[-1:].tolist()


def as_mappings(X) -> list[dict[str, float]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in X.tolist()]


FORMS = {
    "mappings": as_mappings,
    "sparse mappings": lambda X: [{name: v for name, v in row.items() if v} for row in as_mappings(X)],
    "named dense": lambda X: NamedMatrix(X[:, ::-1], COLUMNS[::-1]),
    "named sparse": lambda X: NamedMatrix(csr_array(X[:, ::-1]), COLUMNS[::-1]),
    "dense": lambda X: X,
    "sparse": csr_array,
}


@every_learner
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_it_is_the_plain_learner_to_the_last_bit(kind, chosen, feature_map, seed: int) -> None:
    """In whatever form the same numbers come, the weights are those of the plain learner on the dense matrix."""
    plain = kind(feature_map, 6, **chosen)
    named = {form: NamedLearner(kind(feature_map, 6, **chosen), COLUMNS) for form in FORMS}
    for X, order, answer in plays(seed):
        for form, make in FORMS.items():
            found = named[form].scores(make(X))
            np.testing.assert_allclose(found, X @ named[form].vector, atol=1e-12)
            named[form].update(make(X), order, answer)
        improved = np.array(list(dict.fromkeys([*answer, *order.tolist()])))
        objects = (order, improved) if isinstance(feature_map, RankingMap) else (order[0], improved[0])
        plain.update(X, *objects)
        assert np.array_equal(named["dense"].scores(X), scores(X, used(plain)))
    for learner in named.values():
        assert learner.vector.tobytes() == used(plain).tobytes()
        assert learner.state_row().tobytes() == plain.state_row().tobytes()


def used(learner):
    return learner.averaged_weights if learner.averaged else learner.weights


@every_learner
def test_what_is_presented_is_the_learners_object(kind, chosen, feature_map) -> None:
    """All candidates stand in the order; a learner of items presents its first."""
    named = NamedLearner(kind(feature_map, 6, **chosen), COLUMNS)
    for X, order, answer in plays(1):
        found = named.update(X, order, answer).present(as_mappings(X))
        assert sorted(found.tolist()) == list(range(len(X)))
        wanted = named.learner.present(named.matrix(as_mappings(X)))
        assert np.array_equal(found if isinstance(feature_map, RankingMap) else found[0], wanted)


@every_learner
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10_000), cut=st.integers(0, 12))
def test_a_row_holds_the_whole_state(kind, chosen, feature_map, seed: int, cut: int) -> None:
    """Unloaded to a row of known length and loaded into a fresh learner, it goes on with the same bits."""
    fresh = NamedLearner(kind(feature_map, 6, **chosen), COLUMNS)
    whole = fresh.copy()
    parted = fresh.copy()
    for number, (X, order, answer) in enumerate(plays(seed)):
        if number == cut:
            row = parted.state_row()
            assert row.shape == (parted.row_length,)
            assert row.dtype == np.float64
            parted = fresh.copy().load_row(row)
        for named in (whole, parted):
            named.update(X, order, answer)
    assert to_bytes(parted) == to_bytes(whole)
    assert fresh.rounds == 0


@every_learner
def test_every_kind_is_saved(kind, chosen, feature_map) -> None:
    """Loaded, it is the same to the byte, with its scaling."""
    named = NamedLearner(kind(feature_map, 6, **chosen), COLUMNS, scaling={"f1": (1.0, 2.0)})
    for X, order, answer in plays(5):
        named.update(as_mappings(X), order, answer)
    loaded = from_bytes(to_bytes(named))
    assert to_bytes(loaded) == to_bytes(named)
    assert loaded.scaling == Scaling.given({"f1": (1.0, 2.0)})


@every_learner
def test_new_features_join_additive_learners_only(kind, chosen, feature_map) -> None:
    """A perceptron gives a new feature a column; others name the feature, the candidate and the remedy."""
    named = NamedLearner(kind(feature_map, 6, **chosen), COLUMNS)
    before = to_bytes(named)
    features = [{"f0": 1.0}, {"new": 1.0}]
    if kind.additive:
        assert named.update(features, [0, 1], [1]).names == (*COLUMNS, "new")
        return
    for wrong in (named.scores, named.present, lambda given: named.update(given, [0, 1], [1])):
        with pytest.raises(
            InvalidInput, match=r"feature .new. of candidate 1 must be one of the 6 .* name it when"
        ):
            wrong(features)
    with pytest.raises(InvalidInput, match="feature 'new' must be one of the 6"):
        named.join(["new"])
    with pytest.raises(InvalidInput, match="feature 'new' must be one of the 6"):
        named.scores(NamedMatrix(np.eye(1), ["new"]))
    assert to_bytes(named) == before


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000), chosen=st.sampled_from([{}, {"batch": 3}, {"forget": 0.1, "averaged": True}])
)
def test_a_feature_that_joins_is_as_one_that_was_always_there(seed: int, chosen) -> None:
    """The weights by name are the same bits, whether columns were named at the start or met on the way."""
    named = NamedLearner(PreferencePerceptron(RankingMap(3), 6, **chosen), COLUMNS)
    growing = NamedLearner(PreferencePerceptron(RankingMap(3), 1, **chosen))
    rows = []
    for X, order, answer in plays(seed):
        rows.append((growing.row_length, growing.state_row()))
        for learner in (named, growing):
            learner.update(FORMS["sparse mappings"](X), order, answer)
    weights = growing.weights
    assert all(weights.get(name, 0.0) == value for name, value in named.weights.items())
    for length, row in rows:  # the row of an earlier width is the beginning of a later one
        wider = growing.copy().load_row(row)
        assert not wider.state_row()[length:].any()
        assert wider.state_row()[:length].tobytes() == row.tobytes()


def test_a_matrix_stays_usable_while_features_join() -> None:
    """Columns that a matrix lacks count as 0, dense, sparse and centred."""
    for scaling in (None, {"x": (0.0, 2.0)}, {"x": (1.0, 2.0), "later": (3.0, 1.5)}):
        named = NamedLearner(PreferencePerceptron(RankingMap(), 1), scaling=scaling).join(["x", "y"])
        items = [{"x": 1.0}, {"y": 2.0}, {"x": 3.0, "y": 1.0}]
        matrices = [
            named.matrix(items),
            named.matrix(NamedMatrix(np.eye(2), ["x", "y"])),
            csr_array(np.eye(2)),
        ]
        named.update([{"later": 1.0}, {"x": 1.0}], [0, 1], [1])
        assert named.names == ("x", "y", "later")
        assert np.array_equal(named.scores(matrices[0]), named.scores(items))
        assert np.array_equal(named.present(matrices[0]), named.present(items))
        row = named.copy().update(matrices[0], [0, 1, 2], [2]).state_row()
        assert np.array_equal(row, named.copy().update(items, [0, 1, 2], [2]).state_row())
    with pytest.raises(InvalidInput, match="features must have 3 columns"):
        named.scores(np.ones((2, 4)))


def test_a_row_of_another_learner_is_refused() -> None:
    """Too long, between two widths, shorter where nothing can join, or not a number of rounds."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 2), ["x", "y"])
    fixed = NamedLearner(ConvexPerceptron(RankingMap(), 2), ["x", "y"])
    for learner, row in (
        (named, np.zeros(7)),
        (named, np.zeros(5)),
        (named, np.zeros(1)),
        (fixed, np.zeros(4)),
        (named, np.array([0.5, 0, 0, 0, 0, 0])),
        (named, np.array([-1.0, 0, 0, 0, 0, 0])),
        (named, np.full(6, np.nan)),
    ):
        before = to_bytes(learner)
        with pytest.raises(InvalidInput):
            learner.load_row(row)
        assert to_bytes(learner) == before


def test_a_copy_goes_its_own_way() -> None:
    """Neither learns from what the other is taught, nor gets its features."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 1)).update([{"x": 1.0}, {}], [1, 0], [0])
    before = to_bytes(named)
    other = named.copy().update([{"y": 1.0, "c": "d"}, {}], [1, 0], [0])
    assert to_bytes(named) == before
    assert other.names == ("x", "y", "c=d")


def test_categories_and_flags_are_numbers_of_their_own() -> None:
    """A text is the indicator of its value, True is 1, False 0."""
    named = NamedLearner(PreferencePerceptron(RankingMap(), 1))
    features = [{"colour": "red", "new": True}, {"colour": "blue", "new": False}]
    named.update(features, [0, 1], [1])
    assert named.names == ("colour=red", "new", "colour=blue")
    assert named.matrix(features).toarray().tolist() == [[1, 1, 0], [0, 0, 1]]
    assert named.unknown([{"colour": "green", "old": 1}]) == ("colour=green", "old")


def test_an_indicator_does_not_collide_with_a_number() -> None:
    """In one candidate, in two of a context, and in rounds that are apart, also once saved."""
    category, number = {"colour": "red"}, {"colour=red": 2.0}
    for first, second in ((category, number), (number, category)):
        named = NamedLearner(PreferencePerceptron(RankingMap(), 1))
        for together in ([{**first, **second}], [first, second]):
            with pytest.raises(
                InvalidInput, match="feature 'colour=red' must be a number or an indicator everywhere"
            ):
                named.scores(together)
        named.update([first, {}], [0, 1], [1])
        for learner in (named, from_bytes(to_bytes(named)), named.copy()):
            assert learner.scores([first]).shape == (1,)
            with pytest.raises(InvalidInput, match="feature 'colour=red' must be"):
                learner.scores([second])
    given = NamedLearner(ConvexPerceptron(RankingMap(), 1), ["colour=red"])
    assert given.scores([category]).tolist() == given.scores([number]).tolist() == [0.0]


def test_scaling_is_applied_to_every_form_alike() -> None:
    """The weights are those of the learner on features that were scaled by hand."""
    constants = {"f0": (0.0, 2.0), "f3": (0.0, 0.1)}
    for extra in ({}, {"f1": (1.5, 3.0)}):
        scaling = Scaling.given(constants | extra)
        centres, scales = scaling.constants(COLUMNS)
        plain = PreferencePerceptron(RankingMap(3), 6)
        named = {
            form: NamedLearner(PreferencePerceptron(RankingMap(3), 6), COLUMNS, scaling=scaling)
            for form in FORMS
        }
        for X, order, answer in plays(9):
            improved = np.array(list(dict.fromkeys([*answer, *order.tolist()])))
            plain.update((X - centres) / scales, order, improved)
            for form, make in FORMS.items():
                raw = make(X) if "dense" != form != "sparse" else named[form].matrix(as_mappings(X))
                named[form].update(raw, order, answer)
        for learner in named.values():
            assert learner.vector.tobytes() == plain.weights.tobytes()


def test_why_adds_up() -> None:
    """The contributions of two candidates add up to the difference of their scores."""
    named = NamedLearner(SecondOrderPerceptron(RankingMap(3), 6), COLUMNS)
    for X, order, answer in plays(3):
        named.update(X, order, answer)
        for a in range(len(X)):
            for b in range(len(X)):
                why = named.why(as_mappings(X), a, b)
                found = named.scores(X)
                assert abs(why.difference - (found[a] - found[b])) < 1e-12


@pytest.mark.parametrize("feature_map", [RankingMap(), ItemMap()])
def test_a_difference_teaches_what_its_orders_do(feature_map: RankingMap | ItemMap) -> None:
    """It may be computed once for several learners; features that joined since count as 0."""
    first = NamedLearner(PreferencePerceptron(feature_map, 2), ["a", "b"])
    second = first.copy()
    X = np.random.default_rng(1).standard_normal((6, 2))
    for seed in range(5):
        before, after = (np.random.default_rng((seed, k)).permutation(6) for k in (0, 1))
        difference = second.difference(X, before, after)
        first.learn(X, before, after)
        second.learn_difference(difference)
    assert first.state_row().tobytes() == second.state_row().tobytes()
    second.join(["c"])
    assert second.n_names == 3
    assert second.difference(X, before, after)[2] == 0
