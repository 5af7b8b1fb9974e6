"""`Model`, the base class of models: constructors only store settings.

This is scikit-learn's way (constructors only store, what is learned ends in ``_``, ``clone`` works) without
importing scikit-learn, which takes longer than most models need.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

from penchant.errors import InvalidInput


class Model:
    """Settings that can be read, changed, copied and printed."""

    order_matters = False
    """Whether the same answers in another order may give another state; such a model documents why."""

    @classmethod
    def _settings(cls) -> dict[str, Any]:
        return {name: setting.default for name, setting in signature(cls).parameters.items()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings by name."""
        return {name: getattr(self, name) for name in self._settings()}

    def set_params(self, **settings: Any) -> Self:
        """Change settings; what was learned stays until the next fit."""
        for name, value in settings.items():
            if name not in self._settings():
                names = ", ".join(self._settings())
                raise InvalidInput(
                    f"setting {name!r} of {type(self).__name__} must be one of {names}: correct it"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = (
            f"{name}={getattr(self, name)!r}"
            for name, usual in self._settings().items()
            if repr(getattr(self, name)) != repr(usual)  # an array is neither equal to None nor unequal
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from penchant.plots.notebook import model_view

        return model_view(self)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags())
