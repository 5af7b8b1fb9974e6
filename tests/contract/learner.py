"""What every coactive learner promises. A new learner inherits `LearnerContract` and says how it is made.

    class TestMine(LearnerContract):
        Learner = Mine
        settings = {"radius": 2.0}

is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.sparse import csr_array

from penchant.coactive import RankingMap
from penchant.errors import CannotLoad, InvalidInput
from penchant.saving import from_bytes, load, save, to_bytes
from tests.saving.files import unchecked_bytes

N_FEATURES = 5


def rounds(n_rounds: int = 40, seed: int = 0) -> Iterator[tuple[Any, Any]]:
    """Lists of one to eight documents and what somebody with a taste makes of them, sometimes nothing."""
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=N_FEATURES)
    for number in range(n_rounds):
        X = rng.normal(size=(int(rng.integers(1, 9)), N_FEATURES))
        wanted = np.argsort(-(X @ taste), kind="stable")
        yield X, (lambda shown: shown) if number % 5 == 4 else (lambda _, wanted=wanted: wanted)


def teach(learner: Any, rows: Any = None) -> Any:
    for X, answer in rows or rounds():
        presented = learner.present(X)
        learner.update(X, presented, answer(presented))
    return learner


class LearnerContract:
    """The promises, one test each; its docstring is the promise."""

    Learner: Any
    settings: ClassVar[dict[str, Any]] = {}

    def make(self, **settings: Any) -> Any:
        return self.Learner(RankingMap(), N_FEATURES, **{**self.settings, **settings})

    # -- presenting ----------------------------------------------------------------------------------------

    def test_it_presents_an_order_of_the_candidates(self) -> None:
        """Each candidate stands once, before and after learning, also in a list of one."""
        learner = self.make()
        for X, answer in rounds():
            presented = learner.present(X)
            assert sorted(presented.tolist()) == list(range(len(X)))
            learner.update(X, presented, answer(presented))

    def test_presenting_changes_nothing(self) -> None:
        """Asked twice, it presents the same, and its state is the same to the last bit."""
        learner = teach(self.make())
        before = to_bytes(learner)
        X = np.random.default_rng(1).normal(size=(8, N_FEATURES))
        assert learner.present(X).tolist() == learner.present(X).tolist()
        assert to_bytes(learner) == before

    def test_sparse_and_dense_are_the_same(self) -> None:
        """A sparse context presents what the dense one does, and teaches the same up to rounding."""
        dense, sparse = self.make(), self.make()
        for X, answer in rounds():
            presented = dense.present(X)
            assert sparse.present(csr_array(X)).tolist() == presented.tolist()
            dense.update(X, presented, answer(presented))
            sparse.update(csr_array(X), presented, answer(presented))
        np.testing.assert_allclose(sparse.weights, dense.weights, atol=1e-12)

    # -- learning ------------------------------------------------------------------------------------------

    def test_it_learns_a_taste(self) -> None:
        """After corrections by one taste it presents nearly what that taste wants."""
        learner = teach(self.make(), rounds(400))
        taste = np.random.default_rng(0).normal(size=N_FEATURES)
        cosine = learner.weights @ taste / np.linalg.norm(learner.weights) / np.linalg.norm(taste)
        assert cosine > 0.85

    def test_every_round_counts(self) -> None:
        """A round without change counts as well, and leaves weights that did not move."""
        learner = self.make()
        X = np.eye(N_FEATURES)
        for number in range(1, 4):
            presented = learner.present(X)
            assert learner.update(X, presented, presented) is learner
            assert learner.rounds == number
        assert np.array_equal(learner.weights, self.make().weights)

    def test_weights_can_only_be_read(self) -> None:
        """Writing to the weights is rejected, and a snapshot stays as it was while the learner goes on."""
        learner = teach(self.make())
        snapshot = learner.weights
        kept = snapshot.copy()
        with pytest.raises(ValueError, match="read-only"):
            snapshot[0] = 1.0
        teach(learner, rounds(5, seed=3))
        assert np.array_equal(snapshot, kept)
        assert not np.array_equal(learner.weights, kept)

    def test_averaged_weights_are_the_mean_of_the_weights(self) -> None:
        """The mean over the rounds so far; an averaged learner presents by it."""
        learner, averaged = self.make(), self.make(averaged=True)
        assert np.array_equal(learner.averaged_weights, learner.weights)
        seen = []
        for X, answer in rounds():
            by_mean = averaged.feature_map.argmax(averaged.averaged_weights, X)
            assert sorted(averaged.present(X)[:2]) == sorted(
                by_mean[:2]
            )  # a perturbed learner may swap the two
            presented = learner.present(X)
            for one in (learner, averaged):
                one.update(X, presented, answer(presented))
            seen.append(learner.weights)
        np.testing.assert_allclose(learner.averaged_weights, np.mean(seen, axis=0), atol=1e-12)
        assert np.array_equal(learner.weights, averaged.weights)

    def test_inputs_stay_untouched(self) -> None:
        """Neither the context nor the two objects are changed."""
        X = np.random.default_rng(2).normal(size=(6, N_FEATURES))
        learner, kept = self.make(), X.copy()
        presented, feedback = learner.present(X), np.array([5, 4, 3, 2, 1, 0])
        shown = presented.copy()
        learner.update(X, presented, feedback)
        assert np.array_equal(X, kept)
        assert np.array_equal(presented, shown)
        assert feedback.tolist() == [5, 4, 3, 2, 1, 0]

    # -- refusals ------------------------------------------------------------------------------------------

    def test_a_refused_update_changes_nothing(self) -> None:
        """Wrong features, NaN, what is no order, numbers too large: words, and the same state to the last bit."""
        good = np.random.default_rng(4).normal(size=(4, N_FEATURES))
        nan, unused = good.copy(), np.vstack([good, good])
        nan[0, 0] = unused[7, 3] = np.nan
        order = [0, 1, 2, 3]
        learner = teach(self.make())
        before = to_bytes(learner)
        for X, presented, feedback in (
            (good[:, :-1], order, order[::-1]),
            (np.hstack([good, good]), order, order[::-1]),
            (nan, order, order[::-1]),
            (unused, np.arange(8), [1, 0, 2, 3, 4, 5, 6, 7]),
            (good, order, [0, 1, 2]),
            (good, order, [0, 1, 2, 2]),
            (good, [0, 1, 2, 4], order),
            (good, order, [0, 1, 2, np.nan]),
            (good, order, None),
            (good, "abcd", order),
            (None, order, order),
            (good[0], order, order),
            (np.full((2, N_FEATURES), 1.75e308) * [[1], [-1]], [1, 0], [0, 1]),
        ):
            with pytest.raises(InvalidInput):
                learner.update(X, presented, feedback)
            assert to_bytes(learner) == before

    def test_a_refused_context_is_not_presented(self) -> None:
        """Wrong features, NaN, nothing at all."""
        learner = teach(self.make())
        for X in (
            np.ones((3, N_FEATURES + 1)),
            np.full((2, N_FEATURES), np.nan),
            np.ones((0, N_FEATURES)),
            None,
        ):
            with pytest.raises(InvalidInput):
                learner.present(X)

    def test_settings_are_checked(self) -> None:
        """A map that is none, and a number of features that is none, are rejected."""
        for wrong in (None, object(), "ranking"):
            with pytest.raises(InvalidInput, match="feature_map must"):
                self.Learner(wrong, N_FEATURES, **self.settings)
        for wrong in (0, -1, 2.0, True, None):
            with pytest.raises(InvalidInput, match="n_features must be a whole number of at least 1"):
                self.Learner(RankingMap(), wrong, **self.settings)

    # -- state ---------------------------------------------------------------------------------------------

    def test_the_same_rounds_give_the_same_bytes(self) -> None:
        """State is a function of the rounds and of nothing else."""
        assert to_bytes(teach(self.make())) == to_bytes(teach(self.make()))

    def test_saved_and_loaded_it_is_the_same(self, tmp_path: Any) -> None:
        """Loading gives the same bytes back, presents the same, and learns on in the same way."""
        learner = teach(self.make(), rounds(38))  # in the middle of a batch
        save(learner, tmp_path / "learner.penchant")
        loaded = load(tmp_path / "learner.penchant")
        assert to_bytes(loaded) == to_bytes(learner)
        assert to_bytes(teach(loaded, rounds(20, seed=5))) == to_bytes(teach(learner, rounds(20, seed=5)))

    def test_a_copy_goes_its_own_way(self) -> None:
        """A copy is the same to the last bit, and neither learns from what the other is taught."""
        learner = teach(self.make())
        before = to_bytes(learner)
        other = learner.copy()
        assert to_bytes(other) == before
        teach(other, rounds(10, seed=6))
        assert to_bytes(learner) == before
        assert to_bytes(teach(learner, rounds(10, seed=6))) == to_bytes(other)

    def test_a_row_holds_the_state(self) -> None:
        """Unloaded to a row of known length and loaded into a fresh learner, the state is the same to the last bit."""
        learner = teach(self.make(), rounds(38))  # in the middle of a batch
        row = learner.state_row()
        assert row.shape == (learner.row_length,)
        loaded = self.make().load_row(row)
        row[:] = 0.0
        assert to_bytes(loaded) == to_bytes(learner)
        assert to_bytes(teach(loaded, rounds(20, seed=5))) == to_bytes(teach(learner, rounds(20, seed=5)))

    def test_a_column_joins_additive_learners_with_weight_0(self) -> None:
        """Widened, it learns what one with that column from the start does; others are rejected."""
        learner = teach(self.make())
        if not learner.additive:
            with pytest.raises(InvalidInput, match="be one that features can join"):
                learner.widened(N_FEATURES + 1)
            return
        wider = learner.widened(N_FEATURES + 2)
        assert wider.weights.tolist() == [*learner.weights, 0.0, 0.0]
        other = type(learner)(RankingMap(), N_FEATURES + 2, **self.settings).load_row(learner.state_row())
        assert to_bytes(other) == to_bytes(wider)

    def test_a_state_of_another_form_is_not_loaded(self) -> None:
        """An array of another shape, a number that is not finite, a missing part: rejected as altered."""
        state = dict(vars(teach(self.make())))
        for name, wrong in (
            ("_weights", np.zeros(N_FEATURES + 1)),
            ("_weights", np.full(N_FEATURES, np.nan)),
            ("_total", np.zeros(N_FEATURES, dtype=np.float32)),
            ("_rounds", -1),
            ("_mass", float("nan")),
            ("n_features", 0),
        ):
            with pytest.raises(CannotLoad, match="altered"):
                self.loaded({**state, name: wrong})
        del state["_total"]
        with pytest.raises(CannotLoad, match="altered"):
            self.loaded(state)

    def loaded(self, state: dict[str, Any]) -> Any:
        altered = self.Learner.__new__(self.Learner)
        vars(altered).update(state)
        return from_bytes(unchecked_bytes(altered))

    def test_memory_does_not_grow_with_rounds(self) -> None:
        """What is kept is bounded, however many rounds there were."""
        learner = teach(self.make())
        before = len(to_bytes(learner))
        assert len(to_bytes(teach(learner, rounds(200, seed=7)))) <= before + 64

    def test_it_says_what_it_is(self) -> None:
        """Its repr names the kind, the map and the number of rounds."""
        text = repr(teach(self.make(), rounds(3)))
        assert text.startswith(f"{self.Learner.__name__}(RankingMap(")
        assert text.endswith("3 rounds")
