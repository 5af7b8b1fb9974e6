"""What every model promises of its settings; the other contracts inherit it."""

from __future__ import annotations

import copy
import inspect
from typing import Any


class SettingsContract:
    """The promises, one test each; its docstring is the promise."""

    Model: Any

    def make(self) -> Any:
        return self.Model()

    def taught(self) -> Any:
        """Return a fitted model of the same settings as `make`."""
        raise NotImplementedError

    def test_the_constructor_only_stores(self) -> None:
        """Each setting is kept as the very object that was given, and nothing else is set."""
        model = self.make()
        names = list(inspect.signature(type(model).__init__).parameters)[1:]
        assert sorted(vars(model)) == sorted(names)
        for name in names:
            value = object()
            assert getattr(self.Model(**{**model.get_params(deep=False), name: value}), name) is value

    def test_fitting_keeps_the_settings(self) -> None:
        """The settings are the same after fitting, so that a clone is the model before it learned."""
        before = copy.deepcopy(self.make().get_params(deep=False))
        assert repr(self.taught().get_params(deep=False)) == repr(before)
