"""scikit-learn pipelines that end in one of Penchant's models, and the scalers in front of it, in a saved file.

A pipeline is its named steps, and a scaler its name and attributes, which `estimators` checks as it checks those that
come through skops. Nothing else that scikit-learn has is written in this form or made from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from penchant.errors import CannotLoad, CannotSave
from penchant.saving.estimators import FEATURES, check_estimator, public_class
from penchant.saving.objects import is_ours

SCALERS = ("MaxAbsScaler", "MinMaxScaler", "RobustScaler", "StandardScaler")
"""The transformers that are saved without skops."""
_SKIPPED = (None, "passthrough")


def is_own_pipeline(value: object) -> bool:
    """Whether ``value`` is a pipeline of scikit-learn with one of Penchant's models in it."""
    kind = type(value)
    if kind.__name__ != "Pipeline" or not kind.__module__.startswith("sklearn."):
        return False
    return kind is public_class("Pipeline") and any(is_ours(type(step)) for _, step in value.steps)  # type: ignore[attr-defined]


def pipeline_parts(pipeline: Any, encode: Callable[[object, str], object], path: str) -> list[list[object]]:
    """Return the steps of a pipeline, each as its name and what ``encode`` makes of it."""
    for setting in ("memory", "transform_input"):
        if getattr(pipeline, setting, None) is not None:
            raise CannotSave(
                f"{path}.{setting} must be None in a pipeline that is saved, got {getattr(pipeline, setting)!r:.60}: "
                f"set it to None with set_params({setting}=None)"
            )
    _check_steps(pipeline.steps, lambda problem: CannotSave(f"{path} {problem}"))
    return [
        [name, step if step in _SKIPPED else scaler_or(step, encode, f"{path} {name!r}")]
        for name, step in pipeline.steps
    ]


def scaler_or(step: Any, encode: Callable[[object, str], object], path: str) -> object:
    """Return a scaler in its own form, and any other step as ``encode`` writes it."""
    name = type(step).__name__
    if name not in SCALERS or type(step) is not public_class(name):
        return encode(step, path)
    try:
        check_estimator(step, path)
    except Exception as error:
        raise CannotSave(f"{path} is a {name} that no load would accept: {error}") from error
    state = vars(step)
    return {"scaler": [name, {key: encode(state[key], f"{path}.{key}") for key in sorted(state)}]}


def pipeline_from(steps: list[Any], decode: Callable[[object], object]) -> object:
    """Return the pipeline whose steps `pipeline_parts` returned, if each of them can be checked."""
    made = []
    for entry in steps:
        name, node = entry
        made.append((name, node if node in _SKIPPED else decode(node)))
    _check_steps(
        made, lambda problem: CannotLoad(f"a pipeline {problem}: the file was altered, save it anew")
    )
    pipeline: object = public_class("Pipeline")(made)
    return pipeline


def scaler_from(name: object, state: Mapping[str, object]) -> object:
    """Return the scaler of that name and state, if it could have that state."""
    if name not in SCALERS:
        raise CannotLoad(f"the file asks for {str(name)[:60]!r} as a scaler, which is none: do not trust it")
    kind = public_class(str(name))
    scaler: Any = object.__new__(kind)
    for key, value in state.items():
        if not key.isidentifier() or key.startswith("__") or hasattr(kind, key):
            raise CannotLoad(f"{key[:60]!r} is no attribute of {name}: the file was altered, save it anew")
        setattr(scaler, key, value)
    check_estimator(scaler)
    return scaler


def _check_steps(steps: list[tuple[Any, Any]], error: Callable[[str], Exception]) -> None:
    """Raise unless the steps are named, end in a model and were taught the same number of features."""
    names = [name for name, _ in steps]
    if not all(type(name) is str and name and "__" not in name for name in names) or len(set(names)) < len(
        names
    ):
        raise error("must have steps with names of their own")
    found = [step for _, step in steps if step not in _SKIPPED]
    if (
        not found
        or steps[-1][1] is not found[-1]
        or not is_ours(type(found[-1]))
        or not hasattr(found[-1], "predict")
    ):
        raise error("must end in one of Penchant's models")
    for step in found[:-1]:
        if not hasattr(step, "transform"):
            raise error(f"must transform before its last step, got a {type(step).__name__}")
    widths = {getattr(step, FEATURES, None) for step in found}
    if len(widths) > 1:
        raise error(f"must have been fitted as a whole, got steps of {sorted(map(str, widths))} features")
