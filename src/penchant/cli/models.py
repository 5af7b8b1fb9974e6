"""Which model a command fits. A name and preferences in; a model, and why it, out."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.preferences import Preferences
    from penchant.worth.worth_model import WorthModel


class ModelName(StrEnum):
    """The models by the names that are typed."""

    bradley_terry = "bradley-terry"
    thurstone = "thurstone"
    plackett_luce = "plackett-luce"
    glicko = "glicko"
    win_rate = "win-rate"
    crowd = "crowd"


_CLASSES = {
    ModelName.bradley_terry: "BradleyTerry",
    ModelName.thurstone: "Thurstone",
    ModelName.plackett_luce: "PlackettLuce",
    ModelName.glicko: "Glicko",
    ModelName.win_rate: "WinRate",
    ModelName.crowd: "CrowdBradleyTerry",
}


def usual_model(preferences: Preferences) -> tuple[ModelName, str]:
    """Return the model that suits ``preferences``, and the reason as the end of a sentence."""
    if _are_rankings(preferences):
        return ModelName.plackett_luce, ", since rows are about more than two items (--model takes another)"
    return ModelName.bradley_terry, ", since rows compare two items (--model takes another)"


def _are_rankings(preferences: Preferences) -> bool:
    """Whether any row is about more than two items, the bar not counted."""
    statements = preferences.statements
    if statements.only_comparisons:
        return False
    import numpy as np

    about = (
        statements.rows if preferences.bar is None else statements.rows[statements.members != preferences.bar]
    )
    return bool(np.bincount(about, minlength=1).max() > 2)


def made(name: ModelName, *, prior: float | str | None = None) -> WorthModel:
    """Return the model called ``name``, not yet fitted."""
    from penchant import worth

    model: WorthModel = getattr(worth, _CLASSES[name])()
    if prior is None:
        return model
    if "prior" not in model.get_params():
        raise InvalidInput(
            f"prior must not be given for {name}, got {prior}: this model has none, leave it out"
        )
    return model.set_params(prior=prior)
