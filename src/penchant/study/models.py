"""The loop: which model a study learns with. A name or a model in; what the log keeps of it, and back."""

from __future__ import annotations

from typing import Any

from penchant.errors import InvalidInput
from penchant.worth import BradleyTerry, Thurstone

PairedModel = BradleyTerry | Thurstone
MODELS: dict[str, type[PairedModel]] = {"bradley-terry": BradleyTerry, "thurstone": Thurstone}


def model_named(model: str | PairedModel | None) -> dict[str, Any]:
    """Return the name and the settings of a model, as the log keeps them."""
    if model is None or isinstance(model, str):
        name = model or "bradley-terry"
        if name not in MODELS:
            raise InvalidInput(f"model must be one of {', '.join(MODELS)}, got {name!r}: choose one of these")
        return {"name": name, "settings": {}}
    for name, kind in MODELS.items():
        if type(model) is kind:
            usual = kind().get_params()
            changed = {key: value for key, value in model.get_params().items() if value != usual[key]}
            return {"name": name, "settings": changed}
    raise InvalidInput(
        f"model must be one of {', '.join(MODELS)}, got {type(model).__name__}: choose one of these"
    )


def model_from(kept: dict[str, Any]) -> PairedModel:
    """Return the model that the log names, not yet fitted."""
    return MODELS[kept["name"]](**kept["settings"])


def noise_of(model: PairedModel) -> float:
    """Return the sd of the rating noise on each item; the logistic answer is close to a probit one of 1.2."""
    return 1.0 if isinstance(model, Thurstone) else 1.2
