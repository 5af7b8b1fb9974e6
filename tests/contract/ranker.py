"""What every ranker on features promises beside scikit-learn's own checks, which tests/rankers run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant.errors import InvalidInput, NotFitted
from penchant.saving import load, save, to_bytes
from tests.contract.settings import SettingsContract

X = np.random.default_rng(5).normal(size=(40, 3))
WORTH = X @ [2.0, -1.0, 0.5]
GRADES = np.digitize(WORTH, [-1.0, 1.0])
RANKS = np.argsort(np.argsort(-np.column_stack([WORTH, X[:, 1], -WORTH])), axis=1) + 1


class RankerContract(SettingsContract):
    """The promises, one test each; its docstring is the promise."""

    target: Any = GRADES

    def taught(self) -> Any:
        return self.make().fit(X, self.target)

    def test_inputs_stay_untouched(self) -> None:
        """Fitting and predicting change nothing in the arrays that they are given."""
        features, target = X.copy(), self.target.copy()
        self.make().fit(features, target).predict(features)
        np.testing.assert_array_equal(features, X)
        np.testing.assert_array_equal(target, self.target)

    def test_the_same_data_give_the_same_bytes(self) -> None:
        """Fitting twice gives the same state to the last bit."""
        assert to_bytes(self.taught()) == to_bytes(self.taught())

    def test_saved_and_loaded_it_is_the_same(self, tmp_path: Any) -> None:
        """A loaded model predicts what the saved one does, to the last bit."""
        model = self.taught()
        save(model, tmp_path / "model")
        np.testing.assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))

    def test_it_learns(self) -> None:
        """It orders the rows, or the labels, better than chance by far."""
        assert self.taught().score(X, self.target) > 0.7

    def test_it_refuses_to_be_asked_before_it_learned(self) -> None:
        """Predictions of a model that was not fitted are an error that names the remedy."""
        with pytest.raises(NotFitted, match="must be fitted first: call fit"):
            self.make().predict(X)

    def test_what_cannot_be_used_is_refused(self) -> None:
        """Targets of another length, and features that are not finite, are errors."""
        with pytest.raises(InvalidInput):
            self.make().fit(X, self.target[:-1])
        with pytest.raises(InvalidInput):
            self.make().fit(np.where(X[3, 1] == X, np.nan, X), self.target)
