"""What every model of features and pairs promises. A new one inherits `PairModelContract` and says how it is made.

class TestMine(PairModelContract):
    Model = Mine

    def make(self, **settings):
        return Mine(…, **settings)
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.saving import load, save, to_bytes
from tests.contract.settings import SettingsContract

N_ROWS = 10
X = np.random.default_rng(5).random((N_ROWS, 2))


def judged(n_pairs: int = 60, seed: int = 0) -> Any:
    """Pairs of rows of X, better first; rows with larger features are mostly better."""
    rng = np.random.default_rng(seed)
    worth = 3 * X.sum(axis=1)
    first = rng.integers(N_ROWS, size=n_pairs)
    second = (first + rng.integers(1, N_ROWS, size=n_pairs)) % N_ROWS
    flip = rng.random(n_pairs) > 1 / (1 + np.exp(worth[second] - worth[first]))
    return np.column_stack([np.where(flip, second, first), np.where(flip, first, second)])


class PairModelContract(SettingsContract):
    """The promises, one test each; its docstring is the promise."""

    tolerance = 1e-6  # of utilities that are the same in theory

    def make(self, **settings: Any) -> Any:
        return self.Model(**settings)

    def fit(self, *arguments: Any, **keywords: Any) -> Any:
        return self.make().fit_pairs(*arguments, **keywords)

    def taught(self) -> Any:
        return self.fit(X, judged())

    def close(self, utilities: Any, others: Any) -> None:
        np.testing.assert_allclose(utilities, others, atol=self.tolerance, rtol=self.tolerance)

    def test_a_clone_is_the_model_before_it_learned(self) -> None:
        """scikit-learn's clone of a fitted model is a new one of the same settings."""
        from sklearn.base import clone

        assert repr(clone(self.taught())) == repr(self.make())

    # -- data ----------------------------------------------------------------------------------------------

    def test_inputs_stay_untouched(self) -> None:
        """Fitting and asking change nothing in the arrays that they are given."""
        features, pairs, weight = X.copy(), judged(), np.linspace(0.5, 2, 60)
        before = features.copy(), pairs.copy(), weight.copy()
        self.fit(features, pairs, weight=weight).predict(features)
        for now, then in zip((features, pairs, weight), before, strict=True):
            assert np.array_equal(now, then)

    def test_the_same_data_give_the_same_bytes(self) -> None:
        """Fitting twice gives the same state to the last bit, also on a model that had learned something else."""
        model = self.fit(X, judged())
        assert to_bytes(self.fit(X, judged())) == to_bytes(model)
        with warnings.catch_warnings(action="ignore", category=PenchantWarning):  # about few pairs
            other = self.fit(X[:5], [(0, 1), (2, 3)])
        assert to_bytes(other.fit_pairs(X, judged())) == to_bytes(model)

    def test_renaming_rows_permutes_utilities(self) -> None:
        """Rows are known by their features alone: in another order, each keeps its utility."""
        order = np.random.default_rng(3).permutation(N_ROWS)
        place = np.argsort(order)
        renamed = self.fit(X[order], place[judged()])
        self.close(renamed.predict(X), self.fit(X, judged()).predict(X))

    def test_the_order_of_pairs_does_not_matter(self) -> None:
        """The same answers in another order give the same utilities."""
        pairs = judged()
        shuffled = pairs[np.random.default_rng(4).permutation(len(pairs))]
        self.close(self.fit(X, shuffled).predict(X), self.fit(X, pairs).predict(X))

    def test_a_pair_twice_is_weight_two(self) -> None:
        """Saying it twice and giving it the weight two are the same."""
        pairs = judged()
        twice = self.fit(X, np.vstack([pairs, pairs[:1]]))
        self.close(self.fit(X, pairs, weight=np.r_[2, np.ones(59)]).predict(X), twice.predict(X))

    def test_rows_that_are_the_same_are_one_item(self) -> None:
        """Each answer about its own copy of a row is as good as all about one."""
        pairs = judged()
        copies = X[pairs.ravel()]
        apart = self.fit(copies, np.arange(len(copies)).reshape(-1, 2))
        self.close(apart.predict(X), self.fit(X, pairs).predict(X))

    def test_preferences_of_ids_meet_a_frame_by_its_index(self) -> None:
        """Ids are looked up in the frame's index, whatever the order of its rows, and columns by their names."""
        frame = pd.DataFrame(X, index=[f"item {i}" for i in range(N_ROWS)], columns=["range", "battery"])
        pairs = judged()
        said = Preferences.from_pairs(frame.index.to_numpy()[pairs])
        model = self.fit(frame.sample(frac=1, random_state=0), said)
        plain = self.fit(X, pairs)
        self.close(model.predict(frame), plain.predict(X))
        self.close(model.predict(frame[["battery", "range"]]), plain.predict(X))
        assert list(model.feature_names_in_) == ["range", "battery"]

    # -- what it believes ----------------------------------------------------------------------------------

    def test_probabilities_of_the_two_outcomes_sum_to_one(self) -> None:
        """P(a beats b) + P(b beats a) = 1, strictly between 0 and 1, and ½ for a row with itself."""
        model = self.fit(X, judged())
        a, b = X[np.repeat(np.arange(N_ROWS), N_ROWS)], np.tile(X, (N_ROWS, 1))
        forth, back = model.win_probability(a, b), model.win_probability(b, a)
        np.testing.assert_allclose(forth + back, 1, atol=1e-12)
        assert ((forth > 0) & (forth < 1)).all()
        np.testing.assert_allclose(forth[:: N_ROWS + 1], 0.5, atol=1e-12)
        assert model.win_probability(X[0], X[1]) == pytest.approx(forth[1], abs=1e-12)

    def test_a_higher_utility_is_the_likelier_winner(self) -> None:
        """Utilities and probabilities tell the same story, and that of the data."""
        model = self.fit(X, judged(400))
        utility = model.predict(X)
        order = np.argsort(-utility)
        assert (model.win_probability(X[order[:-1]], X[order[1:]]) >= 0.5).all()
        assert np.corrcoef(utility, X.sum(axis=1))[0, 1] > 0.9

    # -- refusals ------------------------------------------------------------------------------------------

    def test_it_refuses_to_be_asked_before_it_learned(self) -> None:
        """Asking before fitting says so."""
        for ask in (lambda m: m.predict(X), lambda m: m.win_probability(X, X)):
            with pytest.raises(NotFitted, match="must be fitted"):
                ask(self.make())

    def test_what_cannot_be_used_is_refused_and_changes_nothing(self) -> None:
        """NaN, no pairs, unknown rows and other features are rejected with a message; what was learned stays."""
        model = self.fit(X, judged())
        before = to_bytes(model)
        for features, pairs in (
            (np.where(X > 0.9, np.nan, X), judged()),
            (X, np.empty((0, 2))),
            (X, [(0, N_ROWS)]),
            (X, [(0, 0)]),
            (X[0], [(0, 1)]),
            (np.ones((3, 2)), [(0, 1), (1, 2)]),
        ):
            with pytest.raises(InvalidInput, match=r"got .*: "):
                model.fit_pairs(features, pairs)
        for ask in (lambda: model.predict(X[:, :1]), lambda: model.win_probability(X[0, :1], X[1, :1])):
            with pytest.raises(InvalidInput, match="2 columns"):
                ask()
        assert to_bytes(model) == before

    # -- state ---------------------------------------------------------------------------------------------

    def test_saved_and_loaded_it_is_the_same(self, tmp_path: Any) -> None:
        """Loading gives the same bytes back and the same answers."""
        model = self.fit(X, judged())
        save(model, tmp_path / "model.penchant")
        loaded = load(tmp_path / "model.penchant")
        assert to_bytes(loaded) == to_bytes(model)
        assert np.array_equal(loaded.predict(X), model.predict(X))
        assert np.array_equal(loaded.win_probability(X, X[::-1]), model.win_probability(X, X[::-1]))
