"""Settings of models: read, changed, copied and printed as scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from penchant.errors import InvalidInput
from penchant.model import Model


class Small(Model):
    """A model with two settings and one thing that it learns."""

    def __init__(self, rate: float = 1.0, *, start: Any = None) -> None:
        self.rate, self.start = rate, start

    def fit(self) -> Small:
        self.learned_ = self.rate
        return self


def test_settings_are_read_and_changed_by_name() -> None:
    """`set_params` changes the given settings only, and returns the model."""
    model = Small(2.0)
    assert model.get_params() == {"rate": 2.0, "start": None}
    assert model.set_params(start=3) is model
    assert model.get_params() == {"rate": 2.0, "start": 3}


def test_what_was_learned_stays_when_settings_change() -> None:
    """A change takes effect at the next fit."""
    model = Small(2.0).fit().set_params(rate=5.0)
    assert model.learned_ == 2.0
    assert model.fit().learned_ == 5.0


def test_an_unknown_setting_is_rejected_with_the_known_ones() -> None:
    """The message names the model and its settings; nothing is set."""
    model = Small()
    with pytest.raises(InvalidInput, match="setting 'rat' of Small must be one of rate, start: correct it"):
        model.set_params(rat=1.0)
    assert not hasattr(model, "rat")


def test_a_clone_has_the_settings_and_nothing_learned() -> None:
    """scikit-learn's `clone` works without inheriting from its classes."""
    copy = clone(Small(2.0).fit())
    assert copy.get_params() == {"rate": 2.0, "start": None}
    assert not hasattr(copy, "learned_")
    assert get_tags(copy).estimator_type is None


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (Small(), "Small()"),
        (Small(2), "Small(rate=2)"),
        (Small(start=np.array([1, 2])), "Small(start=array([1, 2]))"),
    ],
)
def test_only_settings_that_differ_from_the_default_are_printed(model: Model, text: str) -> None:
    """Arrays, which cannot be compared with None, are printed too."""
    assert repr(model) == text
