"""Which model a study learns with. A name or a model in; what the log keeps of it, and back."""

from __future__ import annotations

from typing import Any

from penchant import registry
from penchant.checks import one_of
from penchant.errors import InvalidInput
from penchant.worth import BradleyTerry, Thurstone

PairedModel = BradleyTerry | Thurstone
MODELS: dict[str, type[PairedModel]] = {
    name: entry.load() for name, entry in registry.MODELS.items() if entry.in_studies
}


ASKING_PRIOR = 0.1
"""The precision of the prior with which questions are chosen where the prior is learned."""

FIRST_DEFAULTS: dict[str, Any] = {"prior": 0.1, "errors": "auto", "feature_prior": 1.0}
"""What the first version of a study's settings left out: the defaults of that time, whatever they are now."""


def model_named(model: str | PairedModel | None) -> dict[str, Any]:
    """Return the name and every setting of a model, as the log keeps them."""
    if model is None or isinstance(model, str):
        name = model or "bradley-terry"
        one_of("model", name, MODELS)
        return {"name": name, "settings": MODELS[name]().get_params()}
    for name, kind in MODELS.items():
        if type(model) is kind:
            return {"name": name, "settings": model.get_params()}
    raise InvalidInput.of(
        "model", f"be one of {', '.join(MODELS)}", type(model).__name__, "choose one of these"
    )


def settings_kept(kept: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the settings of the model that an event holds, complete."""
    return {**(FIRST_DEFAULTS if version == 1 else {}), **kept["settings"]}


def model_from(kept: dict[str, Any]) -> PairedModel:
    """Return the model that the log names, not yet fitted."""
    return MODELS[kept["name"]](**kept["settings"])


def noise_of(model: PairedModel) -> float:
    """Return the sd of the rating noise on each item; the logistic answer is close to a probit one of 1.2."""
    return 1.0 if isinstance(model, Thurstone) else 1.2
